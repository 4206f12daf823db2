"""What counts as good, and how much: the one definition, for the past and for the new task.

γ       share of observations that count as good
τ       threshold: the γ-quantile of the losses, linear between neighbours
k       1(y ≤ τ)
p       positive weight k·U(y; τ), U = τ − y for EI, 1 for PI (Equation 2 of the paper)
n       negative weight, 1 for every observation

A classifier that minimises −Σ p·ln C + n·ln(1 − C) has C / (1 − C) proportional to the
expected utility. Only the proportion matters, so p is scaled to sum to γ times the
number of values: then the weights are free of the scale and offset of y, and the logit
of a classifier that knows nothing is ln γ, whatever the losses are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from malibo.config import GAMMA, Utility

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Labels:
    """One row an observation: threshold τ, label k, positive weight p, negative weight n."""

    tau: float
    k: NDArray[np.bool_]
    p: Array
    n: Array


def label(losses: ArrayLike, gamma: float = GAMMA, utility: Utility = "ei") -> Labels:
    """Labels and weights of the observations of one task.

    Failed trials (NaN or infinite losses) are never good: k = 0, p = 0. They do not move τ.
    Where no good observation is better than another (one observation, all equal, or more
    ties for the best than γ), EI falls back to equal weights among the good ones.
    """
    y = np.asarray(losses, dtype=float)
    valid = np.isfinite(y)
    k = np.zeros(y.shape, dtype=bool)
    p = np.zeros(y.shape)
    tau = np.nan
    if valid.any():
        tau, k[valid], gain = _good(y[valid], gamma)
        utilities = gain if utility == "ei" and gain.any() else np.ones_like(gain)
        p[k] = gamma * valid.sum() * utilities / utilities.sum()
    return Labels(tau=float(tau), k=k, p=p, n=np.ones_like(p))


def _good(y: Array, gamma: float) -> tuple[float, NDArray[np.bool_], Array]:
    """τ, k, and the improvement τ − y of the good ones (up to a common factor).

    With the order statistic y_j just at or below τ, y ≤ τ is the same as y ≤ y_j. Written
    so, k depends on the order of the values alone and rounding cannot change it.
    """
    position = gamma * (len(y) - 1)
    j = int(position + 1e-9)
    rest = max(position - j, 0.0)
    next_ = min(j + 1, len(y) - 1)
    ordered = np.partition(y, (j, next_))
    k = y <= ordered[j]
    low, high = ordered[j] / 4, ordered[next_] / 4  # differences of huge values stay finite
    tau = low + rest * (high - low)
    gain = (low - y[k] / 4) + (tau - low)
    return 4 * tau, k, gain / (gain.max() or 1.0)
