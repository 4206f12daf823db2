"""Tables of a group: regret and ranks at some steps, as text and as a CSV file."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from malibo.bench.figures.style import style
from malibo.bench.metrics import (
    Curves,
    Pair,
    average_ranks,
    in_natural_order,
    mean_and_error,
    seed_counts,
)
from malibo.bench.published.groups import DIGITS, Group
from malibo.bench.summary import ALL, Row, write_csv
from malibo.space.parameters import Array

Cells = list[list[str]]
Averages = Mapping[str, tuple[Array, Array]]  # mean and error over steps, by method

STEPS = (5, 25, 50, 100)


def group_tables(group: Group) -> dict[str, Cells]:
    """Tables by caption: a header, and a line for each method, the best at the end first."""
    ranks = {name: (line, np.full_like(line, np.nan)) for name, line in _ranks(group).items()}
    return {
        "mean normalised regret": _table(group.curves, averages(group.curves), 4),
        "average rank": _table(group.curves, ranks, 2),
        "mean normalised regret, averaged within each search space first": _table(
            group.curves, averages(by_space(group.curves)), 4
        ),
    }


def write_group_csv(group: Group, path: Path) -> None:
    """Everything that the tables show, at step 0 as well and for each search space."""
    spaces = in_natural_order({space_of(task) for task in group.curves.tasks})
    rows = _rows(ALL, group.curves)
    for space in spaces:
        rows += _rows(space, on_space(group.curves, space))
    write_csv(rows, path)


def shown_steps(curves: Curves) -> list[int]:
    """The steps of tables that the curves reach; the last one if they reach none."""
    last = int(curves.steps[-1])
    return [step for step in STEPS if step <= last] or [last]


def averages(curves: Curves) -> Averages:
    """Mean of each method over steps, and its standard error over seeds."""
    return {name: mean_and_error(curves, name) for name in curves.methods}


def space_of(task: str) -> str:
    """The search space of a task."""
    return task.split("/", 1)[0]


def on_space(curves: Curves, space: str) -> Curves:
    """The curves of one search space."""
    return curves.on_tasks(task for task in curves.tasks if space_of(task) == space)


def by_space(curves: Curves) -> Curves:
    """Search spaces in place of tasks: for each of them and each seed the mean over its tasks."""
    keys: dict[str, list[Pair]] = {}
    values: dict[str, Array] = {}
    for name in curves.methods:
        rows: dict[Pair, list[int]] = {}
        for row, (task, seed) in enumerate(curves.keys[name]):
            rows.setdefault((space_of(task), seed), []).append(row)
        keys[name] = [*rows]
        values[name] = np.array([curves.values[name][of].mean(axis=0) for of in rows.values()])
    return Curves(curves.steps, keys, values)


def _ranks(group: Group) -> dict[str, Array]:
    return average_ranks(group.curves)


def _table(curves: Curves, found: Averages, digits: int) -> Cells:
    steps = shown_steps(curves)
    order = sorted(found, key=lambda name: round(float(found[name][0][steps[-1]]), DIGITS))
    lines = [
        [style(name).label, *(_cell(*found[name], step, digits) for step in steps)]
        for name in order
    ]
    return [["method", *(f"step {step}" for step in steps)], *lines]


def _cell(mean: Array, error: Array, step: int, digits: int) -> str:
    """A value, with its standard error where there is one."""
    text = f"{mean[step]:.{digits}f}"
    return text if math.isnan(error[step]) else f"{text} ± {error[step]:.{digits}f}"


def _rows(space: str, curves: Curves) -> list[Row]:
    """A row for each method and step."""
    regrets, ranks = averages(curves), average_ranks(curves)
    within = averages(by_space(curves))
    return [
        {
            "method": name,
            "label": style(name).label,
            "search_space": space,
            "tasks": len(curves.tasks),
            "seeds": seed_counts(curves)[0],
            "step": step,
            **_numbers("regret", regrets[name], step),
            "rank": float(ranks[name][step]),
            **_numbers("space_regret", within[name], step),
        }
        for name in curves.methods
        for step in _with_start(shown_steps(curves))
    ]


def _with_start(steps: Sequence[int]) -> list[int]:
    return [*dict.fromkeys([0, *steps])]


def _numbers(column: str, found: tuple[Array, Array], step: int) -> dict[str, float]:
    mean, error = found
    return {column: float(mean[step]), f"{column}_se": float(error[step])}
