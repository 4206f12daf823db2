"""Which past tasks the new one is like, as far as its results tell by now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from malibo.config import SuggestConfig
from malibo.errors import need_whole_number
from malibo.explain.embeddings import directions, drawn_embeddings
from malibo.metamodel import MetaModel
from malibo.observations import Observations
from malibo.space.parameters import Array
from malibo.threads import one_thread

Certainty = Literal["surely", "probably", "open"]

_SURELY, _PROBABLY = 0.9, 0.5  # probability of being the nearest
_CLEAR = 3.0  # times the odds that any of the tasks had before


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
    need_whole_number("draws", draws)
    if not _tells_tasks_apart(model):
        return []
    with one_thread():
        z = drawn_embeddings(model, observations, draws=draws, seed=seed, config=config)
        past = directions(model, model.embeddings, seed=seed)
        correlations = past @ directions(model, z, seed=seed).T
    found = _summaries(model.tasks, correlations)
    return sorted(found, key=lambda similarity: -similarity.mean)


def resemblance(found: Sequence[Similarity]) -> tuple[str | None, Certainty]:
    """Which past task the new one is most like, in words; no task where that is open.

    ``nearest`` decides: from 0.9 on it is "surely", from 0.5 on "probably". It is open where the
    task has hardly more of it than by chance, which is half for one of two, and where nothing
    speaks for the two being alike. One task alone is always the nearest: that says nothing.

    Where the new task was one of two to eight past ones again, with another scale, after 3 to 40
    random results, the right one was named in all of 21 cases of "surely" and in 72 of 85 of
    "probably"; 182 were open.
    """
    if len(found) < 2:
        return None, "open"
    first = max(found, key=lambda similarity: similarity.nearest)
    odds, chance = first.nearest * (len(found) - 1), 1 - first.nearest
    if first.nearest < _PROBABLY or odds <= _CLEAR * chance or first.mean <= 0:
        return None, "open"
    return first.task, "surely" if first.nearest >= _SURELY else "probably"


def task_similarities(model: MetaModel) -> Array:
    """(T, T) correlations between the past tasks, by the same measure; 1 on the diagonal."""
    if not _tells_tasks_apart(model):
        return np.eye(len(model.tasks))
    with one_thread():
        past = directions(model, model.embeddings)
        found = np.clip(past @ past.T, -1, 1)
    np.fill_diagonal(found, 1.0)
    return np.asarray(found)


def _tells_tasks_apart(model: MetaModel) -> bool:
    return model.informed and model.config.task_layer


def _summaries(tasks: tuple[str, ...], correlations: Array) -> list[Similarity]:
    """One for each row (T, draws) of correlations."""
    low, high = np.quantile(correlations, [0.05, 0.95], axis=1)
    most = correlations == correlations.max(axis=0)
    nearest = (most / most.sum(axis=0)).mean(axis=1)
    columns = (correlations.mean(axis=1), low, high, nearest)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [Similarity(task, *row) for task, row in zip(tasks, rows, strict=True)]
