"""Synthetic families of functions of the paper's appendix, with multiplicative noise.

Two formulas are printed wrongly there. Branin's bracket has to be squared. And the optimum b
of the quadratic, drawn from U(−0.9, 0.9), lies outside [0, 1] half of the time although
the text says that the space contains it: b is drawn from U(0.05, 0.95) here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from malibo.bench.problems.problem import Evaluation, Problem, Reference
from malibo.bench.searchspace import SearchSpace
from malibo.history import History
from malibo.space import Float, Space
from malibo.space.parameters import Array
from malibo.task import Task

Function = Callable[[Array], Array]
TARGETS = 15  # functions to tune
_LOOK = 20_000  # points that stand for all others in shares and for the worst value


@dataclass(frozen=True)
class Family:
    """A distribution over functions on one space.

    draw          one function, of points (n, P)
    tasks, size   how many functions are the past, and the observations of each
    """

    space: Space
    draw: Callable[[np.random.Generator], Function]
    tasks: int
    size: int

    def past(self, rng: np.random.Generator, noise: float = 0.0) -> History:
        """Random noisy observations of random functions."""
        past = []
        for number in range(self.tasks):
            function = self.draw(rng)
            codes = self.space.sample(rng, self.size)
            losses = noisy(function(codes), noise, rng)
            past.append(Task(f"function {number}", self.space, codes, losses))
        return History(past)


def noisy(values: Array, noise: float, rng: np.random.Generator) -> Array:
    """y = f(x) · (1 + ε·n) with n from N(0, 1): noise in proportion to the value."""
    return np.asarray(values * (1 + noise * rng.standard_normal(values.shape)))


def quadratic_value(x: Array, a: float, b: float, c: float) -> Array:
    """(a·(x − b))² − c at the points (n, 1); the optimum is at b."""
    return np.asarray((a * (x[:, 0] - b)) ** 2 - c)


def quadratic(rng: np.random.Generator) -> Function:
    """One function of the quadratic ensemble."""
    a, b, c = rng.uniform(0.5, 1.5), rng.uniform(0.05, 0.95), rng.uniform(-1, 1)
    return lambda x: quadratic_value(x, a, b, c)


def forrester_value(x: Array, a: float, b: float, c: float) -> Array:
    """a·(6x − 2)²·sin(12x − 4) + b·(x − ½) − c at the points (n, 1)."""
    x = x[:, 0]
    return np.asarray(a * (6 * x - 2) ** 2 * np.sin(12 * x - 4) + b * (x - 0.5) - c)


def forrester(rng: np.random.Generator) -> Function:
    """One function of the Forrester ensemble."""
    a, b, c = rng.uniform(0.2, 3), rng.uniform(-5, 15), rng.uniform(-5, 5)
    return lambda x: forrester_value(x, a, b, c)


def branin_value(x: Array, a: float, b: float, c: float, r: float, s: float, t: float) -> Array:
    """a·(x₂ − b·x₁² + c·x₁ − r)² + s·(1 − t)·cos x₁ + s at the points (n, 2)."""
    bowl = a * (x[:, 1] - b * x[:, 0] ** 2 + c * x[:, 0] - r) ** 2
    return np.asarray(bowl + s * (1 - t) * np.cos(x[:, 0]) + s)


def branin(rng: np.random.Generator) -> Function:
    """One function of the Branin ensemble."""
    a, b, c = rng.uniform(0.5, 1.5), rng.uniform(0.1, 0.15), rng.uniform(1, 2)
    r, s, t = rng.uniform(5, 7), rng.uniform(8, 12), rng.uniform(0.03, 0.05)
    return lambda x: branin_value(x, a, b, c, r, s, t)


_A = np.array([[3, 10, 30], [0.1, 10, 35], [3, 10, 30], [0.1, 10, 35]])
_P = 1e-4 * np.array(
    [[3689, 1170, 2673], [4699, 4387, 7470], [1091, 8732, 5547], [381, 5743, 8828]]
)


def hartmann3d_value(x: Array, alpha: Array) -> Array:
    """−Σᵢ αᵢ·exp(−Σⱼ Aᵢⱼ·(xⱼ − Pᵢⱼ)²) at the points (n, 3)."""
    distance = np.einsum("ij,nij->ni", _A, (x[:, None] - _P) ** 2)
    return np.asarray(-np.exp(-distance) @ alpha)


def hartmann3d(rng: np.random.Generator) -> Function:
    """One function of the Hartmann3D ensemble."""
    alpha = np.concatenate([rng.uniform(0, 2, 2), rng.uniform(2, 4, 2)])
    return lambda x: hartmann3d_value(x, alpha)


# Sizes of the past are the paper's but for Hartmann3D, 256 × 512 there: a Gaussian process for
# each of 256 tasks is beyond what some of the compared methods can do.
FAMILIES = {
    "quadratic": Family(Space(x=Float(0, 1)), quadratic, 128, 128),
    "forrester": Family(Space(x=Float(0, 1)), forrester, 128, 128),
    "branin": Family(Space(x1=Float(-5, 10), x2=Float(0, 15)), branin, 256, 128),
    "hartmann3d": Family(Space({f"x{i}": Float(0, 1) for i in (1, 2, 3)}), hartmann3d, 64, 128),
}


class FamilyProblem(Problem):
    """One function of a family, chosen by its number, with other functions as the past."""

    def __init__(self, family: Family, number: int, noise: float = 0.0) -> None:
        self.task = f"target {number}"
        self.search = SearchSpace(family.space)
        self._family, self._noise = family, noise
        self._function = family.draw(np.random.default_rng([2024, number]))
        points = family.space.sample(np.random.default_rng(0), _LOOK)
        self._ordered = np.sort(self._function(points))
        best = min(float(self._ordered[0]), self._minimum(points))
        self.reference = Reference(best, float(self._ordered[-1]), best)

    def _minimum(self, points: Array) -> float:
        """The least value, by descent from the best of many points."""
        space = self._family.space
        bounds = [(p.low, p.high) for p in space.values() if isinstance(p, Float)]
        starts = points[np.argsort(self._function(points))[:20]]

        def value(x: Array) -> float:
            return float(self._function(x[None])[0])

        return min(float(minimize(value, start, bounds=bounds).fun) for start in starts)

    def past(self, rng: np.random.Generator) -> History:
        """Noisy observations of other functions of the family."""
        return self._family.past(rng, self._noise)

    def evaluate(self, row: Array, rng: np.random.Generator) -> Evaluation:
        """A noisy look at the function."""
        truth = self._function(row[None])
        loss = float(noisy(truth, self._noise, rng)[0])
        better = np.searchsorted(self._ordered, truth[0]) / _LOOK
        return Evaluation(loss, float(truth[0]), float(better), float("nan"))
