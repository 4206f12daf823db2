"""Hamiltonian Monte Carlo against integrals by brute force."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import kstest

from malibo.posterior import Evidence, hmc
from posterior.examples import evidence, grid_moments, skewed

SMALL = {
    "skewed": skewed(),
    "one dimension": evidence(6, 1, scale=2),
    "two dimensions": evidence(10, 2, scale=2),
    "two dimensions, one observation": evidence(1, 2, scale=3),
}


@pytest.mark.parametrize("task", SMALL.values(), ids=SMALL.keys())
def test_the_moments_are_those_of_the_grid(task: Evidence) -> None:
    mean, covariance = grid_moments(task)
    chain = hmc(task, np.random.default_rng(0), draws=4000)
    sigma = np.sqrt(np.diag(covariance))
    scale = np.outer(sigma, sigma)
    assert_allclose((chain.mean - mean) / sigma, 0, atol=0.08)
    found = np.atleast_2d(np.cov(chain.z.T))
    assert_allclose(found / scale, covariance / scale, atol=0.12)


def test_without_observations_the_prior_is_drawn() -> None:
    chain = hmc(evidence(0, 2), np.random.default_rng(0), draws=2000)
    thinned = chain.z[::4]
    for column in thinned.T:
        assert kstest(column, "norm").pvalue > 1e-3


def test_the_chain_moves_in_fifty_dimensions() -> None:
    task = evidence(20, 50, scale=0.5)
    z = hmc(task, np.random.default_rng(0), draws=300).z
    assert z.shape == (300, 50)
    moved = (np.diff(z, axis=0) != 0).any(axis=1).mean()
    assert 0.5 < moved <= 1  # the step size aims at an acceptance of 0.8
    lag = [np.corrcoef(column[:-1], column[1:])[0, 1] for column in z.T]
    assert np.mean(lag) < 0.5


def test_the_same_seed_gives_the_same_chain() -> None:
    task = evidence(10, 3)
    first, again, other = (hmc(task, np.random.default_rng(s), draws=20).z for s in (1, 1, 2))
    assert_array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("weight", [0.0, 1e6])
def test_extreme_weights_leave_the_chain_finite(weight: float) -> None:
    chain = hmc(evidence(10, 3, weight=weight, scale=10), np.random.default_rng(0), draws=50)
    assert np.isfinite(chain.z).all()
    assert len(np.unique(chain.z, axis=0)) > 10
