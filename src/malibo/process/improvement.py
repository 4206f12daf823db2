"""Expected improvement, as its logarithm: it is still told apart where it is next to nothing."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfcx, ndtr

Array = NDArray[np.float64]

_LOG_ROOT_2PI = 0.5 * math.log(2 * math.pi)
_FAR = -1e5  # from here on 1 − |u| √(π/2) erfcx(|u|/√2) is 1/u² to all digits that are left


def log_expected_improvement(gain: Array, spread: Array) -> Array:
    """ln E[max(g, 0)] for g ~ N(gain, spread²): ln spread + ln(φ(u) + u Φ(u)), u = gain/spread."""
    u = gain / spread
    found = np.log(spread)
    high = u > -1
    found[high] += np.log(_improvement(u[high]))
    found[~high] += _log_tail(u[~high])
    return np.asarray(found)


def _improvement(u: Array) -> Array:
    return np.asarray(np.exp(-0.5 * u**2 - _LOG_ROOT_2PI) + u * ndtr(u))


def _log_tail(u: Array) -> Array:
    """ln(φ(u) + u Φ(u)) for u ≤ −1, where the sum itself would lose all its digits."""
    near = np.maximum(u, _FAR)
    share = np.log1p(near * math.sqrt(math.pi / 2) * erfcx(-near / math.sqrt(2)))
    return np.asarray(-0.5 * u**2 - _LOG_ROOT_2PI + np.where(u < _FAR, -2 * np.log(-u), share))


def log_sum(logs: Array) -> Array:
    """ln Σ exp over the rows (k, n) of finite numbers; scipy's checks take longer than the sum."""
    top = logs.max(axis=0)
    return np.asarray(top + np.log(np.exp(logs - top).sum(axis=0)))
