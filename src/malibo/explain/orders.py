"""The configurations of a space, and the orders in which random search comes upon them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from malibo.space import Float, Int, Space
from malibo.space.parameters import Array, Parameter

_WHOLE = 1024  # configurations of a space that is taken whole, at most
_SAMPLE = 4096  # random ones that stand for all of a larger one
_SEARCHES = 8  # random searches in each function


@dataclass(frozen=True, eq=False)
class Orders:
    """Configurations, and how random search goes through them.

    codes    (n, P) of them: all that the space has, or random ones that stand for all
    chances  (n,) of each to be drawn, if they are all; None if they stand for all
    size     of the space; an upper bound where some combinations do not exist, may be infinite
    """

    codes: Array
    chances: Array | None
    size: float

    @classmethod
    def of(cls, space: Space, rng: np.random.Generator) -> Orders:
        """Of a space, which is taken whole if it is small."""
        if space.countable and len(codes := space.enumerate(_WHOLE + 1)) <= _WHOLE:
            return cls(codes, _chances(space, codes), len(codes))
        size = math.prod(float(parameter.count) for parameter in space.values())
        return cls(space.sample(rng, _SAMPLE), None, size)

    def best_so_far(self, functions: Array, trials: int, rng: np.random.Generator) -> Array:
        """(searches, trials) best of the first 1, 2, ... trials in functions (m, n).

        In a small space nothing is tried twice. After each trial the next is drawn from those
        left, by their chances: that is as if each waited an exponential time of its own.
        """
        searched = np.repeat(functions, _SEARCHES, axis=0)
        if self.chances is None:
            picked = rng.integers(len(self.codes), size=(len(searched), trials))
        else:
            waits = rng.exponential(size=searched.shape) / self.chances
            picked = np.argsort(waits, axis=1)[:, :trials]
        best = np.minimum.accumulate(np.take_along_axis(searched, picked, axis=1), axis=1)
        return np.pad(best, ((0, 0), (0, trials - best.shape[1])), mode="edge")  # all were tried

    def even_chance(self, good: NDArray[np.bool_]) -> Array:
        """(m,) trials for an even chance of a good one; ``good`` (m, n) says which those are.

        If none of some random configurations is good, one of the space is: half of it is enough.
        """
        if self.chances is not None:
            return _even_chance_of_all(good, self.chances)
        with np.errstate(divide="ignore"):
            share = np.minimum(good.mean(axis=1), 0.5)
            needed = np.ceil(math.log(0.5) / np.log1p(-share))
        return np.asarray(np.minimum(needed, np.ceil(self.size / 2)))


def _even_chance_of_all(good: NDArray[np.bool_], chances: Array) -> Array:
    """The same of a whole space, by the time at which half of all searches have a good one.

    Exponential waits: by then a good one has come with a chance of 1 − exp(−time · chance) = ½,
    and of the others so many as their own chances tell.
    """
    with np.errstate(divide="ignore"):
        time = math.log(2) / (good @ chances)  # infinite if there is no good one
    before = np.where(good, 0.0, -np.expm1(-time[:, None] * chances))
    return np.asarray(np.minimum(np.floor(1 + before.sum(axis=1) + 1e-9), len(chances)))


def _chances(space: Space, codes: Array) -> Array:
    """Of each configuration to be drawn: the product of those of its active parameters."""
    found = np.ones(len(codes))
    for column, parameter in zip(codes.T, space.values(), strict=True):
        found *= np.where(np.isnan(column), 1.0, _shares(parameter, column))
    return found


def _shares(parameter: Parameter, column: Array) -> Array:
    """How often a parameter has its values: all alike, but small ones of a logarithm."""
    if not (isinstance(parameter, Float | Int) and parameter.log):
        return np.full(len(column), 1 / parameter.count)
    half = 0.5 * (parameter.step or 0.0)
    width = math.log((parameter.high + half) / (parameter.low - half))
    return np.log((column + half) / (column - half)) / width
