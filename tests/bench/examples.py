"""Runs made by hand, and a suite whose runs take a moment."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from malibo import Categorical, Int, Space
from malibo.bench.problems import Evaluation, Problem, Reference
from malibo.bench.problems.tables import Table, TableProblem, TableSet
from malibo.bench.runs import Run
from malibo.bench.suites import Suite
from malibo.space.parameters import Array

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


def without_times(run: Run) -> str:
    """A run as text, but for how long it took: NaN is equal to NaN there."""
    return replace(run, suggest=[], train=[]).to_json()


# -- a small suite -------------------------------------------------------------------------

SPACE = Space(a=Int(0, 9), b=Categorical(["x", "y", "z"]))
TASKS = ("left", "middle", "right")


class SmallProblem(TableProblem):
    """A table, with a little noise on what is told; the first points may be given."""

    def __init__(self, task: str, given: int) -> None:
        codes = SPACE.enumerate(100)
        tables = {
            name: Table.of(codes, (codes[:, 0] - 2 - 2 * place) ** 2 + codes[:, 1])
            for place, name in enumerate(TASKS)
        }
        super().__init__(TableSet(SPACE, tables), task, past_size=12)
        self._given = codes[:given]

    def evaluate(self, row: Array, rng: np.random.Generator) -> Evaluation:
        found = super().evaluate(row, rng)
        return replace(found, loss=found.truth + 0.1 * float(rng.standard_normal()))

    def initial(self, seed: int) -> Array:
        return np.roll(self._given, seed, axis=0)


@dataclass(frozen=True)
class SmallSuite(Suite):
    """Three tables of 30 configurations."""

    name: str = "small"
    line: str = "three small tables"
    given: int = 0

    def tasks(self) -> tuple[str, ...]:
        return TASKS

    def problem(self, task: str) -> Problem:
        return SmallProblem(task, self.given)


def write_set(folder: Path, name: str) -> Path:
    """A folder of data with one set: a grid of 30 configurations of three tasks."""
    parameters = [
        {"name": "a", "type": "ordinal", "choices": list(range(10))},
        {"name": "b", "type": "categorical", "choices": ["x", "y", "z"]},
    ]
    description = {
        "title": "Small tables",
        "parameters": parameters,
        "objective": {"array": "val_loss", "direction": "minimize"},
        "tasks": list(TASKS),
    }
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(description))
    codes = np.array([[i, j] for i in range(10) for j in range(3)], np.uint8)
    losses = np.array([(codes[:, 0] - math.pi - place) ** 2 + codes[:, 1] for place in range(3)])
    np.savez(folder / f"{name}.npz", X=codes, val_loss=losses, train_time=np.full((3, 30), 5.0))
    return folder
