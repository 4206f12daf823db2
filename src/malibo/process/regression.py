"""Gaussian process regression of the scores, under one hypothesis at a time.

Shapes: N observations, n points, d features, D columns of the unit cube.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError
from scipy.linalg.blas import dtrmm
from scipy.linalg.lapack import dpotrf, dpotrs, dtrtri, dtrtrs
from scipy.special import ndtr

from malibo.kernels import distances, matern
from malibo.process.hypotheses import NOISES, Grid, Hypothesis

Array = NDArray[np.float64]

CONSTANT = 25.0  # prior variance of c: as good as unknown
JITTER = 1e-9


@dataclass(frozen=True, eq=False)
class Voice:
    """What one part of the meta-model says of points: the prior of a·(b·foreseen + zᵀΦ).

    foreseen   (n,) the score that is expected
    phi        (n, d) in which ways it may be another one
    """

    foreseen: Array
    phi: Array

    @cached_property
    def squares(self) -> Array:
        """(n,) ‖Φ‖²."""
        return np.asarray(np.einsum("ij,ij->i", self.phi, self.phi))

    def rows(self, which: NDArray[np.intp] | slice) -> Voice:
        """Of some of the points."""
        return Voice(self.foreseen[which], self.phi[which])

    def joined(self, other: Voice) -> Voice:
        """Of these points and others."""
        return Voice(
            np.concatenate([self.foreseen, other.foreseen]), np.concatenate([self.phi, other.phi])
        )


@dataclass(frozen=True, eq=False)
class Seen:
    """Points as the process sees them.

    unit     (n, D) unit cube
    voices   of the past by their numbers, on one scale: those that are listened to
    """

    unit: Array
    voices: Mapping[int, Voice]

    def __len__(self) -> int:
        return len(self.unit)

    def foreseen(self, h: Hypothesis) -> Array:
        """(n,) the score that the past alone makes expect."""
        if not h.past or h.doubting:
            return np.zeros(len(self))
        return h.past * self.voices[h.voice].foreseen

    def past_variance(self, h: Hypothesis) -> Array | float:
        """(n,) of that score, before anything is known."""
        if not h.past:
            return 0.0
        voice = self.voices[h.voice]
        return h.past**2 * (voice.squares + voice.foreseen**2 if h.doubting else voice.squares)

    def rows(self, which: NDArray[np.intp] | slice) -> Seen:
        """Some of the points."""
        return Seen(self.unit[which], {i: voice.rows(which) for i, voice in self.voices.items()})

    def stretched(self, by: Array) -> Seen:
        """The same points, with the columns of the unit cube stretched by (D,)."""
        return Seen(self.unit * by, self.voices)

    def joined(self, other: Seen) -> Seen:
        """These points and others."""
        voices = {i: voice.joined(other.voices[i]) for i, voice in self.voices.items()}
        return Seen(np.concatenate([self.unit, other.unit]), voices)


class Kernel:
    """Covariances between two sets of points; their parts are computed once."""

    def __init__(self, a: Seen, b: Seen) -> None:
        self._a, self._b = a.voices, b.voices
        self._distance = distances(a.unit, b.unit)
        self._diagonal = math.sqrt(max(a.unit.shape[1], 1))
        self._matern: dict[float, Array] = {}
        self._owns: dict[tuple[float, float], Array] = {}
        self._linears: dict[int, Array] = {}
        self._pasts: dict[tuple[int, float, bool], Array] = {}

    def __call__(self, h: Hypothesis) -> Array:
        """Covariances under a hypothesis, without noise."""
        return self._own(h) + (self._past(h) if h.past else CONSTANT)

    def _own(self, h: Hypothesis) -> Array:
        """Of the task's own part."""
        if h.length not in self._matern:
            self._matern[h.length] = matern(self._distance, h.length * self._diagonal)
        if (h.own, h.length) not in self._owns:
            self._owns[h.own, h.length] = h.own * self._matern[h.length]
        return self._owns[h.own, h.length]

    def _past(self, h: Hypothesis) -> Array:
        """Of the constant and the meta-model's part."""
        key = (h.voice, h.past, h.doubting)
        if key not in self._pasts:
            self._pasts[key] = h.past**2 * self._linear(h) + CONSTANT
        return self._pasts[key]

    def _linear(self, h: Hypothesis) -> Array:
        """Of zᵀΦ, and of b times what the past expects where that is doubted."""
        a, b = self._a[h.voice], self._b[h.voice]
        if h.voice not in self._linears:
            self._linears[h.voice] = a.phi @ b.phi.T
        linear = self._linears[h.voice]
        return linear + np.outer(a.foreseen, b.foreseen) if h.doubting else linear


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
        mean = points.foreseen(h) + cross @ self.solved
        half = dtrmm(1.0, self.inverse, cross.T, lower=1, overwrite_b=1).T
        prior = points.past_variance(h) + h.own + CONSTANT
        variance = prior - np.einsum("ij,ij->i", half, half)
        return np.asarray(mean), np.sqrt(np.maximum(variance, 1e-10))

    def solve(self, rest: Array) -> Array:
        """K⁻¹ · rest (N, k), with K the noisy covariance of the observations."""
        inverse = np.tril(self.inverse)
        return np.asarray(inverse.T @ (inverse @ rest))


class Evidence(NamedTuple):
    """What scores say of hypotheses.

    log       ln p(s₁…s_N) under each, up to a constant
    upright   the probability that what the past expects has the right sign: 1 for those that
              believe it, P(b > 0) for those that doubt it, 0 for those without a past
    """

    log: Array
    upright: Array


class Regression:
    """What scores at some points say of those at others.

    The last ``believed`` of them are no measurements, and have no noise.
    """

    def __init__(self, seen: Seen, scores: Array, believed: int = 0) -> None:
        self.seen, self.scores = seen, scores
        self._kernel = Kernel(seen, seen)
        self._measured = (np.arange(len(scores)) < len(scores) - believed).astype(float)

    def evidence(self, hypotheses: Grid) -> Evidence:
        """What the scores say of each hypothesis, in the order of the grid.

        That is: the noise runs fastest, and doubting ones come directly after their twins.
        """
        shape = (len(hypotheses), len(self.scores))
        diagonals = np.full(shape, np.inf)  # of the Cholesky factors L; infinite: there is none
        solved = np.zeros((*shape, 2))  # L⁻¹ · rest, and L⁻¹ · what the past expects
        for start in range(0, len(hypotheses), len(NOISES)):  # they differ in the noise alone
            h = hypotheses[start]
            if h.doubting or not len(self.scores):
                continue
            covariance, foreseen = self._kernel(h), self.seen.foreseen(h)
            sides = np.array([self.scores - foreseen, foreseen]).T
            for row, noise in enumerate(NOISES, start):
                try:
                    factor = _factor(covariance, noise)
                except LinAlgError:  # so little noise that it cannot be told from singular
                    continue
                diagonals[row] = factor.diagonal()
                solved[row], _ = dtrtrs(factor, sides, lower=1)
        log = -0.5 * _squares(solved[..., 0]) - np.log(diagonals).sum(axis=1)
        upright = (hypotheses.voices >= 0).astype(float)
        doubting = np.flatnonzero(hypotheses.doubting)
        twins = doubting - len(NOISES)
        more, upright[doubting] = _doubted(solved[twins, :, 0], solved[twins, :, 1])
        log[doubting] = log[twins] + more
        return Evidence(log, upright)

    def under(self, h: Hypothesis) -> Prediction:
        """What they say under a hypothesis."""
        covariance, rest = self._kernel(h), self._rest(h)
        factor = _surely_factor(covariance, h.noise * self._measured)
        inverse, _ = dtrtri(factor, lower=1)
        solved = _solve(factor, rest)
        means = self.seen.foreseen(h) + covariance @ solved
        return Prediction(h, solved, inverse, means)

    def _rest(self, h: Hypothesis) -> Array:
        """What the past alone does not explain."""
        return np.asarray(self.scores - self.seen.foreseen(h))


def _doubted(halves: Array, expected: Array) -> tuple[Array, Array]:
    """What it adds to ln p that an expectation f counts b ~ N(0, 1) times, and P(b > 0) then.

    With u = L⁻¹ (s − f) and v = L⁻¹ f the covariance L Lᵀ grows by f fᵀ, and the rest by f. By the
    lemmas of Sherman and Morrison and of the determinant, with w = 1 + v·v, that adds
    ½ ((u·v − 1)² / w − 1 − ln w). Given the scores b has the mean (u + v)·v / w and the variance
    1 / w.
    """
    along, w = np.einsum("ij,ij->i", halves, expected), 1 + _squares(expected)
    more = 0.5 * ((along - 1) ** 2 / w - 1 - np.log(w))
    return more, ndtr((along + w - 1) / np.sqrt(w))


def _squares(rows: Array) -> Array:
    return np.asarray(np.einsum("ij,ij->i", rows, rows))


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
