"""Tables, and problems made of them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from malibo import Categorical, Float, Int, Space
from malibo.bench.problems import Reference
from malibo.bench.problems.tables import Table, TableProblem, TableSet
from malibo.maximize import taken_rows

NAN = np.nan
RNG = np.random.default_rng(0)
SPACE = Space(depth=Int(1, 3), rate=Float(-2, 2))
GRID = Space(kind=Categorical(["a", "b"]), depth=Int(1, 3))


def random_table(seed: int, size: int = 30) -> Table:
    rng = np.random.default_rng(seed)
    return Table.of(SPACE.sample(rng, size), rng.random(size), rng.random(size))


def random_tables() -> TableSet:
    return TableSet(SPACE, {f"task {seed}": random_table(seed) for seed in range(4)})


# -- tables --------------------------------------------------------------------------------


def test_distinct_rows_stay_as_they_are() -> None:
    codes, losses, seconds = np.array([[3, 0.5], [1, 0.5]]), np.array([2.0, 1.0]), np.ones(2)
    table = Table.of(codes, losses, seconds)
    assert_array_equal(table.codes, codes)
    assert_array_equal(table.losses, losses)
    assert_array_equal(table.seconds, seconds)


def test_seconds_are_unknown_unless_given() -> None:
    assert_array_equal(Table.of(np.zeros((1, 1)), np.zeros(1)).seconds, [NAN])


def test_repeated_configurations_are_averaged() -> None:
    codes = np.array([[1, 0.5], [2, 0.5], [1, 0.5], [1, 0.5]])
    table = Table.of(codes, np.array([1, 5, 2, 6.0]), np.array([3, 9, 4, 5.0]))
    assert_array_equal(table.codes, [[1, 0.5], [2, 0.5]])
    assert_array_equal(table.losses, [3, 5])
    assert_array_equal(table.seconds, [4, 9])


@pytest.mark.parametrize("value", [-1.0, 0.0, -np.finfo(float).max])
def test_an_inactive_parameter_is_no_value(value: float) -> None:
    table = Table.of(np.array([[1, NAN], [1, value], [1, NAN]]), np.array([1, 2, 3.0]))
    assert len(table.losses) == 2
    assert table.look_up(np.array([1, NAN])).loss == 2
    assert table.look_up(np.array([1, value])).loss == 2


def test_both_zeros_are_one_value() -> None:
    table = Table.of(np.array([[-0.0], [0.0]]), np.array([1, 3.0]))
    assert_array_equal(table.losses, [2])
    assert table.look_up(np.array([0.0])).loss == table.look_up(np.array([-0.0])).loss == 2


@pytest.mark.parametrize("lost", [NAN, np.inf, -np.inf])
def test_rows_without_a_loss_are_left_out(lost: float) -> None:
    table = Table.of(np.array([[1.0], [2.0], [2.0]]), np.array([1, lost, 3]))
    assert_array_equal(table.codes, [[1], [2]])
    assert_array_equal(table.losses, [1, 3])


def test_a_configuration_is_looked_up() -> None:
    table = Table.of(np.array([[1.0], [2], [3], [4]]), np.array([3, 1, 1, 2.0]), np.arange(4.0))
    found = table.look_up(np.array([4.0]))
    assert (found.loss, found.truth, found.better, found.seconds) == (2, 2, 0.5, 3)
    assert table.look_up(np.array([3.0])).better == 0  # another as good is not better
    assert table.look_up(np.array([1.0])).better == 0.75


def test_a_sample_has_each_row_at_most_once() -> None:
    table = random_table(0)
    codes, losses = table.sample(10, RNG)
    assert len(taken_rows(codes)) == 10
    assert [table.look_up(row).loss for row in codes] == losses.tolist()
    assert taken_rows(table.sample(100, RNG)[0]) == taken_rows(table.codes)


def test_the_reference_is_of_distinct_losses() -> None:
    assert Reference.of(np.array([3, 1, 1, 2.0])) == Reference(best=1, worst=3, second=2)
    assert Reference.of(np.array([1, 1.0])) == Reference(best=1, worst=1, second=1)


# -- problems ------------------------------------------------------------------------------


def test_the_past_is_all_other_tasks() -> None:
    problem = TableProblem(random_tables(), "task 2", past_size=7)
    past = problem.past(RNG)
    assert past.names == ("task 0", "task 1", "task 3")
    assert [len(task) for task in past] == [7, 7, 7]
    assert past.space == SPACE


def test_the_past_is_all_there_is_of_small_tables() -> None:
    past = TableProblem(random_tables(), "task 2").past(RNG)
    assert [len(task) for task in past] == [30, 30, 30]


def test_the_past_is_decided_by_the_generator() -> None:
    problem = TableProblem(random_tables(), "task 2", past_size=7)
    once, again, other = (problem.past(np.random.default_rng(seed)) for seed in (5, 5, 6))
    assert_array_equal(once.codes, again.codes)
    assert (once.codes != other.codes).any()


def test_the_target_is_looked_up_in_its_own_table() -> None:
    tables = random_tables()
    table, problem = tables.tables["task 1"], TableProblem(tables, "task 1")
    assert problem.reference == Reference.of(table.losses)
    assert_array_equal(problem.search.candidates(RNG, set()), table.codes)
    for row, loss in zip(table.codes, table.losses, strict=True):
        assert problem.evaluate(row, RNG).loss == loss
    assert problem.initial(0).shape == (0, 2)


def test_a_table_of_all_configurations_is_searched_as_a_space() -> None:
    codes = GRID.enumerate(100)
    tables = TableSet(GRID, {"all": Table.of(codes, np.arange(6.0)), "one": random_table(1)})
    problem = TableProblem(tables, "all")
    assert problem.search.table is None
    assert taken_rows(problem.search.candidates(RNG, set())) == taken_rows(codes)


@pytest.mark.parametrize("lost", ["row", "cell"])
def test_a_table_with_a_gap_is_searched_by_its_rows(lost: str) -> None:
    codes = GRID.enumerate(100)
    if lost == "row":
        codes = codes[1:]
    else:
        codes[0, 1] = NAN
    tables = TableSet(GRID, {"some": Table.of(codes, np.arange(len(codes), dtype=float))})
    assert_array_equal(TableProblem(tables, "some").search.table, codes)
