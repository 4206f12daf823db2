"""The LFBO loss of observations, and the cross-entropy that stands for it."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit

from malibo.residual import Observed
from residual.examples import observed


def test_the_loss_by_hand() -> None:
    two = Observed(np.zeros((2, 1)), np.zeros(2), np.array([2.0, 0]), np.array([1.0, 3]))
    logits = np.log([3.0, 0.25])  # C = 3/4 and 1/5
    expected = -(2 * np.log(0.75) + np.log(0.25) + 3 * np.log(0.8))
    assert_allclose(two.loss(logits), expected)


def test_the_weighted_cross_entropy_of_the_target_is_the_loss() -> None:
    data = observed(20)
    logits = np.random.default_rng(0).standard_normal(20)
    k_hat = expit(logits)
    entropy = -data.target * np.log(k_hat) - (1 - data.target) * np.log(1 - k_hat)
    assert_allclose((data.p + data.n) @ entropy, data.loss(logits))
    assert ((data.target >= 0) & (data.target < 1)).all()


def test_far_logits_have_a_finite_loss() -> None:
    data = observed(3)
    assert_allclose(data.loss(np.full(3, 1e4)), 1e4 * data.n.sum())
    assert_allclose(data.loss(np.full(3, -1e4)), 1e4 * data.p.sum())


def test_rows_are_taken_from_every_column() -> None:
    data = observed(5, base=np.arange(5, dtype=np.float64))
    part = data.rows(np.array([3, 1]))
    assert len(part) == 2
    assert_array_equal(part.base, [3, 1])
    assert_array_equal(part.unit, data.unit[[3, 1]])
    assert_array_equal(part.p, data.p[[3, 1]])
    assert_array_equal(part.n, data.n[[3, 1]])
