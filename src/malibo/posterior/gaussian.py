"""A Gaussian q(z), held by the Cholesky factor of its precision."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Gaussian:
    """N(mean, (L·Lᵀ)⁻¹) with the lower-triangular ``factor`` L."""

    mean: Array
    factor: Array

    def draw(self, rng: np.random.Generator) -> Array:
        """ẑ ~ q(z): L⁻ᵀ·ε has the covariance (L·Lᵀ)⁻¹."""
        noise = rng.standard_normal(len(self.mean))
        return np.asarray(self.mean + solve_triangular(self.factor, noise, trans=1, lower=True))

    def variance(self, phi: Array) -> Array:
        """Variance of Φ·z for each row of Φ: ‖L⁻¹·Φᵀ‖² (Equation 24)."""
        half = solve_triangular(self.factor, phi.T, lower=True)
        return np.asarray(np.einsum("ij,ij->j", half, half))

    def covariance(self) -> Array:
        """Σ, for those who need the whole matrix."""
        inverse = solve_triangular(self.factor, np.eye(len(self.mean)), lower=True)
        return np.asarray(inverse.T @ inverse)
