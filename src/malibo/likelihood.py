"""How likely scores are under a Gaussian process with a Matérn kernel, with its exact gradient.

By it lengths are chosen: those of the past tasks' functions, and those of the new task's own part.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from malibo.kernels import distances

Array = NDArray[np.float64]


class Likelihood(NamedTuple):
    """−ln p(scores) up to a constant, and its derivatives.

    by_length   (D,) by ln of the length along each column
    by_noise    by the variance of the noise
    """

    value: float
    by_length: Array
    by_noise: float


def negative_log_likelihood(
    points: Array, scores: Array, noise: float, variance: float = 1.0, constant: float = 0.0
) -> Likelihood:
    """Of scores (n,) at points (n, D), given in units of the lengths.

    They are a constant of that prior variance, a process of the given variance, and noise.
    """
    r = math.sqrt(5) * distances(points, points)
    decay = np.exp(-r)
    covariance = variance * (1 + r + r**2 / 3) * decay + constant
    covariance.flat[:: len(r) + 1] += noise
    factor = cho_factor(covariance, lower=True)
    inverse = cho_solve(factor, np.eye(len(r)))
    solved = inverse @ scores
    value = 0.5 * scores @ solved + np.log(np.diag(factor[0])).sum()
    outer = np.outer(solved, solved) - inverse
    # ∂k/∂ln ℓ = 5/3 (1 + r) exp(−r) · Δ²/ℓ², and Σᵢⱼ W (xᵢ − xⱼ)² = 2 (x²ᵀ W 1 − xᵀ W x)
    slope = outer * (5 / 3 * variance * (1 + r) * decay)
    by_length = points.T**2 @ slope.sum(axis=1) - np.einsum("id,id->d", points, slope @ points)
    return Likelihood(float(value), -by_length, float(-0.5 * np.trace(outer)))
