"""Functions: the scores of past tasks as functions of the configuration.

The network learns where the good configurations of the past lie. How a task behaves elsewhere
tells which of the past tasks it is like, so that is kept too: each past task's scores are
regressed on kernels around M configurations that all tasks share,

    f_t(x) = k(x, Z) α_t,

and of the f_t their mean over the tasks and the directions in which they differ from it. A new
task is expected to be the mean plus a random combination of these: a Gaussian process with the
mean and the covariance that the past tasks had.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from malibo.kernels import distances, matern
from malibo.network import Array, Array32

_BLOCK = 512  # points at once: their kernels stay in the processor's cache


@dataclass(frozen=True, eq=False)
class Functions:
    """The mean of the past tasks' functions, and how they vary from task to task.

    centres   (M, D) Z, in the unit cube of the joint space
    lengths   (D,) of the Matérn kernel, along each column
    weights   (M, 1 + k) what the kernels count in the mean, and in each of k deviations from it
    """

    centres: Array32
    lengths: Array32
    weights: Array32

    def __call__(self, unit: Array) -> Array:
        """(n, 1 + k) the mean and the deviations at points of the unit cube."""
        found = np.empty((len(unit), self.weights.shape[1]))
        scaled = (unit / self.lengths).astype(np.float32)
        for start in range(0, len(unit), _BLOCK):
            rows = slice(start, start + _BLOCK)
            found[rows] = matern(distances(scaled[rows], self._scaled_centres)) @ self.weights
        return found

    @cached_property
    def _scaled_centres(self) -> Array32:
        return self.centres / self.lengths


def kernel(a: Array, b: Array, lengths: Array) -> Array:
    """(n, M) correlations between the rows of two arrays."""
    return matern(distances(a / lengths, b / lengths))
