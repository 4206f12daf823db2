"""What the text in a cell stands for, and columns by their values."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from malibo.sources.tables.cells import as_floats, column_of, read_text

NAN = np.nan


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("16", 16),
        ("-3", -3),
        (" 0.10 ", 0.1),
        ("1e-3", 0.001),
        (".5", 0.5),
        ("5.", 5.0),
        ("True", True),
        ("FALSE", False),
        ("None", None),
        ("null", None),
        ("none", "none"),
        ("adam", "adam"),
        ("1,5", "1,5"),
        ("1_000", "1_000"),
        ("inf", "inf"),
        ("1e999", "1e999"),
        ("0x10", "0x10"),
    ],
)
def test_a_text_is_read_as_what_it_stands_for(text: str, value: Any) -> None:
    assert read_text(text) == value
    assert type(read_text(text)) is type(value)


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**15) + 1, 10**15 - 1))
def test_the_text_of_a_number_is_the_number(number: float) -> None:
    assert read_text(repr(number)) == number


@pytest.mark.parametrize("dtype", [str, object])
def test_equal_values_are_one_however_they_are_written(dtype: Any) -> None:
    cells = pd.Series(["0.1", "0.10", "x", "1e-1", " x ", "", "nan"], dtype=dtype)
    column = column_of(cells, "c")
    assert column is not None
    assert_array_equal(column.which, [0, 0, 1, 0, 1, -1, -1])
    assert list(column.values) == [0.1, "x"]
    assert_array_equal(column.numbers, [0.1, 0.1, NAN, 0.1, NAN, NAN, NAN])
    assert column.others == ["x"]
    assert_array_equal(column.there, [True] * 5 + [False] * 2)


def test_truth_values_are_not_numbers() -> None:
    column = column_of(pd.Series(["true", "1", "false"]), "c")
    assert column is not None
    assert [type(value) for value in column.values] == [bool, int, bool]
    assert_array_equal(column.distinct, [1])


@pytest.mark.parametrize(
    "series",
    [
        pd.Series([1, 2.5, None, 1]),
        pd.Series(["1", "2.5", None, "1.0"]),
        pd.Series([1, 2.5, None, 1], dtype=object),
        pd.Series([1, 2.5, None, 1], dtype="Float64"),
        pd.Series([1, 2.5, np.inf, 1]),
        pd.Series(pd.Categorical([1, 2.5, None, 1])),
        pd.Series([Decimal("1"), Decimal("2.5"), None, Decimal("1")]),
    ],
)
def test_numbers_are_found_in_any_column(series: pd.Series) -> None:
    column = column_of(series, "c")
    assert column is not None
    assert_array_equal(column.numbers, [1, 2.5, NAN, 1])
    assert_array_equal(column.distinct, [1, 2.5])
    assert column.others == []


def test_cells_that_cannot_be_compared_make_no_column() -> None:
    assert column_of(pd.Series([[1], [2]]), "c") is None


@pytest.mark.parametrize(
    ("cells", "floats"),
    [
        ([1, "2", "x", None], [1, 2, NAN, NAN]),
        ([1.5, [2], {}], [1.5, NAN, NAN]),
        ([1.5, True, "2", np.bool_(False)], [1.5, NAN, 2, NAN]),
        (pd.date_range("2024", periods=2), [NAN, NAN]),
        ([1 + 2j, 3 + 0j], [NAN, NAN]),
        (pd.Categorical(["1", "x"]), [1, NAN]),
        (pd.array([1, None], dtype="Int64"), [1, NAN]),
    ],
)
def test_what_is_no_number_is_nan(cells: Any, floats: list[float]) -> None:
    assert_array_equal(as_floats(pd.Series(cells)), floats)


def test_an_integer_beyond_all_floats_is_no_number() -> None:
    cells = pd.Series([10**400, 2], dtype=object)  # of other dtypes, pandas 2 makes no column
    assert_array_equal(as_floats(cells), [NAN, 2])
