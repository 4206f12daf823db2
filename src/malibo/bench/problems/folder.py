"""Sets of a data folder: tables of many tasks over one space, each with its description.

<name>.json             parameters, objective and tasks
<name>.csv.gz or .csv   one row an evaluation: task, parameters, objective; an empty cell is an
                        inactive parameter
<name>.npz              instead of it for complete grids: X (n, P) holds codes, all other arrays
                        are indexed by task, configuration and, if there were any, repeat
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from malibo.bench.problems.description import Description, read_description, space_of
from malibo.bench.problems.tables import Table, TableSet
from malibo.errors import InputError, SpaceError, listing, nearest_first, plural
from malibo.extras import require
from malibo.space import Categorical, Float, Int, Ordinal, Parameter, Space
from malibo.space.parameters import Array

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["describe", "load", "names", "space_of"]

_ENDINGS = (".csv.gz", ".csv", ".npz")
_TASK = "task"


def names(folder: Path) -> tuple[str, ...]:
    """The sets of a folder: every description with a table beside it."""
    if not folder.is_dir():
        raise InputError(f"there is no folder {str(folder)!r}; give the one with the data sets.")
    found = sorted(path.stem for path in folder.glob("*.json"))
    return tuple(name for name in found if _table_files(folder, name))


def describe(folder: Path, name: str) -> str:
    """One line on a set: its title, how many tasks and how many parameters it has."""
    with _about(name):
        said = _description(folder, name)
    tasks, parameters = plural(len(said.tasks), "task"), plural(len(said.space), "parameter")
    return f"{said.title}: {tasks}, {parameters}"


@lru_cache(maxsize=4)
def load(folder: Path, name: str) -> TableSet:
    """All tables of a set."""
    with _about(name):
        said = _description(folder, name)
        path = _table_files(folder, name)[0]
        read = _read_npz if path.suffix == ".npz" else _read_csv
        tables = dict(read(path, said))
        for task, table in tables.items():
            if not len(table.losses):
                raise InputError(f"task {task!r} has no row with a number as {said.objective!r}.")
    return TableSet(said.space, tables)


@contextmanager
def _about(name: str) -> Iterator[None]:
    """Errors name the set."""
    try:
        yield
    except InputError as error:
        raise InputError(f"set {name!r}: {error}") from None


def _table_files(folder: Path, name: str) -> list[Path]:
    paths = [folder / f"{name}{ending}" for ending in _ENDINGS]
    return [path for path in paths if path.is_file()]


def _description(folder: Path, name: str) -> Description:
    known = names(folder)
    if name not in known:
        others = nearest_first(name, known) if known else "there is none at all"
        raise InputError(f"not in the folder {str(folder)!r}; {others}.")
    return read_description(folder / f"{name}.json")


# -- one row an evaluation -----------------------------------------------------------------


def _read_csv(path: Path, said: Description) -> Iterator[tuple[str, Table]]:
    frame = _frame(path, said)
    codes = [_column_codes(frame[name], parameter) for name, parameter in said.space.items()]
    rows = said.space.complete(np.stack(codes, axis=1))
    losses = said.turn * _numbers(frame[said.objective])
    timed = said.seconds(frame.columns)
    seconds = _numbers(frame[timed]) if timed else np.full(len(frame), np.nan)
    for task, part in zip(said.tasks, _parts(frame[_TASK], said.tasks), strict=True):
        yield task, Table.of(rows[part], losses[part], seconds[part])


def _frame(path: Path, said: Description) -> pd.DataFrame:
    """The table, with listed values and the task's name as text."""
    texts = [name for name, p in said.space.items() if isinstance(p, Categorical | Ordinal)]
    try:
        frame: pd.DataFrame = require("pandas", "bench").read_csv(
            path, dtype=dict.fromkeys([_TASK, *texts], str), keep_default_na=False, na_values=[""]
        )
    except (OSError, ValueError, EOFError, zlib.error) as error:
        raise InputError(f"{path.name} cannot be read as CSV: {error}.") from None
    for column in (_TASK, said.objective, *said.space):
        if column not in frame.columns:
            raise InputError(
                f"{path.name} has no column {column!r}; it has {listing(frame.columns, 20)}."
            )
    return frame


def _parts(column: pd.Series[str], tasks: tuple[str, ...]) -> list[NDArray[np.intp]]:
    """Row numbers of each task."""
    numbers = require("pandas", "bench").Index(tasks).get_indexer(column)
    if (numbers < 0).any():
        row = int(np.argmax(numbers < 0))
        raise InputError(f"task {column.iloc[row]!r} in {_line(row)} is not listed in 'tasks'.")
    order = np.argsort(numbers, kind="stable")
    counts = np.bincount(numbers, minlength=len(tasks))
    return np.split(order, np.cumsum(counts)[:-1])


def _line(row: int) -> str:
    return f"line {row + 2}"  # people count from 1, and the header stands above


def _numbers(column: pd.Series[Any]) -> Array:
    """A column as floats; empty cells are NaN."""
    numbers = np.array(require("pandas", "bench").to_numeric(column, errors="coerce"), float)
    wrong = np.isnan(numbers) & column.notna().to_numpy()
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(
            f"column {column.name!r}, {_line(row)}: expected a number, got {column.iloc[row]!r}."
        )
    return numbers


def _column_codes(column: pd.Series[Any], parameter: Parameter) -> Array:
    """A column of values as codes; empty cells are NaN, or None if that is a choice."""
    if isinstance(parameter, Categorical | Ordinal):
        codes = _listed_codes(column, parameter)
    else:
        codes = _numbers(column)
    if (row := _first_wrong(codes, parameter)) is not None:
        where = f"column {column.name!r}, {_line(row)}"
        raise InputError(f"{where}: {_refusal(column.iloc[row], parameter)}")
    return _snapped(codes, parameter)


def _listed_codes(column: pd.Series[Any], parameter: Categorical | Ordinal) -> Array:
    numbers, distinct = require("pandas", "bench").factorize(column)
    codes = [_choice_code(text, parameter) for text in distinct]
    empty = parameter.to_code(None) if None in parameter.listed else np.nan
    return np.asarray(np.array([*codes, empty])[numbers])  # an empty cell has the number −1


def _choice_code(text: str, parameter: Categorical | Ordinal) -> float:
    """The code of a choice by its text, or by its number; −1 if it is none."""
    for code, choice in enumerate(parameter.choices):
        if text in (choice, str(choice), json.dumps(choice)):
            return float(code)
    try:
        return parameter.to_code(float(text))
    except ValueError:
        return -1.0


def _first_wrong(codes: Array, parameter: Parameter) -> int | None:
    """The first row whose code is neither NaN nor in the parameter's range or choices."""
    wrong = ~(np.isnan(codes) | parameter.contains(codes))
    return int(np.argmax(wrong)) if wrong.any() else None


def _refusal(value: Any, parameter: Parameter) -> str:
    """What the parameter has to say against a value."""
    try:
        parameter.to_code(value.item() if isinstance(value, np.generic) else value)
    except SpaceError as error:
        return str(error)
    return f"cannot read {value!r}."


def _snapped(codes: Array, parameter: Parameter) -> Array:
    """Codes that are just beyond a bound or beside a step by rounding, in their place.

    A configuration is looked up by its exact codes, and they have to be those that the
    space gives to it.
    """
    if not isinstance(parameter, Float | Int):
        return codes
    if parameter.step is None:
        return np.asarray(np.clip(codes, parameter.low, parameter.high))
    return parameter.from_unit(parameter.to_unit(codes))


# -- complete grids ------------------------------------------------------------------------


def _read_npz(path: Path, said: Description) -> Iterator[tuple[str, Table]]:
    arrays = _arrays(path, said)
    codes = _grid_codes(arrays["X"], said.space)
    shape = (len(said.tasks), len(codes))
    losses = said.turn * _mean_of_repeats(said.objective, arrays[said.objective], shape)
    timed = said.seconds(arrays)
    seconds = _mean_of_repeats(timed, arrays[timed], shape) if timed else np.full(shape, np.nan)
    for task, loss, second in zip(said.tasks, losses, seconds, strict=True):
        yield task, Table.of(codes, loss, second)


def _grid_codes(rows: Array, space: Space) -> Array:
    """The array X, checked."""
    if rows.ndim != 2 or rows.shape[1] != len(space):
        raise InputError(f"X must be (n, {len(space)}), got shape {rows.shape}.")
    codes = rows.copy()
    for index, (name, parameter) in enumerate(space.items()):
        if (row := _first_wrong(rows[:, index], parameter)) is not None:
            raise InputError(
                f"X, row {row}: {rows[row, index]:g} is no index of a choice of {name!r}."
            )
        codes[:, index] = _snapped(rows[:, index], parameter)
    return space.complete(codes)


def _arrays(path: Path, said: Description) -> dict[str, Array]:
    """X, the objective, and the training time if it is there."""
    try:
        with path.open("rb") as stream, np.load(stream) as file:
            if missing := {"X", said.objective} - set(file):
                raise InputError(
                    f"{path.name} has no array {listing(sorted(missing))}; it has"
                    f" {listing(file, 20)}."
                )
            wanted = {"X", said.objective, said.seconds(file) or "X"}
            return {name: np.asarray(file[name], float) for name in wanted}
    except InputError:
        raise
    except (OSError, ValueError, TypeError, EOFError, zlib.error, zipfile.BadZipFile) as error:
        raise InputError(f"{path.name} cannot be read as arrays: {error}.") from None


def _mean_of_repeats(name: str, array: Array, shape: tuple[int, int]) -> Array:
    """(tasks, n): the mean over the repeats that there are; NaN where there is none."""
    if array.ndim not in (2, 3) or array.shape[:2] != shape:
        raise InputError(
            f"array {name!r} must be {shape} (tasks, configurations) or have repeats as a third"
            f" axis, got shape {array.shape}."
        )
    repeats = array.reshape(*shape, -1)
    known = np.isfinite(repeats)
    with np.errstate(invalid="ignore"):  # 0 / 0 is NaN
        return np.asarray(np.where(known, repeats, 0).sum(axis=2) / known.sum(axis=2))
