"""The Gaussian held by its precision's factor: draws, variances, covariance."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from malibo.posterior import Gaussian
from posterior.examples import Array


def gaussian(d: int) -> tuple[Gaussian, Array]:
    """A Gaussian with a random precision, and its covariance by plain inversion."""
    rng = np.random.default_rng(d)
    root = rng.standard_normal((d, 2 * d))
    precision = np.eye(d) + root @ root.T
    factor, covariance = np.linalg.cholesky(precision), np.linalg.inv(precision)
    return Gaussian(rng.standard_normal(d), factor.astype(float)), covariance.astype(float)


@pytest.mark.parametrize("d", [1, 2, 10, 50])
def test_the_covariance_is_the_inverse_of_the_precision(d: int) -> None:
    q, covariance = gaussian(d)
    assert_allclose(q.covariance(), covariance, atol=1e-12)


@pytest.mark.parametrize("d", [1, 2, 10, 50])
def test_the_variance_of_a_logit_is_its_quadratic_form(d: int) -> None:
    q, covariance = gaussian(d)
    phi = np.random.default_rng(0).standard_normal((30, d))
    assert_allclose(q.variance(phi), np.diag(phi @ covariance @ phi.T), rtol=1e-9)
    assert q.variance(phi[:0]).shape == (0,)


def test_draws_have_the_mean_and_the_covariance() -> None:
    q, covariance = gaussian(3)
    rng = np.random.default_rng(1)
    draws = np.stack([q.draw(rng) for _ in range(20_000)])
    sigma = np.sqrt(np.diag(covariance))
    assert_allclose((draws.mean(axis=0) - q.mean) / sigma, 0, atol=0.03)
    assert_allclose(
        np.cov(draws.T) / np.outer(sigma, sigma), covariance / np.outer(sigma, sigma), atol=0.04
    )


def test_a_draw_follows_the_generator() -> None:
    q, _ = gaussian(3)
    first = q.draw(np.random.default_rng(1))
    assert_array_equal(first, q.draw(np.random.default_rng(1)))
    assert not np.array_equal(first, q.draw(np.random.default_rng(2)))
