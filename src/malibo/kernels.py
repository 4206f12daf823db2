"""Distances between points, and the correlation that falls with them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def distances(a: Array, b: Array) -> Array:
    """(n, N) Euclidean distances between the rows of two arrays."""
    squares_a, squares_b = (np.sum(x**2, axis=1)[:, None] for x in (a, b))
    left = np.hstack([a, squares_a, np.ones_like(squares_a)])
    right = np.hstack([-2 * b, np.ones_like(squares_b), squares_b])
    found = left @ right.T  # |a|² − 2ab + |b|² in one go
    np.maximum(found, 0, out=found)
    return np.asarray(np.sqrt(found, out=found))


def matern(distance: Array) -> Array:
    """The Matérn correlation with ν = 5/2: (1 + r + r²/3) exp(−r), r = √5 · distance."""
    r = math.sqrt(5) * distance
    found = r / 3
    found += 1
    found *= r
    found += 1
    np.negative(r, out=r)
    found *= np.exp(r, out=r)
    return found
