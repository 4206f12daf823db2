"""Where an optimizer may look."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from malibo import Categorical, Float, Int, Ordinal, Space
from malibo.bench.searchspace import CANDIDATES, SearchSpace
from malibo.errors import SpaceExhaustedError
from malibo.maximize import key, taken_rows
from malibo.space.parameters import Array

MIXED = Space(
    lr=Float(1e-4, 1e-1, log=True),
    layers=Int(1, 4),
    width=Ordinal([16, 64, 256]),
    optimizer=Categorical(["adam", "sgd"]),
    momentum=Float(0, 0.9, when={"optimizer": "sgd"}),
    epochs=10,
)
GRID = Space(a=Int(0, 3), b=Categorical(["x", "y", "z"]))
LINE = SearchSpace(Space(x=Float(0, 1)), np.array([[0.0], [0.2], [0.6], [1.0]]))


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


# -- candidates ----------------------------------------------------------------------------


def test_candidates_of_a_space_are_random_and_as_many_as_in_the_paper() -> None:
    search = SearchSpace(MIXED)
    codes = search.candidates(rng(), set())
    assert codes.shape == (CANDIDATES, len(MIXED))
    assert not MIXED.unknown(codes).any()
    assert_array_equal(codes, search.candidates(rng(), set()))
    assert len(search.candidates(rng(), set(), size=7)) == 7


def test_candidates_of_a_small_space_are_all_that_is_left() -> None:
    taken = taken_rows(GRID.enumerate(5))
    codes = SearchSpace(GRID).candidates(rng(), taken)
    assert len(codes) == 7
    assert taken_rows(codes) | taken == taken_rows(GRID.enumerate(100))


def test_candidates_of_a_table_are_its_rows() -> None:
    assert_array_equal(LINE.candidates(rng(), set()), LINE.table)
    left = LINE.candidates(rng(), taken_rows(np.array([[0.2], [0.6]])))
    assert_array_equal(left, [[0], [1]])


def test_the_last_configurations_of_a_larger_space_are_found() -> None:
    space = Space(a=Int(0, 40), b=Int(0, 40))
    everything = space.enumerate(10_000)
    taken = taken_rows(everything[:-1])
    codes = SearchSpace(space).candidates(rng(), taken, size=4)  # fewer than there are
    assert taken_rows(codes) == {key(everything[-1])}


@pytest.mark.parametrize("search", [SearchSpace(GRID), SearchSpace(GRID, GRID.enumerate(12))])
def test_when_everything_is_taken_there_is_an_error(search: SearchSpace) -> None:
    taken = taken_rows(GRID.enumerate(100))
    with pytest.raises(SpaceExhaustedError, match="all 12 configurations have been tried"):
        search.candidates(rng(), taken)


# -- nearest -------------------------------------------------------------------------------


def nearest(search: SearchSpace, row: list[float], *taken: list[float]) -> Array | None:
    return search.nearest(np.array(row), taken_rows(np.array(taken)))


def test_in_a_space_the_nearest_is_the_configuration_itself_unless_it_is_taken() -> None:
    search = SearchSpace(LINE.space)
    assert nearest(search, [0.25]) == [0.25]
    assert nearest(search, [0.25], [0.5]) == [0.25]
    assert nearest(search, [0.25], [0.25]) is None


def test_in_a_table_it_is_the_nearest_row_that_is_not_taken() -> None:
    assert nearest(LINE, [0.25]) == [0.2]
    assert nearest(LINE, [0.25], [0.2]) == [0.0]
    assert nearest(LINE, [0.25], [0.2], [0.0]) == [0.6]
    with pytest.raises(SpaceExhaustedError):
        nearest(LINE, [0.25], [0.0], [0.2], [0.6], [1.0])


def test_a_row_of_the_table_is_the_nearest_to_itself() -> None:
    search = SearchSpace(MIXED, MIXED.sample(rng(1), 50))
    assert search.table is not None
    for row in search.table:
        assert_array_equal(search.nearest(row, set()), row)
