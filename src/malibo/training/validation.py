"""How good a model is on what it was not trained on."""

from __future__ import annotations

import numpy as np

from malibo.acquisition import probit_logits
from malibo.network import Array, Array32, Network
from malibo.posterior import Evidence, Gaussian, laplace
from malibo.training.data import Data

SHOTS = (0, 10)  # observations of a held-out task that are known when the rest is predicted


def lfbo_loss(logits: Array, data: Data) -> float:
    """Equation 3, the mean over observations of −p ln C − n ln(1 − C)."""
    return float(np.mean(data.p * np.logaddexp(0, -logits) + data.n * np.logaddexp(0, logits)))


def loss_of_known_tasks(network: Network, embeddings: Array32, data: Data) -> float:
    """Loss on held-out observations of tasks that were trained, averaged over tasks."""
    phi = network.features(data.x)
    logits = network.mean_logit(phi) + np.einsum("nd,nd->n", phi, embeddings[data.task])
    parts = [data.task == task for task in np.unique(data.task)]
    return float(np.mean([lfbo_loss(logits[part], data.rows(part)) for part in parts]))


def loss_of_new_tasks(network: Network, adapt: bool, tasks: list[Data]) -> float:
    """Loss on tasks that were not trained, before and after a few of their observations.

    The first rows of each task are the known ones; the caller has shuffled them.
    """
    losses = []
    for data in tasks:
        phi, offset = network.features_and_mean(data.x)
        for shots in SHOTS if adapt else SHOTS[:1]:
            known = min(shots, len(data) // 2)
            logits = offset[known:]
            if adapt:
                q = task_posterior(phi[:known], offset[:known], data.rows(slice(known)))
                logits = probit_logits(q, phi[known:], offset[known:])
            losses.append(lfbo_loss(logits, data.rows(slice(known, None))))
    return float(np.mean(losses))


def task_posterior(phi: Array, offset: Array, data: Data) -> Gaussian:
    """q(z) of a task given its observations."""
    return laplace(Evidence(phi, offset, data.p.astype(float), data.n.astype(float)))
