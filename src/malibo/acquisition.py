"""A score over points: logits of a Thompson draw, of the probit average, or of the mean.

Only the order of scores matters to whoever maximises them, and the sigmoid keeps it, so
scores stay logits. Points are given by their features Φ (n, d) and mean logits m(Φ) (n,).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from malibo.config import Exploration
from malibo.posterior import Posterior

Array = NDArray[np.float64]


def embedding(posterior: Posterior, explore: Exploration, rng: np.random.Generator) -> Array:
    """The one z of a suggestion: drawn once for "thompson", the mean of q(z) for the others."""
    return posterior.draw(rng) if explore == "thompson" else posterior.mean


def drawn_logits(z: Array, phi: Array, offset: Array) -> Array:
    """m(Φ) + ẑᵀΦ, Equation 9."""
    return np.asarray(offset + phi @ z)


def probit_logits(posterior: Posterior, phi: Array, offset: Array) -> Array:
    """Logit of the averaged prediction, μ / sqrt(1 + π σ² / 8) (Appendix B)."""
    mean = drawn_logits(posterior.mean, phi, offset)
    return np.asarray(mean / np.sqrt(1 + np.pi / 8 * posterior.variance(phi)))
