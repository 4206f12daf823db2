"""The observations as the posterior sees them, and the loss they define."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Evidence:
    """Features Φ (N, d), offsets (N,), weights p and n (N,), and L(z) over them."""

    phi: Array
    offset: Array
    p: Array
    n: Array

    @property
    def dimension(self) -> int:
        """d, the dimension of z."""
        return int(self.phi.shape[1])

    def logits(self, z: Array) -> Array:
        """a = m(Φ) + Φ·z."""
        return np.asarray(self.offset + self.phi @ z)

    def loss(self, z: Array) -> float:
        """L(z), Equation 6: −ln σ(a) is ln(1 + e^−a)."""
        a = self.logits(z)
        fit = self.p @ np.logaddexp(0, -a) + self.n @ np.logaddexp(0, a)
        return float(0.5 * z @ z + fit)

    def gradient(self, z: Array) -> Array:
        """dL/dz = z + Φᵀ[(p + n) σ(a) − p]."""
        residual = (self.p + self.n) * expit(self.logits(z)) - self.p
        return np.asarray(z + self.phi.T @ residual)

    def precision(self, curvature: Array) -> Array:
        """I + Φᵀ diag(curvature) Φ."""
        return np.asarray(np.eye(self.dimension) + (self.phi.T * curvature) @ self.phi)

    def hessian(self, z: Array) -> Array:
        """d²L/dz², Equation 7: the curvature of an observation is (p + n) σ(a)(1 − σ(a))."""
        k_hat = expit(self.logits(z))
        return self.precision((self.p + self.n) * k_hat * (1 - k_hat))
