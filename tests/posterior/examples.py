"""Tasks for the posterior to infer, and the exact posterior of the smallest ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from malibo.posterior import Evidence

Array = NDArray[np.float64]


def evidence(
    n: int, d: int, *, seed: int = 0, scale: float = 1.0, weight: float = 1.0, offset: float = -1.0
) -> Evidence:
    """n observations of a task whose true z is drawn from the prior."""
    rng = np.random.default_rng([seed, n, d])
    phi = scale * rng.standard_normal((n, d))
    good = rng.uniform(size=n) < expit(offset + phi @ rng.standard_normal(d))
    return Evidence(phi, np.full(n, offset), weight * good * rng.exponential(size=n), np.ones(n))


def skewed() -> Evidence:
    """Two observations, both bad: z is free below and pushed up from nowhere."""
    return Evidence(np.array([[3.0], [2.0]]), np.zeros(2), np.zeros(2), np.ones(2))


def grid_moments(task: Evidence, width: float = 8.0, points: int = 401) -> tuple[Array, Array]:
    """Mean and covariance of the posterior in 1 or 2 dimensions, by brute force."""
    axis = np.linspace(-width, width, points)
    axes = np.meshgrid(*[axis] * task.dimension, indexing="ij")
    z = np.stack([a.ravel() for a in axes], axis=1)
    loss = 0.5 * (z**2).sum(axis=1)
    for phi, offset, p, n in zip(task.phi, task.offset, task.p, task.n, strict=True):
        a = offset + z @ phi
        loss += p * np.logaddexp(0, -a) + n * np.logaddexp(0, a)
    weight = np.exp(loss.min() - loss)
    weight /= weight.sum()
    mean = weight @ z
    return mean, (z - mean).T @ ((z - mean) * weight[:, None])
