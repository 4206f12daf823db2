"""Columns of a table as codes of parameters, and which of their cells cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from malibo.errors import SpaceError
from malibo.extras import require
from malibo.sources.tables.cells import Mask, as_floats, read_text
from malibo.space import Categorical, Fixed, Ordinal, Parameter, Space
from malibo.space.parameters import Array

if TYPE_CHECKING:
    import pandas as pd

_Listed = Categorical | Ordinal | Fixed


def column_codes(frame: pd.DataFrame, name: str, parameter: Parameter) -> tuple[Array, Mask]:
    """A column as codes, NaN where it is empty or wrong; and the cells that are wrong."""
    if name not in frame.columns:
        default = getattr(parameter, "default", None)
        absent = default is None and not isinstance(parameter, Fixed)
        codes = np.full(len(frame), np.nan if absent else parameter.to_code(default))
        return codes, np.zeros(len(frame), dtype=bool)
    column = frame[name]
    present = column.notna().to_numpy()
    if isinstance(parameter, _Listed):
        codes = _listed_codes(column, parameter)
        if None in parameter.listed:
            present = present | np.isfinite(codes)  # an empty cell is the choice None
    else:
        codes = as_floats(column)
        present = present & ~_none(column, present & np.isnan(codes))
    wrong = present & ~parameter.contains(codes)
    return np.where(present & ~wrong, codes, np.nan), wrong


def reason_of(cell: Any, parameter: Parameter) -> str:
    """Why a cell is no value of a parameter."""
    value = cell.item() if hasattr(cell, "item") else cell
    value = read_text(value) if isinstance(value, str) else value
    try:
        parameter.to_code(value)
    except SpaceError as error:
        return str(error)
    return f"cannot read {cell!r}."


def gaps(
    space: Space, codes: Array, tasks: NDArray[np.intp] | None = None
) -> Iterator[tuple[str, Mask]]:
    """Parameters that are empty although active, unless the task lacks the whole column."""
    for index, name in enumerate(space):
        empty = np.isnan(codes[:, index]) & space.active(name, codes)
        if empty.any() and tasks is not None:
            known = np.bincount(tasks[~np.isnan(codes[:, index])], minlength=tasks.max() + 1)
            empty &= known[tasks] > 0
        if empty.any():
            yield name, empty


def _none(column: pd.Series, unread: Mask) -> Mask:
    """Which of the unread cells of a column of numbers say "None": they are empty."""
    none = np.zeros(len(column), dtype=bool)
    none[unread] = [read_text(str(cell)) is None for cell in column[unread]]
    return none


def _listed_codes(column: pd.Series, parameter: _Listed) -> Array:
    """Codes of listed values: by value, else by their text (a file knows no types)."""
    pandas = require("pandas", "table")
    by_text = {str(choice): float(i) for i, choice in enumerate(parameter.listed)}
    numbers, distinct = pandas.factorize(column)
    table = np.full(len(distinct) + 1, -1.0)  # factorize gives -1 to an empty cell
    for index, value in enumerate(distinct):
        table[index] = _listed_code(value, parameter, by_text)
    table[-1] = np.nan if None not in parameter.listed else parameter.to_code(None)
    return np.asarray(table[numbers])


def _listed_code(value: Any, parameter: _Listed, by_text: dict[str, float]) -> float:
    """The code of a cell, −1 if it has none."""
    text = str(value).strip()
    try:
        return parameter.to_code(value)
    except SpaceError:
        if text in by_text:
            return by_text[text]
    try:
        return parameter.to_code(read_text(text))
    except SpaceError:
        return -1.0
