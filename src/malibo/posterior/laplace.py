"""Laplace approximation: a Gaussian at the maximum, with the exact Hessian as precision."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve, cholesky

from malibo.posterior.evidence import Evidence
from malibo.posterior.gaussian import Gaussian

Array = NDArray[np.float64]

_STEPS = 100
_TOLERANCE = 1e-10


def laplace(evidence: Evidence) -> Gaussian:
    """q(z) = N(z_MAP, H⁻¹), with H the Hessian of the loss that z_MAP minimises."""
    mean = map_estimate(evidence)
    return Gaussian(mean, np.asarray(cholesky(evidence.hessian(mean), lower=True), np.float64))


def map_estimate(evidence: Evidence) -> Array:
    """z_MAP by damped Newton. L is convex with H ≥ I, so halving the step always ends."""
    z = np.zeros(evidence.dimension)
    loss = evidence.loss(z)
    for _ in range(_STEPS):
        gradient = evidence.gradient(z)
        factor = cholesky(evidence.hessian(z), lower=True)
        direction = -cho_solve((factor, True), gradient)
        decrease = -(gradient @ direction)
        if decrease <= _TOLERANCE:
            break
        step = 1.0
        while (trial := evidence.loss(z + step * direction)) > loss - 1e-4 * step * decrease:
            step /= 2
            if step < 1e-8:
                return z
        z, loss = z + step * direction, trial
    return z
