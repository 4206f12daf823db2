"""Past tasks as the models of the past see them: points in the unit cube, standardised values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from malibo.bench.methods.surrogate import standardized, with_failures
from malibo.space.parameters import Array
from malibo.task import Task

MOST = 512  # observations of a past task
HELD_OUT = 0.25  # of them, to tell when a model begins to know the rest by heart
Observed = tuple[Array, Array]  # points (n, D) and standardised values (n,) of a task


def observed(task: Task, rng: np.random.Generator, most: int = MOST) -> Observed:
    """A past task, or as many of its observations as are affordable, in random order."""
    rows = rng.permutation(len(task))[:most]
    values = standardized(with_failures(task.losses[rows]))
    return task.space.encode(task.codes[rows]), values


def keep(points: Array, values: Array) -> Observed:
    """All but what is held out; of two or three observations that is one, of one none."""
    size = len(values) - max(int(HELD_OUT * len(values)), len(values) > 1)
    return points[:size], values[:size]


@dataclass(frozen=True, eq=False)
class Data:
    """Observations of T tasks, filled up with zeros to the size of the largest.

    points   (T, n, D)
    values   (T, n)
    known    (T, n) 1 for an observation, 0 for what was filled up
    """

    points: Tensor
    values: Tensor
    known: Tensor

    @classmethod
    def of(cls, tasks: Sequence[Observed]) -> Data:
        """Put them together."""
        shape = (len(tasks), max(len(values) for _, values in tasks))
        points = np.zeros((*shape, tasks[0][0].shape[1]))
        values, known = np.zeros(shape), np.zeros(shape)
        for index, (its_points, its_values) in enumerate(tasks):
            size = len(its_values)
            points[index, :size], values[index, :size] = its_points, its_values
            known[index, :size] = 1
        return cls(torch.as_tensor(points), torch.as_tensor(values), torch.as_tensor(known))
