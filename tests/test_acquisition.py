"""Scores: the draw, the probit average against the average itself, and the mean."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit

from malibo.acquisition import drawn_logits, embedding, probit_logits
from malibo.config import Exploration
from malibo.posterior import Gaussian, Posterior, Samples

GAUSSIAN = Gaussian(np.array([1.0, -2.0]), np.array([[2.0, 0.0], [1.0, 0.5]]))
SAMPLES = Samples(np.random.default_rng(0).standard_normal((50, 2)))


@pytest.mark.parametrize("posterior", [GAUSSIAN, SAMPLES])
def test_thompson_takes_one_draw(posterior: Posterior) -> None:
    drawn = embedding(posterior, "thompson", np.random.default_rng(7))
    assert_array_equal(drawn, posterior.draw(np.random.default_rng(7)))
    other = embedding(posterior, "thompson", np.random.default_rng(8))
    assert not np.array_equal(drawn, other)


@pytest.mark.parametrize("explore", ["probit", "map"])
@pytest.mark.parametrize("posterior", [GAUSSIAN, SAMPLES])
def test_the_others_take_the_mean_and_no_randomness(
    posterior: Posterior, explore: Exploration
) -> None:
    rng = np.random.default_rng(7)
    assert_array_equal(embedding(posterior, explore, rng), posterior.mean)
    assert rng.bit_generator.state == np.random.default_rng(7).bit_generator.state


def test_drawn_logits_by_hand() -> None:
    phi = np.array([[1.0, 2.0], [0.0, -1.0]])
    logits = drawn_logits(np.array([3.0, 0.5]), phi, np.array([10.0, 20.0]))
    assert_array_equal(logits, [14.0, 19.5])


def test_without_features_the_offset_is_the_score() -> None:
    offset = np.array([1.0, 2.0, 3.0])
    assert_array_equal(drawn_logits(np.empty(0), np.empty((3, 0)), offset), offset)


@pytest.mark.parametrize("sigma", [0.1, 0.5, 1.0, 2.0, 4.0, 8.0])
def test_the_probit_logit_is_that_of_the_average(sigma: float) -> None:
    offset = np.linspace(-6, 6, 13, dtype=np.float64)
    q = Gaussian(np.array([0.5]), np.array([[1 / sigma]]))
    rng = np.random.default_rng(0)
    a = offset + 0.5 + sigma * rng.standard_normal((20_000, 1))
    found = expit(probit_logits(q, np.ones((13, 1)), offset))
    assert_allclose(found, expit(a).mean(axis=0), atol=0.02)


@pytest.mark.parametrize("posterior", [GAUSSIAN, SAMPLES])
def test_the_probit_logit_averages_over_draws_in_several_dimensions(posterior: Posterior) -> None:
    rng = np.random.default_rng(1)
    phi, offset = rng.standard_normal((20, 2)), rng.standard_normal(20)
    draws = [posterior.draw(rng) for _ in range(10_000)]
    average = expit([drawn_logits(z, phi, offset) for z in draws]).mean(axis=0)
    assert_allclose(expit(probit_logits(posterior, phi, offset)), average, atol=0.025)


def test_the_probit_logit_shrinks_with_the_variance_alone() -> None:
    phi, offset = np.array([[0.0, 0.0], [0.0, 3.0]]), np.array([1.5, 1.5])
    q = Gaussian(np.zeros(2), np.eye(2))
    certain, uncertain = probit_logits(q, phi, offset)
    assert certain == 1.5
    assert_allclose(uncertain, 1.5 / np.sqrt(1 + 9 * np.pi / 8))
