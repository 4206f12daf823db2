"""Losses on a scale on which a Gaussian process can see them, and the way back."""

from __future__ import annotations

from dataclasses import dataclass

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
    if not np.isfinite(losses).any():
        return np.zeros(len(losses))
    found = _drawn_together(losses, _Scale.of(losses))
    spread = found.std()
    return np.asarray(found / spread if spread > 0 else np.zeros(len(losses)))


def losses_of(scored: Array, losses: Array) -> Array:
    """The inverse: which losses have such scores, on the scale that ``scores(losses)`` has.

    Where a score is beyond the worst loss, it is the worst loss: what lies beyond, nobody saw.
    There must be a valid loss; where all are equal, every score is that loss.
    """
    scale, worst = _Scale.of(losses), np.nanmax(losses)
    u = scored * _drawn_together(losses, scale).std()
    with np.errstate(divide="ignore", over="ignore"):
        u = np.where(u > 0, 1 / (1 - np.clip(u, 0, 1)) - 1, u)
        found = (scale.bad + scale.unit * u) * scale.size
    return np.asarray(np.minimum(found, worst))


@dataclass(frozen=True)
class _Scale:
    """Numbers of a task: its losses are seen as (loss / size − bad) / unit."""

    size: float
    bad: float
    unit: float

    @classmethod
    def of(cls, losses: Array) -> _Scale:
        valid = losses[np.isfinite(losses)]
        size = np.abs(valid).max() or 1.0  # differences of huge losses stay finite
        y = valid / size
        bad = np.quantile(y, _BAD)
        return cls(size, bad, (bad - y.min()) or (y.max() - bad) or 1.0)


def _drawn_together(losses: Array, scale: _Scale) -> Array:
    """Losses in units of their scale, with what is worse than its zero squeezed below 1."""
    with np.errstate(over="ignore"):  # infinitely bad is bad, too
        u = np.where(np.isfinite(losses), (losses / scale.size - scale.bad) / scale.unit, np.inf)
    return np.where(u > 0, 1 - 1 / (1 + np.maximum(u, 0)), u)
