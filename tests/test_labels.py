"""Labels and weights: the quantile, freedom of scale, and every odd set of losses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy.stats import rankdata

from malibo.config import Utility
from malibo.labels import label
from strategies import repeatable

NAN, INF = np.nan, np.inf
GAMMA = 1 / 3

utilities: st.SearchStrategy[Utility] = st.sampled_from(["ei", "pi"])
any_losses = st.lists(st.floats(), max_size=30)
steps = st.lists(st.integers(-1000, 1000), min_size=1, max_size=40)


@pytest.mark.parametrize("gamma", [GAMMA, 0.1, 0.25, 0.5, 0.9])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 10, 31, 100])
def test_tau_is_the_linear_quantile(gamma: float, count: int) -> None:
    y = np.random.default_rng(count).standard_normal(count)
    assert_allclose(label(y, gamma).tau, np.quantile(y, gamma), rtol=1e-12)


def test_the_default_share_is_a_third() -> None:
    assert label([0, 1, 2, 3]).tau == 1
    assert_array_equal(label(np.arange(9001)).k.sum(), 3001)


def test_expected_improvement_by_hand() -> None:
    labels = label([3, 1, 6, 0, 2, 5, 4])
    assert labels.tau == 2
    assert_array_equal(labels.k, [False, True, False, True, True, False, False])
    assert_allclose(labels.p, 7 / 3 * np.array([0, 1, 0, 2, 0, 0, 0]) / 3)
    assert_array_equal(labels.n, np.ones(7))


def test_probability_of_improvement_by_hand() -> None:
    labels = label([3, 1, 6, 0, 2, 5, 4], utility="pi")
    assert labels.tau == 2
    assert_allclose(labels.p, 7 / 3 * np.array([0, 1, 0, 1, 1, 0, 0]) / 3)
    assert_array_equal(labels.n, np.ones(7))


def test_between_two_values_the_threshold_counts() -> None:
    labels = label([0, 1, 3, 9, 9])  # position 4/3: τ is a third of the way from 1 to 3
    assert_allclose(labels.tau, 1 + 2 / 3)
    assert_allclose(labels.p, 5 / 3 * np.array([5 / 3, 2 / 3, 0, 0, 0]) / (7 / 3))


@pytest.mark.parametrize(
    ("losses", "tau", "k", "p"),
    [
        pytest.param([5.0], 5, [1], [1 / 3], id="one"),
        pytest.param([3.0, 1.0], 5 / 3, [0, 1], [0, 2 / 3], id="two"),
        pytest.param([2.0, 2.0], 2, [1, 1], [1 / 3, 1 / 3], id="two equal"),
        pytest.param([2.0] * 3, 2, [1, 1, 1], [1 / 3] * 3, id="constant"),
        pytest.param([0, 1, 0, 1, 0], 0, [1, 0, 1, 0, 1], [5 / 9, 0, 5 / 9, 0, 5 / 9], id="best"),
        pytest.param([1, 0, 1, 1], 1, [1, 1, 1, 1], [0, 4 / 3, 0, 0], id="ties at τ"),
        pytest.param([NAN, 3, INF, 1, -INF], 5 / 3, [0, 0, 0, 1, 0], [0, 0, 0, 2 / 3, 0], id="bad"),
        pytest.param([NAN, INF, -INF], NAN, [0, 0, 0], [0, 0, 0], id="all failed"),
        pytest.param([NAN], NAN, [0], [0], id="one failed"),
        pytest.param([], NAN, [], [], id="none"),
        pytest.param([1e308, -1e308], -1e308 / 3, [0, 1], [0, 2 / 3], id="huge"),
        pytest.param([1e308] * 4, 1e308, [1] * 4, [1 / 3] * 4, id="huge constant"),
        pytest.param([1e308, 0, -1e308, 1.7e308], 0, [0, 1, 1, 0], [0, 0, 4 / 3, 0], id="range"),
    ],
)
def test_odd_losses_have_a_defined_result(
    losses: list[float], tau: float, k: list[int], p: list[float]
) -> None:
    labels = label(losses)
    assert_allclose(labels.tau, tau, rtol=1e-14)
    assert_array_equal(labels.k, np.array(k, dtype=bool))
    assert_allclose(labels.p, p, rtol=1e-14, atol=0)
    assert_array_equal(labels.n, np.ones(len(losses)))


def test_numbers_next_to_zero_keep_their_order() -> None:
    smallest = 5e-324
    labels = label([0, smallest, 2 * smallest, 3 * smallest])
    assert_array_equal(labels.k, [True, True, False, False])
    assert_array_equal(label([0, smallest, 1e308, 1e308, 1e308, 1e308], 0.1).k, [1, 0, 0, 0, 0, 0])


@repeatable
@given(steps, st.floats(1e-3, 1e3), st.floats(-1e3, 1e3), utilities)
def test_scale_and_offset_change_nothing(
    y: list[int], scale: float, offset: float, utility: Utility
) -> None:
    before = label(y, utility=utility)
    after = label(scale * np.array(y) + offset, utility=utility)
    assert_array_equal(after.k, before.k)
    assert_allclose(after.p, before.p, rtol=1e-6, atol=1e-6)
    assert_allclose(after.tau, scale * before.tau + offset, rtol=1e-9, atol=1e-6)


@repeatable
@given(any_losses, utilities)
def test_the_positive_weights_sum_to_gamma_times_the_valid_values(
    y: list[float], utility: Utility
) -> None:
    labels = label(y, utility=utility)
    assert_allclose(labels.p.sum(), GAMMA * np.isfinite(y).sum())
    assert (labels.p >= 0).all()
    assert (labels.p[~labels.k] == 0).all()


@repeatable
@given(any_losses, utilities)
def test_failed_trials_change_nothing_for_the_others(y: list[float], utility: Utility) -> None:
    losses = np.array(y, dtype=float)
    valid = np.isfinite(losses)
    labels, clean = label(losses, utility=utility), label(losses[valid], utility=utility)
    assert_array_equal(labels.tau, clean.tau)
    assert_array_equal(labels.k[valid], clean.k)
    assert_array_equal(labels.p[valid], clean.p)
    assert not labels.k[~valid].any()
    assert not labels.p[~valid].any()
    assert_array_equal(labels.n, np.ones(len(y)))


@repeatable
@given(any_losses.filter(bool), utilities)
def test_what_is_good_depends_on_the_order_alone(y: list[float], utility: Utility) -> None:
    losses = np.array(y, dtype=float)
    ranks: NDArray[np.float64] = np.full(len(y), NAN)
    valid = np.isfinite(losses)
    ranks[valid] = rankdata(losses[valid], "dense")
    assert_array_equal(label(losses, utility=utility).k, label(ranks, utility=utility).k)
    if utility == "pi":
        assert_array_equal(label(losses, utility="pi").p, label(ranks, utility="pi").p)


@repeatable
@given(steps)
def test_the_order_of_the_observations_does_not_matter(y: list[int]) -> None:
    order = np.random.default_rng(len(y)).permutation(len(y))
    labels, shuffled = label(y), label(np.array(y)[order])
    assert_array_equal(shuffled.k, labels.k[order])
    assert_allclose(shuffled.p, labels.p[order])


def test_better_observations_weigh_more() -> None:
    y = np.random.default_rng(0).standard_normal(50)
    labels = label(y)
    good = np.argsort(y)[: labels.k.sum()]
    assert (np.diff(labels.p[good]) < 0).all()


def test_nothing_of_the_caller_is_changed() -> None:
    y = np.array([3.0, NAN, 1.0])
    label(y)
    assert_array_equal(y, [3.0, NAN, 1.0])
