"""Distances between points, and the correlation that falls with them; float32 stays float32."""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Real = TypeVar("Real", np.float32, np.float64)


def distances(a: NDArray[Real], b: NDArray[Real]) -> NDArray[Real]:
    """(n, N) Euclidean distances between the rows of two arrays."""
    squares_a, squares_b = (np.sum(x**2, axis=1)[:, None] for x in (a, b))
    left = np.hstack([a, squares_a, np.ones_like(squares_a)])
    right = np.hstack([-2 * b, np.ones_like(squares_b), squares_b])
    found = left @ right.T  # |a|² − 2ab + |b|² in one go
    np.maximum(found, 0, out=found)
    return np.asarray(np.sqrt(found, out=found))


def matern(distance: NDArray[Real], length: float = 1.0) -> NDArray[Real]:
    """The Matérn correlation with ν = 5/2: (1 + r + r²/3) exp(−r), r = √5 · distance / length."""
    r = np.multiply(distance, math.sqrt(5) / length, dtype=distance.dtype)
    found = r / 3
    found += 1
    found *= r
    found += 1
    np.negative(r, out=r)
    found *= np.exp(r, out=r)
    return np.asarray(found, dtype=distance.dtype)
