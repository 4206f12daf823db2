"""Losses on a scale on which a Gaussian process can see them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


_BAD = 0.8  # quantile of the losses from which on they are drawn together


def scores(losses: Array) -> Array:
    """Losses moved and scaled to a standard deviation of 1, bad ones drawn together.

    The 0.8-quantile goes to 0 and the best loss to −1; one that is worse than the quantile by u
    becomes u / (1 + u), for how bad a bad one is tells little of where the good ones are.
    Neither the offset nor the unit of the losses matters. Failed trials (NaN) are the worst.
    """
    valid = np.isfinite(losses)
    if not valid.any():
        return np.zeros(len(losses))
    y = losses / (np.abs(losses[valid]).max() or 1.0)  # differences of huge losses stay finite
    bad, best, worst = np.quantile(y[valid], _BAD), y[valid].min(), y[valid].max()
    unit = (bad - best) or (worst - bad) or 1.0
    with np.errstate(over="ignore"):  # infinitely bad is bad, too
        u = np.where(valid, (y - bad) / unit, np.inf)
    found = np.where(u > 0, 1 - 1 / (1 + np.maximum(u, 0)), u)
    spread = found.std()
    return np.asarray(found / spread if spread > 0 else np.zeros(len(losses)))
