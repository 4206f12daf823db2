"""The guess of a whole space: what is taken, what is left out, and the conditions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from malibo import Categorical, Fixed, Float, History, Int, Ordinal, Space
from malibo.errors import HistoryError
from malibo.sources.tables.guess import Guess, guess_space
from malibo.sources.tables.results import Runs

COUNT = 90
NAN = np.nan


def runs_table(seed: int = 0) -> pd.DataFrame:
    """Columns of every kind; momentum is there for sgd alone."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "run_id": [f"r{i}" for i in range(COUNT)],
            "lr": 10 ** rng.uniform(-5, -1, COUNT),
            "layers": rng.integers(1, 9, COUNT),
            "batch": rng.choice([16, 32, 64], COUNT),
            "optimizer": rng.choice(["adam", "sgd"], COUNT),
            "epochs": 10,
            "val_acc": rng.uniform(0, 1, COUNT),
        }
    )
    frame["momentum"] = np.where(frame.optimizer == "sgd", rng.uniform(0, 0.9, COUNT), NAN)
    return frame


def some_runs(seed: int = 0) -> Runs:
    rng = np.random.default_rng([seed, 1])
    return Runs(np.arange(COUNT) % 3, rng.uniform(0, 1, COUNT))


def guessed(frame: pd.DataFrame, given: dict[str, Any] | None = None) -> Guess:
    return guess_space(frame, some_runs(), given or {})


def test_a_table_of_runs_is_understood() -> None:
    guess = guessed(runs_table())
    frame = runs_table()
    assert list(guess.space) == ["lr", "layers", "batch", "optimizer", "momentum"]
    assert guess.space["lr"] == Float(1e-5, 0.1, log=True)
    assert guess.space["layers"] == Int(1, 8)
    assert guess.space["batch"] == Ordinal([16, 32, 64])
    assert guess.space["optimizer"] == Categorical(["adam", "sgd"])
    momentum = guess.space["momentum"]
    assert isinstance(momentum, Float)
    assert momentum.when == {"optimizer": ("sgd",)}
    assert guess.left_out == {
        "run_id": "bookkeeping, by its name",
        "epochs": "always 10",
        "val_acc": "a measurement, by its name",
    }
    assert list(guess.reasons) == list(frame.columns)
    assert guess.reasons["momentum"].endswith("; there when optimizer='sgd'")


def test_the_text_has_a_line_for_each_column() -> None:
    guess = guessed(runs_table())
    lines = guess.text().splitlines()
    assert lines[0] == "Parameters:"
    assert "  layers     int          8 whole numbers from 1 to 8" in lines
    after = lines[lines.index("Left out:") :]
    assert "  epochs     always 10" in after
    assert len(lines) == len(runs_table().columns) + 2


def test_a_text_without_what_was_left_out_says_nothing_of_it() -> None:
    guess = guessed(runs_table()[["lr", "layers"]])
    assert "Left out" not in guess.text()


# -- what the user decides -----------------------------------------------------------------


def test_a_given_parameter_counts_whatever_the_guess_would_be() -> None:
    given = {
        "lr": Float(1e-6, 1, log=True),
        "val_acc": Float(0, 1),
        "epochs": Int(1, 20),
        "layers": None,
        "batch": 32,
        "device": "gpu",
    }
    guess = guessed(runs_table(), given)
    assert list(guess.space) == [
        "lr", "batch", "optimizer", "epochs", "val_acc", "momentum", "device",
    ]  # fmt: skip
    for name in ("lr", "val_acc", "epochs"):
        assert guess.space[name] == given[name]
    assert guess.space["batch"] == Fixed(32)
    assert guess.space["device"] == Fixed("gpu")
    assert guess.reasons["layers"] == "not wanted"
    assert guess.reasons["lr"] == "as given"


def test_a_given_condition_stays_and_one_that_is_not_given_is_found() -> None:
    given = Float(0, 2, when={"batch": [16, 32]})
    assert guessed(runs_table(), {"momentum": given}).space["momentum"] == given
    found = guessed(runs_table(), {"momentum": Float(0, 2)}).space["momentum"]
    assert found == Float(0, 2, when={"optimizer": "sgd"})


# -- empty cells ---------------------------------------------------------------------------


def test_a_slip_does_not_hide_a_condition() -> None:
    frame = runs_table()
    forgotten = int(np.flatnonzero(frame.optimizer == "sgd")[0])
    frame.loc[forgotten, "momentum"] = NAN
    assert guessed(frame).space["momentum"].when == {"optimizer": ("sgd",)}


def test_one_empty_cell_is_no_condition() -> None:
    frame = runs_table().assign(layers=np.arange(COUNT) % 8)
    frame.loc[0, "lr"] = NAN
    frame.loc[0, "layers"] = 8
    assert guessed(frame).space["lr"].when == {}


def test_a_mostly_empty_column_without_explanation_is_left_out() -> None:
    chance = np.random.default_rng(5).uniform(size=COUNT)
    frame = runs_table().assign(rare=np.where(chance < 0.3, chance, NAN))
    share = f"{np.isnan(frame.rare).mean():.0%}"
    said = f"empty in {share} of the rows, and no other column explains where"
    assert guessed(frame).left_out["rare"] == said
    assert "rare" in guessed(frame, {"rare": Float(0, 1)}).space
    often = runs_table().assign(rare=np.where(chance < 0.8, chance, NAN))
    assert guessed(often).space["rare"].when == {}


def test_a_task_without_the_column_does_not_count_as_empty() -> None:
    runs = some_runs()
    frame = runs_table().assign(late=np.where(runs.tasks == 2, np.linspace(0, 1, COUNT), NAN))
    late = guessed(frame).space["late"]
    assert isinstance(late, Float)
    assert late.when == {}
    frame.loc[(runs.tasks != 2), "momentum"] = NAN
    assert guessed(frame).space["momentum"].when == {"optimizer": ("sgd",)}


def test_failed_runs_do_not_speak_against_a_condition() -> None:
    frame, runs = runs_table(), some_runs()
    some = np.flatnonzero(frame.optimizer == "sgd")[::2]
    frame.loc[some, "momentum"] = NAN
    assert "momentum" in guess_space(frame, runs, {}).left_out
    losses = runs.losses.copy()
    losses[some] = NAN
    found = guess_space(frame, Runs(runs.tasks, losses), {})
    assert found.space["momentum"].when == {"optimizer": ("sgd",)}


def test_none_is_an_empty_cell_to_a_column_of_numbers() -> None:
    frame = runs_table()
    texts = frame.momentum.map(lambda x: "None" if np.isnan(x) else str(x))
    found = guessed(frame.assign(momentum=texts)).space["momentum"]
    assert found == guessed(frame).space["momentum"]


# -- nothing left --------------------------------------------------------------------------


def test_if_nothing_is_left_the_reasons_are_told() -> None:
    frame = runs_table()[["run_id", "epochs"]]
    message = (
        r"no column seems to be a parameter \('run_id': bookkeeping, by its name;"
        r" 'epochs': always 10\); say which are, by space="
    )
    with pytest.raises(HistoryError, match=message):
        guessed(frame)
    with pytest.raises(HistoryError, match="no column seems to be a parameter"):
        guessed(frame, {"epochs": 10})
    with pytest.raises(HistoryError, match="there are no other columns"):
        guessed(frame[[]])


# -- any table -----------------------------------------------------------------------------

CELLS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3)


@settings(max_examples=60)
@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=2, max_size=12))
def test_whatever_is_in_a_table_it_is_read_or_refused_in_one_line(rows: list[Any]) -> None:
    frame = pd.DataFrame(rows, columns=["a", "b", "c"], dtype=object)
    frame = frame.assign(task="t", loss=np.arange(len(rows), dtype=float))
    refused: HistoryError | None = None
    try:
        history = History.from_table(frame, task="task", objective="loss", on_error="skip")
    except HistoryError as error:
        refused = error
    if refused is not None:
        assert len(str(refused).splitlines()) == 1
        return
    assert len(history) <= len(rows)
    assert Space.from_json(history.space.to_json()) == history.space
    assert history.describe()
