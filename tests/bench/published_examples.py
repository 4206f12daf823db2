"""Small files of published curves, and own runs that belong to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.examples import run
from malibo.bench.problems import Reference
from malibo.bench.runs import Run

Lines = Sequence[Sequence[float]]  # a curve for each run


def write_curves(
    folder: Path,
    name: str,
    lines: Mapping[str, Lines],
    runs: Sequence[tuple[str, str, int]],
    precision: str = "float64",
    **changed: Any,
) -> Path:
    """A file of curves; runs are search space, data set and seed."""
    folder.mkdir(parents=True, exist_ok=True)
    arrays: dict[str, Any] = {
        "methods": np.array([*lines]),
        "search_space": np.array([space for space, _, _ in runs]),
        "dataset": np.array([data_set for _, data_set, _ in runs]),
        "seed": np.array([f"test{seed}" for _, _, seed in runs]),
        "curves": np.array([*lines.values()], dtype=precision),
    }
    arrays = {key: value for key, value in (arrays | changed).items() if value is not None}
    np.savez(folder / f"{name}.npz", **arrays)
    return folder


def own_run(
    method: str, task: str, seed: int, values: Sequence[float], given: int = 5, scale: float = 1.0
) -> Run:
    """A run whose normalised incumbents, from step 0 on, are the given values."""
    truths = [scale * (1 - value) for value in values]
    reference = Reference(best=0.0, worst=scale, second=0.01)
    first = [truths[0]] * given if given else truths[:1]
    return run(method, task, seed, [*first, *truths[1:]], initial=given, reference=reference)
