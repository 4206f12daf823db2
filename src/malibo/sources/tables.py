"""Tasks from a DataFrame or a CSV file (extra ``table``)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from malibo.errors import HistoryError, SpaceError, listing, nearest
from malibo.extras import require
from malibo.history import Direction, Task, sign
from malibo.space import Categorical, Fixed, Ordinal, Parameter, Space
from malibo.space.parameters import Array

if TYPE_CHECKING:
    import pandas as pd


def read_table(
    source: str | PathLike[str] | pd.DataFrame,
    *,
    task: str,
    objective: str,
    direction: Direction,
    space: Space,
) -> list[Task]:
    """One Task for each distinct value of the column ``task``, in order of appearance."""
    pandas = require("pandas", "table")
    factor = sign(direction)
    if not isinstance(space, Space):
        raise HistoryError(f"space must be a malibo.Space, got {space!r}.")
    if isinstance(source, str | PathLike):
        frame, where = _read_csv(source), str(source)
    else:
        frame, where = source, "the table"
    if not isinstance(frame, pandas.DataFrame):
        raise HistoryError(f"expected a path or a pandas DataFrame, got {type(source).__name__}.")
    if not isinstance(task, str) or not isinstance(objective, str):
        raise HistoryError("task and objective name one column each, such as task='dataset'.")
    if {task, objective} & set(space) or task == objective:
        raise HistoryError("task, objective and the parameters must be different columns.")
    if frame.empty:
        raise HistoryError(f"{where} has no rows; there is nothing to learn from.")
    _need_columns(frame, (task, objective, *_needed(space)), where)
    _need_once(frame, (task, objective, *space), where)
    losses = factor * _objective(frame[objective])
    codes = np.stack([_column(frame, name, parameter) for name, parameter in space.items()], axis=1)
    codes = space.complete(codes)
    numbers, names = pandas.factorize(frame[task].astype(str))
    if frame[task].isna().any():
        line = int(np.argmax(frame[task].isna().to_numpy()))
        raise HistoryError(f"column {task!r} is empty in {_row(line)}; name the task of every row.")
    _no_gaps(space, codes, numbers)
    codes[:, _imputed(frame, space)] = np.nan  # the history fills them in, and says so
    order = np.argsort(numbers, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(numbers))[:-1])
    return [
        Task(str(name), space, codes[rows], losses[rows], direction)
        for name, rows in zip(names, parts, strict=True)
    ]


def frame_codes(frame: pd.DataFrame, space: Space) -> Array:
    """Configurations in the rows of a DataFrame as codes; other columns are ignored."""
    needed = [name for name in _needed(space) if not space[name].when]
    _need_columns(frame, needed, "the table")
    _need_once(frame, space, "the table")
    codes = np.stack([_column(frame, name, parameter) for name, parameter in space.items()], axis=1)
    codes = space.complete(codes)
    _no_gaps(space, codes)
    return codes


def _need_columns(frame: pd.DataFrame, columns: Iterable[str], where: str) -> None:
    for column in columns:
        if column not in frame.columns:
            raise HistoryError(
                f"{where} has no column {column!r}; it has {listing(frame.columns, 20)}."
                f"{nearest(column, map(str, frame.columns))}{_separator_hint(frame)}"
            )


def _separator_hint(frame: pd.DataFrame) -> str:
    """A hint for a file that was read as one column."""
    only = str(frame.columns[0]) if len(frame.columns) == 1 else ""
    found = [mark for mark in (";", "\t", "|") if mark in only]
    if not found:
        return ""
    return (
        f" Its columns seem to be separated by {found[0]!r}; read it with pandas.read_csv(sep=…)."
    )


def _need_once(frame: pd.DataFrame, columns: Iterable[str], where: str) -> None:
    for column in columns:
        if list(frame.columns).count(column) > 1:
            raise HistoryError(f"{where} has the column {column!r} more than once; keep one.")


def _read_csv(path: str | PathLike[str]) -> pd.DataFrame:
    pandas = require("pandas", "table")
    if not os.path.exists(path):
        raise HistoryError(f"there is no file {os.fspath(path)!r}.")
    try:
        frame: pd.DataFrame = pandas.read_csv(
            path, keep_default_na=False, na_values=["", "nan", "NaN"]
        )
    except (ValueError, OSError, UnicodeDecodeError) as error:
        raise HistoryError(f"{os.fspath(path)!r} cannot be read as CSV: {error}.") from None
    return frame


def _needed(space: Space) -> list[str]:
    """Parameters that the table must have as columns: those with nothing to stand in."""
    return [
        name
        for name, parameter in space.items()
        if not isinstance(parameter, Fixed) and getattr(parameter, "default", None) is None
    ]


def _imputed(frame: pd.DataFrame, space: Space) -> list[bool]:
    """Which parameters have no column: past runs did not know them."""
    return [
        name not in frame.columns and not isinstance(parameter, Fixed)
        for name, parameter in space.items()
    ]


def _row(position: int) -> str:
    """The row as people count it: from 1, and by its line where a header stands above."""
    return f"row {position + 1} (line {position + 2} of a file with a header)"


def _objective(column: pd.Series) -> Array:
    """Losses as floats; empty, NaN and infinite ones are failed trials."""
    pandas = require("pandas", "table")
    numeric = pandas.to_numeric(column, errors="coerce")
    wrong = numeric.isna() & column.notna()
    if wrong.any() or column.dtype == bool:
        position = int(np.argmax(wrong.to_numpy()))
        raise HistoryError(
            f"objective column {column.name!r} must be numeric (empty for a failed trial), got"
            f" {column.iloc[position]!r} in {_row(position)}."
        )
    return np.asarray(numeric, dtype=float)


def _column(frame: pd.DataFrame, name: str, parameter: Parameter) -> Array:
    """A column of values as codes; empty cells are NaN."""
    if name not in frame.columns:
        default = getattr(parameter, "default", None)
        absent = default is None and not isinstance(parameter, Fixed)
        return np.full(len(frame), np.nan if absent else parameter.to_code(default))
    column = frame[name]
    if isinstance(parameter, Categorical | Ordinal | Fixed):
        codes = _listed_codes(column, parameter)
    else:
        pandas = require("pandas", "table")
        codes = np.array(pandas.to_numeric(column, errors="coerce"), dtype=float)
    present = column.notna().to_numpy()
    if isinstance(parameter, Categorical | Fixed | Ordinal) and None in parameter.listed:
        present = present | np.isfinite(codes)  # an empty cell is the choice None
    wrong = present & ~parameter.contains(codes)
    if wrong.any():
        position = int(np.argmax(wrong))
        value = column.iloc[position]
        try:
            parameter.to_code(value.item() if hasattr(value, "item") else value)
            reason = f"cannot read {value!r}."
        except SpaceError as error:
            reason = str(error)
        raise HistoryError(
            f"column {name!r}, {_row(position)}: {reason} If the past had other ranges or choices,"
            " read it with a space of its own, and use history.for_space(...) for the new one."
        )
    return np.where(present, codes, np.nan)


def _listed_codes(column: pd.Series, parameter: Categorical | Ordinal | Fixed) -> Array:
    """Codes of listed values: by value, else by their text (a file knows no types)."""
    pandas = require("pandas", "table")
    by_text = {str(choice): float(i) for i, choice in enumerate(parameter.listed)}
    numbers, distinct = pandas.factorize(column)
    table = np.full(len(distinct) + 1, -1.0)  # factorize gives -1 to an empty cell
    for index, value in enumerate(distinct):
        try:
            table[index] = parameter.to_code(value)
        except SpaceError:
            table[index] = by_text.get(str(value), -1.0)
    table[-1] = np.nan if None not in parameter.listed else parameter.to_code(None)
    return np.asarray(table[numbers])


def _no_gaps(space: Space, codes: Array, tasks: NDArray[np.intp] | None = None) -> None:
    """Refuse cells that are empty although active, unless the task lacks the whole column."""
    for index, name in enumerate(space):
        empty = np.isnan(codes[:, index]) & space.active(name, codes)
        if not empty.any():
            continue
        if tasks is not None:
            known = np.bincount(tasks[~np.isnan(codes[:, index])], minlength=tasks.max() + 1)
            empty &= known[tasks] > 0
        if empty.any():
            raise HistoryError(
                f"column {name!r} is empty in {_row(int(np.argmax(empty)))} although the parameter"
                " is active there; fill it in, or leave the row out."
            )
