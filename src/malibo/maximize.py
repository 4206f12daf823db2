"""The best candidates of any score, none of them twice."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from malibo.errors import SpaceExhaustedError
from malibo.metamodel import MetaModel, Points
from malibo.space import Space
from malibo.space.parameters import Array

_TRIES = 100
_NEIGHBOURS = 100  # of each of the best configurations, for each width
_WIDTHS = (0.1, 0.02)  # by which its numbers change

Taken = Set[bytes]  # configurations that must not be suggested again, as ``key`` writes them


@dataclass(frozen=True, eq=False)
class Pool:
    """Candidates: their codes (n, P) and all that a score needs of them."""

    codes: Array
    points: Points

    @classmethod
    def of(cls, model: MetaModel, codes: Array) -> Pool:
        """The pool of given configurations."""
        return cls(codes, model.points(codes))

    def joined(self, other: Pool) -> Pool:
        """The candidates of both."""
        codes = np.concatenate([self.codes, other.codes])
        return Pool(codes, self.points.joined(other.points))


def key(row: Array) -> bytes:
    """A configuration as a dictionary key; −0.0 is 0.0."""
    return (row + 0.0).tobytes()


def taken_rows(*groups: Array) -> Taken:
    """What ``key`` makes of all rows of some code arrays, in one go."""
    return {row.tobytes() for codes in groups for row in codes + 0.0}


def taken_or_alike(taken: Taken, measured: Array, space: Space) -> Taken:
    """What is taken, and all configurations that agree with a measured one as far as it is known.

    Where an objective did not ask for a value that the space has, nobody knows what it is, and
    to try another one is to try the same again.
    """
    if not np.isnan(measured).any():
        return taken
    return _TakenOrAlike(taken, measured + 0.0, space.unknown_cells(measured))


class _TakenOrAlike(set[bytes]):
    """Keys of rows, and of all that are like some ``measured`` ones but for their unknown cells."""

    def __init__(self, taken: Taken, measured: Array, unknown: NDArray[np.bool_]) -> None:
        super().__init__(taken)
        self._alike: list[tuple[NDArray[np.bool_], set[bytes]]] = []
        for cells in np.unique(unknown[unknown.any(axis=1)], axis=0):
            rows = measured[(unknown == cells).all(axis=1)]
            self._alike.append((~cells, {row.tobytes() for row in rows[:, ~cells]}))

    def __contains__(self, key: object) -> bool:
        if super().__contains__(key) or not isinstance(key, bytes):
            return super().__contains__(key)
        row = np.frombuffer(key)
        return any(row[known].tobytes() in rows for known, rows in self._alike)


def draw_pool(model: MetaModel, size: int, taken: Taken, rng: np.random.Generator) -> Pool:
    """Candidates of the target's space: all of a small one, else random ones.

    At least one of them is not taken; SpaceExhaustedError when there is none left.
    """
    space = model.space
    if space.countable and len(everything := space.enumerate(size + 1)) <= size:
        codes = everything
    else:
        codes = space.sample(rng, size)
        for _ in range(_TRIES):  # some branch of an endless space may be finite, and used up
            if space.countable or not _all_taken(codes, taken):
                break
            codes = space.sample(rng, size)
        if space.countable and _all_taken(codes, taken):
            codes = space.enumerate(len(taken) + size)
    return Pool.of(model, _need_fresh(codes, taken))


def guided_pool(
    model: MetaModel, size: int, best: Array, taken: Taken, rng: np.random.Generator
) -> Pool:
    """Random candidates, what the meta-model finds promising, and neighbours of the best so far.

    Neighbours only where configurations can be listed: there random ones may miss the next
    better one for long. In between two real numbers there is always another.
    """
    pool = draw_pool(model, size, taken, rng)
    pool = pool.joined(Pool(model.promising, model.promising_points))
    if not model.space.countable or not len(best):
        return pool
    around = np.repeat(best, _NEIGHBOURS, axis=0)
    near = [model.space.neighbours(around, rng, width) for width in _WIDTHS]
    return pool.joined(Pool.of(model, np.concatenate(near)))


def _need_fresh(codes: Array, taken: Taken) -> Array:
    if _all_taken(codes, taken):
        raise SpaceExhaustedError(
            f"all {len(taken)} configurations of the space have been tried or are pending;"
            " stop here, or widen the space."
        )
    return codes


def _all_taken(codes: Array, taken: Taken) -> bool:
    return all(key(row) in taken for row in codes)


def best(
    scores: Array, codes: Array, taken: Taken, rng: np.random.Generator, tolerance: float = 0.0
) -> Array:
    """The row with the highest score that is not taken.

    Chance decides between equal ones: those that differ from the highest by ``tolerance`` at most.
    """
    left = np.nan_to_num(scores, nan=np.finfo(float).min)
    while np.isfinite(top := left.max()):
        equal = left >= top - tolerance
        for index in rng.permutation(np.flatnonzero(equal)):
            if key(codes[index]) not in taken:
                return np.asarray(codes[index])
        left[equal] = -np.inf
    raise SpaceExhaustedError(
        f"all {len(codes)} candidates have been tried or are pending; stop here, or give more."
    )
