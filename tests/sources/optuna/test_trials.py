"""Trials of Optuna: their parameters, configurations and losses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import FrozenTrial, TrialState, create_trial

from malibo import Categorical, Fixed, Float, Int, Space
from malibo.sources.optuna.trials import codes_of, lasting, losses_of, parameters_of
from strategies import repeatable, seeds, spaces

NAN, INF = np.nan, np.inf
COMPLETE, PRUNED, FAIL = TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL


def a_trial(
    value: float | None,
    reported: dict[int, float] | None = None,
    state: TrialState = COMPLETE,
    x: float = 0.5,
) -> FrozenTrial:
    """A trial with its final value, and what it reported at which step."""
    return create_trial(
        state=state,
        value=value,
        params={"x": x},
        distributions={"x": FloatDistribution(0, 1)},
        intermediate_values=reported or {},
    )


def pruned(reported: dict[int, float] | None = None) -> FrozenTrial:
    return a_trial(None, reported, PRUNED)


# -- parameters ----------------------------------------------------------------------------


def test_every_distribution_becomes_a_parameter() -> None:
    found, refused = parameters_of(
        {
            "lr": FloatDistribution(1e-4, 1e-1, log=True),
            "n": IntDistribution(2, 8, step=2),
            "kind": CategoricalDistribution(["a", None, 3]),
            "one": CategoricalDistribution(["a"]),
        }
    )
    assert refused == {}
    assert found == {
        "lr": Float(1e-4, 1e-1, log=True),
        "n": Int(2, 8, step=2),
        "kind": Categorical(["a", None, 3]),
        "one": Fixed("a"),
    }


@pytest.mark.parametrize(
    ("distribution", "reason"),
    [
        (IntDistribution(0, 2**53 + 2), "beyond 2**53"),
        (IntDistribution(-(2**53), 2), "beyond 2**53"),
        (CategoricalDistribution([1, True, "a"]), "duplicate choices"),
        (CategoricalDistribution([0.0, False]), "duplicate choices"),
        (CategoricalDistribution([NAN, "a"]), "a choice must be"),
        (FloatDistribution(-1.5e308, 1.5e308), "too wide for floats"),
    ],
)
def test_what_malibo_has_no_place_for_is_refused_with_the_reason(
    distribution: Any, reason: str
) -> None:
    found, refused = parameters_of({"x": FloatDistribution(0, 1), "bad": distribution})
    assert found == {"x": Float(0, 1)}
    assert list(refused) == ["bad"]
    assert reason in refused["bad"]


# -- configurations ------------------------------------------------------------------------


SPACE = Space(
    n=Int(2, 8),
    kind=Categorical(["a", "b"]),
    x=Float(0, 1, when={"kind": "a"}),
    epochs=Fixed(10),
)


@pytest.mark.parametrize(
    ("params", "codes"),
    [
        ({"n": 3, "kind": "a", "x": 0.25, "epochs": 10}, [3, 0, 0.25, 0]),
        ({"epochs": 10, "x": 0.25, "kind": "a", "n": 3}, [3, 0, 0.25, 0]),  # the order is nothing
        ({"n": 3, "kind": "b", "epochs": 10}, [3, 1, NAN, 0]),
        ({"n": 3, "kind": "b", "x": 0.25, "epochs": 10}, [3, 1, NAN, 0]),  # inactive
        ({"n": 99, "kind": "a", "x": -7, "epochs": 10}, [8, 0, 0, 0]),  # the nearest
        ({"n": 3, "kind": "c", "x": 0.25, "epochs": 11}, [3, NAN, 0.25, NAN]),  # unknown
        ({"n": "3", "kind": "a", "x": True}, [NAN, 0, NAN, NAN]),  # no numbers
        ({"n": None, "kind": None, "x": None, "epochs": None}, [NAN, NAN, NAN, NAN]),
        ({"n": 3, "other": 5}, [3, NAN, NAN, NAN]),
        ({}, [NAN, NAN, NAN, NAN]),
    ],
)
def test_codes_are_those_of_the_values_as_far_as_they_are_known(
    params: dict[str, Any], codes: list[float]
) -> None:
    assert_array_equal(codes_of([params], SPACE), [codes])


def test_no_configurations_are_no_rows() -> None:
    assert codes_of([], SPACE).shape == (0, 4)


@repeatable
@given(spaces(), seeds)
def test_configurations_of_the_space_have_its_codes(space: Space, seed: int) -> None:
    codes = space.sample(np.random.default_rng(seed), 20)
    assert_allclose(codes_of(space.configs(codes), space), codes)


# -- failures that were tried again --------------------------------------------------------


@pytest.mark.parametrize("state", [COMPLETE, PRUNED])
def test_a_failure_is_forgotten_once_its_configuration_has_a_result(state: TrialState) -> None:
    result = a_trial(1.0 if state == COMPLETE else None, state=state, x=0.1)
    failures = [a_trial(None, state=FAIL, x=x) for x in (0.1, 0.2, 0.1)]
    assert lasting([failures[0], failures[1], result, failures[2]]) == [failures[1], result]


def test_a_failure_is_forgotten_while_its_configuration_is_tried_again() -> None:
    failures = [a_trial(None, state=FAIL, x=x) for x in (0.1, 0.2)]
    assert lasting(failures, [{"x": 0.1}]) == failures[1:]
    assert lasting(failures, [{"x": 0.1, "y": 0.2}, {}]) == failures


def test_what_did_not_fail_lasts_however_often_it_was_tried() -> None:
    trials = [a_trial(1.0), a_trial(2.0), pruned(), pruned()]
    assert lasting(trials, [{"x": 0.5}]) == trials
    assert lasting([]) == []


def test_a_configuration_that_failed_twice_failed() -> None:
    failures = [a_trial(None, state=FAIL) for _ in range(2)]
    assert lasting(failures) == failures


# -- losses --------------------------------------------------------------------------------


def test_values_to_maximise_are_losses_with_the_sign_turned() -> None:
    trials = [a_trial(2.0), a_trial(-3.0), a_trial(None, state=FAIL)]
    assert_array_equal(losses_of(trials, 1), [2, -3, NAN])
    assert_array_equal(losses_of(trials, -1), [-2, 3, NAN])


@pytest.mark.parametrize("value", [INF, -INF])
def test_a_completed_trial_without_a_finite_value_was_not_good(value: float) -> None:
    for factor in (1, -1):
        assert_array_equal(losses_of([a_trial(value), a_trial(1.0)], factor), [NAN, factor])


def test_a_failed_trial_was_not_good_whatever_it_reported() -> None:
    trials = [a_trial(1.0, {0: 5.0}), a_trial(None, {0: 0.1}, FAIL)]
    assert_array_equal(losses_of(trials, 1), [1, NAN])


def test_no_trials_have_no_losses() -> None:
    assert losses_of([], 1).shape == (0,)


#: Five that were completed: what they said after a step is not what they came to.
LADDER = [a_trial(10.0 * i, {1: float(i), 2: 100.0}) for i in range(5)]


@pytest.mark.parametrize(
    ("mine", "loss"),
    [
        (-1.0, 0.0),  # better than all: the best final loss, and no better one
        (0.5, 8.0),  # a fifth of the way up
        (1.5, 16.0),
        (2.0, 20.0),  # as good as the one in the middle: as good in the end
        (3.5, 32.0),
        (9.0, 40.0),  # worse than all: the worst
    ],
)
def test_a_pruned_trial_gets_the_final_loss_of_its_rank(mine: float, loss: float) -> None:
    assert losses_of([*LADDER, pruned({1: mine})], 1)[-1] == pytest.approx(loss)


def test_the_last_step_counts_and_not_the_last_but_one() -> None:
    first, second = losses_of([*LADDER, pruned({1: 9.0}), pruned({1: 9.0, 2: 1.0})], 1)[-2:]
    assert (first, second) == (40, 0)


def test_a_pruned_trial_is_not_compared_with_what_others_became_later() -> None:
    """Its value is far below all final ones, and bad all the same where it stopped."""
    trials = [a_trial(0.1 * i, {1: 50.0 + i, 9: 0.1 * i}) for i in range(1, 5)]
    assert losses_of([*trials, pruned({1: 99.0})], 1)[-1] == pytest.approx(0.4)


def test_only_completed_trials_that_reported_at_the_step_are_compared() -> None:
    others = [
        a_trial(1.0, {1: 1.0}),
        a_trial(1000.0, {2: 1.0}),
        a_trial(1000.0),
        a_trial(INF, {1: 1.0}),
        a_trial(None, {1: 1.0}, FAIL),
        pruned({1: 1.0, 2: 1.0}),
    ]
    assert losses_of([*others, pruned({1: 5.0})], 1)[-1] == 1


@pytest.mark.parametrize(
    "trials",
    [
        [pruned({1: 5.0})],
        [pruned({1: 5.0}), pruned({1: 6.0})],
        [a_trial(1.0), pruned({1: 5.0})],
        [a_trial(1.0, {2: 1.0}), pruned({1: 5.0})],
        [a_trial(1.0, {1: 1.0}), pruned()],
        [a_trial(1.0, {1: 1.0}), pruned({1: NAN})],
        [a_trial(INF, {1: 1.0}), pruned({1: 5.0})],
    ],
)
def test_a_pruned_trial_that_nothing_can_be_compared_with_was_not_good(
    trials: list[FrozenTrial],
) -> None:
    assert np.isnan(losses_of(trials, 1)[-1])


def test_who_reported_no_number_was_not_better() -> None:
    trials = [a_trial(1.0, {1: 1.0}), a_trial(2.0, {1: NAN}), pruned({1: 0.5}), pruned({1: 1.0})]
    assert_array_equal(losses_of(trials, 1), [1, 2, 1, 1.25])


# -- whatever was reported -----------------------------------------------------------------


Told = tuple[TrialState, int, dict[int, int]]
whole = st.integers(-1000, 1000)
told: st.SearchStrategy[list[Told]] = st.lists(
    st.tuples(
        st.sampled_from([COMPLETE, COMPLETE, PRUNED, PRUNED, FAIL]),
        whole,
        st.dictionaries(st.integers(0, 3), whole, max_size=4),
    ),
    max_size=12,
)


def mapped(
    study: Sequence[Told], reported: Callable[[int], int], final: Callable[[int], int]
) -> list[FrozenTrial]:
    """The trials with other numbers in place of theirs."""
    return [
        a_trial(
            float(final(value)) if state == COMPLETE else None,
            {step: float(reported(number)) for step, number in steps.items()},
            state,
        )
        for state, value, steps in study
    ]


def same(number: int) -> int:
    return number


@repeatable
@given(told, st.integers(1, 50), whole)
def test_losses_move_with_the_scale_of_the_objective(
    study: list[Told], slope: int, shift: int
) -> None:
    def scaled(number: int) -> int:
        return slope * number + shift

    losses = losses_of(mapped(study, same, same), 1)
    assert_allclose(losses_of(mapped(study, scaled, scaled), 1), slope * losses + shift)


@repeatable
@given(told)
def test_of_what_is_reported_only_the_order_counts(study: list[Told]) -> None:
    cubes = mapped(study, lambda number: number**3 - 7, same)
    assert_array_equal(losses_of(cubes, 1), losses_of(mapped(study, same, same), 1))


@repeatable
@given(told)
def test_maximising_is_minimising_in_the_mirror(study: list[Told]) -> None:
    mirrored = mapped(study, lambda number: -number, lambda number: -number)
    assert_array_equal(losses_of(mirrored, -1), losses_of(mapped(study, same, same), 1))


@repeatable
@given(told, seeds)
def test_the_order_of_the_trials_does_not_matter(study: list[Told], seed: int) -> None:
    trials = mapped(study, same, same)
    order = np.random.default_rng(seed).permutation(len(trials))
    shuffled = losses_of([trials[i] for i in order], 1)
    assert_array_equal(shuffled, losses_of(trials, 1)[order])


@repeatable
@given(told, whole, st.integers(0, 500))
def test_who_was_better_at_the_same_step_gets_no_higher_loss(
    study: list[Told], number: int, behind: int
) -> None:
    two = [pruned({1: float(number)}), pruned({1: float(number + behind)})]
    losses = losses_of([*mapped(study, same, same), *two], 1)
    better, worse = losses[-2:]
    assert np.isnan(better) == np.isnan(worse)
    assert not better > worse
    completed = [float(value) for state, value, steps in study if state == COMPLETE and 1 in steps]
    if completed:
        assert min(completed) <= better <= worse <= max(completed)


def test_losses_at_the_ends_of_floats_do_no_harm() -> None:
    def a_trial(value: float | None, reported: float, state: TrialState) -> FrozenTrial:
        return create_trial(
            state=state,
            value=value,
            params={"x": 0.5},
            distributions={"x": FloatDistribution(0, 1)},
            intermediate_values={1: reported},
        )

    trials = [
        a_trial(-1.7e308, 0.0, TrialState.COMPLETE),
        a_trial(1.7e308, 1.0, TrialState.COMPLETE),
        a_trial(None, 0.5, TrialState.PRUNED),
    ]
    assert np.isfinite(losses_of(trials, 1)).all()


@repeatable
@given(st.integers(0, 2**32 - 1))
def test_pruned_trials_have_the_losses_that_are_found_one_by_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    trials = []
    for _ in range(20):
        steps = {
            int(step): float(rng.integers(5)) for step in rng.permutation(4)[: rng.integers(5)]
        }
        if rng.random() < 0.2 and steps:
            steps[min(steps)] = float(rng.choice([NAN, INF]))
        trials.append(pruned(steps) if rng.random() < 0.5 else a_trial(float(rng.normal()), steps))
    assert_allclose(losses_of(trials, -1), [one_by_one(t, trials, -1) for t in trials])


def one_by_one(trial: FrozenTrial, trials: Sequence[FrozenTrial], factor: int) -> float:
    """The slow way: the quantile of the final losses at the share of those that were better."""
    if trial.state == COMPLETE:
        return factor * float(trial.value or 0.0)
    step = trial.last_step
    others = [t for t in trials if t.state == COMPLETE and step in t.intermediate_values]
    if step is None or not others or not np.isfinite(trial.intermediate_values[step]):
        return NAN
    mine = factor * trial.intermediate_values[step]
    theirs = [factor * t.intermediate_values[step] for t in others]
    better = [np.isfinite(v) and (v < mine) + 0.5 * (v == mine) for v in theirs]
    return float(np.quantile([factor * float(t.value or 0.0) for t in others], np.mean(better)))


def test_only_failures_with_the_same_values_throughout_are_forgotten() -> None:
    wide = {"x": FloatDistribution(0, 1), "n": IntDistribution(0, 9)}

    def of(state: TrialState, **params: float) -> FrozenTrial:
        value = 1.0 if state == COMPLETE else None
        kinds = {name: wide[name] for name in params}
        return create_trial(state=state, value=value, params=params, distributions=kinds)

    failed = [of(FAIL, x=0.5, n=1), of(FAIL, n=2), of(FAIL, x=0.25, n=3), of(FAIL)]
    rest = [of(COMPLETE, x=0.5, n=2), of(COMPLETE, n=2), of(COMPLETE, x=0.25), of(COMPLETE)]
    assert lasting([*failed, *rest]) == [failed[0], failed[2], *rest]
    assert lasting(failed[:3], [{"x": 0.5, "n": 1}]) == failed[1:3]
