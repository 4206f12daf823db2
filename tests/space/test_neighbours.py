"""Neighbours: one parameter changed, by little, and always a configuration of the space."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from malibo.space import Categorical, Float, Int, Ordinal, Space
from strategies import repeatable, seeds, spaces

MIXED = Space(
    lr=Float(1e-4, 1e-1, log=True),
    layers=Int(1, 4),
    width=Ordinal([16, 64, 256]),
    optimizer=Categorical(["adam", "sgd"]),
    momentum=Float(0, 0.9, when={"optimizer": "sgd"}),
    epochs=10,
)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@repeatable
@given(spaces(), st.sampled_from([1e-9, 0.02, 0.1, 5.0]), seeds)
def test_neighbours_are_configurations_of_the_space(space: Space, width: float, seed: int) -> None:
    codes = space.sample(rng(seed), 20)
    found = space.neighbours(codes, rng(seed + 1), width)
    assert found.shape == codes.shape
    assert not space.unknown(found).any()
    assert_array_equal(space.codes(space.configs(found)), found)  # an error if one is outside


def test_a_neighbour_differs_in_one_parameter_and_what_depends_on_it() -> None:
    codes = MIXED.sample(rng(), 400)
    before = codes.copy()
    found = MIXED.neighbours(codes, rng(1), width=0.1)
    assert_array_equal(codes, before)
    different = ~((found == codes) | (np.isnan(found) & np.isnan(codes)))
    chosen = different[:, :4].sum(axis=1) + (different[:, 4] & ~different[:, 3])
    assert set(chosen) == {0, 1}  # the same one may be drawn again
    assert different[:, :4].any(axis=0).all()
    assert not different[:, 5].any()


@pytest.mark.parametrize("width", [0.05, 0.01])
def test_numbers_move_by_the_given_width(width: float) -> None:
    found = Space(x=Float(0, 1)).neighbours(np.full((2000, 1), 0.5), rng(), width)
    assert found.std() == pytest.approx(width, rel=0.1)
    assert found.mean() == pytest.approx(0.5, abs=0.01)


def test_whole_numbers_move_by_at_least_a_step() -> None:
    space = Space(a=Int(0, 9))
    found = space.neighbours(np.full((1000, 1), 5.0), rng(), width=1e-6)
    assert {4, 5, 6} <= set(found[:, 0])


def test_a_choice_may_become_any_other() -> None:
    space = Space(a=Categorical(["x", "y", "z"]))
    found = space.neighbours(np.zeros((200, 1)), rng(), width=1e-6)
    assert set(found[:, 0]) == {0, 1, 2}


def test_nothing_has_no_neighbours() -> None:
    assert MIXED.neighbours(np.empty((0, 6)), rng(), 0.1).shape == (0, 6)
