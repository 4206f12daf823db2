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
    low = np.minimum(u, -1.0)
    near = np.maximum(low, _FAR)
    share = np.log1p(near * math.sqrt(math.pi / 2) * erfcx(-near / math.sqrt(2)))
    tail = -0.5 * low**2 - _LOG_ROOT_2PI + np.where(low < _FAR, -2 * np.log(-low), share)
    high = np.maximum(u, -1.0)
    density = np.exp(-0.5 * high**2 - _LOG_ROOT_2PI)
    return np.asarray(np.log(spread) + np.where(u < -1, tail, np.log(density + high * ndtr(high))))
