"""Candidates: all of a small space, random ones of a large one, and none of them twice."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import malibo
from malibo import Categorical, Float, History, Int, Malibo, MetaModel, Space, Task
from malibo.errors import HistoryError, InputError, SpaceError, SpaceExhaustedError
from malibo.maximize import (
    Pool,
    Taken,
    best,
    draw_pool,
    guided_pool,
    key,
    taken_or_alike,
    taken_rows,
)
from points import all_of
from strategies import countable_parameters, repeatable, seeds, spaces

NAN = np.nan
GOOD = {"lr": 0.01, "layers": 2, "optimizer": "adam", "epochs": 10}
FINITE = Space(a=Int(1, 3), b=Categorical(["x", "y"]), c=Int(0, 1, when={"b": "y"}))  # 9 in all


def pool_codes(
    space: Space, size: int, taken: Taken, rng: np.random.Generator | None = None
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    generator = rng or np.random.default_rng(0)
    return draw_pool(MetaModel.uninformed(space), size, taken, generator).codes


def test_a_key_does_not_tell_minus_zero_from_zero() -> None:
    assert key(np.array([-0.0, np.nan])) == key(np.array([0.0, np.nan]))
    assert key(np.array([0.0, 1.0])) != key(np.array([1.0, 0.0]))


def test_taken_rows_are_those_of_all_groups() -> None:
    one, two = np.array([[1.0], [2.0]]), np.array([[2.0], [3.0]])
    assert taken_rows(one, two) == {key(np.array([value])) for value in (1.0, 2.0, 3.0)}
    assert taken_rows(np.empty((0, 3))) == set()


def test_a_pool_knows_the_points_of_its_codes(model: MetaModel) -> None:
    codes = model.space.sample(np.random.default_rng(0), 3)
    pool = Pool.of(model, codes)
    assert_array_equal(pool.codes, codes)
    assert_array_equal(pool.points.offset, model.points(codes).offset)


def test_a_small_space_is_listed_whole() -> None:
    codes = pool_codes(FINITE, 9, set())
    assert len(codes) == len(taken_rows(codes)) == 9


def test_a_larger_space_is_sampled() -> None:
    rng = np.random.default_rng(1)
    codes = pool_codes(Space(a=Float(0, 1)), 50, set(), rng)
    assert codes.shape == (50, 1)
    assert len(taken_rows(codes)) == 50
    assert_array_equal(codes, Space(a=Float(0, 1)).sample(np.random.default_rng(1), 50))


def test_the_candidates_stay_in_the_range_of_the_target() -> None:
    model = MetaModel(space=Space(a=Float(1, 2)), joint=Space(a=Float(0, 9)))
    pool = draw_pool(model, 200, set(), np.random.default_rng(0))
    assert pool.codes.min() >= 1
    assert pool.codes.max() <= 2
    assert pool.points.unit.max() <= 2 / 9


def test_when_all_that_was_sampled_is_taken_the_rest_is_listed() -> None:
    everything = FINITE.enumerate(100)
    for left in range(9):
        taken = taken_rows(np.delete(everything, left, axis=0))
        codes = pool_codes(FINITE, 1, taken)
        assert_array_equal(
            best(np.zeros(len(codes)), codes, taken, np.random.default_rng(0)), everything[left]
        )


def test_a_finite_branch_that_is_taken_does_not_end_an_endless_space() -> None:
    space = Space(a=Categorical(["x", "y"]), b=Float(0, 1, when={"a": "y"}))
    taken = taken_rows(space.codes([{"a": "x"}]))
    for seed in range(10):
        codes = pool_codes(space, 1, taken, np.random.default_rng(seed))
        assert key(codes[0]) not in taken


@pytest.mark.parametrize("size", [1, 9, 100])
def test_an_exhausted_space_says_so(size: int) -> None:
    with pytest.raises(SpaceExhaustedError, match="all 9 configurations of the space have been"):
        pool_codes(FINITE, size, taken_rows(FINITE.enumerate(100)))


def test_the_best_is_the_highest_score_that_is_not_taken() -> None:
    codes = np.array([[1.0], [2.0], [3.0], [2.0]])
    scores = np.array([0.1, 0.9, 0.5, 0.9])
    assert_array_equal(best(scores, codes, set(), np.random.default_rng(0)), [2.0])
    assert_array_equal(best(scores, codes, taken_rows(codes[[1]]), np.random.default_rng(0)), [3.0])
    with pytest.raises(SpaceExhaustedError, match="all 4 candidates have been tried"):
        best(scores, codes, taken_rows(codes), np.random.default_rng(0))


def test_chance_decides_between_equal_scores() -> None:
    codes, rng = np.array([[7.0], [8.0], [9.0]]), np.random.default_rng(0)
    assert {float(best(np.zeros(3), codes, set(), rng)[0]) for _ in range(30)} == {7, 8, 9}


@repeatable
@given(spaces(countable_parameters(4), most=3), st.integers(1, 20), seeds)
def test_every_configuration_of_a_countable_space_comes_exactly_once(
    space: Space, size: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    everything, taken = space.enumerate(1000), set[bytes]()
    for _ in everything:
        codes = pool_codes(space, size, taken, rng)
        row = best(rng.random(len(codes)), codes, taken, rng)
        taken.add(key(row))
    assert taken == taken_rows(everything)
    with pytest.raises(SpaceExhaustedError):
        pool_codes(space, size, taken, rng)


# -- a table of candidates -----------------------------------------------------------------


@pytest.mark.parametrize("frame", [True, False])
def test_only_rows_of_a_table_are_suggested_each_once(frame: bool, model: MetaModel) -> None:
    rows = model.space.configs(model.space.sample(np.random.default_rng(0), 6))
    table: Any = pd.DataFrame(rows + rows[:3]) if frame else rows + rows[:3]
    optimizer = Malibo(model, candidates=table, seed=0)
    found = optimizer.ask(6)
    assert sorted(map(repr, found)) == sorted(map(repr, rows))
    with pytest.raises(SpaceExhaustedError, match="all 6 candidates have been tried"):
        optimizer.ask()


@pytest.mark.parametrize(
    ("candidates", "error", "message"),
    [
        ([], InputError, "candidates is empty; give at least one"),
        (pd.DataFrame(columns=[*GOOD, "momentum"]), InputError, "candidates is empty"),
        (
            pd.DataFrame([{**GOOD, "optimizer": "sgd"}]),
            HistoryError,
            "'momentum' is empty in row 1",
        ),
        ([GOOD, {**GOOD, "layers": 9}], SpaceError, "'layers': expected .* 1 to 4, got 9"),
        ([{"lr": 0.01}], SpaceError, "'layers' is missing"),
        (pd.DataFrame([{**GOOD, "momentum": NAN, "lr": 7}]), HistoryError, "'lr', row 1"),
        (pd.DataFrame([{**GOOD, "momentum": NAN, "lr": NAN}]), HistoryError, "'lr' is empty"),
        (64, InputError, r"a list of dicts, got 64.*random_candidates=\.\.\."),
        ("lr", InputError, "must be a DataFrame or a list of dicts"),
    ],
)
def test_wrong_candidates_are_refused(
    candidates: Any, error: type[Exception], message: str, tuning_space: Space
) -> None:
    with pytest.raises(error, match=message):
        Malibo(space=tuning_space, candidates=candidates)


def test_a_table_needs_no_column_of_a_parameter_that_is_never_active(tuning_space: Space) -> None:
    optimizer = Malibo(space=tuning_space, candidates=pd.DataFrame([GOOD]))
    assert optimizer.ask() == GOOD


def test_a_continuous_parameter_that_is_never_active_does_not_hang() -> None:
    space = Space(
        a=Categorical(["x", "y"]),
        b=Int(0, 1, when={"a": "x"}),
        c=Int(0, 1, when={"a": "y"}),
        d=Float(0, 1, when={"b": 0, "c": 0}),
    )
    optimizer = Malibo(space=space, seed=0)
    optimizer.ask(4)
    with pytest.raises(SpaceExhaustedError, match="all 4 configurations of the space"):
        optimizer.ask()


def test_scores_that_are_no_numbers_come_last() -> None:
    codes = np.array([[1.0], [2.0]])
    scores = np.array([NAN, -1e9])
    assert_array_equal(best(scores, codes, set(), np.random.default_rng(0)), [2.0])
    assert_array_equal(best(scores, codes, taken_rows(codes[1:]), np.random.default_rng(0)), [1.0])


def test_candidates_that_differ_by_the_tolerance_count_as_equal() -> None:
    codes = np.arange(4.0)[:, None]
    scores = np.array([1.0, 0.99, 0.9, 0.5])
    rng = np.random.default_rng(0)
    found = {float(best(scores, codes, set(), rng, tolerance=0.05)[0]) for _ in range(50)}
    assert found == {0.0, 1.0}
    assert best(scores, codes, taken_rows(codes[:2]), rng, tolerance=0.05)[0] == 2
    assert best(scores, codes, set(), rng)[0] == 0


# -- candidates that the past and the best so far suggest ----------------------------------


@pytest.fixture(scope="module")
def countable() -> MetaModel:
    """A model of a space that is too large to be drawn whole, but can be listed."""
    space = Space(a=Int(0, 199), b=Int(0, 199))
    codes = space.sample(np.random.default_rng(0), 50)
    tasks = [Task(f"task {i}", space, codes, codes.sum(axis=1)) for i in range(2)]
    return malibo.meta_train(History(tasks), steps=5, progress=False)


def test_pools_are_joined_with_all_that_is_known_of_them(model: MetaModel) -> None:
    codes = model.space.sample(np.random.default_rng(0), 7)
    joined = Pool.of(model, codes[:3]).joined(Pool.of(model, codes[3:]))
    assert_array_equal(joined.codes, codes)
    for found, expected in zip(all_of(joined.points), all_of(model.points(codes)), strict=True):
        assert_allclose(found, expected, atol=1e-3)  # float32, summed in another order
    nothing = Pool.of(model, codes[:0])
    assert_array_equal(joined.joined(nothing).codes, codes)


def test_a_guided_pool_is_the_drawn_one_and_what_is_promising(model: MetaModel) -> None:
    nothing = np.empty((0, len(model.space)))
    drawn = draw_pool(model, 64, set(), np.random.default_rng(3))
    pool = guided_pool(model, 64, nothing, set(), np.random.default_rng(3))
    assert_array_equal(pool.codes[:64], drawn.codes)
    assert taken_rows(pool.codes[64:]) == taken_rows(model.promising)
    for found, expected in zip(all_of(pool.points), all_of(model.points(pool.codes)), strict=True):
        assert_allclose(found, expected, atol=1e-3)  # float32, summed in another order


def test_between_real_numbers_there_are_no_neighbours(model: MetaModel) -> None:
    top = model.space.sample(np.random.default_rng(0), 5)
    with_best = guided_pool(model, 64, top, set(), np.random.default_rng(3))
    without = guided_pool(model, 64, top[:0], set(), np.random.default_rng(3))
    assert_array_equal(with_best.codes, without.codes)


def test_where_configurations_can_be_listed_neighbours_of_the_best_are_candidates(
    countable: MetaModel,
) -> None:
    top = np.array([[77.0, 123.0]])
    pool = guided_pool(countable, 64, top, taken_rows(top), np.random.default_rng(0))
    distance = np.abs(pool.codes - top)
    assert len(taken_rows(pool.codes[distance.sum(axis=1) == 1])) >= 2  # the next ones, of four
    known = taken_rows(countable.promising)
    added = np.array([row for row in pool.codes[64:] if key(row) not in known])
    assert len(taken_rows(added)) > 20
    assert ((added == top).sum(axis=1) >= 1).all()  # one parameter changed at a time


def test_to_a_small_space_nothing_can_be_added() -> None:
    space = Space(a=Int(0, 9))
    codes = space.enumerate(10)
    model = malibo.meta_train(
        History([Task("task", space, codes, codes[:, 0])]), steps=2, progress=False
    )
    pool = guided_pool(model, 64, codes[:3], taken_rows(codes[:3]), np.random.default_rng(0))
    assert taken_rows(pool.codes) == taken_rows(codes)
    with pytest.raises(SpaceExhaustedError, match="all 10 configurations of the space"):
        guided_pool(model, 64, codes[:3], taken_rows(codes), np.random.default_rng(0))


def test_a_row_with_unknown_values_stands_for_all_that_agree_with_the_rest() -> None:
    codes = np.array([[1.0, 1.0, 0.0], [2.0, 1.0, np.nan], [3.0, 0.0, np.nan]])  # the last is whole
    taken = taken_or_alike(taken_rows(codes), codes, FINITE)
    left = [row for row in FINITE.enumerate(20) if key(row) not in taken]
    assert sorted(row.tolist()[:2] for row in left) == [[1, 0], [1, 1], [2, 0], [3, 1], [3, 1]]
    assert key(np.array([2.0, 1.0, np.nan])) in taken
    assert key(np.array([2.0, 1.0, 1.0])) not in taken_rows(codes)
    assert taken_or_alike(taken, codes[:1], FINITE) is taken  # nothing is unknown there
