"""The meta-learning loss of Equation 3 and its gradient.

Weights are a dict: the network's arrays (malibo.network) and, under "tasks", the task
embeddings Z (T, d). A batch has B rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from malibo.config import TrainConfig
from malibo.network import Array32, Weights
from malibo.training.backprop import Gradient, backward, forward
from malibo.training.data import Data
from malibo.training.regularizer import regularizer

EMBEDDINGS = "tasks"


@dataclass(frozen=True, eq=False)
class Loss:
    """Equation 3: the LFBO loss averaged over tasks, plus λ times the regulariser.

    variance   weighs the mean of ‖Φ‖², the variance that the prior of z gives to a logit.
               With few tasks nothing else holds the directions of Φ that no task needs,
               and a draw of z would be mostly noise from there.
    """

    config: TrainConfig
    variance: float = 0.0

    def value_and_gradient(
        self, weights: Weights, batch: Data, share: Array32, cdf: Array32
    ) -> tuple[float, Gradient]:
        """``share`` of a row is N / (T · N_t), so that every task weighs the same."""
        config = self.config
        tape = forward(weights, batch.x)
        phi, size = tape.phi, len(batch)
        z = used_embeddings(weights[EMBEDDINGS], config)[batch.task]
        direction = z + weights["mean.weight"] if config.mean_layer else z
        a = np.einsum("bd,bd->b", phi, direction) + weights["mean.bias"]
        fit = batch.p * np.logaddexp(0, -a) + batch.n * np.logaddexp(0, a)
        value = float(share @ fit) / size
        d_a = share * ((batch.p + batch.n) * expit(a) - batch.p) / size
        d_phi = d_a[:, None] * direction
        d_embeddings = np.zeros_like(weights[EMBEDDINGS])
        if config.task_layer:
            value += self.variance * float(share @ np.einsum("bd,bd->b", phi, phi)) / size
            d_phi += (2 * self.variance / size) * share[:, None] * phi
            penalty, d_penalty = regularizer(weights[EMBEDDINGS], cdf)
            value += config.regularization * penalty
            d_used = _sum_by_task(d_a[:, None] * phi, batch.task, len(d_embeddings))
            d_embeddings = used_embeddings(d_used, config) + config.regularization * d_penalty
        gradient = backward(weights, tape, d_phi)
        heard = float(config.mean_layer)
        gradient["mean.weight"] = heard * (phi.T @ d_a)
        gradient["mean.bias"] = np.asarray(heard * d_a.sum(), dtype=phi.dtype)
        gradient[EMBEDDINGS] = d_embeddings
        return value, gradient


def used_embeddings(z: Array32, config: TrainConfig) -> Array32:
    """The embeddings less their mean, which belongs into the mean layer.

    Both m(Φ) and a common part of all z can say what holds for every task, but a new task
    starts with z = 0 and sees m alone. Under the prior the mean of z is 0. Taking the mean
    away is a projection, so the same function serves the gradient.
    """
    if not config.task_layer:
        return np.zeros_like(z)
    return z - z.mean(axis=0) if config.mean_layer else z


def _sum_by_task(rows: Array32, task: NDArray[np.int32], tasks: int) -> Array32:
    """(T, d) the sum of the rows of each task."""
    order = np.argsort(task, kind="stable")
    present, first = np.unique(task[order], return_index=True)
    sums = np.zeros((tasks, rows.shape[1]), rows.dtype)
    sums[present] = np.add.reduceat(rows[order], first, axis=0)
    return sums
