"""Gaussian process regression of the scores, under one hypothesis at a time.

Shapes: N observations, n points, d features, D columns of the unit cube.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError
from scipy.linalg.blas import dtrmm
from scipy.linalg.lapack import dpotrf, dpotrs, dtrtri

from malibo.process.hypotheses import GRID, NOISES, Hypothesis

Array = NDArray[np.float64]

CONSTANT = 25.0  # prior variance of c: as good as unknown
JITTER = 1e-9


@dataclass(frozen=True, eq=False)
class Seen:
    """Points as the process sees them.

    foreseen   (n,) −m(Φ), what the past alone says of the score
    phi        (n, d) features, on the same scale
    unit       (n, D) unit cube
    """

    foreseen: Array
    phi: Array
    unit: Array

    def __len__(self) -> int:
        return len(self.foreseen)

    @property
    def arrays(self) -> tuple[Array, Array, Array]:
        """All three."""
        return self.foreseen, self.phi, self.unit

    @cached_property
    def squares(self) -> Array:
        """(n,) ‖Φ‖²."""
        return np.asarray(np.einsum("ij,ij->i", self.phi, self.phi))

    def rows(self, which: NDArray[np.intp] | slice) -> Seen:
        """Some of the points."""
        return Seen(self.foreseen[which], self.phi[which], self.unit[which])

    def joined(self, other: Seen) -> Seen:
        """These points and others."""
        pairs = zip(self.arrays, other.arrays, strict=True)
        return Seen(*(np.concatenate(pair) for pair in pairs))


class Kernel:
    """Covariances between two sets of points; their parts are computed once."""

    def __init__(self, a: Seen, b: Seen) -> None:
        self._a, self._b = a.phi, b.phi
        self._distance = distances(a.unit, b.unit) / np.sqrt(max(a.unit.shape[1], 1))
        self._matern: dict[float, Array] = {}
        self._owns: dict[tuple[float, float], Array] = {}
        self._pasts: dict[float, Array] = {}

    def __call__(self, h: Hypothesis) -> Array:
        """Covariances under a hypothesis, without noise."""
        return self._own(h) + self._past(h)

    def _own(self, h: Hypothesis) -> Array:
        """Of the task's own part."""
        if h.length not in self._matern:
            self._matern[h.length] = matern(self._distance / h.length)
        if (h.own, h.length) not in self._owns:
            self._owns[h.own, h.length] = h.own * self._matern[h.length]
        return self._owns[h.own, h.length]

    def _past(self, h: Hypothesis) -> Array:
        """Of the constant and the meta-model's part."""
        if h.past not in self._pasts:
            self._pasts[h.past] = h.past**2 * self._linear + CONSTANT
        return self._pasts[h.past]

    @cached_property
    def _linear(self) -> Array:
        return np.asarray(self._a @ self._b.T)


def distances(a: Array, b: Array) -> Array:
    """(n, N) Euclidean distances between the rows of two arrays."""
    squares_a, squares_b = (np.sum(x**2, axis=1)[:, None] for x in (a, b))
    left = np.hstack([a, squares_a, np.ones_like(squares_a)])
    right = np.hstack([-2 * b, np.ones_like(squares_b), squares_b])
    found = left @ right.T  # |a|² − 2ab + |b|² in one go
    np.maximum(found, 0, out=found)
    return np.asarray(np.sqrt(found, out=found))


def matern(distance: Array) -> Array:
    """The Matérn correlation with ν = 5/2: (1 + r + r²/3) exp(−r), r = √5 · distance."""
    r = math.sqrt(5) * distance
    found = r / 3
    found += 1
    found *= r
    found += 1
    np.negative(r, out=r)
    found *= np.exp(r, out=r)
    return found


@dataclass(frozen=True, eq=False)
class Prediction:
    """Scores foreseen under one hypothesis.

    solved    (N,) what an observation adds to the mean at points that covary with it
    inverse   (N, N) inverse of the lower Cholesky factor; what is above the diagonal is left over
    means     (N,) mean scores at the observations themselves
    """

    hypothesis: Hypothesis
    solved: Array
    inverse: Array
    means: Array

    def at(self, points: Seen, kernel: Kernel) -> tuple[Array, Array]:
        """Mean and standard deviation of the score at points, without noise.

        ``kernel`` is that between the points and the observations.
        """
        h, cross = self.hypothesis, kernel(self.hypothesis)
        mean = h.past * points.foreseen + cross @ self.solved
        half = dtrmm(1.0, self.inverse, cross.T, lower=1, overwrite_b=1).T
        prior = h.past**2 * points.squares + h.own + CONSTANT
        variance = prior - np.einsum("ij,ij->i", half, half)
        return np.asarray(mean), np.sqrt(np.maximum(variance, 1e-10))

    def solve(self, rest: Array) -> Array:
        """K⁻¹ · rest (N, k), with K the noisy covariance of the observations."""
        inverse = np.tril(self.inverse)
        return np.asarray(inverse.T @ (inverse @ rest))


class Regression:
    """What scores at some points say of those at others.

    The last ``believed`` of them are no measurements, and have no noise.
    """

    def __init__(self, seen: Seen, scores: Array, believed: int = 0) -> None:
        self.seen, self.scores = seen, scores
        self._kernel = Kernel(seen, seen)
        self._measured = (np.arange(len(scores)) < len(scores) - believed).astype(float)

    def log_evidence(self) -> Array:
        """ln p(s₁…s_N) under each hypothesis of the grid, up to a constant."""
        found = []
        for start in range(0, len(GRID), len(NOISES)):  # which differ in nothing but the noise
            covariance = self._kernel(GRID[start])
            rest = self._rest(GRID[start])
            found += [_log_density(rest, covariance, h.noise) for h in GRID[start:][: len(NOISES)]]
        return np.array(found)

    def under(self, h: Hypothesis) -> Prediction:
        """What they say under a hypothesis."""
        covariance, rest = self._kernel(h), self._rest(h)
        factor = _surely_factor(covariance, h.noise * self._measured)
        inverse, _ = dtrtri(factor, lower=1)
        solved = _solve(factor, rest)
        means = h.past * self.seen.foreseen + covariance @ solved
        return Prediction(h, solved, inverse, means)

    def _rest(self, h: Hypothesis) -> Array:
        """What the past alone does not explain."""
        return np.asarray(self.scores - h.past * self.seen.foreseen)


def _factor(covariance: Array, noise: float | Array) -> Array:
    """Lower Cholesky factor of a covariance with noise; what is above the diagonal is left over.

    Called many times for a suggestion, so LAPACK is called without scipy's checks.
    """
    noisy = covariance.copy()
    noisy.flat[:: len(noisy) + 1] += noise + JITTER
    factor, info = dpotrf(noisy.T, lower=1, overwrite_a=1, clean=0)
    if info:
        raise LinAlgError("the covariance is not positive definite.")
    return np.asarray(factor)


def _surely_factor(covariance: Array, noise: Array) -> Array:
    """The same, with as much more noise as it takes."""
    for more in (0.0, 1e-6, 1e-4):
        try:
            return _factor(covariance, noise + more)
        except LinAlgError:
            continue
    return _factor(covariance, noise + 1e-2)


def _solve(factor: Array, rest: Array) -> Array:
    solved, _ = dpotrs(factor, rest, lower=1)
    return np.asarray(solved)


def _log_density(rest: Array, covariance: Array, noise: float) -> float:
    """ln N(rest; 0, covariance + noise), up to a constant."""
    try:
        factor = _factor(covariance, noise)
    except LinAlgError:  # with so little noise it cannot be told from singular
        return -np.inf
    return float(-0.5 * rest @ _solve(factor, rest) - np.log(factor.diagonal()).sum())
