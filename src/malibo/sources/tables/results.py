"""What came of the runs in a table: their status, their objective, and whose task they are."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from malibo.errors import HistoryError, listing, plural
from malibo.extras import require
from malibo.sources.tables.cells import Mask, as_floats
from malibo.sources.tables.frames import Table
from malibo.sources.tables.rows import SKIP, OddRows, counted, meanings, unknown_status
from malibo.space.parameters import Array

States = NDArray[np.str_]

_MOST = 0.5  # of the words in a column called "status" must be known


@dataclass(frozen=True, eq=False)
class Runs:
    """What is known of the rows besides their columns.

    tasks    (n,) number of the task of each row
    losses   (n,) NaN where the trial failed
    """

    tasks: NDArray[np.intp]
    losses: Array


def status_column(
    table: Table, statuses: Mapping[str, str] | None, others: Collection[str]
) -> str | None:
    """The column of the status, if one is called so and seems to be it."""
    for column in table.frame.columns:
        if column.lower() in ("state", "status") and column not in others:
            states = meanings(table.frame[column], statuses)
            if (states != "").mean() > _MOST:
                return str(column)
    return None


def by_status(
    table: Table, column: str | None, statuses: Mapping[str, str] | None, notes: list[str]
) -> tuple[Table, States]:
    """The rows that have ended, and what their status says; a note on the others."""
    if column is None:
        return table, np.full(len(table), "finished")
    states = meanings(table.frame[column], statuses)
    skipped = states == SKIP
    if skipped.any():
        notes.append(f"left out: {counted(table.frame[column][skipped])}")
    if skipped.all():
        raise HistoryError(f"{table.name} has no run that has ended; {notes[-1]}.")
    return table.only(~skipped), states[~skipped]


def short_rows(table: Table, odd: OddRows) -> None:
    """Rows that end too early: what they lack was not empty, it was lost."""
    if not table.short:
        return
    header = list(table.frame.columns)
    cells = np.array([table.short.get(place, len(header)) for place in table.places.tolist()])

    def reason(row: int) -> str:
        return f"the row has {plural(int(cells[row]), 'cell')}, the header {len(header)}"

    for count in sorted({*table.short.values()}):
        odd.add(cells == count, header[count], reason)


def odd_states(table: Table, column: str | None, states: States, odd: OddRows) -> None:
    """Rows whose status says nothing."""
    if column is not None:
        cells = table.frame[column]
        odd.add(states == "", column, lambda row: unknown_status(cells.iloc[row]))


def read_losses(
    table: Table, objective: str, failed: Mask, odd: OddRows, notes: list[str]
) -> Array:
    """The objective as floats; empty, NaN and infinite ones are failed trials.

    An empty cell says so, an infinite number does not: a note tells of it.
    """
    pandas = require("pandas", "table")
    column = table.frame[objective]
    losses = as_floats(column)
    wrong = np.isnan(losses) & column.notna().to_numpy() & ~failed
    expected = "a number (empty for a failed trial)"
    if pandas.api.types.is_bool_dtype(column) or (wrong.any() and np.isnan(losses).all()):
        raise HistoryError(
            f"objective column {objective!r} must be numeric (empty for a failed trial), got"
            f" {listing(dict.fromkeys(map(str, column.dropna())))}."
        )
    odd.add(wrong, objective, lambda row: f"expected {expected}, got {column.iloc[row]!r}")
    if infinite := int((np.isinf(losses) & ~failed).sum()):
        count = plural(infinite, "infinite objective")
        notes.append(f"{count} {'counts' if infinite == 1 else 'count'} as failed")
    losses[failed | ~np.isfinite(losses)] = np.nan
    return losses


def task_numbers(table: Table, column: str, odd: OddRows) -> tuple[NDArray[np.intp], list[str]]:
    """The number of each row's task, and the names of the tasks."""
    pandas = require("pandas", "table")
    which, distinct = pandas.factorize(table.frame[column])
    texts = [*(str(cell).strip() for cell in distinct), ""]  # −1 is an empty cell: the last one
    known = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    numbers = np.array([known[text] for text in texts], dtype=np.intp)[which]
    empty = numbers == known[""]
    odd.add(empty, column, lambda row: "it is empty; name the task of every row")
    return numbers, list(known)


def grouped(
    numbers: NDArray[np.intp], names: Sequence[str], rows: NDArray[np.intp]
) -> dict[str, NDArray[np.intp]]:
    """Rows by the names of their tasks, in order of appearance."""
    pandas = require("pandas", "table")
    which, distinct = pandas.factorize(numbers[rows])
    order = np.argsort(which, kind="stable")
    ends = np.cumsum(np.bincount(which, minlength=len(distinct)))
    return {
        names[number]: part
        for number, part in zip(distinct, np.split(rows[order], ends), strict=False)
    }
