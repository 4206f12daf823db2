"""Regression: distances, kernel, evidence and predictions against slow and exact references."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import LinAlgError
from scipy.stats import multivariate_normal, norm

from malibo.process import regression as regression_module
from malibo.process.hypotheses import Hypothesis, grid
from malibo.process.regression import JITTER, Kernel, Regression, Seen, Voice
from process.examples import (
    Array,
    arrays,
    covariance,
    expected,
    noisy_covariance,
    seen,
    some_scores,
    textbook,
)

SOME = [
    Hypothesis(past=0.8, own=0.3, length=0.4, noise=1e-2),
    Hypothesis(past=0.0, own=1.0, length=0.2, noise=1e-3),
    Hypothesis(past=2.0, own=0.01, length=2.0, noise=0.3, voice=1),
    Hypothesis(past=0.8, own=0.3, length=0.4, noise=1e-2, doubting=True),
    Hypothesis(past=1.5, own=0.1, length=0.5, noise=1e-1, voice=1, doubting=True),
]
GRID = grid(2)


def joined(*parts: Seen) -> Seen:
    """One after the other."""
    return reduce(Seen.joined, parts)


def predict(regression: Regression, h: Hypothesis, new: Seen) -> tuple[Array, Array]:
    """Mean and standard deviation at new points."""
    return regression.under(h).at(new, Kernel(new, regression.seen))


# -- kernel --------------------------------------------------------------------------------


@pytest.mark.parametrize("h", SOME)
def test_the_kernel_is_constant_past_and_own_part(h: Hypothesis) -> None:
    a, b = seen(5), seen(7)
    kernel = Kernel(a, b)
    for _ in range(2):  # also when its parts are known already
        assert_allclose(kernel(h), covariance(h, a, b), rtol=1e-9)


def test_a_kernel_gives_each_hypothesis_its_own() -> None:
    a, b = seen(5), seen(7)
    kernel = Kernel(a, b)
    for h in [*SOME, *SOME[::-1]]:
        found = kernel(h)
        assert_allclose(found, covariance(h, a, b), rtol=1e-9)
        found[:] = np.nan  # what is done to it must not come back


# -- evidence ------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 9])
def test_the_evidence_is_the_density_of_the_scores_up_to_one_constant(n: int) -> None:
    points, scores = seen(n), some_scores(n)
    found = Regression(points, scores).evidence(GRID).log
    density = [
        multivariate_normal.logpdf(scores, expected(h, points), noisy_covariance(h, points))
        for h in GRID
    ]
    assert found.shape == (len(GRID),)
    assert_allclose(found - found[0], np.array(density) - density[0], rtol=1e-5, atol=1e-4)


def test_the_evidence_is_how_well_each_score_was_foreseen_when_it_came() -> None:
    points, scores = seen(6), some_scores(6)
    whole = Regression(points, scores).evidence(GRID).log
    first = Regression(points.rows(np.arange(1)), scores[:1]).evidence(GRID).log
    sequential = np.array([_foreseen(h, points, scores) for h in GRID])
    found = whole - first
    assert_allclose(found - found[0], sequential - sequential[0], rtol=1e-4, atol=1e-3)


def _foreseen(h: Hypothesis, points: Seen, scores: Array) -> float:
    """The sum of ln p(s_n | s₁…s_{n−1}) from the second score on."""
    total = 0.0
    for n in range(1, len(scores)):
        before, now = points.rows(np.arange(n)), points.rows(np.array([n]))
        regression = Regression(before, scores[:n])
        mean, spread = predict(regression, h, now)
        noisy = np.sqrt(spread[0] ** 2 + h.noise + JITTER)
        total += float(norm.logpdf(scores[n], mean[0], noisy))
    return total


def test_the_order_of_the_observations_does_not_change_the_evidence() -> None:
    points, scores = seen(20), some_scores(20)
    order = np.random.default_rng(0).permutation(20)
    found = Regression(points.rows(order), scores[order]).evidence(GRID).log
    assert_allclose(found, Regression(points, scores).evidence(GRID).log, rtol=1e-5)


@pytest.mark.parametrize("voice", [0, 1])
def test_scores_that_a_voice_foresees_speak_for_it(voice: int) -> None:
    points = seen(12)
    heard = np.array([h.past > 0 and h.voice == voice for h in GRID])
    doubting = np.array([h.doubting for h in GRID])
    foreseen = points.voices[voice].foreseen
    right = Regression(points, foreseen).evidence(GRID).log
    wrong = Regression(points, -foreseen).evidence(GRID).log
    assert right[heard & ~doubting].max() > right[~heard].max() + 1
    assert wrong[~heard].max() > wrong[heard & ~doubting].max()


@pytest.mark.parametrize("voice", [0, 1])
def test_the_opposite_of_what_a_voice_foresees_speaks_for_its_doubting_hypotheses(
    voice: int,
) -> None:
    points = seen(12)
    doubting = np.array([h.doubting for h in GRID])
    heard = np.array([h.voice == voice for h in GRID])
    foreseen = 0.7 * points.voices[voice].foreseen
    right = Regression(points, foreseen).evidence(GRID).log
    wrong = Regression(points, -foreseen).evidence(GRID).log
    assert right[heard & ~doubting].max() > right[doubting].max() + 0.5
    assert wrong[heard & doubting].max() > wrong[~doubting].max() + 1


def test_where_a_voice_expects_the_same_of_all_it_can_be_doubted_or_not() -> None:
    """Then nothing is known of whether what it recommends is good."""
    points, scores = seen(12), some_scores(12)
    flattened = {i: Voice(0 * v.foreseen, v.phi) for i, v in points.voices.items()}
    flat = Seen(points.unit, flattened)
    found = Regression(flat, scores).evidence(GRID)
    doubting = np.array([h.doubting for h in GRID])
    believing = np.array([h.past > 0 and not h.doubting for h in GRID])
    assert_allclose(found.log[doubting], found.log[believing], rtol=1e-12)
    assert_allclose(found.upright[doubting], 0.5)


@pytest.mark.parametrize("n", [0, 2, 9])
def test_the_sign_of_what_the_past_expects_has_its_probability(n: int) -> None:
    """b is regressed on the scores as any other weight: its posterior by the inverse."""
    points, scores = seen(n), some_scores(n)
    found = Regression(points, scores).evidence(GRID).upright
    for h, upright in zip(GRID, found, strict=True):
        if not h.doubting:
            assert upright == (h.past > 0)
            continue
        foreseen = h.past * points.voices[h.voice].foreseen
        inverse = np.linalg.inv(noisy_covariance(h, points))
        mean = foreseen @ inverse @ scores
        variance = 1 - foreseen @ inverse @ foreseen
        assert upright == pytest.approx(norm.cdf(mean / np.sqrt(variance)), rel=1e-3, abs=1e-6)


# -- predictions ---------------------------------------------------------------------------


@pytest.mark.parametrize("h", SOME)
@pytest.mark.parametrize("n", [1, 15])
def test_predictions_are_those_of_the_textbook(h: Hypothesis, n: int) -> None:
    known, scores, new = seen(n), some_scores(n), seen(8, seed=3)
    mean, spread = predict(Regression(known, scores), h, new)
    exact, wide = textbook(h, known, scores, new)
    assert_allclose(mean, exact, rtol=1e-6, atol=1e-6)
    assert_allclose(spread, np.sqrt(np.diag(wide)), rtol=1e-5)


@pytest.mark.parametrize("h", SOME)
def test_means_are_the_predictions_at_the_observations(h: Hypothesis) -> None:
    known, scores = seen(15), some_scores(15)
    regression = Regression(known, scores)
    mean, _ = predict(regression, h, known)
    assert_allclose(regression.under(h).means, mean, rtol=1e-7, atol=1e-7)
    assert_allclose(mean, textbook(h, known, scores, known)[0], rtol=1e-6, atol=1e-6)


def test_without_noise_what_was_observed_is_believed() -> None:
    h = Hypothesis(past=0.5, own=0.5, length=0.3, noise=1e-7)
    known, scores = seen(10), some_scores(10)
    regression = Regression(known, scores)
    assert_allclose(regression.under(h).means, scores, atol=1e-4)
    _, spread = predict(regression, h, known)
    assert (spread > 0).all()
    assert spread.max() < 1e-2


def test_far_away_only_the_constant_is_known() -> None:
    h = Hypothesis(past=0.0, own=0.7, length=0.01, noise=1e-4)
    known, scores = seen(30), 5 + some_scores(30)
    nothing = [Voice(np.zeros(1), np.zeros((1, d))) for d in (4, 7)]
    new = Seen(np.full((1, 3), 100.0), dict(enumerate(nothing)))
    mean, spread = predict(Regression(known, scores), h, new)
    assert mean[0] == pytest.approx(scores.mean(), rel=0.05)
    assert spread[0] == pytest.approx(np.sqrt(h.own), rel=0.05)


@pytest.mark.parametrize("copies", [2, 50])
def test_the_same_point_may_be_observed_many_times(copies: int) -> None:
    base, new = seen(4), seen(5, seed=1)
    known = joined(*[base] * copies)
    scores = some_scores(4 * copies)
    regression = Regression(known, scores)
    evidence = regression.evidence(GRID).log
    assert not np.isnan(evidence).any()
    assert np.isfinite(evidence).any()
    for h in (GRID[i] for i in np.flatnonzero(np.isfinite(evidence))):
        mean, spread = predict(regression, h, new)
        assert np.isfinite(mean).all()
        assert (spread > 0).all()


def test_what_cannot_be_computed_cannot_be_and_neither_can_its_twin(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A covariance with so little noise that it cannot be told from a singular one."""
    factor = regression_module._factor

    def failing(covariance: Array, noise: float) -> Array:
        if noise < 1e-3:
            raise LinAlgError
        return factor(covariance, noise)

    monkeypatch.setattr(regression_module, "_factor", failing)
    found = Regression(seen(6), some_scores(6)).evidence(GRID)
    quiet = np.array([h.noise < 1e-3 for h in GRID])
    assert_array_equal(found.log[quiet], -np.inf)
    assert np.isfinite(found.log[~quiet]).all()
    assert not np.isnan(found.upright).any()


def test_points_that_disagree_speak_for_noise() -> None:
    known = joined(*[seen(4)] * 5)
    noise = np.array([h.noise for h in GRID])
    evidence = Regression(known, some_scores(20)).evidence(GRID).log
    assert noise[np.argmax(evidence)] == noise.max()


def test_a_regression_changes_none_of_its_inputs() -> None:
    known, scores, new = seen(6), some_scores(6), seen(3, seed=1)
    inputs = [*arrays(known), *arrays(new), scores]
    copies = [array.copy() for array in inputs]
    regression = Regression(known, scores)
    regression.evidence(GRID)
    predict(regression, SOME[0], new)
    for array, copy in zip(inputs, copies, strict=True):
        assert_array_equal(array, copy)


# -- points --------------------------------------------------------------------------------


def test_rows_of_points_are_those_of_all_their_arrays() -> None:
    points = seen(6)
    some = points.rows(np.array([4, 1]))
    assert len(some) == 2
    for whole, part in zip(arrays(points), arrays(some), strict=True):
        assert_array_equal(part, whole[[4, 1]])


def test_a_past_without_a_voice_leaves_the_uninformed() -> None:
    points, scores = seen(6), some_scores(6)
    silent = Seen(points.unit, {})
    found = Regression(silent, scores).evidence(grid(0)).log
    whole = Regression(points, scores).evidence(GRID).log
    assert_array_equal(found, whole[[h.past == 0 for h in GRID]])
    mean, spread = predict(Regression(silent, scores), grid(0)[0], silent)
    assert np.isfinite(mean).all()
    assert (spread > 0).all()
