"""What a study says at one moment."""

from __future__ import annotations

from typing import Any

import numpy as np
import optuna
import pytest
from numpy.testing import assert_array_equal
from optuna.distributions import FloatDistribution, IntDistribution
from optuna.trial import FrozenTrial, TrialState

from malibo import Float, Int, Space
from malibo.integrations.optuna.notes import write_notes
from malibo.integrations.optuna.snapshot import Reader, Snapshot
from malibo.sources.optuna.trials import codes_of

SPACE = Space(x=Float(0, 1), n=Int(1, 9))
DISTRIBUTIONS: Any = {"x": FloatDistribution(0, 1), "n": IntDistribution(1, 9)}


def trial(x: float, n: int, state: TrialState, value: float | None = None) -> FrozenTrial:
    return optuna.create_trial(
        params={"x": x, "n": n}, distributions=DISTRIBUTIONS, state=state, value=value
    )


def begun(study: optuna.Study) -> tuple[Snapshot, FrozenTrial]:
    study.ask()
    frozen = study.trials[-1]
    return Snapshot.of(study, frozen), frozen


@pytest.fixture
def study() -> optuna.Study:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))


def test_states_go_where_they_belong(study: optuna.Study) -> None:
    study.add_trial(trial(0.1, 1, TrialState.COMPLETE, 3.0))
    study.add_trial(trial(0.2, 2, TrialState.FAIL))
    study.add_trial(trial(0.3, 3, TrialState.PRUNED))
    study.add_trial(trial(0.4, 4, TrialState.RUNNING))
    study.enqueue_trial({"x": 0.5, "n": 5}, skip_if_exists=True)
    study.add_trial(trial(0.6, 6, TrialState.COMPLETE, float("inf")))
    frozen = optuna.create_trial(state=TrialState.RUNNING)
    study.add_trial(frozen)  # nothing asked for yet: nothing is known of it
    snapshot = Snapshot.of(study, frozen)
    observations = Reader().observations(study.study_name, snapshot, SPACE)
    assert_array_equal(observations.codes, [[0.1, 1], [0.2, 2], [0.3, 3], [0.6, 6]])
    assert_array_equal(observations.losses, [3.0, np.nan, np.nan, np.nan])
    assert_array_equal(observations.pending, [[0.4, 4], [0.5, 5]])
    assert snapshot.distributions == DISTRIBUTIONS
    assert snapshot.ended == {0, 1, 2, 5}


def test_values_that_are_maximised_have_their_sign_turned() -> None:
    study = optuna.create_study(direction="maximize")
    study.add_trial(trial(0.1, 1, TrialState.COMPLETE, 3.0))
    snapshot, _ = begun(study)
    assert_array_equal(Reader().observations("", snapshot, SPACE).losses, [-3.0])


@pytest.mark.parametrize("again", ["completed", "running", "enqueued"])
def test_a_failure_that_is_tried_again_says_nothing(study: optuna.Study, again: str) -> None:
    study.add_trial(trial(0.2, 2, TrialState.FAIL))
    study.add_trial(trial(0.3, 2, TrialState.FAIL))
    if again == "completed":
        study.add_trial(trial(0.2, 2, TrialState.COMPLETE, 1.0))
    elif again == "running":
        study.add_trial(trial(0.2, 2, TrialState.RUNNING))
    else:
        study.enqueue_trial({"x": 0.2, "n": 2})
    snapshot = Snapshot.of(study, optuna.create_trial(state=TrialState.RUNNING))
    failed = [t.params["x"] for t in snapshot.finished if t.state == TrialState.FAIL]
    assert failed == [0.3]
    assert snapshot.ended >= {0, 1}


def test_what_others_plan_or_finish_meanwhile_is_not_missed(study: optuna.Study) -> None:
    study.add_trial(trial(0.1, 1, TrialState.COMPLETE, 3.0))
    study.add_trial(trial(0.4, 4, TrialState.RUNNING))
    snapshot, mine = begun(study)
    assert snapshot.missed(study, mine, {"n": 4, "x": 0.4})
    assert not snapshot.missed(study, mine, {"x": 0.4, "n": 1})
    assert not snapshot.missed(study, mine, {"x": 0.1, "n": 1})  # known when the plan was made
    for other, state in enumerate((TrialState.COMPLETE, TrialState.FAIL, TrialState.RUNNING)):
        x, n = 0.5 + other / 10, 5
        config = {"x": x, "n": n}
        assert not snapshot.missed(study, mine, config)
        value = 1.0 if state == TrialState.COMPLETE else None
        study.add_trial(trial(x, n, state, value))
        assert snapshot.missed(study, mine, config)
        assert snapshot.missed(study, mine, {"x": x})  # and others beside it


def test_a_trials_own_plan_is_not_another_ones(study: optuna.Study) -> None:
    snapshot, mine = begun(study)
    write_notes(study, mine, {"x": 0.5, "n": 5}, "process", None)
    assert not snapshot.missed(study, mine, {"x": 0.5, "n": 5})
    other = begun(study)[1]
    write_notes(study, other, {"x": 0.5, "n": 5}, "process", None)
    assert snapshot.missed(study, mine, {"x": 0.5, "n": 5})


def test_the_failure_that_a_trial_repeats_is_not_in_its_way(study: optuna.Study) -> None:
    study.add_trial(trial(0.2, 2, TrialState.FAIL))
    study.enqueue_trial({"x": 0.2, "n": 2})
    snapshot, mine = begun(study)
    assert snapshot.finished == []
    assert not snapshot.missed(study, mine, {"x": 0.2, "n": 2})


def test_a_finished_trial_is_read_once(
    study: optuna.Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    from malibo.integrations.optuna import snapshot as module

    read: list[int] = []

    def counting(params: Any, space: Space) -> Any:
        read.append(len(params))
        return codes_of(params, space)

    monkeypatch.setattr(module, "codes_of", counting)
    reader = Reader()
    for i in range(3):
        study.add_trial(trial(0.1 * i, 1 + i, TrialState.COMPLETE, 3.0))
        reader.observations("s", Snapshot.of(study, optuna.create_trial(value=1.0)), SPACE)
    assert read[::2] == [1, 1, 1]  # beside the pending ones
    reader.observations(
        "s", Snapshot.of(study, optuna.create_trial(value=1.0)), Space(x=Float(0, 2))
    )
    assert read[-2] == 3  # in another space, all


def test_the_last_distribution_counts(study: optuna.Study) -> None:
    study.add_trial(trial(0.1, 1, TrialState.COMPLETE, 3.0))
    wider = optuna.create_trial(
        params={"x": 1.5}, distributions={"x": FloatDistribution(0, 2)}, value=1.0
    )
    study.add_trial(wider)
    snapshot, _ = begun(study)
    assert snapshot.distributions["x"] == FloatDistribution(0, 2)
    assert snapshot.distributions["n"] == IntDistribution(1, 9)
    assert snapshot.whole == [{"x": 0.1, "n": 1}, {"x": 1.5}]
