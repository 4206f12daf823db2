"""Small histories and weights that training tests share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from malibo import Float, History, Space, Task
from malibo.network import initial_weights
from malibo.training.data import Data

SQUARE = Space(a=Float(0, 1), b=Float(0, 1))
OPTIMUM = np.array([0.7, 0.3])
Arrays = dict[str, NDArray[Any]]


def quadratics(tasks: int, runs: int, *, shift: float = 0.05, seed: int = 0) -> History:
    """Tasks whose optima lie around a common one, on scales of their own."""
    rng = np.random.default_rng([seed, tasks, runs])
    made = []
    for number in range(tasks):
        centre = OPTIMUM + shift * rng.standard_normal(2)
        codes = rng.uniform(size=(runs, 2))
        losses = 10.0**number * ((codes - centre) ** 2).sum(axis=1) - number
        made.append(Task(f"t{number}", SQUARE, codes, losses))
    return History(made)


def noise(tasks: int, runs: int) -> History:
    """Tasks from which nothing can be learned."""
    rng = np.random.default_rng([tasks, runs])
    return History(
        [
            Task(f"t{i}", SQUARE, rng.uniform(size=(runs, 2)), rng.standard_normal(runs))
            for i in range(tasks)
        ]
    )


def weights_off_their_start(
    sizes: tuple[int, int, int, int] = (2, 6, 2, 4), tasks: int = 3
) -> Arrays:
    """Weights in float64 of which none is zero."""
    rng = np.random.default_rng(sizes)
    weights: Arrays = dict(initial_weights(*sizes, rng))
    weights["tasks"] = rng.standard_normal((tasks, sizes[-1]))
    return {name: w + 0.3 * rng.standard_normal(w.shape) for name, w in weights.items()}


def unequal_tasks() -> Data:
    """3, 10 and 1 observations, in mixed order and in float64."""
    rng = np.random.default_rng(5)
    task = rng.permutation(np.repeat(np.arange(3, dtype=np.int32), (3, 10, 1)))
    p: NDArray[Any] = rng.exponential(size=14) * (rng.uniform(size=14) < 0.5)
    n: NDArray[Any] = rng.uniform(0.5, 1.5, 14)
    x: NDArray[Any] = rng.uniform(-1, 1, (14, 2))
    return Data(x, p, n, task)
