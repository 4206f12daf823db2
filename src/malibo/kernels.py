"""Distances between points, and the correlation that falls with them; float32 stays float32."""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Real = TypeVar("Real", np.float32, np.float64)


def distances(a: NDArray[Real], b: NDArray[Real]) -> NDArray[Real]:
    """(n, N) Euclidean distances between the rows of two arrays."""
    columns = a.shape[1]
    left = np.ones((len(a), columns + 2), a.dtype)
    left[:, :columns] = a
    np.einsum("ij,ij->i", a, a, out=left[:, columns])
    right = np.ones((columns + 2, len(b)), b.dtype)
    np.multiply(b.T, -2, out=right[:columns])
    np.einsum("ij,ij->i", b, b, out=right[columns + 1])
    found = left @ right  # |a|² − 2ab + |b|² in one go
    np.maximum(found, 0, out=found)
    return np.asarray(np.sqrt(found, out=found))


def matern(distance: NDArray[Real], length: float = 1.0) -> NDArray[Real]:
    """The Matérn correlation with ν = 5/2: (1 + r + r²/3) exp(−r), r = √5 · distance / length."""
    minus_r = np.multiply(distance, -math.sqrt(5) / length, dtype=distance.dtype)
    found = minus_r * (1 / 3)
    found -= 1
    found *= minus_r
    found += 1
    found *= np.exp(minus_r, out=minus_r)
    return np.asarray(found, dtype=distance.dtype)
