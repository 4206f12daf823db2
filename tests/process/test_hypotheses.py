"""Hypotheses: a grid with and without the past, and weights that are probabilities."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from malibo.kernels import matern
from malibo.process.hypotheses import (
    NOISES,
    Grid,
    Hypothesis,
    alone,
    grid,
    log_weights,
    total,
)
from malibo.process.hypotheses import weights as normalised
from process.examples import Array
from strategies import repeatable

SMALL = Grid(
    [
        Hypothesis(past=1.0, own=0.1, length=0.5, noise=1e-3),
        Hypothesis(past=0.5, own=0.1, length=0.5, noise=1e-3),
        Hypothesis(past=0.2, own=0.1, length=0.5, noise=1e-3),
        Hypothesis(past=0.0, own=1.0, length=0.5, noise=1e-3),
        Hypothesis(past=0.0, own=1.0, length=0.2, noise=1e-3),
    ]
)
GRID = grid(2)
BELIEVING = np.array([h.past > 0 and not h.doubting for h in GRID])
DOUBTING = np.array([h.doubting for h in GRID])
WITHOUT = np.array([h.past == 0 for h in GRID])
VOICES = np.array([h.voice for h in GRID])


def weights(evidence: Array, trust: float, hypotheses: Grid) -> Array:
    """Probabilities, given evidence."""
    return normalised(log_weights(evidence, trust, hypotheses))


@repeatable
@given(
    st.lists(st.floats(-1e4, 1e4), min_size=len(SMALL), max_size=len(SMALL)), st.floats(0.01, 0.99)
)
def test_weights_are_probabilities_in_proportion_to_prior_and_evidence(
    evidence: list[float], trust: float
) -> None:
    found = weights(np.array(evidence), trust, SMALL)
    assert found.sum() == pytest.approx(1)
    assert (found >= 0).all()
    prior = np.array([trust / 3] * 3 + [(1 - trust) / 2] * 2)
    expected = prior * np.exp(np.array(evidence) - max(evidence))
    assert_allclose(found, expected / expected.sum(), rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("trust", [0.05, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("evidence", [0.0, -1e6, 1e6])
def test_equal_evidence_leaves_the_trust_as_it_was(trust: float, evidence: float) -> None:
    found = weights(np.full(len(GRID), evidence), trust, GRID)
    assert found[BELIEVING].sum() + found[DOUBTING].sum() / 2 == pytest.approx(trust)
    assert found.sum() == pytest.approx(1)


def test_full_trust_leaves_nothing_to_those_that_do_not_believe_the_past() -> None:
    evidence = np.where(BELIEVING, -1e3, 1e3)  # whatever they say
    found = weights(evidence, 1.0, GRID)
    assert_array_equal(found[~BELIEVING], 0)
    assert found.sum() == pytest.approx(1)


def test_without_any_trust_the_past_is_not_even_doubted() -> None:
    found = weights(np.where(WITHOUT, -1e3, 1e3), 0.0, GRID)
    assert_allclose(found[WITHOUT], 1 / WITHOUT.sum())


def test_one_part_in_a_hundred_is_doubt_where_four_fifths_are_trust() -> None:
    found = weights(np.zeros(len(GRID)), 0.8, GRID)
    assert found[DOUBTING].sum() == pytest.approx(0.01)
    assert found[WITHOUT].sum() == pytest.approx(0.195)


def test_what_cannot_be_has_no_weight() -> None:
    evidence = np.array([0.0, -np.inf, 0.0, 0.0, -np.inf])
    found = weights(evidence, 0.5, SMALL)
    assert_array_equal(found[[1, 4]], 0)
    prior = np.array([0.5 / 3, 0, 0.5 / 3, 0.5 / 2, 0])
    assert_allclose(found, prior / prior.sum())


@pytest.mark.parametrize("shift", [0.0, -1e5, 1e5])
def test_the_total_is_the_average_of_the_evidence(shift: float) -> None:
    evidence = np.array([0.0, 1.0, -2.0, 0.5, 3.0])
    prior = np.array([0.6 / 3] * 3 + [0.4 / 2] * 2)
    expected = np.log(prior @ np.exp(evidence))
    assert total(log_weights(evidence + shift, 0.6, SMALL)) == pytest.approx(expected + shift)


def test_the_grid_has_distinct_hypotheses_with_and_without_the_past() -> None:
    assert len(set(GRID)) == len(GRID)
    assert 0 < WITHOUT.sum() < len(GRID)
    for h in GRID:
        assert h.past >= 0
        assert min(h.own, h.length, h.noise) > 0


@pytest.mark.parametrize("hypotheses", [GRID, alone()])
def test_the_noise_runs_fastest(hypotheses: Grid) -> None:
    for start in range(0, len(hypotheses), len(NOISES)):
        group = hypotheses[start : start + len(NOISES)]
        assert tuple(h.noise for h in group) == NOISES
        assert len({(h.past, h.own, h.length, h.voice, h.doubting) for h in group}) == 1


def test_what_believes_the_past_is_followed_by_its_doubting_twin() -> None:
    for row in np.flatnonzero(BELIEVING):
        assert GRID[row + len(NOISES)] == replace(GRID[row], doubting=True)
    assert BELIEVING.sum() == DOUBTING.sum()
    assert (BELIEVING | DOUBTING | WITHOUT).all()


def test_the_grid_grows_by_the_hypotheses_of_each_voice() -> None:
    assert grid(0) == tuple(h for h in GRID if not h.past)
    assert grid(1) == tuple(h for h in GRID if not (h.past and h.voice))
    assert {h.voice for h in GRID if h.past} == {0, 1}


@pytest.mark.parametrize("trust", [0.3, 1.0])
def test_voices_share_the_trust_evenly(trust: float) -> None:
    found = weights(np.zeros(len(GRID)), trust, GRID)
    for voice in (0, 1):
        its = found[voice == VOICES]
        upright = BELIEVING + DOUBTING / 2
        assert its @ upright[voice == VOICES] == pytest.approx(trust / 2)


@pytest.mark.parametrize("trust", [0.0, 0.8, 1.0])
def test_without_a_voice_there_is_nothing_to_trust(trust: float) -> None:
    found = weights(np.zeros(len(grid(0))), trust, grid(0))
    assert_allclose(found, 1 / len(grid(0)))


def test_those_made_to_do_without_the_past_are_those_of_the_grid_but_for_the_variance() -> None:
    assert len(set(alone())) == len(alone())
    for made, plain in zip(alone(), grid(0), strict=True):
        assert (made.past, made.length, made.noise) == (0, plain.length, plain.noise)
        assert made.own > plain.own


@pytest.mark.parametrize(("columns", "within"), [(2, 0.25), (6, 0.1), (20, 0.05)])
def test_without_the_past_a_task_varies_by_one_over_the_space(columns: int, within: float) -> None:
    """Half the mean square of the difference between two points is its variance over them."""
    rng = np.random.default_rng(columns)
    one, other = rng.random((2, 20_000, columns))
    share = np.linalg.norm(one - other, axis=1) / np.sqrt(columns)  # of the diagonal
    for h in alone():
        varies = h.own * (1 - matern(share, h.length)).mean()
        assert varies == pytest.approx(1, abs=within)
