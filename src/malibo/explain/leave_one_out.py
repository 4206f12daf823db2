"""A past task tuned as if it were new: only its own rows can be chosen, and their losses are known.

Failed rows can be chosen too, and are never the best.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from malibo.history import History
from malibo.maximize import key
from malibo.optimizer import Malibo
from malibo.space import Space
from malibo.space.parameters import Array
from malibo.task import Task, sign

_EVEN = 0.5 - 1e-8  # an even chance, up to rounding


@dataclass(frozen=True, eq=False)
class Rows:
    """The distinct configurations of a task.

    space    its own, without the parameters of which it knows nothing
    codes    (n, P) of that space
    losses   (n,) mean over repeats; infinite where all of them failed
    """

    name: str
    space: Space
    codes: Array
    losses: Array

    @classmethod
    def of(cls, task: Task) -> Rows:
        """All rows of which every active parameter is known."""
        space = _known_space(task)
        codes = space.complete(task.codes[:, [task.space.names.index(name) for name in space]])
        whole = ~space.unknown(codes)
        codes, losses = codes[whole] + 0.0, task.losses[whole]  # −0.0 is 0.0
        filled = np.where(np.isnan(codes), -np.inf, codes)  # NaN is not equal to itself
        _, first, group = np.unique(filled, axis=0, return_index=True, return_inverse=True)
        valid, group = np.isfinite(losses), group.ravel()
        count = np.bincount(group[valid], minlength=len(first))
        total = np.bincount(group[valid], losses[valid] / np.maximum(count, 1)[group[valid]])
        total = np.pad(total, (0, len(first) - len(total)))
        return cls(task.name, space, codes[first], np.where(count > 0, total, np.inf))

    def __len__(self) -> int:
        return len(self.losses)

    @property
    def valid(self) -> int:
        """Number of those that did not fail."""
        return int(np.isfinite(self.losses).sum())

    @cached_property
    def _by_key(self) -> dict[bytes, float]:
        return {key(row): float(loss) for row, loss in zip(self.codes, self.losses, strict=True)}

    def level(self, trials: int) -> float:
        """The loss that random search reaches in ``trials`` trials with an even chance.

        Where that is a failure, the worst valid loss.
        """
        each = _chance(len(self), np.array(trials), np.arange(1, len(self) + 1))
        index = int(np.argmax(each >= _EVEN))
        return float(np.sort(self.losses)[min(index, self.valid - 1)])

    def random_trials(self, level: float) -> int:
        """Trials that random search needs for an even chance of a loss at or below a level."""
        good = int(np.sum(self.losses <= level))
        each = _chance(len(self), np.arange(1, len(self) + 1), np.array(good))
        return int(np.argmax(each >= _EVEN)) + 1

    def tune(self, optimizer: Malibo, level: float, least: int, most: int) -> Array:
        """Best loss after each trial: at least so many, then until the level is reached."""
        losses: list[float] = []
        while len(losses) < least or (min(losses) > level and len(losses) < most):
            config = optimizer.ask()
            loss = self._by_key[key(self.space.codes([config])[0])]
            optimizer.tell(config, sign(optimizer.direction) * loss)
            losses.append(loss)
        return np.minimum.accumulate(losses)


def others(history: History, rows: Rows) -> History:
    """The past without a task, seen from that task's space."""
    return History([task for task in history if task.name != rows.name], rows.space)


def _known_space(task: Task) -> Space:
    """The parameters of which a task has a value, and whose parents are among them."""
    found = [bool(np.isfinite(column).any()) for column in task.codes.T]
    kept = {n: p for (n, p), known in zip(task.space.items(), found, strict=True) if known}
    while lost := [n for n, p in kept.items() if not set(p.when) <= set(kept)]:
        kept = {name: kept[name] for name in kept if name not in lost}
    return Space(kept) if kept else task.space


def _chance(rows: int, trials: NDArray[np.intp], best: NDArray[np.intp]) -> Array:
    """Chance that so many random rows, none of them twice, have one of the best so many of all.

    Without the best r there are C(n − r, k) choices of k rows, of C(n, k).
    """
    enough = rows - best >= trials
    left = np.where(enough, rows - best, trials)
    log_share = _log_choose(left, trials) - _log_choose(np.array(rows), trials)
    return np.where(enough, -np.expm1(log_share), 1.0)


def _log_choose(n: NDArray[np.intp], k: NDArray[np.intp]) -> Array:
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))
