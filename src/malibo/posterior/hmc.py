"""Hamiltonian Monte Carlo: exact draws from the posterior, in the long run.

The momentum is measured in the coordinates u = Lᵀ(z − z_MAP) of the Laplace factor L, in
which the posterior is nearly a standard normal; one step size then fits every direction.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from malibo.posterior.evidence import Evidence
from malibo.posterior.laplace import laplace
from malibo.posterior.samples import Samples

Array = NDArray[np.float64]

_WARM_UP = 100
_TARGET = 0.8  # acceptance rate that the step size aims at during warm-up


def hmc(evidence: Evidence, rng: np.random.Generator, draws: int = 500) -> Samples:
    """``draws`` draws of z after a warm-up in which the step size is found."""
    q = laplace(evidence)
    inverse = solve_triangular(q.factor, np.eye(evidence.dimension), lower=True)
    to_z = np.asarray(inverse, np.float64).T  # L⁻ᵀ
    chain = np.empty((draws, evidence.dimension))
    u: Array = np.zeros(evidence.dimension)
    step = 0.5
    for i in range(-_WARM_UP, draws):
        # a trajectory of random length around a quarter turn, so that no orbit closes
        length = rng.uniform(0.5, 1.5) * np.pi / 2
        u, accepted = _transition(evidence, q.mean, to_z, u, step, length, rng)
        if i < 0:
            step *= np.exp((accepted - _TARGET) / np.sqrt(i + _WARM_UP + 1))
        else:
            chain[i] = q.mean + to_z @ u
    return Samples(chain)


def _transition(
    evidence: Evidence,
    centre: Array,
    to_z: Array,
    u: Array,
    step: float,
    length: float,
    rng: np.random.Generator,
) -> tuple[Array, float]:
    """One leapfrog trajectory from u; the new u, and the probability of accepting it."""

    def gradient(point: Array) -> Array:
        return np.asarray(to_z.T @ evidence.gradient(centre + to_z @ point))

    momentum = rng.standard_normal(len(u))
    energy = evidence.loss(centre + to_z @ u) + 0.5 * momentum @ momentum
    new, velocity = u, momentum - 0.5 * step * gradient(u)
    for _ in range(max(1, round(length / step))):
        new = new + step * velocity
        velocity = velocity - step * gradient(new)
    velocity = velocity + 0.5 * step * gradient(new)
    change = energy - evidence.loss(centre + to_z @ new) - 0.5 * velocity @ velocity
    accepted = math.exp(min(float(change), 0.0))
    return (new, accepted) if rng.uniform() < accepted else (u, accepted)
