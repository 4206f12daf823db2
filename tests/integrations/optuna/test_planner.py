"""Plans: whole configurations, with decided values, that no other worker has."""

from __future__ import annotations

from typing import Any

import numpy as np
import optuna
import pytest
from optuna.distributions import IntDistribution
from optuna.trial import FrozenTrial, TrialState

from malibo import Categorical, Float, Int, MetaModel, Space, SuggestConfig
from malibo.integrations.optuna import planner as module
from malibo.integrations.optuna.notes import intended, write_notes
from malibo.integrations.optuna.plan import REPEAT, make_plan
from malibo.integrations.optuna.planner import Planner
from malibo.observations import Observations

SPACE = Space(i=Int(0, 3), kind=Categorical(["a", "b"]), x=Float(0, 1, when={"kind": "b"}))
SMALL = Space(i=Int(0, 3))
CONFIG = SuggestConfig()


def seen(space: Space, *rows: list[float]) -> Observations:
    codes = np.array(rows, dtype=float).reshape(-1, len(space))
    return Observations(codes, np.arange(len(codes), dtype=float), codes[:0])


@pytest.mark.parametrize(
    "decided", [{}, {"kind": "a"}, {"kind": "b", "x": 0.25}, {"i": 2, "kind": "b"}]
)
def test_decided_values_stand_and_the_rest_is_whole(decided: dict[str, Any]) -> None:
    model = MetaModel.uninformed(SPACE)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        plan = make_plan(model, seen(SPACE), CONFIG, rng, decided)
        SPACE.codes([plan.values])  # complete and valid
        assert decided.items() <= plan.values.items()
        assert plan.source == "random"


def test_a_decided_value_outside_the_space_leaves_the_rest_free() -> None:
    model = MetaModel.uninformed(SPACE)
    plan = make_plan(model, seen(SPACE), CONFIG, np.random.default_rng(0), {"i": 99})
    SPACE.codes([plan.values])


@pytest.mark.parametrize("decided", [{}, {"i": 1}])
def test_where_all_has_been_tried_some_is_tried_again(decided: dict[str, Any]) -> None:
    model = MetaModel.uninformed(SMALL)
    everything = seen(SMALL, [0], [1], [2], [3])
    plan = make_plan(model, everything, CONFIG, np.random.default_rng(0), decided)
    assert plan.source == REPEAT
    assert plan.values["i"] in ([1] if decided else range(4))


def test_the_last_one_left_is_found() -> None:
    model = MetaModel.uninformed(SMALL)
    plan = make_plan(model, seen(SMALL, [0], [1], [3]), CONFIG, np.random.default_rng(0), {})
    assert plan.values == {"i": 2}


# -- several workers -------------------------------------------------------------------------


@pytest.fixture
def study() -> optuna.Study:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return optuna.create_study()


def begun(study: optuna.Study) -> FrozenTrial:
    number = study.ask().number
    return study.trials[number]


def test_a_plan_is_known_to_others_before_a_value_is_asked_for(study: optuna.Study) -> None:
    trial = begun(study)
    write_notes(study, trial, {"i": 3, "kind": "a"}, "meta-model", 0.5)
    noted = study.trials[0]
    assert intended(noted) == {"i": 3, "kind": "a"}
    assert noted.params == {}
    assert noted.user_attrs == {"malibo:source": "meta-model", "malibo:trust": 0.5}


def test_what_was_asked_for_or_enqueued_counts_more_than_the_plan(study: optuna.Study) -> None:
    study.enqueue_trial({"kind": "b"})
    trial = study.ask({"i": IntDistribution(0, 3)})
    write_notes(study, study.trials[0], {"i": 9, "kind": "a", "x": 0.5}, "process", None)
    assert intended(study.trials[0]) == {"i": trial.params["i"], "kind": "b", "x": 0.5}
    assert study.trials[0].user_attrs == {"malibo:source": "process"}


def test_of_two_workers_with_one_idea_the_second_finds_another(
    study: optuna.Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other's plan comes into the storage between this one's looks."""
    mine, other = begun(study), begun(study)
    planner = Planner(None, SMALL, CONFIG)
    snapshot = planner.moment(study, mine).snapshot
    seed = (0, mine.number)
    first = planner.plan(study, mine, snapshot, SMALL, {}, seed)
    write_notes(study, other, first.values, "random", None)
    second = planner.plan(study, mine, snapshot, SMALL, {}, seed)
    assert second.values != first.values
    assert intended(study.trials[mine.number]) == second.values


def test_two_that_agree_for_ever_are_parted_by_chance(
    study: optuna.Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other worker follows every plan of ours, at once, some rounds long."""
    mine, other = begun(study), begun(study)
    rounds = []

    def follow(study: optuna.Study, trial: FrozenTrial, values: Any, *rest: Any) -> None:
        rounds.append(values)
        write_notes(study, trial, values, *rest)
        if len(rounds) < 10:
            write_notes(study, other, values, *rest)

    monkeypatch.setattr(module, "write_notes", follow)
    planner = Planner(None, SPACE, CONFIG)
    snapshot = planner.moment(study, mine).snapshot
    plan = planner.plan(study, mine, snapshot, SPACE, {}, (0, mine.number))
    assert len(rounds) >= 10
    assert plan.source == "random"
    assert intended(study.trials[other.number]) != plan.values


def test_a_configuration_that_another_finished_meanwhile_is_not_planned(
    study: optuna.Study,
) -> None:
    mine = begun(study)
    planner = Planner(None, SMALL, CONFIG)
    snapshot = planner.moment(study, mine).snapshot
    first = planner.plan(study, mine, snapshot, SMALL, {}, (0, 0))
    study.add_trial(
        optuna.create_trial(
            params=first.values,
            distributions={"i": IntDistribution(0, 3)},
            value=1.0,
            state=TrialState.COMPLETE,
        )
    )
    assert planner.plan(study, mine, snapshot, SMALL, {}, (0, 0)).values != first.values


def test_a_constant_beside_the_plan_does_not_hide_that_it_is_taken(study: optuna.Study) -> None:
    mine = begun(study)
    planner = Planner(None, SMALL, CONFIG)
    snapshot = planner.moment(study, mine).snapshot
    first = planner.plan(study, mine, snapshot, SMALL, {}, (0, 0))
    study.add_trial(
        optuna.create_trial(
            params={**first.values, "constant": 5},
            distributions={"i": IntDistribution(0, 3), "constant": IntDistribution(5, 5)},
            state=TrialState.RUNNING,
        )
    )
    assert planner.plan(study, mine, snapshot, SMALL, {}, (0, 0)).values != first.values
