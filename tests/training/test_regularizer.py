"""The regulariser: its terms by plain counting, its expectation by sampling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.stats import norm

from malibo.training.regularizer import (
    covariance_term,
    empirical_cdf,
    expected_terms,
    ks_term,
    regularizer,
)

SHAPES = [(1, 1), (1, 5), (2, 1), (2, 5), (3, 1), (3, 5), (20, 5), (200, 2)]
Embeddings = NDArray[np.float32]


def embeddings(tasks: int, d: int) -> Embeddings:
    rng = np.random.default_rng([tasks, d])
    return (0.3 + 2 * rng.standard_normal((tasks, d))).astype(np.float32)


def counted_cdf(z: Embeddings) -> list[list[float]]:
    """Share of embeddings below; itself by half."""
    rows = []
    for own in z:
        below = [sum(other[j] < own[j] for other in z) for j in range(z.shape[1])]
        rows.append([(count + 0.5) / len(z) for count in below])
    return rows


@pytest.mark.parametrize("shape", SHAPES)
def test_the_ks_term_is_that_of_plain_counting(shape: tuple[int, int]) -> None:
    z = embeddings(*shape)
    cdf = counted_cdf(z)
    expected = 0.0
    for j in range(shape[1]):
        squares = [(cdf[t][j] - norm.cdf(z[t, j])) ** 2 for t in range(shape[0])]
        expected += sum(squares) / shape[0]
    assert_allclose(empirical_cdf(z), cdf, rtol=1e-6)
    assert_allclose(ks_term(z, empirical_cdf(z))[0], expected, rtol=1e-5)


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape[0] > 1])
def test_the_covariance_term_is_that_of_numpy(shape: tuple[int, int]) -> None:
    z = embeddings(*shape)
    difference = np.eye(shape[1]) - np.cov(z.T).reshape(shape[1], shape[1])
    assert_allclose(covariance_term(z)[0], (difference**2).sum(), rtol=1e-4)


def test_a_single_task_has_no_covariance() -> None:
    value, gradient = covariance_term(embeddings(1, 5))
    assert value == 5
    assert not gradient.any()


@pytest.mark.parametrize("shape", SHAPES)
def test_the_gradient_is_the_slope(shape: tuple[int, int]) -> None:
    z: NDArray[Any] = embeddings(*shape).astype(float)
    cdf = empirical_cdf(z)
    direction: NDArray[Any] = np.random.default_rng(0).standard_normal(shape)
    above: NDArray[Any] = z + 1e-6 * direction
    below: NDArray[Any] = z - 1e-6 * direction
    slope = (regularizer(above, cdf)[0] - regularizer(below, cdf)[0]) / 2e-6
    gradient = regularizer(z, cdf)[1]
    assert_allclose(np.sum(gradient * direction), slope, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("tasks", [1, 2, 3, 20])
@pytest.mark.parametrize(("d", "draws"), [(1, 20_000), (5, 8_000), (50, 1_000)])
def test_the_expected_terms_are_those_of_samples(tasks: int, d: int, draws: int) -> None:
    rng = np.random.default_rng([tasks, d])
    found = []
    for _ in range(draws):
        z = rng.standard_normal((tasks, d), np.float32)
        found.append((ks_term(z, empirical_cdf(z))[0], covariance_term(z)[0]))
    for expected, samples in zip(expected_terms(tasks, d), np.transpose(found), strict=True):
        error = samples.std() / np.sqrt(draws)
        assert error < 0.04 * expected  # enough samples to tell
        assert_allclose(samples.mean(), expected, atol=4 * error + 1e-5 * expected)


@pytest.mark.parametrize(("tasks", "d"), [(2, 50), (20, 50), (500, 5)])
def test_embeddings_of_the_prior_have_a_regulariser_of_about_one(tasks: int, d: int) -> None:
    rng = np.random.default_rng(0)
    drawn = [rng.standard_normal((tasks, d), np.float32) for _ in range(200)]
    assert_allclose(np.mean([regularizer(z, empirical_cdf(z))[0] for z in drawn]), 1, atol=0.1)


@pytest.mark.parametrize("change", [lambda z: 3 * z, lambda z: 0.1 * z, lambda z: z + 2])
def test_embeddings_off_the_prior_have_a_greater_one(
    change: Callable[[Embeddings], Embeddings],
) -> None:
    z = np.random.default_rng(0).standard_normal((50, 5), np.float32)
    moved = change(z)
    assert regularizer(moved, empirical_cdf(moved))[0] > 2 * regularizer(z, empirical_cdf(z))[0]


def test_the_best_place_of_few_embeddings_is_finite() -> None:
    """With F = (rank − ½) / T the values belong on the quantiles of the prior."""
    best = norm.ppf((np.arange(3) + 0.5) / 3)[:, None].astype(np.float32)
    value, gradient = ks_term(best, empirical_cdf(best))
    assert value < 1e-12
    assert_allclose(gradient, 0, atol=1e-6)


def test_descent_brings_embeddings_to_the_prior() -> None:
    z = (1 + 0.2 * np.random.default_rng(1).standard_normal((30, 2))).astype(np.float32)
    for _ in range(1000):
        z -= 0.5 * regularizer(z, empirical_cdf(z))[1]
    assert regularizer(z, empirical_cdf(z))[0] < 0.1
    assert_allclose(z.mean(axis=0), 0, atol=0.1)
    assert_allclose(np.cov(z.T), np.eye(2), atol=0.1)
