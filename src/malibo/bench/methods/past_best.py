"""The best configurations of the past, in turn.

A configuration counts by its rank within its task, averaged over the tasks in which it was
run. Tasks take turns: where their configurations are all different, the best of each comes
first, then the second best of each.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from malibo.bench.methods.optimizer import Told
from malibo.bench.searchspace import SearchSpace
from malibo.history import History
from malibo.maximize import key
from malibo.space import Config
from malibo.space.parameters import Array


class PastBest(Told):
    """Past configurations by their average rank; then random ones."""

    def __init__(self, space: SearchSpace, history: History, rng: np.random.Generator) -> None:
        super().__init__(space, history, rng)
        self._past = in_order(history, rng)
        self._rows: list[Array] = []

    def ask(self) -> Config:
        """The best past configuration that was not tried; in a table, the row nearest to it."""
        taken = self.taken
        for number in range(len(self._past)):
            row = self._row(number)
            if key(row) not in taken:
                return self.config(row)
        return self.random_config(self.rng())

    def _row(self, number: int) -> Array:
        """A past configuration, or the row of the table nearest to it; each is looked up once."""
        if number == len(self._rows):
            row = self._past[number]
            nearest = self.search.nearest(row, set())
            self._rows.append(row if nearest is None else nearest)
        return self._rows[number]


def in_order(history: History, rng: np.random.Generator) -> Array:
    """All distinct past configurations (n, P), the one with the best average rank first."""
    ranks: dict[bytes, list[float]] = {}
    rows: dict[bytes, Array] = {}
    for number in rng.permutation(len(history.tasks)):  # no task is first by its name
        task = history.tasks[number]
        rank = rankdata(np.nan_to_num(task.losses, nan=np.inf)) / len(task)
        for row, value in zip(task.codes, rank, strict=True):
            rows[key(row)] = row
            ranks.setdefault(key(row), []).append(float(value))
    average = [float(np.mean(ranks[name])) for name in rows]
    return np.array([*rows.values()])[np.argsort(average, kind="stable")]
