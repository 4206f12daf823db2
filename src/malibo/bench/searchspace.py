"""SearchSpace: where an optimizer may look, and fresh candidates from there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from malibo.errors import SpaceExhaustedError
from malibo.maximize import Taken, key
from malibo.space import Space
from malibo.space.parameters import Array

CANDIDATES = 5120  # as in the paper
_TRIES = 100


@dataclass(frozen=True, eq=False)
class SearchSpace:
    """A space, or only some of its configurations.

    table   (n, P) codes of the only configurations that can be evaluated; None: all can
    """

    space: Space
    table: Array | None = None

    def candidates(self, rng: np.random.Generator, taken: Taken, size: int = CANDIDATES) -> Array:
        """Codes of configurations that are not taken: the whole table, or random ones."""
        if self.table is not None:
            return _need(_fresh(self.table, taken), taken)
        if self.space.countable and len(grid := self.space.enumerate(size + 1)) <= size:
            return _need(_fresh(grid, taken), taken)
        for _ in range(_TRIES):
            if len(codes := _fresh(self.space.sample(rng, size), taken)):
                return codes
        return _need(_fresh(self.space.enumerate(len(taken) + size), taken), taken)

    def nearest(self, row: Array, taken: Taken) -> Array | None:
        """The configuration itself, or the nearest of the table, if it is not taken."""
        if self.table is None:
            return None if key(row) in taken else row
        fresh = self.candidates(np.random.default_rng(0), taken)
        distance = np.abs(self.space.encode(fresh) - self.space.encode(row[None])).sum(axis=1)
        return np.asarray(fresh[np.argmin(distance)])


def _fresh(codes: Array, taken: Taken) -> Array:
    """The rows that are not taken."""
    return codes[[key(row) not in taken for row in codes]] if taken else codes


def _need(codes: Array, taken: Taken) -> Array:
    if len(codes) == 0:
        raise SpaceExhaustedError(f"all {len(taken)} configurations have been tried; stop here.")
    return codes
