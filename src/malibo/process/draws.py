"""Whole functions that the new task may be: draws of the score at many points together.

A function is drawn before anything is known, and then moved so that it fits the observations
(Matheron's rule): f(x) + k(x, X) K⁻¹ (s − f(X) − ε). That is a draw of the posterior, and it costs
no Cholesky factor of the points. The task's own part is a sum of waves whose frequencies follow
the spectrum of its Matérn kernel (random Fourier features).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from malibo.process.hypotheses import Hypothesis
from malibo.process.regression import CONSTANT, JITTER, Kernel, Regression, Seen

Array = NDArray[np.float64]

_FREQUENCIES = 256
_DEGREES = 5  # of freedom of Student's t, the spectrum of the Matérn kernel with ν = 5/2


def drawn_scores(
    regression: Regression,
    hypotheses: Sequence[tuple[Hypothesis, int]],
    points: Seen,
    rng: np.random.Generator,
    noisy: bool = False,
) -> Array:
    """Scores (draws, n) at the points: so many draws of each hypothesis.

    All scores of the regression are taken as measured, or there are none. With ``noisy`` the
    draws are what would be measured too.
    """
    known = len(regression.scores)
    prior = _prior(hypotheses, regression.seen.joined(points), rng)
    before, drawn = prior[:, :known], prior[:, known:]
    if known:
        kernel, start = Kernel(points, regression.seen), 0
        for h, count in hypotheses:
            rows = slice(start, start := start + count)
            noise = math.sqrt(h.noise + JITTER) * rng.standard_normal((count, known))
            rest = regression.scores - before[rows] - noise
            drawn[rows] += (kernel(h) @ regression.under(h).solve(rest.T)).T
    if noisy:
        noises = np.repeat([h.noise for h, _ in hypotheses], [count for _, count in hypotheses])
        drawn += np.sqrt(noises)[:, None] * rng.standard_normal(drawn.shape)
    return drawn


def _prior(
    hypotheses: Sequence[tuple[Hypothesis, int]], points: Seen, rng: np.random.Generator
) -> Array:
    """(draws, n) scores before anything is known: constant, past and own part."""
    each = [h for h, count in hypotheses for _ in range(count)]
    own, length = np.array([(h.own, h.length) for h in each]).T
    found = math.sqrt(CONSTANT) * rng.standard_normal((len(each), 1)) + np.zeros(len(points))
    for number, voice in points.voices.items():
        rows = np.flatnonzero([h.past > 0 and h.voice == number for h in each])
        past = np.array([each[row].past for row in rows])
        z = rng.standard_normal((len(rows), voice.phi.shape[1]))
        b = np.array([rng.standard_normal() if each[row].doubting else 1.0 for row in rows])
        found[rows] += past[:, None] * (np.outer(b, voice.foreseen) + z @ voice.phi.T)
    for one in np.unique(length):
        rows = np.flatnonzero(length == one)
        waves = _waves(points.unit, one, rng)
        normal = rng.standard_normal((len(rows), len(waves)))
        found[rows] += np.sqrt(own[rows])[:, None] * (normal @ waves)
    return np.asarray(found)


def _waves(unit: Array, length: float, rng: np.random.Generator) -> Array:
    """(2 · frequencies, n): their products have the Matérn correlation as expectation."""
    columns = unit.shape[1]
    normal = rng.standard_normal((_FREQUENCIES, columns))
    heavy = np.sqrt(_DEGREES / rng.chisquare(_DEGREES, (_FREQUENCIES, 1)))
    phase = normal * heavy / (length * math.sqrt(max(columns, 1))) @ unit.T
    return np.concatenate([np.cos(phase), np.sin(phase)]) / math.sqrt(_FREQUENCIES)
