"""Which cells are empty, for the guess and for the codes alike."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from malibo import Categorical, Float, History, Space
from malibo.sources.tables import frame_codes
from malibo.sources.tables.empty import with_empty_cells

NAN = np.nan
WORDS = ["NA", "N/A", "n/a", "<NA>", "#N/A", "NULL"]


def emptied(cells: Any, **options: Any) -> tuple[list[bool], list[str]]:
    frame, notes = with_empty_cells(pd.DataFrame({"c": cells}), options.pop("given", {}), **options)
    return frame["c"].isna().tolist(), notes


@pytest.mark.parametrize("dtype", [str, object, "string", "category"])
def test_texts_without_a_value_are_empty(dtype: Any) -> None:
    cells = pd.Series(["x", "", " ", "nan", "NaN", None, "NA"], dtype=dtype)
    assert emptied(cells) == ([False, True, True, True, True, True, False], [])


@pytest.mark.parametrize(
    "cells",
    [
        [1.0, np.inf, -np.inf],
        pd.array([1.0, np.inf, -np.inf], dtype="Float64"),
        pd.Series([1, np.inf, -np.inf], dtype=object),
        ["1", "inf", "-Infinity"],
        pd.Series([Decimal(1), np.inf, "inf"], dtype=object),
    ],
)
def test_an_infinite_number_is_empty_whatever_the_type(cells: Any) -> None:
    assert emptied(cells) == ([False, True, True], [])


@pytest.mark.parametrize("word", WORDS)
def test_a_word_for_nothing_is_empty_among_numbers_with_a_note(word: str) -> None:
    assert emptied(["1", word, "2.5"]) == (
        [False, True, False], [f"{word!r} in 'c' was read as empty"],
    )  # fmt: skip
    for others in (["a"], ["1", "a"], []):
        assert emptied([*others, word, word]) == ([False] * (len(others) + 2), [])


def test_a_choice_and_a_name_are_not_empty() -> None:
    given = {"c": Categorical(["", "NA", "1"])}
    assert emptied(["1", "", "NA"], given=given) == ([False] * 3, [])
    assert emptied(["1", "", "NA"], names=["c"]) == ([False, True, False], [])


def test_cells_that_are_no_texts_stay() -> None:
    for cells in (
        [1, 2],
        [True, False],
        [[1], [2]],
        pd.Series([10**400, 1], dtype=object),  # pandas 2 makes no other column of it
        list(pd.date_range("2024", periods=2)),
    ):
        frame = pd.DataFrame({"c": cells})
        changed, notes = with_empty_cells(frame, {})
        pd.testing.assert_frame_equal(changed, frame)
        assert notes == []


def test_the_table_that_was_given_stays_as_it_is() -> None:
    frame = pd.DataFrame({"a": ["", "x"], "b": [np.inf, 1]})
    before = frame.copy()
    with_empty_cells(frame, {})
    pd.testing.assert_frame_equal(frame, before)


# -- in a table ----------------------------------------------------------------------------


def runs(nothing: Any) -> pd.DataFrame:
    """Momentum is there for sgd alone; something stands for nothing."""
    rng = np.random.default_rng(0)
    optimizer = rng.choice(["adam", "sgd"], 40)
    momentum = rng.uniform(0, 0.9, 40)
    cells = [m if o == "sgd" else nothing for m, o in zip(momentum, optimizer, strict=True)]
    return pd.DataFrame(
        {
            "t": ["a", "b"] * 20,
            "lr": rng.uniform(0, 1, 40),
            "optimizer": optimizer,
            "momentum": pd.Series(cells, dtype=object),
            "y": rng.uniform(0, 1, 40),
        }
    )


@pytest.mark.parametrize("nothing", ["", " ", "nan", np.inf, None, NAN, "NA"])
def test_the_guess_and_the_codes_agree_on_what_is_empty(nothing: Any) -> None:
    history = History.from_table(runs(nothing), task="t", objective="y")
    assert dict(history.space["momentum"].when) == {"optimizer": ("sgd",)}
    expected = History.from_table(runs(None), task="t", objective="y")
    assert_array_equal(history.codes, expected.codes)


def test_words_of_r_are_empty_cells_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    runs(None).to_csv(path, index=False, na_rep="NA")
    history = History.from_table(path, task="t", objective="y")
    assert isinstance(history.space["momentum"], Float)
    assert "- 'NA' in 'momentum' was read as empty (all tasks)" in history.describe()


def test_a_task_may_be_called_na() -> None:
    frame = runs(None).assign(t=["1", "NA"] * 20)
    assert History.from_table(frame, task="t", objective="y").names == ("1", "NA")


def test_candidates_have_empty_cells_too() -> None:
    space = Space(kind=Categorical(["a", ""]), x=Float(0, 1, when={"kind": "a"}), y=Float(0, 1))
    frame = pd.DataFrame({"kind": ["a", ""], "x": ["0.5", ""], "y": [1.0, 0.5]})
    assert_array_equal(frame_codes(frame, space), [[0, 0.5, 1], [1, NAN, 0.5]])
