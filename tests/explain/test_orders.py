"""Orders of random search: nothing twice in a small space, and rare ones come late."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from malibo import Categorical, Float, Int, Space
from malibo.explain.orders import Orders
from malibo.maximize import key
from strategies import repeatable

TEN = Space(x=Int(0, 9))
SWITCH = Space(kind=Categorical(["on", "off"]), inner=Int(1, 8, log=True, when={"kind": "on"}))


def orders(space: Space) -> Orders:
    return Orders.of(space, np.random.default_rng(0))


def test_a_small_space_is_taken_whole_and_a_large_one_by_a_sample() -> None:
    assert len(orders(TEN).codes) == orders(TEN).size == 10
    edge = orders(Space(a=Int(1, 32), b=Int(1, 32)))
    assert (len(edge.codes), edge.size, edge.chances is None) == (1024, 1024, False)
    large = orders(Space(a=Int(1, 100), b=Int(1, 100)))
    assert (len(large.codes), large.size, large.chances) == (4096, 10_000, None)
    endless = orders(Space(a=Int(1, 3), b=Float(0, 1)))
    assert (len(endless.codes), endless.size, endless.chances) == (4096, math.inf, None)


def test_chances_are_how_often_configurations_are_drawn() -> None:
    found = orders(SWITCH)
    assert found.chances is not None
    assert found.chances.sum() == pytest.approx(1)
    drawn = [key(row) for row in SWITCH.sample(np.random.default_rng(1), 20_000)]
    counted = [drawn.count(key(row)) / len(drawn) for row in found.codes]
    assert_allclose(found.chances, counted, atol=0.015)


def test_a_search_tries_nothing_twice_and_then_it_has_the_best() -> None:
    function = np.arange(10.0)[None]
    best = orders(TEN).best_so_far(function, 12, np.random.default_rng(0))
    assert best.shape == (8, 12)
    assert_array_equal(best[:, 9:], 0)
    assert (np.diff(best, axis=1) <= 0).all()
    many = orders(TEN).best_so_far(np.repeat(function, 500, axis=0), 5, np.random.default_rng(0))
    assert np.mean(many[:, 4] == 0) == pytest.approx(0.5, abs=0.03)


@repeatable
@given(rows=st.integers(2, 40), data=st.data())
def test_an_even_chance_is_that_of_choices_without_repeats(rows: int, data: st.DataObject) -> None:
    """Up to one trial: the time of an even chance is not always that of a whole trial."""
    good = data.draw(st.integers(1, rows))
    found = orders(Space(x=Int(1, rows))).even_chance(np.arange(rows)[None] < good)[0]
    chances = [1 - math.comb(rows - good, k) / math.comb(rows, k) for k in range(1, rows + 1)]
    exact = 1 + int(np.argmax(np.array(chances) >= 0.5 - 1e-12))
    assert abs(found - exact) <= (good > 1)


def test_what_is_drawn_often_is_found_soon() -> None:
    """Half of all draws are the one without an inner number."""
    found = orders(SWITCH)
    off = found.codes[:, 0] == 1
    rare = found.codes[:, 1] == 8
    assert found.even_chance(np.stack([off, rare, off | rare])).tolist() == [1, 7, 1]


def test_a_space_without_a_good_one_is_tried_to_its_end() -> None:
    assert orders(TEN).even_chance(np.zeros((1, 10), dtype=bool)).tolist() == [10]


def test_of_an_endless_space_the_share_of_good_ones_tells() -> None:
    good = np.zeros((4, 4096), dtype=bool)
    for row, count in zip(good, (0, 410, 2048, 4096), strict=True):
        row[:count] = True
    endless = orders(Space(x=Float(0, 1)))
    assert endless.even_chance(good).tolist() == [math.inf, 7, 1, 1]  # 1 − 0.9⁷ = 0.52
    large = orders(Space(a=Int(1, 100), b=Int(1, 100)))
    assert large.even_chance(good)[0] == 5000
