"""TPE: Optuna's, over the codes of the space."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from malibo import Categorical, Float, History, Int, Ordinal, Space, Task
from malibo.bench.methods import METHODS, check_installed
from malibo.bench.methods.tpe import Tpe, distributions
from malibo.bench.searchspace import SearchSpace
from malibo.errors import MissingDependencyError

optuna = pytest.importorskip("optuna")

SPACE = Space(
    lr=Float(1e-4, 1, log=True),
    layers=Int(1, 8),
    width=Ordinal([16, 32, 64, 128]),
    kind=Categorical(["a", "b", "c"]),
    momentum=Float(0, 1, when={"kind": "c"}),
    epochs=10,
)


def build(search: SearchSpace | None = None, seed: int = 0) -> Tpe:
    history = History([Task("past", SPACE, SPACE.sample(np.random.default_rng(0), 5), np.ones(5))])
    return Tpe(search or SearchSpace(SPACE), history, np.random.default_rng(seed))


def told(optimizer: Tpe) -> list[Any]:
    """The finished trials of the study."""
    return list(optimizer._study.get_trials(states=[optuna.trial.TrialState.COMPLETE]))


def test_distributions_are_those_of_the_codes() -> None:
    found = distributions(SPACE)
    kinds = optuna.distributions
    assert found == {
        "lr": kinds.FloatDistribution(1e-4, 1, log=True),
        "layers": kinds.IntDistribution(1, 8),
        "width": kinds.IntDistribution(0, 3),
        "kind": kinds.CategoricalDistribution((0, 1, 2)),
        "momentum": kinds.FloatDistribution(0, 1),
        "epochs": kinds.CategoricalDistribution((0,)),
    }


def test_optuna_is_told_what_was_tried() -> None:
    optimizer = build()
    config = {"lr": 0.01, "layers": 3, "width": 64, "kind": "c", "momentum": 0.25}
    optimizer.tell(config, 7.0)
    (trial,) = told(optimizer)
    assert trial.value == 7.0
    assert trial.params == {
        "lr": 0.01,
        "layers": 3,
        "width": 2,
        "kind": 2,
        "momentum": 0.25,
        "epochs": 0,
    }


def test_an_inactive_parameter_has_no_place_in_a_trial() -> None:
    optimizer = build()
    optimizer.tell({"lr": 0.01, "layers": 3, "width": 64, "kind": "a"}, 1.0)
    assert "momentum" not in told(optimizer)[0].params


def test_a_failed_trial_is_kept_from_optuna_but_not_tried_again() -> None:
    optimizer = build()
    config = optimizer.ask()
    optimizer.tell(config, None)
    assert told(optimizer) == []
    assert optimizer.ask() != config


def test_asking_leaves_no_trial_open() -> None:
    optimizer = build()
    for _ in range(3):
        optimizer.ask()
    states = {trial.state for trial in optimizer._study.get_trials()}
    assert states == {optuna.trial.TrialState.FAIL}


def test_it_learns_where_the_good_ones_are() -> None:
    optimizer = build()
    distances = []
    for _ in range(45):
        config = optimizer.ask()
        distance = abs(np.log10(config["lr"]) + 1) + 0.3 * (config["kind"] != "b")
        optimizer.tell(config, distance)
        distances.append(distance)
    assert np.mean(distances[30:]) < 0.5 * np.mean(distances[:10])


def test_in_a_table_optuna_is_told_of_the_row_that_was_tried() -> None:
    table = SPACE.sample(np.random.default_rng(1), 15)
    optimizer = build(SearchSpace(SPACE, table))
    rows = [SPACE.codes([config])[0] for config in SPACE.configs(table)]
    config = optimizer.ask()
    optimizer.tell(config, 1.0)
    code = told(optimizer)[0].params["lr"]
    assert code in [row[0] for row in rows]


def test_the_past_makes_no_difference() -> None:
    other = History([Task("x", SPACE, SPACE.sample(np.random.default_rng(9), 5), np.arange(5.0))])
    built = Tpe(SearchSpace(SPACE), other, np.random.default_rng(0))
    assert built.ask() == build().ask()


def test_without_optuna_there_is_a_pip_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(MissingDependencyError, match=r'pip install "malibo\[bench\]"'):
        check_installed("tpe")
    assert METHODS["tpe"].line
