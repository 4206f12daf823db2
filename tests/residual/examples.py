"""Observations for residual models."""

from __future__ import annotations

import numpy as np

from malibo.labels import label
from malibo.residual.observed import Array, Observed

NOTHING_KNOWN = np.log(1 / 3)  # the logit of a classifier that knows nothing


def loss_of(unit: Array) -> Array:
    """A bowl in the first two columns."""
    return np.asarray(((unit[:, :2] - 0.5) ** 2).sum(axis=1))


def observed(n: int, *, d: int = 2, seed: int = 0, base: float | Array = NOTHING_KNOWN) -> Observed:
    """Observations of the bowl, over a constant or given base."""
    unit = np.random.default_rng([seed, n, d]).uniform(size=(n, d))
    labels = label(loss_of(unit))
    return Observed(unit, np.broadcast_to(base, n).astype(float), labels.p, labels.n)
