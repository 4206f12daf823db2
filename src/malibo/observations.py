"""Observations: what is known of the new task."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from malibo.space.parameters import Array


@dataclass(frozen=True, eq=False)
class Observations:
    """What is known of the new task, as codes of the target's space.

    codes     (N, P) configurations with a result
    losses    (N,) their losses; NaN is a failed trial
    pending   (M, P) configurations asked for whose result is not there yet
    """

    codes: Array
    losses: Array
    pending: Array

    @classmethod
    def none(cls, parameters: int) -> Observations:
        """Nothing observed, nothing pending."""
        return cls(np.empty((0, parameters)), np.empty(0), np.empty((0, parameters)))

    @property
    def trials(self) -> int:
        """Number of trials so far, with or without a result."""
        return len(self.losses) + len(self.pending)

    def in_order(self) -> Observations:
        """The same in one fixed order, so that it does not matter in which results came in."""
        order = np.lexsort((self.losses, *self.codes.T))
        return replace(self, codes=self.codes[order], losses=self.losses[order])
