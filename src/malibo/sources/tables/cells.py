"""Cells of tables: what a text stands for, and columns as numbered values."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from malibo.extras import require
from malibo.sources.tables.empty import EMPTY
from malibo.space import Value
from malibo.space.parameters import Array

if TYPE_CHECKING:
    import pandas as pd

Mask = NDArray[np.bool_]

_WHOLE = re.compile(r"[+-]?\d{1,15}")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_TRUTH = {"true": True, "false": False}
_NONE = ("None", "null")  # as Python and JSON write it; "none" is a choice like any other


def read_text(text: str) -> Value:
    """What a text stands for: a number, True, False or None; else itself, without its margins."""
    text = text.strip()
    if text in _NONE:
        return None
    if text.lower() in _TRUTH:
        return _TRUTH[text.lower()]
    if _WHOLE.fullmatch(text):
        return int(text)
    if _NUMBER.fullmatch(text) and math.isfinite(number := float(text)):
        return number
    return text


def key_of(value: Any) -> str:
    """What makes two cells equal: numbers and truth values by value, the rest by text."""
    plain = value.item() if hasattr(value, "item") else value
    read = read_text(plain) if isinstance(plain, str) else plain
    return str(int(read)) if isinstance(read, float) and read.is_integer() else str(read)


def is_number(value: object) -> bool:
    """Whether a value is a finite number, and no truth value."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond all floats
        return False


@dataclass(frozen=True, eq=False)
class Column:
    """A column by its different values, in order of appearance.

    which    (n,) number of each row's value; −1 where the cell is empty
    values   the values; texts are read as what they stand for
    """

    name: str
    which: NDArray[np.intp]
    values: Sequence[Any]

    @cached_property
    def there(self) -> Mask:
        """Which rows have a value."""
        return self.which >= 0

    @cached_property
    def numbers(self) -> Array:
        """(n,) the numbers; NaN where there is none."""
        return np.array([*self._as_numbers, np.nan])[self.which]

    @cached_property
    def distinct(self) -> Array:
        """The different numbers, sorted."""
        return np.unique([number for number in self._as_numbers if math.isfinite(number)])

    @cached_property
    def others(self) -> list[Any]:
        """The values that are no numbers."""
        pairs = zip(self.values, self._as_numbers, strict=True)
        return [value for value, number in pairs if math.isnan(number)]

    @cached_property
    def _as_numbers(self) -> list[float]:
        return [float(value) if is_number(value) else math.nan for value in self.values]


def column_of(series: pd.Series, name: str) -> Column | None:
    """A column of a table; None if its cells cannot be compared (lists, for example)."""
    pandas = require("pandas", "table")
    numbers = _numbers(series)
    try:
        which, distinct = pandas.factorize(series if numbers is None else numbers)
    except TypeError:
        return None
    cells = distinct.tolist() if hasattr(distinct, "tolist") else list(distinct)
    which = np.asarray(which, dtype=np.intp)
    if numbers is not None:
        return Column(name, which, [int(n) if n.is_integer() else n for n in cells])
    return _merged(name, which, [_read(cell) for cell in cells])


def as_floats(series: pd.Series) -> Array:
    """A column as floats; NaN where a cell is empty or no number, as truth values are none."""
    pandas = require("pandas", "table")
    types = pandas.api.types
    series = series.astype(object) if isinstance(series.dtype, pandas.CategoricalDtype) else series
    plain = types.is_numeric_dtype(series) and not types.is_complex_dtype(series)
    if not (plain or types.is_string_dtype(series) or types.is_object_dtype(series)):
        return np.full(len(series), np.nan)
    if types.is_object_dtype(series):
        truths = [isinstance(cell, bool | np.bool_) for cell in series]
        series = series.mask(np.array(truths, dtype=bool))
    try:
        return np.array(pandas.to_numeric(series, errors="coerce"), dtype=float)
    except (TypeError, ValueError, OverflowError):  # lists and other things among the cells
        return np.array([float(cell) if is_number(cell) else np.nan for cell in series])


def _numbers(series: pd.Series) -> Array | None:
    """A column of nothing but numbers as floats, which is most of them and much faster."""
    pandas = require("pandas", "table")
    if pandas.api.types.is_bool_dtype(series) or pandas.api.types.is_object_dtype(series):
        return None
    numbers = as_floats(series)
    if np.isnan(numbers[series.notna().to_numpy()]).any():
        return None
    numbers[~np.isfinite(numbers)] = np.nan
    return numbers


def _read(cell: Any) -> Any:
    """The value of a cell; NaN where it is as good as empty."""
    if isinstance(cell, Decimal):
        return float(cell)
    if not isinstance(cell, str):
        return cell.item() if isinstance(cell, np.generic) else cell
    return math.nan if cell.strip() in EMPTY else read_text(cell)


def _merged(name: str, which: NDArray[np.intp], cells: Sequence[Any]) -> Column:
    """Cells that stand for the same value as one, and those without a value as empty."""
    known: dict[Hashable, int] = {}
    place = np.full(len(cells) + 1, -1, dtype=np.intp)
    values: list[Any] = []
    for index, cell in enumerate(cells):
        if isinstance(cell, float) and not math.isfinite(cell):
            continue
        key = (isinstance(cell, bool), cell)
        if key not in known:
            known[key] = len(values)
            values.append(cell)
        place[index] = known[key]
    return Column(name, place[which], values)
