"""Patterns of values that no parameter has: identifiers, counters, dates, measurements."""

from __future__ import annotations

import datetime
import re

import numpy as np
from numpy.typing import NDArray

from malibo.extras import require
from malibo.sources.tables.cells import Column
from malibo.space.parameters import Array

_DISTINCT = 0.9  # of the texts: identifiers
_CHOICES = 64  # more texts than that are no choices
_COUNTER = 20  # runs of a task, from which on whole numbers in a row are a counter
_RUNS = 10  # of a task, from which on its ranks are compared
_SUSPICIOUS = 0.95
_CONTINUOUS = 12

_DATE = re.compile(
    r"(\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{4}/\d{1,2}/\d{1,2})"
    r"([T ]+\d{1,2}:\d{2}.*)?|\d{1,3}:\d{2}(:\d{2}(\.\d+)?)?|\d+ days?,? .*"
)


def no_parameter(column: Column, tasks: NDArray[np.intp], losses: Array | None) -> str:
    """Why the values of a column are not those of a parameter; empty if they may be.

    Without losses it is known to be no measurement, and is not compared with them.
    """
    if _dates(column):
        return "dates or times"
    if reason := _identifier(column):
        return reason
    if _describes_tasks(column, tasks):
        return "the same in all runs of a task: it describes the task"
    if not column.others:
        if _counter(column.numbers, tasks):
            return "it counts the rows"
        if losses is not None and _follows_objective(column, tasks, losses):
            return "it goes with the objective in every task: probably another measurement"
    return ""


def _dates(column: Column) -> bool:
    times = (datetime.date, datetime.time, datetime.timedelta)
    return all(
        isinstance(value, times) or (isinstance(value, str) and _DATE.fullmatch(value))
        for value in column.values
    )


def _identifier(column: Column) -> str:
    texts = [value for value in column.others if isinstance(value, str)]
    rows = int(column.there.sum())
    if len(texts) < len(column.values) / 2:
        return ""
    if len(texts) > 5 and len(column.values) >= _DISTINCT * rows:
        return f"an identifier: {len(column.values):,} different texts in {rows:,} rows"
    if len(texts) > _CHOICES:
        return f"{len(texts):,} different texts: too many for choices"
    return ""


def _describes_tasks(column: Column, tasks: NDArray[np.intp]) -> bool:
    """Whether each of several tasks, of at least five runs on average, has a single value."""
    which, task = column.which[column.there], tasks[column.there]
    several = len(np.unique(task))
    pairs = len(np.unique(task * len(column.values) + which))
    return bool(several > 1 and pairs == several and len(task) >= 5 * several)


def _counter(numbers: Array, tasks: NDArray[np.intp]) -> bool:
    """Whether numbers are those from some number on, each once: in all rows or in each task."""
    return _in_a_row(numbers) or all(_in_a_row(numbers[tasks == t]) for t in np.unique(tasks))


def _in_a_row(numbers: Array) -> bool:
    ordered = np.sort(numbers)
    return len(ordered) >= _COUNTER and bool((np.diff(ordered) == 1).all())


def _follows_objective(column: Column, tasks: NDArray[np.intp], losses: Array) -> bool:
    """Whether many-valued numbers have nearly the ranks of the objective in every larger task."""
    if len(column.values) <= _CONTINUOUS:
        return False
    numbers = column.numbers
    known = np.isfinite(numbers) & np.isfinite(losses)
    order = np.argsort(tasks[known], kind="stable")
    ends = np.cumsum(np.bincount(tasks[known]))[:-1]
    parts = [part for part in np.split(np.flatnonzero(known)[order], ends) if len(part) >= _RUNS]
    return bool(parts) and all(_alike(numbers[part], losses[part]) for part in parts)


def _alike(one: Array, other: Array) -> bool:
    """Whether two samples have nearly the same ranks, or the reverse (Spearman's correlation)."""
    pandas = require("pandas", "table")
    ranks = [pandas.Series(sample).rank().to_numpy() for sample in (one, other)]
    first, second = (rank - rank.mean() for rank in ranks)
    scale = np.sqrt((first**2).sum() * (second**2).sum())
    return bool(scale > 0 and abs((first * second).sum()) > _SUSPICIOUS * scale)
