"""Summary: results as a table with a row for each method, task and step."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from malibo.bench.metrics import (
    Metric,
    average_ranks,
    curves,
    immediate_regret,
    in_natural_order,
    log10_regret,
    mean_and_error,
    normalised_regret,
    runtime,
    seed_counts,
    share_better,
    times_known,
    training_time,
    wall_clock,
    with_seeds,
)
from malibo.bench.runs import Run
from malibo.errors import InputError
from malibo.space.parameters import Array

Row = dict[str, str | int | float]

STEPS = (1, 5, 10, 20, 25, 30, 50, 100)
ALL = "all"  # in place of a task
_AVERAGED: Mapping[str, Metric] = {
    "regret": normalised_regret,
    "log10_regret": log10_regret,
    "immediate": immediate_regret,
    "better": share_better,
}
_WITH_ERROR = ("regret", "log10_regret")


def summary(runs: Sequence[Run], steps: Sequence[int] = STEPS) -> list[Row]:
    """Rows for each task, and for all tasks together; NaN where nothing is known.

    Ranks are among all methods of a task that have five seeds, over those that they share. A
    method that lacks a task has no row for all: its average would be one of other tasks.
    """
    tasks = in_natural_order({run.task for run in runs})
    groups = {task: [run for run in runs if run.task == task] for task in tasks}
    groups[ALL] = _without_gaps(runs)
    return [row for task, group in groups.items() for row in _rows(task, group, steps)]


def _without_gaps(runs: Sequence[Run]) -> list[Run]:
    """Runs of the methods that were run on every task."""
    tasks = {run.task for run in runs}
    pairs = {(run.method, run.task) for run in runs}
    return [run for run in runs if all((run.method, task) in pairs for task in tasks)]


def _rows(task: str, runs: Sequence[Run], steps: Sequence[int]) -> Iterator[Row]:
    ranks = _ranks(runs)
    for method in ranks:
        of_method = [run for run in runs if run.method == method]
        shown = curves(of_method, normalised_regret)
        averages = _averages(method, of_method)
        averages |= {"rank": ranks[method], "seconds": _seconds(method, of_method)}
        for position, step in enumerate(shown.steps):
            if step in steps:
                yield {
                    "method": method,
                    "task": task,
                    "step": int(step),
                    "seeds": seed_counts(shown)[0],
                    **{column: _at(averages[column], position) for column in averages},
                    "suggest_ms": _median_runtime(of_method, int(step)),
                    "train_s": float(np.median([training_time(run) for run in of_method])),
                }


def _ranks(runs: Sequence[Run]) -> dict[str, Array]:
    """Average ranks; NaN for methods of few seeds, which would leave few pairs for the others."""
    found = curves(runs, normalised_regret)
    unknown = {method: np.full(len(found.steps), np.nan) for method in found.methods}
    return unknown | average_ranks(found.only(with_seeds(found)))


def _averages(method: str, runs: Sequence[Run]) -> dict[str, Array]:
    """Columns over steps."""
    columns = {}
    for column, metric in _AVERAGED.items():
        columns[column], error = mean_and_error(curves(runs, metric), method)
        if column in _WITH_ERROR:
            columns[f"{column}_se"] = error
    return columns


def _seconds(method: str, runs: Sequence[Run]) -> Array:
    """Simulated wall-clock time over steps."""
    mean, _ = mean_and_error(curves(runs, wall_clock), method)
    return mean if all(times_known(run) for run in runs) else np.full_like(mean, np.nan)


def _at(values: Array, position: int) -> float:
    """NaN where a curve of other methods' runs is shorter."""
    return float(values[position]) if position < len(values) else math.nan


def _median_runtime(runs: Sequence[Run], step: int) -> float:
    """Milliseconds for a step, over all runs and all steps up to the given one."""
    times = np.concatenate([runtime(run)[:step] for run in runs])
    return 1000 * float(np.median(times)) if len(times) else math.nan


def write_csv(rows: Sequence[Row], path: Path) -> None:
    """Write rows as a table; floats have 4 significant digits, and NaN is an empty field."""
    columns = list(rows[0]) if rows else []
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows({column: _text(row[column]) for column in columns} for row in rows)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}.") from None


def _text(value: str | int | float) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.4g}"
    return str(value)
