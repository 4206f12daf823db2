"""A small multi-layer perceptron, in numpy: two layers of 32 ReLU units, as in the paper."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.special import expit

from malibo.residual.observed import Array, Observed


@dataclass(frozen=True, eq=False)
class Mlp:
    """Weights and biases of the layers."""

    layers: list[tuple[Array, Array]]

    def activations(self, unit: Array) -> list[Array]:
        """Input, hidden layers after ReLU, and the logit."""
        found = [unit]
        for i, (weight, bias) in enumerate(self.layers):
            a = found[-1] @ weight + bias
            found.append(np.maximum(a, 0) if i < len(self.layers) - 1 else a)
        return found

    def predict(self, unit: Array) -> Array:
        """Probability at points."""
        return np.asarray(expit(self.activations(unit)[-1][:, 0]))


def fit_mlp(observed: Observed, rng: np.random.Generator, epochs: int = 200) -> Mlp:
    """Two layers of 32 ReLU units, Adam at 1e-3, batches of 64, as in the paper."""
    sizes = [observed.unit.shape[1], 32, 32, 1]
    model = Mlp(
        [(rng.standard_normal((a, b)) * np.sqrt(2 / a), np.zeros(b)) for a, b in pairwise(sizes)]
    )
    parameters = [array for layer in model.layers for array in layer]
    first = [np.zeros_like(array) for array in parameters]
    second = [np.zeros_like(array) for array in parameters]
    step = 0
    for _ in range(epochs):
        order = rng.permutation(len(observed))
        for start in range(0, len(order), 64):
            step += 1
            gradients = _gradients(model, observed.rows(order[start : start + 64]))
            for array, gradient, m, v in zip(parameters, gradients, first, second, strict=True):
                m += 0.1 * (gradient - m)
                v += 0.001 * (gradient**2 - v)
                array -= 1e-3 * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8)
    return model


def _gradients(model: Mlp, observed: Observed) -> list[Array]:
    """Gradients of the mean LFBO loss, in the order of the parameters."""
    activations = model.activations(observed.unit)
    k_hat = expit(activations[-1][:, 0])
    delta = (((observed.p + observed.n) * k_hat - observed.p) / len(observed))[:, None]
    gradients: list[Array] = []
    for i in range(len(model.layers) - 1, -1, -1):
        gradients[:0] = [activations[i].T @ delta, delta.sum(axis=0)]
        if i > 0:
            delta = (delta @ model.layers[i][0].T) * (activations[i] > 0)
    return gradients
