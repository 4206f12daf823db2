"""The observations as a residual model sees them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Observed:
    """The observations as the residual model sees them.

    unit   (N, D) points, base (N,) their base logits, p and n (N,) weights (malibo.labels)
    """

    unit: Array
    base: Array
    p: Array
    n: Array

    def __len__(self) -> int:
        return len(self.p)

    def rows(self, which: NDArray[np.intp]) -> Observed:
        """Some of the observations."""
        return Observed(self.unit[which], self.base[which], self.p[which], self.n[which])

    @property
    def target(self) -> Array:
        """p / (p + n): with the weight p + n, its cross-entropy is the LFBO loss of the row."""
        return self.p / (self.p + self.n)

    def loss(self, logits: Array) -> float:
        """The LFBO loss, summed."""
        return float(self.p @ np.logaddexp(0, -logits) + self.n @ np.logaddexp(0, logits))
