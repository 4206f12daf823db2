"""The history as training sees it: points, weights and task numbers, split for validation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from malibo.alignment import translate
from malibo.config import TrainConfig
from malibo.history import History
from malibo.labels import label
from malibo.network import Array32, centred
from malibo.space import Space
from malibo.space.parameters import Array

MANY_TASKS = 10  # from so many tasks on, whole tasks are held out
_MANY_RUNS = 100  # of a task: from so many on an even sample leaves no gaps to speak of
_SOME = 0.02  # less is not worth a row
_BEST = 512  # configurations that are kept
MOST_GAPS = 0.6  # the share of random configurations that stand in for them, at most
_LOOK = 4096  # runs, and random configurations, that are compared
_CHUNK = 65_536  # rows encoded at once, so that memory stays small


@dataclass(frozen=True, eq=False)
class Data:
    """Observations of several tasks, one row each.

    x       (N, D) float32, centred unit cube
    p, n    (N,) weights of the LFBO loss
    task    (N,) number of the task
    """

    x: Array32
    p: Array32
    n: Array32
    task: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.p)

    def joined(self, other: Data) -> Data:
        """These and those of another."""
        return Data(
            np.concatenate([self.x, other.x]),
            np.concatenate([self.p, other.p]),
            np.concatenate([self.n, other.n]),
            np.concatenate([self.task, other.task]),
        )

    def rows(self, which: NDArray[np.integer] | NDArray[np.bool_] | slice) -> Data:
        """Some of the observations."""
        return Data(self.x[which], self.p[which], self.n[which], self.task[which])


def label_history(history: History, config: TrainConfig) -> tuple[Array32, Array32]:
    """Weights p and n of every observation, each task by its own threshold τ."""
    labels = [label(task.losses, config.past_gamma, config.utility) for task in history.tasks]
    p = np.concatenate([each.p for each in labels])
    n = np.concatenate([each.n for each in labels])
    return p.astype(np.float32), n.astype(np.float32)


def encode(joint: Space, codes: Array, rng: np.random.Generator) -> Array32:
    """Network input of all rows; values that are unknown are drawn."""
    parts = [codes[i : i + _CHUNK] for i in range(0, len(codes), _CHUNK)]
    return np.concatenate([centred(joint.encode(joint.complete(part, rng))) for part in parts])


def random_codes(history: History, size: int, rng: np.random.Generator) -> Array:
    """Random configurations of the target's space, as codes of the joint one."""
    codes = history.space.sample(rng, size)
    same = history.joint == history.space
    return codes if same else translate(codes, history.space, history.joint)


def best_codes(history: History) -> Array:
    """The best configurations of every task, some 500 in all, as codes of the joint space."""
    each = max(1, _BEST // len(history.tasks))
    codes, index, losses = history.codes, history.task_index, history.losses
    kept = []
    for task in range(len(history.tasks)):
        rows = np.flatnonzero(index == task)
        order = np.argsort(losses[rows], kind="stable")  # failed ones come last
        good = rows[order[: min(each, -(-len(rows) // 10))]]  # no more than the best tenth
        kept.append(good[np.isfinite(losses[good])])
    chosen = np.concatenate(kept)
    spread = np.linspace(0, len(chosen) - 1, min(len(chosen), _BEST)).round().astype(int)
    return np.asarray(codes[chosen[spread]])


def gaps(history: History) -> float:
    """By how little a past covers the space: 0 if many runs are spread evenly, at most 0.6.

    Fewer than 100 runs a task leave gaps wherever they lie, and so does an optimiser, which
    goes where it is good: the marginal distributions of its runs differ from even ones by more
    than chance explains (Kolmogorov's distance, mean over the columns of the unit cube).
    """
    few = max(0.0, 1 - len(history) / (_MANY_RUNS * len(history.tasks)))
    rng = np.random.default_rng(0)
    kept = rng.permutation(len(history))[:_LOOK]
    even = encode(history.joint, random_codes(history, _LOOK, rng), rng)
    past = encode(history.joint, history.codes[kept], rng)
    uneven = _distances(past, even) - 1.36 * np.sqrt(1 / len(past) + 1 / len(even))
    found = min(0.5 * few + 2 * np.maximum(uneven, 0).sum() / max(len(uneven), 1), MOST_GAPS)
    return float(found) if found > _SOME else 0.0


def _distances(a: Array32, b: Array32) -> Array:
    """(D,) Kolmogorov's distance between the columns of two samples, on a grid."""
    grid = np.linspace(-1, 1, 65)
    found = []
    for one, other in zip(a.T, b.T, strict=True):
        shares = [np.searchsorted(np.sort(x), grid, side="right") / len(x) for x in (one, other)]
        found.append(np.abs(shares[0] - shares[1]).max())
    return np.array(found)


def split(history: History, rng: np.random.Generator) -> tuple[NDArray[np.bool_], list[int]]:
    """Which rows are held out, and which whole tasks (none when there are few).

    With many tasks some of them are held out, for they tell how well a new task is
    foreseen. With few tasks each is needed, and a fifth of each one's rows is held out.
    """
    index = history.task_index
    count = len(history.tasks)
    if count >= MANY_TASKS:
        enough = [i for i, task in enumerate(history.tasks) if len(task) - task.failed >= 4]
        size = min(len(enough), max(2, round(count / 10)), 32)
        tasks = sorted(int(i) for i in rng.choice(enough, size, replace=False)) if size else []
        return np.isin(index, tasks), tasks
    held_out = np.zeros(len(index), dtype=bool)
    for number in range(count):
        rows = rng.permutation(np.flatnonzero(index == number))
        held_out[rows[: len(rows) // 5]] = True
    return held_out, []


def batches(size: int, batch: int, rng: np.random.Generator) -> Iterator[NDArray[np.int32]]:
    """Row numbers of one batch after another, each row once in a pass."""
    queue: NDArray[np.int32] = np.empty(0, dtype=np.int32)
    while True:
        while len(queue) < batch:
            queue = np.concatenate([queue, rng.permutation(size).astype(np.int32)])
        yield queue[:batch]
        queue = queue[batch:]
