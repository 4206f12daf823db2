"""Variational inference: the best Gaussian, and better than Laplace where it matters."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit

from malibo.posterior import Evidence, Gaussian, hmc, laplace, variational
from malibo.posterior.variational import lower_bound
from posterior.examples import Array, evidence, grid_moments, skewed

TASKS = {
    "skewed": skewed(),
    "one observation": evidence(1, 3),
    "few observations": evidence(5, 2, scale=2),
    "more features than observations": evidence(10, 20, scale=0.5),
    "many observations": evidence(300, 4),
    "heavy weights": evidence(20, 3, weight=50),
}


def moments(task: Evidence, q: Gaussian) -> tuple[Array, Array]:
    """E[σ(a)] and E[σ(a)(1 − σ(a))] of each observation, on a fine grid."""
    x = np.linspace(-9, 9, 4001)
    weight = np.exp(-(x**2) / 2)
    weight /= weight.sum()
    k_hat = expit(task.logits(q.mean)[:, None] + np.sqrt(q.variance(task.phi))[:, None] * x)
    return k_hat @ weight, (k_hat * (1 - k_hat)) @ weight


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS.keys())
def test_the_mean_gradient_vanishes_in_expectation(task: Evidence) -> None:
    q = variational(task)
    probability, _ = moments(task, q)
    gradient = q.mean + task.phi.T @ ((task.p + task.n) * probability - task.p)
    assert_allclose(gradient, 0, atol=2e-3)


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS.keys())
def test_the_precision_is_the_expected_hessian(task: Evidence) -> None:
    q = variational(task)
    _, slope = moments(task, q)
    expected = np.eye(task.dimension) + (task.phi.T * ((task.p + task.n) * slope)) @ task.phi
    assert_allclose(q.factor @ q.factor.T, expected, atol=1e-3 * np.abs(expected).max())


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS.keys())
def test_the_bound_is_above_that_of_laplace(task: Evidence) -> None:
    assert lower_bound(task, variational(task)) > lower_bound(task, laplace(task))


def test_no_gaussian_nearby_has_a_higher_bound() -> None:
    task = TASKS["few observations"]
    q, rng = variational(task), np.random.default_rng(0)
    best = lower_bound(task, q)
    for size in (0.3, 0.1, 0.03):
        for _ in range(20):
            factor = q.factor @ (np.eye(2) + size * np.tril(rng.standard_normal((2, 2))))
            factor *= np.sign(np.diag(factor))  # a factor has a positive diagonal
            other = Gaussian(q.mean + size * rng.standard_normal(2), factor)
            assert lower_bound(task, other) < best


def test_the_bound_is_the_expectation_that_it_stands_for() -> None:
    task = evidence(4, 2)
    q, rng = laplace(task), np.random.default_rng(0)
    draws = np.stack([q.draw(rng) for _ in range(20_000)])
    logs = [-task.loss(z) for z in draws]
    entropy = 0.5 * np.log(np.linalg.det(q.covariance()))
    assert_allclose(lower_bound(task, q), np.mean(logs) + entropy, atol=0.05)


def test_without_observations_the_prior_is_returned() -> None:
    q = variational(evidence(0, 3))
    assert_array_equal(q.mean, np.zeros(3))
    assert_array_equal(q.factor, np.eye(3))


def test_where_the_posterior_is_skewed_the_mean_is_nearer_than_that_of_laplace() -> None:
    task = skewed()
    chain = hmc(task, np.random.default_rng(0), draws=4000)
    exact, covariance = grid_moments(task)
    sigma = np.sqrt(covariance[0, 0])
    near, far = variational(task), laplace(task)
    for mean in (chain.mean, exact):
        assert_allclose((near.mean - mean) / sigma, 0, atol=0.15)
        assert np.abs(near.mean - mean) < 0.5 * np.abs(far.mean - mean)
    assert_allclose(np.sqrt(near.covariance()[0, 0]), sigma, rtol=0.1)


@pytest.mark.parametrize("scale", [1e-6, 100.0, 1e4])
def test_extreme_features_never_make_it_worse_than_laplace(scale: float) -> None:
    task = evidence(10, 3, scale=scale)
    q = variational(task)
    assert np.isfinite(q.factor).all()
    assert lower_bound(task, q) >= lower_bound(task, laplace(task))
