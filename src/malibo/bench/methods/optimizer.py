"""What every method is: a factory of an optimizer that is asked and told.

The contract, held by one test for all of them:

- ``factory(space, history, rng)`` gives an optimizer; all its randomness comes from ``rng``
- ``ask`` gives a configuration of the search space that was not told before
- ``tell`` takes any configuration with its loss, asked for or not; None for a failed trial
- the next suggestion depends only on the generator's seed and on what was told, so that a new
  optimizer, told the same, goes on where another one stopped
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from malibo.bench.searchspace import SearchSpace
from malibo.history import History
from malibo.maximize import Taken, taken_rows
from malibo.space import Config
from malibo.space.parameters import Array
from malibo.task import read_loss

RANDOM_FIRST = 10  # random configurations with which methods without a past begin


class Optimizer(Protocol):
    """Asked for a configuration, told its loss."""

    def ask(self) -> Config: ...

    def tell(self, config: Mapping[str, Any], loss: float | None) -> None: ...


Factory = Callable[[SearchSpace, History, np.random.Generator], Optimizer]


class Told:
    """An optimizer's memory.

    codes, losses   what was told so far: (N, P) and (N,); a failed trial is NaN
    """

    def __init__(self, space: SearchSpace, history: History, rng: np.random.Generator) -> None:
        self.search = space
        self.history = history
        self._seed = int(rng.integers(2**63))
        self.codes: Array = np.empty((0, len(space.space)))
        self.losses: Array = np.empty(0)

    def tell(self, config: Mapping[str, Any], loss: float | None) -> None:
        """Keep a result."""
        self.codes = np.vstack([self.codes, self.search.space.codes([config])])
        self.losses = np.append(self.losses, read_loss(loss))

    def rng(self) -> np.random.Generator:
        """The generator of the next suggestion."""
        return np.random.default_rng([self._seed, len(self.losses)])

    @property
    def taken(self) -> Taken:
        """What was told, and is not to be asked for again."""
        return taken_rows(self.codes)

    def config(self, row: Array) -> Config:
        """Codes (P,) as a configuration."""
        return self.search.space.configs(row)[0]

    def random_config(self, rng: np.random.Generator) -> Config:
        """Any fresh configuration."""
        return self.config(rng.choice(self.search.candidates(rng, self.taken)))
