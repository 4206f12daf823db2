"""Families of functions to train on: those of the paper's appendix, and one of any size."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from malibo import Float, History, Space, Task
from malibo.bench.problems.ensembles import FAMILIES


def family_history(name: str, tasks: int, size: int, seed: int) -> History:
    """Random observations of ``tasks`` functions of a family, ``size`` of each."""
    family = replace(FAMILIES[name], tasks=tasks, size=size)
    return family.past(np.random.default_rng(seed))


def noise_history(parameters: int, tasks: int, size: int, seed: int) -> History:
    """Shifted quadratics in many dimensions, for measuring size alone."""
    space = Space({f"x{i}": Float(0, 1) for i in range(parameters)})
    rng = np.random.default_rng(seed)
    past = []
    for number in range(tasks):
        codes = rng.uniform(size=(size, parameters))
        centre = rng.uniform(0.3, 0.7, parameters)
        past.append(Task(f"task {number}", space, codes, ((codes - centre) ** 2).sum(axis=1)))
    return History(past)
