"""The sampler on every kind of storage that Optuna has, each of them a real one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import malibo

optuna = pytest.importorskip("optuna")

from malibo.integrations.optuna import MaliboSampler  # noqa: E402

Opener = Callable[[], Any]

TRIALS = 12

pytestmark = pytest.mark.filterwarnings("ignore:the past has")


def objective(trial: Any) -> float:
    """A loss over every kind of parameter, one of which is there for one choice only."""
    lr = trial.suggest_float("lr", 1e-4, 1e-1, log=True)
    layers = trial.suggest_int("layers", 1, 4)
    dropout = trial.suggest_float("dropout", 0.0, 0.5, step=0.1)
    loss = (np.log10(lr) + 2.5) ** 2 + 0.1 * layers + dropout
    if trial.suggest_categorical("optimizer", ["adam", "sgd"]) == "sgd":
        loss += trial.suggest_float("momentum", 0.0, 0.9) ** 2
    return float(loss)


def run(storage: Any, trials: int = TRIALS, *, name: str = "new", sampler: Any = None) -> Any:
    """Start or go on with a study, with a sampler that knows nothing but its seed."""
    sampler = sampler or MaliboSampler(seed=0)
    study = optuna.create_study(
        storage=storage, study_name=name, sampler=sampler, load_if_exists=True
    )
    study.optimize(objective, n_trials=trials)
    return study


@pytest.fixture(scope="module")
def past() -> list[Any]:
    """Two finished studies."""
    samplers = [optuna.samplers.RandomSampler(seed) for seed in range(2)]
    return [run(optuna.storages.InMemoryStorage(), sampler=sampler) for sampler in samplers]


def add_past(storage: Any, past: list[Any]) -> None:
    for number, study in enumerate(past):
        copy = optuna.create_study(storage=storage, study_name=f"past {number}")
        copy.add_trials(study.trials)


def configs(study: Any) -> list[dict[str, Any]]:
    return [trial.params for trial in study.trials]


@pytest.fixture(scope="module")
def uninterrupted() -> list[dict[str, Any]]:
    """The configurations that one run in memory suggests."""
    return configs(run(optuna.storages.InMemoryStorage()))


def test_every_trial_is_completed(open_storage: Opener) -> None:
    run(open_storage())
    study = optuna.load_study(study_name="new", storage=open_storage())
    assert [trial.number for trial in study.trials] == list(range(TRIALS))
    assert {trial.state for trial in study.trials} == {optuna.trial.TrialState.COMPLETE}
    assert all(trial.value == objective(trial) for trial in study.trials)


def test_the_same_seed_gives_the_same_suggestions_as_in_memory(
    open_storage: Opener, uninterrupted: list[dict[str, Any]]
) -> None:
    assert configs(run(open_storage())) == uninterrupted


def test_a_stopped_study_goes_on_as_if_nothing_had_happened(
    open_storage: Opener, uninterrupted: list[dict[str, Any]]
) -> None:
    run(open_storage(), TRIALS // 2)
    resumed = run(open_storage(), TRIALS - TRIALS // 2)
    assert configs(resumed) == uninterrupted


def test_a_trial_says_where_its_suggestion_came_from(open_storage: Opener) -> None:
    run(open_storage(), 3)
    study = optuna.load_study(study_name="new", storage=open_storage())
    for trial in study.trials:
        assert {"malibo:trust", "malibo:source"} <= trial.user_attrs.keys()


def test_past_studies_are_the_same_history_in_all(open_storage: Opener, past: list[Any]) -> None:
    memory = optuna.storages.InMemoryStorage()
    for storage in (memory, open_storage()):
        add_past(storage, past)
    expected, history = map(malibo.History.from_optuna, (memory, open_storage()))
    assert [task.name for task in history] == ["past 0", "past 1"]
    for task, same in zip(history, expected, strict=True):
        assert list(task.space) == list(same.space)
        np.testing.assert_array_equal(task.codes, same.codes)
        np.testing.assert_array_equal(task.losses, same.losses)


def test_a_sampler_learns_from_past_studies_in_it(
    open_storage: Opener, past: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MALIBO_CACHE", str(tmp_path))
    add_past(open_storage(), past)
    sampler = MaliboSampler.from_studies(open_storage(), seed=0, progress=False)
    study = run(open_storage(), 3, sampler=sampler)
    assert all(0 <= trial.user_attrs["malibo:trust"] <= 1 for trial in study.trials)
