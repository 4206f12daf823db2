"""Scores: the same whatever the unit of the losses, in their order, and never infinite."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from malibo.scores import losses_of, scores
from strategies import repeatable

NAN = np.nan

#: Thousandths, so that moving and scaling them keeps what is equal equal and what differs apart.
plain = st.lists(st.integers(-(10**6), 10**6).map(lambda i: i / 1000), min_size=1, max_size=30)
anything = st.lists(
    st.floats(allow_infinity=False, allow_nan=True, allow_subnormal=False), min_size=1, max_size=30
)


@repeatable
@given(plain, st.floats(-1e3, 1e3), st.floats(1e-3, 1e3))
def test_neither_the_offset_nor_the_unit_of_the_losses_matters(
    losses: list[float], offset: float, unit: float
) -> None:
    y = np.array(losses)
    assert_allclose(scores(offset + unit * y), scores(y), atol=1e-4)


@pytest.mark.parametrize("unit", [1e-300, 1e-9, 1e9, 1e300])
def test_not_even_an_extreme_unit_matters(unit: float) -> None:
    y = np.random.default_rng(0).standard_normal(20)
    assert_allclose(scores(unit * y), scores(y), atol=1e-9)


@repeatable
@given(anything)
def test_the_order_is_kept_and_failures_come_last(losses: list[float]) -> None:
    y = np.array(losses)
    found = scores(y)
    order = np.argsort(y, kind="stable")  # NaN comes last
    assert (np.diff(found[order]) >= 0).all()
    failed = found[np.isnan(y)]
    assert (failed == found.max()).all()


@repeatable
@given(anything)
def test_any_losses_have_finite_scores_with_a_standard_deviation_of_one(
    losses: list[float],
) -> None:
    found = scores(np.array(losses))
    assert found.shape == (len(losses),)
    assert np.isfinite(found).all()
    if np.ptp(found):
        assert found.std() == pytest.approx(1)
    else:
        assert_array_equal(found, 0)


@repeatable
@given(plain)
def test_scores_are_equal_only_where_losses_are(losses: list[float]) -> None:
    y = np.array(losses)
    found = scores(y)
    for i, loss in enumerate(y):
        assert_array_equal(found == found[i], y == loss)


@pytest.mark.parametrize("value", [0.0, -3.5, 1e308, 5e-324])
@pytest.mark.parametrize("count", [1, 2, 7])
def test_equal_losses_have_a_score_of_zero(value: float, count: int) -> None:
    assert_array_equal(scores(np.full(count, value)), 0)


@pytest.mark.parametrize("count", [1, 2, 7])
def test_where_all_failed_every_score_is_zero(count: int) -> None:
    assert_array_equal(scores(np.full(count, NAN)), 0)


def test_a_failure_is_worse_than_the_worst_and_so_than_the_only_one() -> None:
    found = scores(np.array([1.0, NAN, 2.0, 7.0]))
    assert (found[1] > found[[0, 2, 3]]).all()
    one = scores(np.array([NAN, 4.0]))
    assert one[0] > one[1]


def test_how_bad_a_bad_one_is_matters_little_and_how_good_a_good_one_much() -> None:
    y = np.arange(10.0)
    worse, better = y.copy(), y.copy()
    worse[-1], better[0] = 1e6, -1e6
    step = np.diff(np.sort(scores(y)))
    assert_allclose(np.diff(np.sort(scores(worse)))[:-1] / step[:-1], 1, atol=0.5)
    assert np.diff(np.sort(scores(better)))[0] > 100 * np.diff(np.sort(scores(better)))[1:].max()


@pytest.mark.parametrize(
    "losses",
    [
        [1e308, -1e308, 0.0],
        [-1e308, 1e308, NAN, 1e308],
        [5e-324, 0.0, 0.0],
        [1e-308, 2e-308, 3e-308],
        [0.0, 1e-200, 1e200],
    ],
)
def test_huge_and_tiny_losses_are_told_apart(losses: list[float]) -> None:
    found = scores(np.array(losses))
    assert np.isfinite(found).all()
    best = np.nanargmin(losses)
    assert found[best] == found.min() < found.max()


def test_losses_next_to_each_other_beside_a_huge_one_stay_finite() -> None:
    found = scores(np.array([0.0, *[5e-324] * 8, 1.0]))
    assert np.isfinite(found).all()
    assert (np.diff(found) >= 0).all()


def test_the_losses_are_not_changed() -> None:
    y = np.array([3.0, NAN, 1.0])
    scores(y)
    assert_array_equal(y, [3.0, NAN, 1.0])


# -- the way back --------------------------------------------------------------------------


@repeatable
@given(plain)
def test_losses_come_back_from_their_scores(losses: list[float]) -> None:
    y = np.array(losses)
    assert_allclose(losses_of(scores(y), y), y, atol=1e-6 * (1 + np.abs(y).max()))


@repeatable
@given(plain, st.floats(-1e3, 1e3), st.floats(1e-3, 1e3))
def test_the_way_back_has_the_offset_and_the_unit(
    losses: list[float], offset: float, unit: float
) -> None:
    y = np.array(losses)
    found = losses_of(np.linspace(-3, 3, 7), offset + unit * y)
    expected = offset + unit * losses_of(np.linspace(-3, 3, 7), y)
    assert_allclose(found, expected, rtol=1e-3, atol=1e-3 * (abs(offset) + unit * np.abs(y).max()))


def test_a_score_better_than_the_best_is_a_loss_better_than_the_best() -> None:
    y = np.arange(10.0)
    best = scores(y).min()
    found = losses_of(np.array([1.5 * best, best]), y)
    assert found[0] < found[1] == pytest.approx(0)


def test_no_score_is_worse_than_the_worst_loss() -> None:
    y = np.array([0.0, 1.0, 2.0, 3.0, 4.0, NAN])
    assert_array_equal(losses_of(np.array([scores(y).max(), 5.0, 1e9]), y), 4.0)


def test_where_all_losses_are_equal_every_score_is_that_loss() -> None:
    assert_array_equal(losses_of(np.array([-2.0, 0.0, 2.0]), np.full(4, 7.0)), 7.0)


@repeatable
@given(anything, st.floats(-10, 10), st.floats(-10, 10))
def test_the_way_back_keeps_the_order(losses: list[float], one: float, other: float) -> None:
    y = np.array(losses)
    if np.isfinite(y).any():
        low, high = losses_of(np.sort([one, other]), y)
        assert low <= high <= np.nanmax(y)
