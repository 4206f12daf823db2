"""Which past tasks the new one is like, as far as its results tell by now."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from malibo.classifier import task_posterior
from malibo.config import SuggestConfig
from malibo.labels import label
from malibo.metamodel import MetaModel, Points
from malibo.observations import Observations
from malibo.space.parameters import Array
from malibo.threads import one_thread

_CONFIGURATIONS = 1024  # random ones, on which two tasks are compared


@dataclass(frozen=True)
class Similarity:
    """How alike a past task and the new one are.

    task      name of the past task
    mean      expected correlation of what makes each of the two its own: 1 is the same, −1 is
              the opposite, 0 is nothing in common but what all tasks have
    low, high 90 % interval of it
    nearest   probability that no other past task is more alike
    """

    task: str
    mean: float
    low: float
    high: float
    nearest: float


def similarities(
    model: MetaModel,
    observations: Observations,
    *,
    draws: int = 512,
    seed: int = 0,
    config: SuggestConfig | None = None,
) -> list[Similarity]:
    """The past tasks, most alike first; empty where the model tells no tasks apart.

    To the meta-model a task is its embedding z: it has the logits m(Φ) + zᵀΦ over the space. Two
    tasks are compared by the correlation of zᵀΦ over random configurations. That of the new task
    is believed and not known: there are many draws of it, from q(z). Without results that is the
    prior, under which every past task is about as near as any other.

    m is left out because all tasks have it. With it all of them look alike, and the right one
    is found later: where the new task was one of eight past ones again, with another scale, the
    right one came first in 65, 73 and 92 % of cases after 10, 20 and 40 random results (with m:
    48, 75, 90), and 35, 44 and 54 % where all eight were much alike (with m: 31, 38, 60).
    ``nearest`` is careful: that of the first was 0.36, 0.50 and 0.67, and 0.33, 0.40 and 0.52.
    """
    if not _tells_tasks_apart(model):
        return []
    with one_thread():
        points = _random_points(model, seed)
        past = _standardised(points.phi @ model.embeddings.T.astype(float))
        z = _drawn_embeddings(model, observations, config or SuggestConfig(), draws, seed)
        correlations = past.T @ _standardised(points.phi @ z.T)
    found = _summaries(model.tasks, correlations)
    return sorted(found, key=lambda similarity: -similarity.mean)


def task_similarities(model: MetaModel) -> Array:
    """(T, T) correlations between the past tasks, by the same measure; 1 on the diagonal."""
    if not _tells_tasks_apart(model):
        return np.eye(len(model.tasks))
    with one_thread():
        logits = _random_points(model, 0).phi @ model.embeddings.T.astype(float)
        found = np.clip(_standardised(logits).T @ _standardised(logits), -1, 1)
    np.fill_diagonal(found, 1.0)
    return np.asarray(found)


def _tells_tasks_apart(model: MetaModel) -> bool:
    return model.informed and model.config.task_layer


def _random_points(model: MetaModel, seed: int) -> Points:
    rng = np.random.default_rng([seed, 0])
    return model.points(model.space.sample(rng, _CONFIGURATIONS))


def _drawn_embeddings(
    model: MetaModel, observations: Observations, config: SuggestConfig, draws: int, seed: int
) -> Array:
    """(draws, d) embeddings that the new task may have."""
    rng = np.random.default_rng([seed, 1])
    known = observations.in_order()
    labels = label(
        known.losses,
        model.config.target_gamma if config.gamma is None else config.gamma,
        config.utility or model.config.utility,
    )
    posterior = task_posterior(model.points(known.codes), labels, config, rng)
    return np.array([posterior.draw(rng) for _ in range(draws)])


def _standardised(columns: Array) -> Array:
    """Columns with a mean of 0 and a norm of 1, so that their products are correlations.

    A column of equal numbers becomes 0: it correlates with nothing.
    """
    centred = columns - columns.mean(axis=0)
    norm = np.linalg.norm(centred, axis=0)
    flat = norm <= 1e-9 * (1 + np.abs(columns).max(axis=0, initial=0))
    return np.asarray(np.where(flat, 0, centred / np.where(flat, 1, norm)))


def _summaries(tasks: tuple[str, ...], correlations: Array) -> list[Similarity]:
    """One for each row (T, draws) of correlations."""
    low, high = np.quantile(correlations, [0.05, 0.95], axis=1)
    most = correlations == correlations.max(axis=0)
    nearest = (most / most.sum(axis=0)).mean(axis=1)
    columns = (correlations.mean(axis=1), low, high, nearest)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [Similarity(task, *row) for task, row in zip(tasks, rows, strict=True)]
