"""The network forwards and backwards, in numpy.

The net is small (some 22,000 weights), so a step of training is a handful of matrix
products: numpy does them about as fast as a compiled graph, with nothing to compile and
nothing to install. The tests hold every gradient here against automatic differentiation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from malibo.network import Array32, Weights

Gradient = dict[str, Array32]


@dataclass(frozen=True, eq=False)
class Tape:
    """What the way forward leaves for the way back.

    x        (B, D) input
    hidden   h before and after each residual layer, (B, H) each
    slopes   ELU'(a) of each residual layer
    phi      (B, d) features
    """

    x: Array32
    hidden: list[Array32]
    slopes: list[Array32]
    phi: Array32


def forward(weights: Weights, x: Array32) -> Tape:
    """Φ as malibo.network has it, with all that is needed to go back."""
    h: Array32 = np.asarray(x @ weights["input.weight"] + weights["input.bias"])
    hidden, slopes = [h], []
    for weight, bias in zip(weights["hidden.weight"], weights["hidden.bias"], strict=True):
        a = h @ weight
        a += bias
        slope = np.exp(np.minimum(a, 0))  # ELU' is exp(a) below 0 and 1 above
        h = h + np.maximum(a, slope - 1)
        hidden.append(h)
        slopes.append(slope)
    phi = np.asarray(h @ weights["features.weight"] + weights["features.bias"], h.dtype)
    return Tape(x, hidden, slopes, phi)


def backward(weights: Weights, tape: Tape, d_phi: Array32) -> Gradient:
    """Gradient of a loss in the weights of φ, given its gradient in Φ."""
    d_hidden_weight = np.empty_like(weights["hidden.weight"])
    d_hidden_bias = np.empty_like(weights["hidden.bias"])
    d_h = d_phi @ weights["features.weight"].T
    for i in range(len(tape.slopes) - 1, -1, -1):
        d_a = d_h * tape.slopes[i]
        d_hidden_weight[i] = tape.hidden[i].T @ d_a
        d_hidden_bias[i] = d_a.sum(axis=0)
        d_h = d_h + d_a @ weights["hidden.weight"][i].T
    return {
        "input.weight": tape.x.T @ d_h,
        "input.bias": d_h.sum(axis=0),
        "hidden.weight": d_hidden_weight,
        "hidden.bias": d_hidden_bias,
        "features.weight": tape.hidden[-1].T @ d_phi,
        "features.bias": d_phi.sum(axis=0),
    }
