"""A tuning from a study of malibo and from one of Optuna: the same trials, space and results."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest
from numpy.testing import assert_array_equal

from malibo import Categorical, Float, MetaModel, Space
from malibo.config import SuggestConfig
from malibo.errors import InputError
from malibo.integrations.optuna import MaliboSampler
from malibo.report import Trial, Tuning
from malibo.study import Study
from report.examples import ADAM, five_trials, tuning_of

Objective = Callable[[Mapping[str, Any]], float]

optuna.logging.set_verbosity(optuna.logging.WARNING)


def ask_for_all(trial: optuna.Trial) -> dict[str, Any]:
    """The space of the tests, asked for as an objective of Optuna does."""
    config: dict[str, Any] = {
        "lr": trial.suggest_float("lr", 1e-4, 1e-1, log=True),
        "layers": trial.suggest_int("layers", 1, 4),
        "optimizer": trial.suggest_categorical("optimizer", ["adam", "sgd"]),
    }
    if config["optimizer"] == "sgd":
        config["momentum"] = trial.suggest_float("momentum", 0, 0.9)
    return config


def test_a_study_of_malibo_is_read_as_it_is(tmp_path: Path, model: MetaModel) -> None:
    study = Study.create(tmp_path / "s.db", model, seed=0, name="mine", trust=0.6)
    first, second, third = study.ask(3)
    study.tell(first.number, 0.5)
    study.tell(second.number, None, "exit code 3")
    tuning = Tuning.of_study(study)
    assert (tuning.name, tuning.direction, tuning.config) == ("mine", "minimize", study.config)
    assert tuning.config.trust == 0.6
    assert tuning.space == model.space
    assert [t.status for t in tuning.trials] == ["finished", "failed", "running"]
    assert [t.value for t in tuning.trials] == [0.5, None, None]
    assert [t.config for t in tuning.trials] == [first.config, second.config, third.config]
    assert [t.source for t in tuning.trials] == [t.source for t in study.trials]
    assert [t.trust for t in tuning.trials] == [t.trust for t in study.trials]
    assert [t.ended for t in tuning.trials] == [t.ended for t in study.trials]
    assert tuning.trials[0].started == study.trials[0].started
    assert tuning.trials[1].note == "exit code 3"
    assert_array_equal(tuning.observations.losses, [0.5, np.nan])
    assert_array_equal(tuning.observations.codes, model.space.codes([first.config, second.config]))
    assert tuning.trust == study.trust


def test_scores_are_turned_into_losses_and_the_greatest_is_the_best(
    tmp_path: Path, tuning_space: Space
) -> None:
    study = Study.create(tmp_path / "s.db", space=tuning_space, seed=0, direction="maximize")
    for value in (0.2, 0.9, 0.9, 0.4):
        study.tell(study.ask()[0].number, value)
    tuning = Tuning.of_study(study)
    assert_array_equal(tuning.observations.losses, [-0.2, -0.9, -0.9, -0.4])
    assert tuning.best is not None
    assert (tuning.best.number, tuning.best.value) == (1, 0.9)


def test_the_best_is_the_first_of_the_lowest(model: MetaModel) -> None:
    tied = [Trial(i, ADAM, "finished", value) for i, value in enumerate((0.0, -1.0, -1.0))]
    best = tuning_of(model, tied).best
    assert best is not None
    assert best.number == 1
    assert tuning_of(model, [Trial(0, ADAM, "failed")]).best is None


def test_trust_without_results_is_what_was_believed_before(model: MetaModel) -> None:
    assert tuning_of(model, [Trial(0, ADAM, "running")]).trust == 0.8


def test_without_a_model_trust_is_the_last_that_was_recorded(tuning_space: Space) -> None:
    cold = MetaModel.uninformed(tuning_space)
    assert tuning_of(cold, five_trials()).trust == 0.9
    assert tuning_of(cold, [Trial(0, ADAM, "finished", 1.0)]).trust is None
    assert tuning_of(cold, [Trial(0, ADAM, "finished", 1.0, "random", 0.0)]).trust is None


def test_the_classifier_has_no_trust(model: MetaModel) -> None:
    config = SuggestConfig(surrogate="classifier")
    tuning = replace(tuning_of(model, five_trials()), config=config)
    assert tuning.trust is None
    assert not tuning.judged


def test_the_options_of_an_optuna_sampler_are_told_by_what_it_recorded(
    model: MetaModel, objective: Objective
) -> None:
    both: list[tuple[dict[str, Any], float]] = [({"trust": 0.1}, 0.1), ({}, 0.8)]
    for options, trust in both:
        study = optuna.create_study(sampler=MaliboSampler(model, seed=0, **options))
        study.optimize(lambda trial: objective(ask_for_all(trial)), n_trials=3)
        config = Tuning.of_optuna(study, model).config
        assert (config.trust, config.surrogate) == (trust, "process")
    study = optuna.create_study(sampler=MaliboSampler(model, seed=0, surrogate="classifier"))
    study.optimize(lambda trial: objective(ask_for_all(trial)), n_trials=2)
    assert Tuning.of_optuna(study, model).config.surrogate == "classifier"


def test_trust_that_results_have_changed_is_no_prior(
    model: MetaModel, objective: Objective
) -> None:
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(lambda trial: objective(ask_for_all(trial)), n_trials=6)
    study.sampler = MaliboSampler(model, seed=0, trust=0.3)
    study.optimize(lambda trial: objective(ask_for_all(trial)), n_trials=2)
    tuning = Tuning.of_optuna(study, model)
    assert tuning.trials[6].trust not in (None, 0.3)
    assert tuning.config.trust == 0.8


def test_a_study_of_optuna_with_its_model(model: MetaModel, objective: Objective) -> None:
    study = optuna.create_study(study_name="warm", sampler=MaliboSampler(model, seed=0))

    def run(trial: optuna.Trial) -> float:
        config = ask_for_all(trial)
        if trial.number == 2:
            raise ValueError("broken")
        return objective(config)

    study.optimize(run, n_trials=5, catch=ValueError)
    tuning = Tuning.of_optuna(study, model)
    assert tuning.name == "warm"
    assert tuning.informed
    assert set(tuning.space) >= {"lr", "layers", "optimizer"}
    assert [t.status for t in tuning.trials] == ["finished"] * 2 + ["failed"] + ["finished"] * 2
    assert [t.value for t in tuning.trials] == [t.value for t in study.trials]
    assert [t.source for t in tuning.trials] == [
        t.user_attrs["malibo:source"] for t in study.trials
    ]
    assert [t.trust for t in tuning.trials] == [t.user_attrs["malibo:trust"] for t in study.trials]
    assert tuning.best is not None
    assert tuning.best.config == study.best_params
    start, end = study.trials[0].datetime_start, study.trials[0].datetime_complete
    assert start is not None
    assert end is not None
    assert tuning.trials[0].started == start.timestamp()
    assert tuning.trials[0].ended == end.timestamp()
    assert np.isnan(tuning.observations.losses).tolist() == [False, False, True, False, False]


def test_a_study_of_optuna_without_a_model_and_by_another_sampler() -> None:
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(lambda trial: ask_for_all(trial)["lr"], n_trials=12)
    tuning = Tuning.of_optuna(study)
    assert tuning.direction == "maximize"
    assert not tuning.informed
    assert tuning.trust is None
    assert tuning.space["momentum"].when == {"optimizer": ("sgd",)}
    assert tuning.space["lr"] == Float(1e-4, 1e-1, log=True)
    assert tuning.space["optimizer"] == Categorical(["adam", "sgd"])
    assert {trial.source for trial in tuning.trials} == {None}
    assert tuning.best is not None
    assert tuning.best.value == study.best_value
    assert_array_equal(tuning.observations.losses, [-t.value for t in study.trials if t.value])


def test_pruned_running_waiting_and_infinite_trials_of_optuna() -> None:
    study = optuna.create_study()

    def run(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", 0, 1)
        trial.report(x, 3)
        if trial.number == 1:
            raise optuna.TrialPruned
        return math.inf if trial.number == 2 else x

    study.optimize(run, n_trials=3)
    study.ask().suggest_float("x", 0, 1)
    study.enqueue_trial({"x": 0.5})
    tuning = Tuning.of_optuna(study)
    statuses = [trial.status for trial in tuning.trials]
    assert statuses == ["finished", "pruned", "failed", "running", "waiting"]
    pruned = study.trials[1].intermediate_values[3]
    assert tuning.trials[1].note == f"pruned at step 3 with {pruned:.6g}"
    assert tuning.trials[2].note == "the value was inf"
    assert tuning.trials[4].config == {"x": 0.5}
    assert [trial.value for trial in tuning.trials[1:]] == [None] * 4
    assert len(tuning.observations.losses) == 3


def test_a_study_with_two_objectives_is_refused() -> None:
    study = optuna.create_study(directions=["minimize", "minimize"], study_name="two")
    with pytest.raises(InputError, match="one objective, and the study 'two' has 2"):
        Tuning.of_optuna(study)


def test_a_study_without_parameters_is_refused() -> None:
    study = optuna.create_study(study_name="empty")
    study.optimize(lambda _: 1.0, n_trials=1)
    with pytest.raises(InputError, match="'empty' has no parameter that malibo knows"):
        Tuning.of_optuna(study)
