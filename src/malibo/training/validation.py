"""How good a model is on what it was not trained on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from malibo.acquisition import probit_logits
from malibo.network import Array, Array32, Network
from malibo.posterior import Evidence, Gaussian, laplace
from malibo.training.data import Data

SHOTS = 10  # observations of a held-out task that are known when the rest is predicted


def lfbo_loss(logits: Array, data: Data) -> float:
    """Equation 2, the mean over observations of −p ln C − n ln(1 − C)."""
    return float(np.mean(data.p * np.logaddexp(0, -logits) + data.n * np.logaddexp(0, logits)))


def loss_of_known_tasks(network: Network, embeddings: Array32, data: Data) -> float:
    """Loss on held-out observations of tasks that were trained, averaged over tasks."""
    phi = network.features(data.x)
    logits = network.mean_logit(phi) + np.einsum("nd,nd->n", phi, embeddings[data.task])
    parts = [data.task == task for task in np.unique(data.task)]
    return float(np.mean([lfbo_loss(logits[part], data.rows(part)) for part in parts]))


@dataclass(frozen=True, eq=False)
class NewTask:
    """A held-out task: all its rows, and the first ones as an optimizer would know them.

    The known rows have labels of their own: τ of a new task is that of what was seen of it.
    """

    rows: Data
    known: Data


def loss_of_new_tasks(network: Network, adapt: bool, tasks: list[NewTask]) -> float:
    """Loss on tasks that were not trained, before and after a few of their observations."""
    losses = []
    for task in tasks:
        phi, offset = network.features_and_mean(task.rows.x)
        unseen = slice(len(task.known), None)
        rest = task.rows.rows(unseen)
        if not adapt:
            losses.append(lfbo_loss(offset[unseen], rest))
            continue
        for known in (task.known.rows(slice(0)), task.known):
            q = task_posterior(phi[: len(known)], offset[: len(known)], known)
            losses.append(lfbo_loss(probit_logits(q, phi[unseen], offset[unseen]), rest))
    return float(np.mean(losses))


def task_posterior(phi: Array, offset: Array, data: Data) -> Gaussian:
    """q(z) of a task given its observations."""
    return laplace(Evidence(phi, offset, data.p.astype(float), data.n.astype(float)))
