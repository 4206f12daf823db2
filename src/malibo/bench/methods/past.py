"""Past tasks as the models of the past see them: points in the unit cube, standardised values."""

from __future__ import annotations

import numpy as np

from malibo.bench.methods.surrogate import standardized, with_failures
from malibo.history import Task
from malibo.space.parameters import Array

MOST = 512  # observations of a past task
Observed = tuple[Array, Array]  # points (n, D) and standardised values (n,) of a task


def observed(task: Task, rng: np.random.Generator, most: int = MOST) -> Observed:
    """A past task, or as many of its observations as are affordable, in random order."""
    rows = rng.permutation(len(task))[:most]
    values = standardized(with_failures(task.losses[rows]))
    return task.space.encode(task.codes[rows]), values
