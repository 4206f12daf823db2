"""The likelihood of scores against scipy's normal distribution, and its derivatives."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.optimize import approx_fprime
from scipy.stats import multivariate_normal
from sklearn.gaussian_process.kernels import Matern

from malibo.likelihood import Likelihood, negative_log_likelihood

Array = NDArray[np.float64]


def example(seed: int, n: int = 12) -> tuple[Array, Array]:
    """Points and scores."""
    points = np.random.default_rng(seed).uniform(size=(n, 3))
    return points, np.sin(6 * points[:, 0]) + points[:, 1]


def at(logs: Array, seed: int, variance: float, constant: float) -> Likelihood:
    """With lengths and noise as logarithms."""
    points, scores = example(seed)
    noise = float(np.exp(logs[3]))
    return negative_log_likelihood(points / np.exp(logs[:3]), scores, noise, variance, constant)


@pytest.mark.parametrize(("variance", "constant"), [(1.0, 0.0), (0.3, 25.0)])
@pytest.mark.parametrize("seed", range(3))
def test_it_is_that_of_a_gaussian_process(seed: int, variance: float, constant: float) -> None:
    logs = np.random.default_rng(seed).normal(size=4) - np.array([0, 0, 0, 3])
    points, scores = example(seed)
    covariance = variance * Matern(np.exp(logs[:3]), nu=2.5)(points) + constant
    covariance += np.exp(logs[3]) * np.eye(len(points))
    expected = multivariate_normal.logpdf(scores, np.zeros(len(points)), covariance)
    left_out = 0.5 * len(points) * np.log(2 * np.pi)
    assert -at(logs, seed, variance, constant).value == pytest.approx(expected + left_out)


@pytest.mark.parametrize(("variance", "constant"), [(1.0, 0.0), (0.3, 25.0)])
@pytest.mark.parametrize("seed", range(3))
def test_its_derivatives_are_exact(seed: int, variance: float, constant: float) -> None:
    logs = np.random.default_rng(seed).normal(size=4) - np.array([0, 0, 0, 3])

    def value(where: Array) -> float:
        return at(where, seed, variance, constant).value

    slow = approx_fprime(logs, value, 1e-6)
    found = at(logs, seed, variance, constant)
    assert_allclose(found.by_length, slow[:3], rtol=1e-3, atol=1e-3)
    assert np.exp(logs[3]) * found.by_noise == pytest.approx(slow[3], rel=1e-3, abs=1e-3)
