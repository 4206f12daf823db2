"""Drawn functions: the mean and the covariance of the textbook, before and after observations."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from malibo.process.draws import drawn_scores
from malibo.process.hypotheses import Hypothesis
from malibo.process.regression import Regression
from process.examples import Array, covariance, expected, seen, some_scores, textbook

HYPOTHESES = [
    Hypothesis(past=0.7, own=0.5, length=0.5, noise=1e-2),
    Hypothesis(past=0.0, own=1.0, length=0.2, noise=1e-7),
    Hypothesis(past=1.5, own=0.1, length=1.2, noise=0.1, voice=1),
    Hypothesis(past=0.7, own=0.1, length=0.5, noise=0.1, voice=1, doubting=True),
]


def many(regression: Regression, h: Hypothesis, noisy: bool = False) -> Array:
    """Draws at five points; the waves are drawn anew for every hundred."""
    points = seen(5, seed=5)
    drawn = [
        drawn_scores(regression, [(h, 100)], points, np.random.default_rng(seed), noisy)
        for seed in range(60)
    ]
    return np.concatenate(drawn)


@pytest.mark.parametrize("h", HYPOTHESES)
def test_draws_have_the_mean_and_covariance_of_the_textbook(h: Hypothesis) -> None:
    known, scores = seen(12), some_scores(12)
    mean, wide = textbook(h, known, scores, seen(5, seed=5))
    drawn = many(Regression(known, scores), h)
    spread = np.sqrt(wide.diagonal())
    assert_allclose(drawn.mean(axis=0), mean, atol=0.06 * spread.max())
    assert_allclose(np.cov(drawn.T), wide, atol=0.12 * spread.max() ** 2)


@pytest.mark.parametrize("h", [HYPOTHESES[0], *HYPOTHESES[2:]])
def test_without_observations_draws_are_those_of_the_prior(h: Hypothesis) -> None:
    drawn = many(Regression(seen(0), np.empty(0)), h)
    points = seen(5, seed=5)
    assert_allclose(drawn.mean(axis=0), expected(h, points), atol=0.3)
    assert_allclose(np.cov(drawn.T), covariance(h, points, points), rtol=0.1)


def test_every_draw_of_a_doubting_hypothesis_has_a_factor_of_its_own() -> None:
    """Differences between points are free of the constant, whose variance hides all others."""
    h = Hypothesis(past=1.5, own=0.01, length=0.5, noise=0.1, voice=1, doubting=True)
    points, nothing = seen(5, seed=5), Regression(seen(0), np.empty(0))
    drawn = drawn_scores(nothing, [(h, 4000)], points, np.random.default_rng(0))
    contrast = np.eye(5)[1:] - np.eye(5)[:1]
    exact = contrast @ covariance(h, points, points) @ contrast.T
    assert_allclose(np.cov(contrast @ drawn.T), exact, atol=0.1 * exact.diagonal().max())


def test_noise_is_added_where_it_is_asked_for() -> None:
    h = HYPOTHESES[2]
    regression = Regression(seen(12), some_scores(12))
    _, quiet = textbook(h, seen(12), some_scores(12), seen(5, seed=5))
    noisy = many(regression, h, noisy=True)
    assert_allclose(np.cov(noisy.T).diagonal(), quiet.diagonal() + h.noise, rtol=0.15)


def test_a_drawn_function_goes_through_observations_without_noise() -> None:
    known, scores = seen(8), some_scores(8)
    drawn = drawn_scores(
        Regression(known, scores), [(HYPOTHESES[1], 20)], known, np.random.default_rng(0)
    )
    assert_allclose(drawn, np.tile(scores, (20, 1)), atol=1e-2)


def test_each_hypothesis_has_its_share_of_the_draws_in_their_order() -> None:
    sure, vague = HYPOTHESES[1], Hypothesis(past=0.0, own=1.0, length=0.2, noise=1e2)
    known, scores = seen(8), some_scores(8)
    drawn = drawn_scores(
        Regression(known, scores), [(sure, 3), (vague, 4)], known, np.random.default_rng(0)
    )
    assert drawn.shape == (7, 8)
    error = np.abs(drawn - scores).max(axis=1)
    assert (error[:3] < 0.05).all()
    assert (error[3:] > 0.05).all()


def test_the_same_generator_gives_the_same_draws() -> None:
    regression, points = Regression(seen(6), some_scores(6)), seen(4, seed=1)
    hypotheses = [(h, 2) for h in HYPOTHESES]
    one, other = (
        drawn_scores(regression, hypotheses, points, np.random.default_rng(3)) for _ in range(2)
    )
    assert_array_equal(one, other)
