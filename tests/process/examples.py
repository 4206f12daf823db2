"""Points and scores for the process to see, and its formulas written down once more, slowly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.gaussian_process.kernels import Matern

from malibo.process.hypotheses import Hypothesis
from malibo.process.regression import CONSTANT, JITTER, Seen, Voice

Array = NDArray[np.float64]


def seen(n: int, *, seed: int = 0, features: int = 4, columns: int = 3) -> Seen:
    """Random points of which a past has two voices, with random features."""
    rng = np.random.default_rng([seed, n])
    unit = rng.uniform(size=(n, columns))
    voices = [
        Voice(rng.standard_normal(n), rng.standard_normal((n, d)) / np.sqrt(d))
        for d in (features, features + 3)
    ]
    return Seen(unit, dict(enumerate(voices)))


def arrays(points: Seen) -> list[Array]:
    """All that points are made of."""
    return [
        points.unit,
        *(a for voice in points.voices.values() for a in (voice.foreseen, voice.phi)),
    ]


def some_scores(n: int, seed: int = 0) -> Array:
    """Random scores."""
    return np.random.default_rng([seed, n, 1]).standard_normal(n)


def covariance(h: Hypothesis, a: Seen, b: Seen) -> Array:
    """Of the scores at two sets of points, without noise: constant, past and own part."""
    longest = np.sqrt(a.unit.shape[1])
    own = h.own * Matern(h.length * longest, nu=2.5)(a.unit, b.unit)
    columns = zip(a.voices[h.voice].phi.T, b.voices[h.voice].phi.T, strict=True)
    past = sum((np.outer(one, other) for one, other in columns), np.zeros(()))
    if h.doubting:
        past = past + np.outer(a.voices[h.voice].foreseen, b.voices[h.voice].foreseen)
    return np.asarray(CONSTANT + own + h.past**2 * past)


def expected(h: Hypothesis, points: Seen) -> Array:
    """The scores that are expected before any is known."""
    return np.asarray((0 if h.doubting else h.past) * points.voices[h.voice].foreseen)


def noisy_covariance(h: Hypothesis, points: Seen) -> Array:
    """Of what is observed at the points."""
    return covariance(h, points, points) + (h.noise + JITTER) * np.eye(len(points))


def textbook(h: Hypothesis, known: Seen, scores: Array, new: Seen) -> tuple[Array, Array]:
    """Mean and covariance at new points, by the inverse."""
    inverse, cross = np.linalg.inv(noisy_covariance(h, known)), covariance(h, new, known)
    mean = expected(h, new) + cross @ inverse @ (scores - expected(h, known))
    return mean, covariance(h, new, new) - cross @ inverse @ cross.T
