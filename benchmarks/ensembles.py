"""Synthetic families of functions, to train on: Branin and Hartmann3D of the paper's appendix.

Branin's bracket is squared here; the paper prints it without the square.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from malibo import Float, History, Space, Task

Array = NDArray[np.float64]
Function = Callable[[Array], Array]

BRANIN = Space(x1=Float(-5, 10), x2=Float(0, 15))
HARTMANN = Space(x1=Float(0, 1), x2=Float(0, 1), x3=Float(0, 1))


def branin(rng: np.random.Generator) -> Function:
    """One function of the Branin ensemble."""
    a, b, c = rng.uniform(0.5, 1.5), rng.uniform(0.1, 0.15), rng.uniform(1, 2)
    r, s, t = rng.uniform(5, 7), rng.uniform(8, 12), rng.uniform(0.03, 0.05)

    def function(x: Array) -> Array:
        bowl = a * (x[:, 1] - b * x[:, 0] ** 2 + c * x[:, 0] - r) ** 2
        return np.asarray(bowl + s * (1 - t) * np.cos(x[:, 0]) + s)

    return function


def hartmann(rng: np.random.Generator) -> Function:
    """One function of the Hartmann3D ensemble."""
    alpha = np.concatenate([rng.uniform(0, 2, 2), rng.uniform(2, 4, 2)])
    scale = np.array([[3, 10, 30], [0.1, 10, 35], [3, 10, 30], [0.1, 10, 35]])
    centre = 1e-4 * np.array(
        [[3689, 1170, 2673], [4699, 4387, 7470], [1091, 8732, 5547], [381, 5743, 8828]]
    )

    def function(x: Array) -> Array:
        distance = np.einsum("ij,nij->ni", scale, (x[:, None] - centre) ** 2)
        return np.asarray(-np.exp(-distance) @ alpha)

    return function


def ensemble(
    space: Space,
    family: Callable[[np.random.Generator], Function],
    tasks: int,
    size: int,
    seed: int,
) -> History:
    """Random observations of ``tasks`` functions, ``size`` of each."""
    rng = np.random.default_rng(seed)
    past = []
    for number in range(tasks):
        codes = space.sample(rng, size)
        past.append(Task(f"task {number}", space, codes, family(rng)(codes)))
    return History(past)


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
