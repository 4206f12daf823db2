"""Stretches fitted to results: the most probable ones, by a slow search."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.stats import multivariate_normal, norm
from sklearn.gaussian_process.kernels import Matern

from malibo.process.hypotheses import Hypothesis
from malibo.process.regression import CONSTANT
from malibo.process.stretches import fitted_stretches
from process.examples import Array

H = Hypothesis(past=0.0, own=1.4, length=0.5, noise=1e-2)


def example(n: int = 30, columns: int = 2) -> tuple[Array, Array]:
    """Scores that vary along the first column much more than along the others."""
    rng = np.random.default_rng(n)
    unit = rng.uniform(size=(n, columns))
    return unit, np.sin(8 * unit[:, 0]) + 0.3 * unit[:, 1] + 0.1 * rng.standard_normal(n)


def log_posterior(stretches: Array, unit: Array, scores: Array) -> float:
    """By the density itself."""
    length = H.length * np.sqrt(unit.shape[1]) / stretches
    covariance = H.own * Matern(length, nu=2.5)(unit) + CONSTANT + H.noise * np.eye(len(unit))
    prior = norm.logpdf(np.log(stretches), scale=0.7).sum()
    return float(multivariate_normal.logpdf(scores, np.zeros(len(unit)), covariance) + prior)


def test_they_are_the_most_probable_ones() -> None:
    unit, scores = example()
    found = fitted_stretches(unit, scores, H, np.arange(2))
    best = log_posterior(found, unit, scores)
    steps = np.exp(np.linspace(-2.5, 2.5, 41))
    around = [log_posterior(np.array([a, b]), unit, scores) for a in steps for b in steps]
    assert best >= max(around)
    for by in (0.95, 1.05):
        for column in range(2):
            other = found.copy()
            other[column] *= by
            assert log_posterior(other, unit, scores) < best


def test_what_matters_is_stretched_and_what_does_not_is_drawn_together() -> None:
    found = fitted_stretches(*example(), H, np.arange(2))
    assert found[0] > 1.5
    assert found[1] < 0.8


def test_columns_of_one_parameter_have_one_stretch() -> None:
    found = fitted_stretches(*example(columns=4), H, np.array([0, 2, 2, 5]))
    assert found[1] == found[2]
    assert len(set(found)) == 3


def test_columns_of_no_parameter_stay_as_they_are() -> None:
    unit, scores = example(columns=3)
    found = fitted_stretches(unit, scores, H, np.array([0, -1, -1]))
    assert found[0] > 1.5
    assert_array_equal(found[1:], 1)


@pytest.mark.parametrize("noise", [0.0, 1e-7])
def test_results_told_twice_and_no_noise_do_no_harm(noise: float) -> None:
    unit, scores = example(8)
    h = Hypothesis(past=0.0, own=1.4, length=1.2, noise=noise)
    found = fitted_stretches(np.repeat(unit, 4, axis=0), np.repeat(scores, 4), h, np.arange(2))
    assert (np.abs(np.log(found)) <= 2.5 + 1e-9).all()


def test_along_no_parameter_do_equal_results_vary() -> None:
    unit, _ = example()
    found = fitted_stretches(unit, np.zeros(30), H, np.arange(2))
    assert (found < 0.5).all()
    assert found[0] == pytest.approx(found[1], rel=0.1)
