"""Parameters that are empty here and there: a condition, the choice None, or an accident."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from malibo import Categorical, Float, History, Int, Space
from malibo.errors import HistoryError

NAN = np.nan


def frame(count: int = 60, seed: int = 0, **columns: Any) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    made = pd.DataFrame(
        {"t": np.arange(count) % 2, "lr": rng.uniform(size=count), "y": rng.uniform(size=count)}
    )
    return made.assign(**columns)


def chosen(choices: list[Any], count: int = 60, seed: int = 1) -> pd.Series:
    which = np.random.default_rng(seed).integers(0, len(choices), count)
    return pd.Series([choices[index] for index in which], dtype=object)


def read(table: Any, **options: Any) -> History:
    return History.from_table(table, task="t", objective="y", **options)


# -- None as a choice ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "choices",
    [
        [None, "balanced"],
        [None, "log2", "sqrt"],
        [None, 5, 10],
        [None, 1, 2, 3],
        [None, 7],
        [None, True],
    ],
)
@pytest.mark.parametrize("in_a_file", [True, False])
def test_an_empty_cell_that_nothing_explains_is_the_choice_none(
    choices: list[Any], in_a_file: bool, tmp_path: Path
) -> None:
    table: Any = frame(c=chosen(choices))
    if in_a_file:
        table.to_csv(tmp_path / "runs.csv", index=False)
        table = tmp_path / "runs.csv"
    history = read(table)
    assert history.space["c"] == Categorical(choices)
    assert len(history) == 60
    empty = frame(c=chosen(choices)).c.isna()
    assert (history.codes[:, history.space.names.index("c")] == 0).sum() == empty.sum()
    assert "- an empty cell of 'c' is the choice None (all tasks)" in history.describe()


def test_a_column_of_one_value_where_another_has_one_teaches_nothing() -> None:
    solver = chosen(["a", "b"])
    history = read(frame(solver=solver, c=solver.map({"a": "on"})))
    assert list(history.space) == ["lr", "solver"]
    assert "'c' left out: always 'on'; there when solver='a'" in history.describe()


def test_a_single_value_that_is_measured_or_none_is_no_choice() -> None:
    table = frame(val_acc=chosen([None, 1.0]), c=chosen([None, "None"]))
    history = read(table)
    assert list(history.space) == ["lr"]
    assert "'val_acc' left out: a measurement, by its name" in history.describe()
    assert "'c' left out: always None" in history.describe()


def test_a_forgotten_cell_is_no_choice() -> None:
    cells = chosen(["x", "z"])
    cells[[3, 7]] = None
    with pytest.raises(HistoryError, match="2 rows of the table cannot be read: row 4") as caught:
        read(frame(c=cells))
    assert "space={'c': ...}: a Categorical with the choice None" in str(caught.value)
    assert len(read(frame(c=cells), on_error="skip")) == 58
    only = pd.Series(["x"] * 60, dtype=object)
    only[[3, 7]] = None
    assert "'c' left out: always 'x', or empty" in read(frame(c=only)).describe()


def test_numbers_of_a_range_have_no_choice_none() -> None:
    cells = chosen([None, *(i / 60 for i in range(60))], seed=4)
    cells[:9] = None
    with pytest.raises(HistoryError, match="it is empty although the parameter is active"):
        read(frame(c=cells))


def test_a_given_parameter_gets_no_choice_none() -> None:
    given = Categorical(["balanced", "other"])
    with pytest.raises(HistoryError, match="it is empty although"):
        read(frame(c=chosen([None, "balanced"])), space={"c": given})


def test_none_may_turn_another_parameter_on() -> None:
    kind = chosen([None, "a", "b"])
    depth = np.where(kind.isna(), 0.5, NAN) * np.linspace(1, 2, 60)
    space = read(frame(kind=kind, depth=depth)).space
    assert dict(space["depth"].when) == {"kind": (None,)}


# -- conditions ----------------------------------------------------------------------------


def accidents(seed: int) -> pd.DataFrame:
    """Two cells were forgotten; many columns might explain them by chance."""
    rng = np.random.default_rng(seed)
    count = 40
    made = frame(count, seed).assign(
        opt=rng.choice(list("abc"), count),
        layers=rng.integers(1, 7, count),
        arch=rng.choice([f"m{i}" for i in range(12)], count),
        aug=rng.choice(list("wxyz"), count),
        seq=rng.integers(1, 40, count),
        drop=rng.uniform(size=count),
    )
    made.loc[rng.choice(count, 2, replace=False), "drop"] = NAN
    return made


@pytest.mark.parametrize("seed", range(12))
def test_an_accident_is_no_condition(seed: int) -> None:
    with pytest.raises(HistoryError, match=r"2 rows .* column 'drop': it is empty"):
        read(accidents(seed))
    history = read(accidents(seed), on_error="skip")
    assert history.space["drop"].when == {}
    assert len(history) == 38


def test_values_that_turn_a_parameter_off_need_their_evidence() -> None:
    kind = pd.Series(["a"] * 30 + ["b"] * 27 + ["c"] * 3)
    x = np.where(kind == "a", np.linspace(0, 1, 60), NAN)
    assert dict(read(frame(kind=kind, x=x)).space["x"].when) == {"kind": ("a",)}
    rare = kind.where(np.arange(60) < 59, "d")  # one of which nobody can say
    assert dict(read(frame(kind=rare, x=x)).space["x"].when) == {"kind": ("a",)}
    each = pd.Series(["a"] * 50 + [f"b{i // 2}" for i in range(10)])
    once = np.where(each == "a", np.linspace(0, 1, 60), NAN)
    with pytest.raises(HistoryError, match=r"10 rows .*it is empty although"):
        read(frame(kind=each, x=once))


def test_values_that_a_condition_turns_off_are_told() -> None:
    kind = chosen(["a", "b"])
    x = np.where(kind == "a", np.linspace(0, 1, 60), NAN)
    x[int(np.flatnonzero(kind == "b")[0])] = 0.5
    note = "- 1 value of 'x' ignored: it is there when kind='a' (all tasks)"
    assert note in read(frame(kind=kind, x=x)).describe()
    space = Space(kind=Categorical(["a", "b"]), x=Float(0, 1, when={"kind": "a"}))
    assert note in read(frame(kind=kind, x=x), space=space).describe()
    x[kind == "b"] = NAN
    assert "ignored" not in read(frame(kind=kind, x=x)).describe()


def test_conditions_of_a_large_table_are_found_in_no_time() -> None:
    rng = np.random.default_rng(0)
    count = 100_000
    kinds = {f"kind{i}": rng.choice(list("abcd"), count) for i in range(8)}
    others = {f"n{i}": rng.integers(1, 9, count) for i in range(8)}
    children = {
        f"x{i}": np.where(kinds[f"kind{i}"] == "a", rng.uniform(size=count), NAN) for i in range(8)
    }
    table = frame(count).assign(**kinds, **others, **children)
    start = time.process_time()
    space = read(table).space
    assert time.process_time() - start < 6
    assert all(dict(space[f"x{i}"].when) == {f"kind{i}": ("a",)} for i in range(8))
    assert isinstance(space["n0"], Int)
