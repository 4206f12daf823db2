"""q(z) as a set of draws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Samples:
    """Equally likely draws ``z`` (S, d)."""

    z: Array

    @property
    def mean(self) -> Array:
        """Mean of the draws."""
        return np.asarray(self.z.mean(axis=0))

    def draw(self, rng: np.random.Generator) -> Array:
        """One of the draws."""
        return np.asarray(self.z[rng.integers(len(self.z))])

    def variance(self, phi: Array) -> Array:
        """Variance of Φ·z for each row of Φ."""
        return np.asarray((phi @ self.z.T).var(axis=1))
