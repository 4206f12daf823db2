"""Points and scores for the process to see, and its formulas written down once more, slowly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.gaussian_process.kernels import Matern

from malibo.process.hypotheses import Hypothesis
from malibo.process.regression import CONSTANT, JITTER, Seen

Array = NDArray[np.float64]


def seen(n: int, *, seed: int = 0, features: int = 4, columns: int = 3) -> Seen:
    """Random points with random features."""
    rng = np.random.default_rng([seed, n])
    phi = rng.standard_normal((n, features)) / np.sqrt(features)
    return Seen(rng.standard_normal(n), phi, rng.uniform(size=(n, columns)))


def some_scores(n: int, seed: int = 0) -> Array:
    """Random scores."""
    return np.random.default_rng([seed, n, 1]).standard_normal(n)


def covariance(h: Hypothesis, a: Seen, b: Seen) -> Array:
    """Of the scores at two sets of points, without noise: constant, past and own part."""
    longest = np.sqrt(a.unit.shape[1])
    own = h.own * Matern(h.length * longest, nu=2.5)(a.unit, b.unit)
    past = h.past**2 * sum(np.outer(a.phi[:, k], b.phi[:, k]) for k in range(a.phi.shape[1]))
    return np.asarray(CONSTANT + own + past)


def noisy_covariance(h: Hypothesis, points: Seen) -> Array:
    """Of what is observed at the points."""
    return covariance(h, points, points) + (h.noise + JITTER) * np.eye(len(points))


def textbook(h: Hypothesis, known: Seen, scores: Array, new: Seen) -> tuple[Array, Array]:
    """Mean and covariance at new points, by the inverse."""
    inverse, cross = np.linalg.inv(noisy_covariance(h, known)), covariance(h, new, known)
    mean = h.past * new.foreseen + cross @ inverse @ (scores - h.past * known.foreseen)
    return mean, covariance(h, new, new) - cross @ inverse @ cross.T
