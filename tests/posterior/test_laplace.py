"""The Laplace approximation: a true maximum, whatever the inputs, and its curvature."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from malibo.posterior import Evidence, hmc, laplace
from malibo.posterior.laplace import map_estimate
from posterior.examples import evidence, grid_moments


def separable(weight: float, scale: float) -> Evidence:
    """The sign of the first feature says all."""
    phi = scale * np.random.default_rng(0).standard_normal((30, 4))
    good = (phi[:, 0] > 0).astype(float)
    return Evidence(phi, np.zeros(30), weight * good, weight * (1 - good))


EXTREME = {
    "no observation": evidence(0, 3),
    "one observation": evidence(1, 3),
    "one dimension": evidence(20, 1),
    "more features than observations": evidence(10, 50),
    "many observations": evidence(5000, 5),
    "huge weights": evidence(30, 5, weight=1e9),
    "huge features": evidence(30, 5, scale=1e6),
    "huge features, few observations": evidence(5, 50, scale=1e4),
    "tiny features": evidence(30, 5, scale=1e-9),
    "far offset above": evidence(30, 5, offset=1e4),
    "far offset below": evidence(30, 5, offset=-1e4),
    "separable": separable(1, 1),
    "separable, huge weights": separable(1e6, 1),
    "separable, huge features": separable(1, 1e4),
    "a cycle for whole Newton steps": Evidence(
        np.array([[10.0]]), np.array([-30.0]), np.ones(1), np.ones(1)
    ),
    "all failed": Evidence(evidence(10, 3).phi, np.zeros(10), np.zeros(10), np.ones(10)),
}


@pytest.mark.parametrize("task", EXTREME.values(), ids=EXTREME.keys())
def test_the_gradient_vanishes_at_the_maximum(task: Evidence) -> None:
    z = map_estimate(task)
    gradient = task.gradient(z)
    terms = np.abs(z) + np.abs(task.phi).T @ (task.p + task.n)  # what cancels in the gradient
    assert (np.abs(gradient) <= 1e-5 * np.maximum(terms, 1)).all()
    decrement = gradient @ np.linalg.solve(task.hessian(z), gradient)
    assert decrement < 1e-9  # twice the loss that is left to gain


@pytest.mark.parametrize("task", EXTREME.values(), ids=EXTREME.keys())
def test_the_precision_is_the_hessian(task: Evidence) -> None:
    q = laplace(task)
    hessian = task.hessian(q.mean)
    assert_allclose(q.factor @ q.factor.T, hessian, rtol=1e-9, atol=1e-12 * np.abs(hessian).max())
    assert_array_equal(q.factor, np.tril(q.factor))
    assert_array_equal(q.mean, map_estimate(task))


def test_another_optimizer_finds_the_same_maximum() -> None:
    task = evidence(40, 6)
    found = minimize(task.loss, np.zeros(6), jac=task.gradient, tol=1e-12)
    assert_allclose(map_estimate(task), found.x, atol=1e-5)


def test_without_observations_the_prior_is_returned() -> None:
    q = laplace(evidence(0, 4))
    assert_array_equal(q.mean, np.zeros(4))
    assert_array_equal(q.factor, np.eye(4))


def test_one_bad_observation_lowers_its_own_logit() -> None:
    phi = np.array([[1.0, -2.0]])
    q = laplace(Evidence(phi, np.zeros(1), np.zeros(1), np.ones(1)))
    assert (phi @ q.mean)[0] < 0
    assert_allclose(q.mean[1] / q.mean[0], -2)  # nothing but Φ and the prior has a say


def test_with_plenty_of_data_the_moments_are_those_of_the_posterior() -> None:
    task = evidence(600, 2)
    mean, covariance = grid_moments(task, width=3, points=201)
    q = laplace(task)
    assert_allclose(q.mean, mean, atol=0.05 * np.sqrt(np.diag(covariance)).min())
    assert_allclose(q.covariance(), covariance, rtol=0.05, atol=0.05 * covariance.max())


def test_with_plenty_of_data_a_long_chain_agrees() -> None:
    task = evidence(800, 3)
    q, chain = laplace(task), hmc(task, np.random.default_rng(0), draws=3000)
    sigma = np.sqrt(np.diag(q.covariance()))
    assert_allclose((chain.mean - q.mean) / sigma, 0, atol=0.15)
    assert_allclose(chain.z.std(axis=0) / sigma, 1, atol=0.1)
