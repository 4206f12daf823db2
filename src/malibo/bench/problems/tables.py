"""Tables: every configuration of a task with its loss, measured once and for all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from malibo.bench.problems.problem import Evaluation, Problem, Reference
from malibo.bench.searchspace import SearchSpace
from malibo.history import History
from malibo.maximize import key
from malibo.space import Space
from malibo.space.parameters import Array
from malibo.task import Task

PAST_SIZE = 512  # observations of each related task, as in the paper


@dataclass(frozen=True, eq=False)
class Table:
    """Evaluated configurations of one task.

    codes     (n, P), each configuration once
    losses    (n,) to be minimised
    seconds   (n,) how long each evaluation took; NaN where nobody wrote it down
    """

    codes: Array
    losses: Array
    seconds: Array

    @classmethod
    def of(cls, codes: Array, losses: Array, seconds: Array | None = None) -> Table:
        """A table of rows with a loss; repeated configurations are averaged."""
        seconds = np.full(len(losses), np.nan) if seconds is None else seconds
        known = np.isfinite(losses)
        codes, losses, seconds = codes[known], losses[known], seconds[known]
        filled = np.where(np.isnan(codes), -np.inf, codes)  # NaN is not equal to itself
        _, first, group = np.unique(filled, axis=0, return_index=True, return_inverse=True)
        if len(first) == len(codes):
            return cls(codes, losses, seconds)
        count = np.bincount(group.ravel())
        return cls(
            codes[first],
            np.bincount(group.ravel(), losses) / count,
            np.bincount(group.ravel(), seconds) / count,
        )

    @cached_property
    def rows(self) -> dict[bytes, int]:
        """Row number of each configuration."""
        return {key(row): i for i, row in enumerate(self.codes)}

    @cached_property
    def ordered(self) -> Array:
        """Losses from best to worst."""
        return np.sort(self.losses)

    def look_up(self, row: Array) -> Evaluation:
        """What the evaluation of a configuration gave."""
        index = self.rows[key(row)]
        loss = float(self.losses[index])
        better = np.searchsorted(self.ordered, loss) / len(self.losses)
        return Evaluation(loss, loss, float(better), float(self.seconds[index]))

    def sample(self, size: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Codes and losses of random rows: so many, or all there are."""
        rows = rng.permutation(len(self.losses))[:size]
        return self.codes[rows], self.losses[rows]


@dataclass(frozen=True, eq=False)
class TableSet:
    """Tables of several tasks over one space."""

    space: Space
    tables: Mapping[str, Table]


class TableProblem(Problem):
    """One table is the new task; random rows of the others are the past."""

    def __init__(self, tables: TableSet, task: str, past_size: int = PAST_SIZE) -> None:
        self.task = task
        self._tables = tables
        self._table = tables.tables[task]
        self._past_size = past_size
        complete = _is_complete(tables.space, self._table)
        self.search = SearchSpace(tables.space, None if complete else self._table.codes)
        self.reference = Reference.of(self._table.losses)

    def past(self, rng: np.random.Generator) -> History:
        """``past_size`` random rows (or all there are) of every other table."""
        space, size = self._tables.space, self._past_size
        return History(
            [
                Task(name, space, *table.sample(size, rng))
                for name, table in self._tables.tables.items()
                if name != self.task
            ]
        )

    def evaluate(self, row: Array, rng: np.random.Generator) -> Evaluation:
        """Look it up."""
        return self._table.look_up(row)


def _is_complete(space: Space, table: Table) -> bool:
    """Whether a table has every configuration of its space."""
    if not space.countable or space.unknown(table.codes).any():
        return False
    size = len(table.codes)
    return len(space.enumerate(size + 1)) == size
