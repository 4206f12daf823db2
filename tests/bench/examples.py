"""Runs made by hand."""

from __future__ import annotations

from collections.abc import Sequence

from malibo.bench.problems import Reference
from malibo.bench.runs import Run

REFERENCE = Reference(best=0.0, worst=10.0, second=0.5)


def run(
    method: str,
    task: str,
    seed: int,
    truths: Sequence[float],
    *,
    initial: int = 0,
    reference: Reference = REFERENCE,
    better: Sequence[float] | None = None,
    seconds: float | Sequence[float] = 1.0,
    suggest: float | Sequence[float] = 0.25,
    train: float | Sequence[float] = 0.0,
) -> Run:
    """A run with the given true losses; a single number stands for every step."""
    steps = len(truths)

    def each(value: float | Sequence[float]) -> list[float]:
        return [value] * steps if isinstance(value, float) else list(value)

    return Run(
        method=method,
        task=task,
        seed=seed,
        reference=reference,
        parameters=["x"],
        initial=initial,
        configs=[[truth] for truth in truths],
        loss=list(truths),
        truth=list(truths),
        better=list(better) if better is not None else [0.5] * steps,
        seconds=each(seconds),
        suggest=each(suggest),
        train=each(train),
    )
