"""Problem: one task to be tuned, its past, and what the best possible result is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from malibo.bench.searchspace import SearchSpace
from malibo.history import History
from malibo.space.parameters import Array


@dataclass(frozen=True)
class Evaluation:
    """What an evaluation of a configuration gives.

    loss      what the optimizer is told
    truth     the same without noise; regret is measured by it
    better    share of all configurations that are truly better
    seconds   what the evaluation took on the machine of whoever made the table; NaN: unknown
    """

    loss: float
    truth: float
    better: float
    seconds: float


@dataclass(frozen=True)
class Reference:
    """True losses of a task by which regret is measured.

    second   the second best distinct loss: a floor for the logarithm of the regret
    """

    best: float
    worst: float
    second: float

    @classmethod
    def of(cls, losses: Array) -> Reference:
        """From all losses of a task."""
        distinct = np.unique(losses)
        return cls(float(distinct[0]), float(distinct[-1]), float(distinct[:2][-1]))


class Problem(ABC):
    """One task to be tuned.

    task        its name in its suite
    search      where an optimizer may look
    reference   the true losses of the best and the worst configuration
    """

    task: str
    search: SearchSpace
    reference: Reference

    @abstractmethod
    def past(self, rng: np.random.Generator) -> History:
        """Runs on related tasks."""

    @abstractmethod
    def evaluate(self, row: Array, rng: np.random.Generator) -> Evaluation:
        """The result of a configuration, given by its codes (P,)."""

    def initial(self, seed: int) -> Array:
        """Codes of configurations that are evaluated before an optimizer is asked."""
        return np.empty((0, len(self.search.space)))
