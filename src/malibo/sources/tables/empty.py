"""Which cells of a table are empty: decided once, for all who read its cells.

nothing, "", "nan", "NaN"      empty everywhere
infinite numbers               empty among numbers
"NA", "NULL" and the like      empty among numbers, with a note; among texts they are choices
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from malibo.errors import listing
from malibo.extras import require

if TYPE_CHECKING:
    import pandas as pd

EMPTY = ("", "nan", "NaN")

_FEW = 256  # cells that tell a column of texts from one of numbers, mostly
_WORDS = ("NA", "N/A", "n/a", "<NA>", "#N/A", "NULL")

#: All texts that are no number, and no odd cell in a column of numbers either.
NO_VALUES = (*EMPTY, *_WORDS, "None", "null", "inf", "+inf", "-inf", "Infinity", "-Infinity")


def with_empty_cells(
    frame: pd.DataFrame, given: Mapping[str, Any], names: Collection[str] = ()
) -> tuple[pd.DataFrame, list[str]]:
    """The table with NaN in its empty cells, and a note on each word that was read as empty.

    given   parameters of some columns: a text that is one of their choices is not empty
    names   columns of names, such as that of the task: there "NA" is a name
    """
    changed = frame.copy(deep=False)
    noted: dict[str, list[str]] = {}
    for index, name in enumerate(frame.columns):
        column = frame.iloc[:, index]
        choices = getattr(given.get(name), "listed", ())
        empty, words = _empty_cells(column, choices, name in names)
        if empty.any():
            changed.isetitem(index, column.mask(empty).array)
        for word in words:
            noted.setdefault(word, []).append(name)
    return changed, [
        f"{word!r} in {listing(columns, 10)} was read as empty" for word, columns in noted.items()
    ]


def _empty_cells(
    column: pd.Series, choices: Collection[Any], of_names: bool
) -> tuple[NDArray[np.bool_], list[str]]:
    """The cells that hold something that is no value, and the words that were found in them."""
    pandas = require("pandas", "table")
    types = pandas.api.types
    if types.is_float_dtype(column):
        return np.isinf(column.to_numpy(dtype=float, na_value=np.nan)), []
    texts = types.is_string_dtype(column) or types.is_object_dtype(column)
    if not texts and not isinstance(column.dtype, pandas.CategoricalDtype):
        return np.zeros(len(column), dtype=bool), []
    try:
        if not choices and _all_finite(column.iloc[:_FEW]) and _all_finite(column):
            return np.zeros(len(column), dtype=bool), []
        which, distinct = pandas.factorize(column)
    except (TypeError, OverflowError):  # lists and the like, integers beyond all floats
        return np.zeros(len(column), dtype=bool), []
    cells = [cell.strip() if isinstance(cell, str) else cell for cell in distinct]
    empty, words = _empty_values(cells, [str(choice) for choice in choices], of_names)
    return np.array([*empty, False], dtype=bool)[which], words


def _all_finite(column: pd.Series) -> bool:
    """Whether a column has finite numbers alone, which is the usual case and soon seen."""
    pandas = require("pandas", "table")
    numbers = pandas.to_numeric(column.dropna(), errors="coerce")
    return bool(np.isfinite(np.asarray(numbers, dtype=float)).all())


def _empty_values(
    cells: Sequence[Any], choices: Collection[str], of_names: bool
) -> tuple[list[bool], list[str]]:
    """Which of the different cells of a column are no values, and the words among them."""
    texts = [cell if isinstance(cell, str) and cell not in choices else None for cell in cells]
    empty = [text in EMPTY for text in texts]
    others = [c for c, t, no in zip(cells, texts, empty, strict=True) if not no and t not in _WORDS]
    if of_names or not others or not all(map(_is_number, others)):
        return empty, []
    words = [text for text in texts if text in _WORDS]
    return [
        no or text in _WORDS or (_is_number(cell) and math.isinf(float(cell)))
        for cell, text, no in zip(cells, texts, empty, strict=True)
    ], [str(word) for word in words]


def _is_number(cell: object) -> bool:
    """Whether a cell is a number, or a text that is one; also an infinite one."""
    if not isinstance(cell, str | int | float | np.number | Decimal) or isinstance(cell, bool):
        return False
    try:
        return not math.isnan(float(cell))
    except (ValueError, OverflowError):
        return False
