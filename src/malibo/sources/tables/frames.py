"""A table with names for its rows: opened, its columns renamed, some rows chosen."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from malibo.errors import HistoryError, listing, nearest
from malibo.extras import require
from malibo.sources.renaming import checked_rename
from malibo.sources.tables.files import read_file

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Table:
    """A DataFrame, and how messages name it and its rows.

    places   (n,) for each row its line in the file, or its number from 1 on
    kind     what these numbers are: "line" or "row"
    labels   names of the rows by their places, where they have such
    short    for places with fewer cells than the header, how many they have
    notes    sentences on how the cells were read
    unclear  columns with commas that may be decimal or not, each with such a cell
    """

    frame: pd.DataFrame
    name: str
    places: NDArray[np.intp]
    kind: str = "row"
    labels: Sequence[str] | None = None
    short: Mapping[int, int] = field(default_factory=dict)
    notes: Sequence[str] = ()
    unclear: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.frame)

    def label(self, position: int) -> str:
        """How a message names a row."""
        place = int(self.places[position])
        return f"{self.kind} {place}" if self.labels is None else str(self.labels[place - 1])

    def only(self, rows: NDArray[np.bool_]) -> Table:
        """The table with some of its rows."""
        if rows.all():
            return self
        frame = self.frame[rows].reset_index(drop=True)
        return replace(self, frame=frame, places=self.places[rows])

    def need(self, columns: Iterable[str], role: str = "") -> None:
        """Refuse a table that lacks a column, or has it more than once."""
        names = list(self.frame.columns)
        for column in columns:
            if column not in names:
                raise HistoryError(
                    f"{role}{self.name} has no column {column!r}; it has {listing(names, 20)}."
                    f"{nearest(column, names)}"
                )
        if twice := sorted({c for c in columns if names.count(c) > 1}):
            raise HistoryError(
                f"{self.name} has the column {listing(twice)} more than once; keep one."
            )


def opened(source: str | PathLike[str] | Any, labels: Sequence[str] | None = None) -> Table:
    """The table in a file, or a DataFrame as one; its index is ignored."""
    pandas = require("pandas", "table")
    if isinstance(source, str | PathLike):
        table = _of_file(source)
    elif isinstance(source, pandas.DataFrame):
        table = _of_frame(source.reset_index(drop=True), "the table", labels)
    else:
        raise HistoryError(f"expected a path or a pandas DataFrame, got {type(source).__name__}.")
    if table.frame.empty:
        raise HistoryError(f"{table.name} has no rows; there is nothing to learn from.")
    names = [str(column) for column in table.frame.columns]
    return replace(table, frame=table.frame.set_axis(names, axis=1))


def _of_file(path: str | PathLike[str]) -> Table:
    found, name = read_file(path), os.fspath(path)
    if found.lines is None:
        return _of_frame(found.frame, name)
    return Table(
        found.frame,
        name,
        found.lines,
        "line",
        short=found.short,
        notes=found.notes,
        unclear=found.unclear,
    )


def _of_frame(frame: pd.DataFrame, name: str, labels: Sequence[str] | None = None) -> Table:
    return Table(frame, name, np.arange(1, len(frame) + 1, dtype=np.intp), labels=labels)


def renamed(table: Table, rename: Mapping[str, str] | None) -> Table:
    """The table with other names for some columns."""
    rename = checked_rename(rename)
    table.need(rename, "rename: ")
    names = [rename.get(column, column) for column in table.frame.columns]
    if twice := sorted({name for name in rename.values() if names.count(name) > 1}):
        raise HistoryError(
            f"rename: {table.name} would have {listing(twice)} more than once; ignore or rename"
            " the other column."
        )
    unclear = {rename.get(column, column): cell for column, cell in table.unclear.items()}
    return replace(table, frame=table.frame.set_axis(names, axis=1), unclear=unclear)
