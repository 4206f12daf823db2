"""Pasts that mislead: what a transfer method should notice, and survive.

Each is a function of a problem's true past, the problem and a generator. The task to be
tuned stays as it is.

unrelated    the past tasks are smooth random functions
flipped      their losses have the opposite sign: what was good is bad
one-good     one true past task among nine unrelated ones
elsewhere    only the half of the past that is far from the optimum of the new task
corrupted    one value in ten is replaced by noise ten times as wide as the task's losses
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from malibo.bench.problems.problem import Evaluation, Problem
from malibo.history import History
from malibo.space.parameters import Array
from malibo.task import Task

WAVES = 16  # cosines in a random function
BAD_TASKS = 9  # beside the one good task
CORRUPTED = 0.1  # share of the values
_LOOK = 4096  # random configurations among which the optimum is looked for


def unrelated(past: History, problem: Problem, rng: np.random.Generator) -> History:
    """Every task a random function of its own."""
    return _with(past, [_random_task(task, rng) for task in past])


def flipped(past: History, problem: Problem, rng: np.random.Generator) -> History:
    """Every task with the opposite sign."""
    return _with(past, [replace(task, losses=-task.losses) for task in past])


def one_good(past: History, problem: Problem, rng: np.random.Generator) -> History:
    """One true task, and nine of random functions over the points of true ones."""
    good = past.tasks[int(rng.integers(len(past.tasks)))]
    points = [past.tasks[i] for i in rng.integers(len(past.tasks), size=BAD_TASKS)]
    bad = [replace(_random_task(task, rng), name=f"bad {i}") for i, task in enumerate(points)]
    return _with(past, [good, *bad])


def elsewhere(past: History, problem: Problem, rng: np.random.Generator) -> History:
    """Of every task the half that is far from the best configuration of the new one."""
    space = problem.search.space
    look = problem.search.candidates(rng, set(), _LOOK)
    truths = [problem.evaluate(row, rng).truth for row in look]
    optimum = space.encode(look[[int(np.argmin(truths))]])
    return _with(past, [_far_half(task, optimum) for task in past])


def corrupted(past: History, problem: Problem, rng: np.random.Generator) -> History:
    """Some values of every task replaced by wide noise: half of those look splendid."""
    return _with(past, [_corrupt(task, rng) for task in past])


PASTS: dict[str, Callable[[History, Problem, np.random.Generator], History]] = {
    "unrelated": unrelated,
    "flipped": flipped,
    "one-good": one_good,
    "elsewhere": elsewhere,
    "corrupted": corrupted,
}


class MisledProblem(Problem):
    """A problem with one of these pasts in place of its own."""

    def __init__(self, problem: Problem, past: str) -> None:
        self.task, self.search, self.reference = problem.task, problem.search, problem.reference
        self._problem, self._mislead = problem, PASTS[past]

    def past(self, rng: np.random.Generator) -> History:
        """The misleading past."""
        return self._mislead(self._problem.past(rng), self._problem, rng)

    def evaluate(self, row: Array, rng: np.random.Generator) -> Evaluation:
        """The true result."""
        return self._problem.evaluate(row, rng)

    def initial(self, seed: int) -> Array:
        """As the problem has them."""
        return self._problem.initial(seed)


def _with(past: History, tasks: list[Task]) -> History:
    return replace(past, tasks=tasks)


def _random_task(task: Task, rng: np.random.Generator) -> Task:
    """The task's points with the values of a sum of random cosines."""
    unit = task.space.encode(task.codes)
    directions = 3 * rng.standard_normal((unit.shape[1], WAVES)) / np.sqrt(unit.shape[1])
    waves = np.cos(2 * np.pi * (unit @ directions + rng.uniform(size=WAVES)))
    return replace(task, losses=waves @ rng.standard_normal(WAVES))


def _far_half(task: Task, optimum: Array) -> Task:
    distance = np.abs(task.space.encode(task.codes) - optimum).sum(axis=1)
    far = distance >= np.median(distance)
    return replace(task, codes=task.codes[far], losses=task.losses[far])


def _corrupt(task: Task, rng: np.random.Generator) -> Task:
    losses = task.losses.copy()
    rows = rng.choice(len(losses), round(CORRUPTED * len(losses)), replace=False)
    wide = 10 * np.ptp(losses[np.isfinite(losses)])
    losses[rows] = np.nanmedian(losses) + wide * rng.standard_normal(len(rows))
    return replace(task, losses=losses)
