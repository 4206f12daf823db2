"""Random search: the estimate follows what random search truly does, and says where it ends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from malibo import Categorical, Float, Int, MetaModel, Space, SuggestConfig
from malibo.errors import InputError
from malibo.explain import random_search
from malibo.explain.at_random import _normal_ranks
from malibo.observations import Observations
from malibo.space.parameters import Array
from strategies import repeatable

SQUARE = Space(x=Float(0, 1), y=Float(0, 1))
COLD = MetaModel.uninformed(SQUARE)


def bowl(codes: Array) -> Array:
    return np.asarray(10 + 4 * ((codes - 0.4) ** 2).sum(axis=1))


def observed(count: int) -> Observations:
    codes = SQUARE.sample(np.random.default_rng(count), count)
    return Observations(codes, bowl(codes), codes[:0])


def test_with_many_results_the_band_is_where_random_search_is() -> None:
    found = random_search(COLD, observed(60), 30)
    truth = bowl(SQUARE.sample(np.random.default_rng(0), 30_000)).reshape(1000, 30)
    low, median, high = np.quantile(np.minimum.accumulate(truth, axis=1), [0.1, 0.5, 0.9], axis=0)
    for n in (0, 4, 29):
        spread = high[n] - low[n]
        assert found.median[n] == pytest.approx(median[n], abs=0.5 * spread)
        assert found.low[n] == pytest.approx(low[n], abs=0.5 * spread)
        assert found.high[n] == pytest.approx(high[n], abs=spread)


def test_the_trials_needed_are_of_the_right_size() -> None:
    seen = observed(60)
    share = np.mean(bowl(SQUARE.sample(np.random.default_rng(0), 100_000)) <= seen.losses.min())
    truth = np.log(0.5) / np.log1p(-share)
    low, median, high = random_search(COLD, seen, 5).needed
    assert low <= truth <= high
    assert truth / 4 < median < truth * 4


GRID = Space(a=Int(1, 6), b=Int(1, 6))


def on_grid(rows: slice) -> Observations:
    codes = np.random.default_rng(2).permutation(GRID.enumerate(36))[rows]
    losses = (codes[:, 0] - 3) ** 2 + 1.3 * (codes[:, 1] - 2) ** 2
    return Observations(codes, losses, codes[:0])


def test_where_all_was_tried_the_trials_needed_are_counted() -> None:
    """The best one of 36 comes in the first 18 of a random order in half of all cases."""
    found = random_search(MetaModel.uninformed(GRID), on_grid(slice(None)), 50)
    assert found.needed == (18, 18, 18)
    losses = np.sort(on_grid(slice(None)).losses)
    assert_allclose(found.high[35:], losses[0], atol=1e-9)  # nothing is tried twice
    assert found.median[0] == pytest.approx(np.median(losses), abs=1.5)


@pytest.mark.parametrize("count", [4, 8, 32])
def test_of_choices_that_were_all_tried_half_are_needed(count: int) -> None:
    space = Space(a=Categorical([f"c{i}" for i in range(count)]))
    losses = np.random.default_rng(count).permutation(count).astype(float)
    seen = Observations(np.arange(float(count))[:, None], losses, np.empty((0, 1)))
    assert random_search(MetaModel.uninformed(space), seen, 3).needed == (count / 2,) * 3


def test_no_more_are_needed_than_half_of_a_space_that_can_be_listed() -> None:
    seen = on_grid(slice(0, 12))
    assert random_search(MetaModel.uninformed(GRID), seen, 3).needed[2] <= 18
    large = Space(a=Int(1, 50), b=Int(1, 50))
    lucky = Observations(np.array([[3.0, 3.0], [9.0, 9.0]]), np.array([-1e9, 1.0]), seen.pending)
    assert random_search(MetaModel.uninformed(large), lucky, 3).needed[2] <= 1250


def test_a_repeated_configuration_may_be_any_of_its_results() -> None:
    space = Space(a=Categorical(["x", "y"]))
    codes = np.array([[0.0], [0.0], [1.0]])
    seen = Observations(codes, np.array([1.0, 3.0, 2.0]), codes[:0])
    found = random_search(MetaModel.uninformed(space), seen, 1, draws=400)
    assert (found.low[0], found.high[0]) == (pytest.approx(1), pytest.approx(3))


def test_how_far_the_past_is_trusted_is_as_told(model: MetaModel) -> None:
    codes = model.space.sample(np.random.default_rng(0), 2)
    seen = Observations(codes, np.arange(2.0), codes[:0])
    found, same, doubtful = (
        random_search(model, seen, 6, draws=40, config=config)
        for config in (None, SuggestConfig(), SuggestConfig(trust=0.01))
    )
    assert_array_equal(found.median, same.median)
    assert (found.median != doubtful.median).any()


def test_what_random_configurations_hardly_reach_is_needed_for_long() -> None:
    seen = observed(40)
    best = np.array([[0.4, 0.4]])
    lucky = Observations(
        np.concatenate([seen.codes, best]), np.append(seen.losses, 10.0), seen.pending
    )
    assert random_search(COLD, lucky, 5).needed[1] > 3 * random_search(COLD, seen, 5).needed[1]


@settings(repeatable, max_examples=15)
@given(
    losses=st.lists(st.floats(-1e6, 1e6) | st.just(np.nan), min_size=1, max_size=8).filter(
        lambda losses: bool(np.isfinite(losses).any())
    ),
    trials=st.integers(1, 12),
)
def test_curves_fall_within_their_band_and_start_at_no_more_than_the_worst(
    losses: list[float], trials: int
) -> None:
    y = np.array(losses)
    codes = SQUARE.sample(np.random.default_rng(0), len(y))
    found = random_search(COLD, Observations(codes, y, codes[:0]), trials, draws=20)
    curves = np.array([found.low, found.median, found.high])
    assert curves.shape == (3, trials)
    assert (np.diff(curves, axis=0) >= 0).all()
    assert (np.diff(curves, axis=1) <= 0).all()
    assert (curves <= np.nanmax(y)).all()
    assert 1 <= found.needed[0] <= found.needed[1] <= found.needed[2]


def test_the_unit_of_the_losses_is_that_of_the_estimate() -> None:
    seen = observed(20)
    scaled = Observations(seen.codes, 1e3 * seen.losses - 5, seen.pending)
    one, other = random_search(COLD, seen, 8), random_search(COLD, scaled, 8)
    assert_allclose(other.median, 1e3 * one.median - 5, rtol=1e-3)
    assert other.needed == one.needed


def test_a_warm_start_is_estimated_too_and_the_seed_decides(model: MetaModel) -> None:
    codes = model.space.sample(np.random.default_rng(0), 5)
    seen = Observations(codes, np.arange(5.0), codes[:1])
    one, same, other = (random_search(model, seen, 6, draws=40, seed=s) for s in (0, 0, 1))
    assert_array_equal(one.median, same.median)
    assert (one.median != other.median).any()


@pytest.mark.parametrize("losses", [[], [np.nan, np.nan]])
def test_without_a_valid_loss_there_is_nothing_to_estimate(losses: list[float]) -> None:
    codes = SQUARE.sample(np.random.default_rng(0), len(losses))
    with pytest.raises(InputError, match="valid loss; there is none yet"):
        random_search(COLD, Observations(codes, np.array(losses), codes[:0]), 5)


@pytest.mark.parametrize("wrong", [{"trials": 0}, {"trials": 2.5}, {"trials": 3, "draws": 0}])
def test_wrong_numbers_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="must be a whole number >= 1, got"):
        random_search(COLD, observed(3), **wrong)


def test_ranks_are_normal_and_failures_stay_failures() -> None:
    found = _normal_ranks(np.array([3.0, np.nan, 1e9, -7.0]))
    assert np.isnan(found[1])
    assert_allclose(found[[3, 0, 2]], [-0.967422, 0, 0.967422], atol=1e-6)


def test_the_reach_is_that_of_a_past_task_or_of_this_one(model: MetaModel) -> None:
    rng = np.random.default_rng(0)
    few, many = (
        Observations(model.space.sample(rng, n), rng.normal(size=n), np.empty((0, 5)))
        for n in (3, 50)
    )
    assert model.sizes == (40, 40, 40)
    assert random_search(model, few, 2, draws=2).reach == 40
    assert random_search(model, many, 2, draws=2).reach == 50
