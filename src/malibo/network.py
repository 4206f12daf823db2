"""The residual feed-forward network as plain arrays, run by numpy.

Shapes: n points, D inputs, H hidden units, d features.

φ       (n, D) → Φ (n, d): a linear layer, residual layers h ← h + ELU(h·W + b), a linear layer
m       Φ → logit (n,): the mean layer, what is promising on any task

Training makes the arrays; here they are only read, in float32.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Array32 = NDArray[np.float32]
_BLOCK = 1024  # points at once: what a layer holds then stays in the processor's cache

Weights = Mapping[str, Array32]


def initial_weights(
    inputs: int, hidden: int, layers: int, features: int, rng: np.random.Generator
) -> dict[str, Array32]:
    """Weights to start from: variance 1/fan-in, residual layers stacked in one array."""

    def normal(*shape: int) -> Array32:
        return np.asarray(rng.standard_normal(shape) / np.sqrt(shape[-2]), np.float32)

    return {
        "input.weight": normal(inputs, hidden),
        "input.bias": np.zeros(hidden, np.float32),
        "hidden.weight": normal(layers, hidden, hidden),
        "hidden.bias": np.zeros((layers, hidden), np.float32),
        # so small that ‖Φ‖, the spread of a logit under the prior of z, starts near 1
        "features.weight": normal(hidden, features) / np.float32(np.sqrt(features)),
        "features.bias": np.zeros(features, np.float32),
        "mean.weight": np.zeros(features, np.float32),
        "mean.bias": np.zeros((), np.float32),
    }


def centred(unit: Array) -> Array32:
    """The network's input: the unit cube moved to [−1, 1], in float32."""
    return (2 * unit - 1).astype(np.float32)


@dataclass(frozen=True, eq=False)
class Network:
    """φ and m with fixed weights."""

    weights: Weights

    @property
    def dimension(self) -> int:
        """d, the number of features."""
        return int(self.weights["features.bias"].shape[0])

    def features(self, x: Array32) -> Array32:
        """Φ = φ(x) for ``centred`` points (n, D)."""
        w = self.weights
        phi = np.empty((len(x), self.dimension), np.float32)
        room = np.empty((3, _BLOCK, len(w["input.bias"])), np.float32)
        for start in range(0, len(x), _BLOCK):
            block = slice(start, start + _BLOCK)
            h, a, spare = room[:, : len(x[block])]
            np.matmul(x[block], w["input.weight"], out=h)
            h += w["input.bias"]
            for weight, bias in zip(w["hidden.weight"], w["hidden.bias"], strict=True):
                np.matmul(h, weight, out=a)
                a += bias
                h += _elu(a, spare)
            np.matmul(h, w["features.weight"], out=phi[block])
        phi += w["features.bias"]
        return phi

    def mean_logit(self, phi: Array32) -> Array:
        """m(Φ), the task-agnostic logit."""
        logit = phi @ self.weights["mean.weight"] + self.weights["mean.bias"]
        return logit.astype(np.float64)

    def features_and_mean(self, x: Array32) -> tuple[Array, Array]:
        """Φ and m(Φ) in float64, ready for the posterior."""
        phi = self.features(x)
        return phi.astype(np.float64), self.mean_logit(phi)


def _elu(a: Array32, spare: Array32) -> Array32:
    """ELU of a, written over it: the greater of a and exp(min(a, 0)) − 1."""
    np.minimum(a, 0, out=spare)
    np.exp(spare, out=spare)
    spare -= 1
    np.maximum(a, spare, out=a)
    return a
