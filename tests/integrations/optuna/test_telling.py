"""What people are told when things are not as the past had them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import optuna
import pytest
from optuna.distributions import FloatDistribution, IntDistribution
from optuna.trial import Trial

import malibo
from malibo import Float, History, MetaModel, Space, Task
from malibo.integrations.optuna import MaliboSampler
from malibo.integrations.optuna.plan import make_plan


def past(runs: int, constant: bool = False) -> optuna.storages.InMemoryStorage:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    storage = optuna.storages.InMemoryStorage()
    for i in range(2):
        sampler = optuna.samplers.RandomSampler(seed=i)
        study = optuna.create_study(storage=storage, study_name=f"past {i}", sampler=sampler)
        study.optimize(lambda t: t.suggest_float("x", 0, 1) * (not constant), n_trials=runs // 2)
    return storage


def sampler_of(storage: Any, **options: Any) -> MaliboSampler:
    train = malibo.TrainConfig(steps=10)
    return MaliboSampler.from_studies(
        storage, seed=0, cache=False, progress=False, train=train, **options
    )


def warned(function: Callable[[], object]) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function()
    return [str(warning.message) for warning in caught]


@pytest.mark.parametrize(("runs", "constant", "told"), [(20, False, 20), (60, True, 0)])
def test_a_past_that_can_teach_little_is_told(runs: int, constant: bool, told: int) -> None:
    (message,) = warned(lambda: sampler_of(past(runs, constant)))
    assert message.startswith(f"the past has {told} runs that can be compared")
    assert "fewer than 30" in message


def test_a_past_that_can_teach_is_not_commented_on() -> None:
    assert warned(lambda: sampler_of(past(60))) == []


def test_where_nothing_is_the_same_the_start_is_cold_and_says_so() -> None:
    study = optuna.create_study(sampler=sampler_of(past(60)))
    (message,) = warned(lambda: study.optimize(lambda t: t.suggest_float("y", 0, 1), n_trials=3))
    assert "'y' is new; 'x' is not asked for" in message
    assert "start cold, for nothing is the same" in message
    assert study.trials[-1].user_attrs == {"malibo:source": "random", "malibo:trust": 0.0}


def test_a_given_space_is_named_in_place_of_the_past() -> None:
    sampler = sampler_of(past(60), search_space={"x": FloatDistribution(0, 1)})
    study = optuna.create_study(sampler=sampler)

    def objective(trial: Trial) -> float:
        return trial.suggest_float("x", 0, 1) + trial.suggest_int("n", 1, 3)

    (message,) = warned(lambda: study.optimize(objective, n_trials=2))
    assert message.startswith("the objective differs from search_space: 'n' is new. ")


def test_of_many_differences_the_first_are_listed() -> None:
    def objective(trial: Trial) -> float:
        return sum(trial.suggest_float(f"p{i}", 0, 1) for i in range(30))

    study = optuna.create_study(sampler=sampler_of(past(60)))
    (message,) = warned(lambda: study.optimize(objective, n_trials=1))
    assert "; and 21 more." in message


def test_without_a_past_only_what_is_drawn_at_random_is_told() -> None:
    def objective(trial: Trial) -> float:
        return trial.suggest_int("n", 0, 2**60) + trial.suggest_float("x", 0, 1)

    study = optuna.create_study(sampler=MaliboSampler(seed=0))
    (message,) = warned(lambda: study.optimize(objective, n_trials=3))
    assert message.startswith("malibo has no place for 'n' is drawn at random (n: Int:")


def test_a_study_in_its_own_past_is_told() -> None:
    storage = past(60)
    study = optuna.load_study(study_name="past 0", storage=storage, sampler=sampler_of(storage))
    (message,) = warned(lambda: study.optimize(lambda t: t.suggest_float("x", 0, 1), n_trials=2))
    assert "leave it out: exclude=['past 0']" in message
    alone = sampler_of(storage, exclude=["past 0"]).model
    assert alone is not None
    assert alone.tasks == ("past 1",)


@pytest.mark.parametrize("warm", [True, False])
def test_many_new_parameters_need_one_plan(warm: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    from malibo.integrations.optuna import planner

    made = []

    def counting(*arguments: Any) -> Any:
        made.append(arguments)
        return make_plan(*arguments)

    monkeypatch.setattr(planner, "make_plan", counting)
    space = Space(x=Float(0, 1))
    codes = np.linspace(0, 1, 40)[:, None]
    history = History([Task("past", space, codes, codes[:, 0])])
    model: MetaModel | None = malibo.meta_train(history, steps=10, progress=False)
    study = optuna.create_study(sampler=MaliboSampler(model if warm else None, seed=0))
    distributions = {f"p{i}": IntDistribution(1, 9) for i in range(40)}
    trial = study.ask({"x": FloatDistribution(0, 1), **distributions})
    assert len(trial.params) == 41
    assert len(made) <= 2
    values = [trial.params[f"p{i}"] for i in range(40)]
    assert len(set(values)) > 5  # drawn anew each


def test_a_study_that_goes_the_other_way_is_told_once() -> None:
    sampler = sampler_of(past(40))  # minimised
    study = optuna.create_study(sampler=sampler, direction="maximize")
    (message,) = warned(lambda: study.optimize(lambda t: t.suggest_float("x", 0, 1), n_trials=2))
    assert message.startswith("the past runs were told to minimize and this study is to maximize")
    assert "create_study(direction='minimize')" in message
