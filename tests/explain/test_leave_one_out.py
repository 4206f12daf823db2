"""One task left out: its rows, what random search does on them, and a tuning that looks them up."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from malibo import Categorical, Float, History, Int, Malibo, MetaModel, Space, Task
from malibo.explain.leave_one_out import Rows, _chance, others
from malibo.space.parameters import Array
from malibo.task import Direction
from strategies import repeatable

NAN = np.nan
LINE = Space(x=Int(0, 99))


def on_line(losses: Array, direction: Direction = "minimize") -> Task:
    """A task with configurations 0, 1, 2, ..."""
    return Task("line", LINE, np.arange(float(len(losses)))[:, None], losses, direction)


# -- rows ----------------------------------------------------------------------------------


def test_repeated_configurations_are_averaged_over_those_that_did_not_fail() -> None:
    codes = np.array([[3.0], [1.0], [3.0], [3.0], [2.0], [2.0]])
    task = Task("t", LINE, codes, np.array([1.0, 5.0, 2.0, NAN, NAN, NAN]))
    rows = Rows.of(task)
    assert dict(zip(rows.codes[:, 0], rows.losses, strict=True)) == {1: 5, 2: np.inf, 3: 1.5}
    assert (len(rows), rows.valid, rows.name) == (3, 2, "t")


def test_the_last_rows_may_have_failed_as_well_as_the_first() -> None:
    assert Rows.of(on_line(np.array([NAN, 1.0, NAN]))).losses.tolist() == [np.inf, 1, np.inf]


def test_huge_losses_are_averaged_without_an_overflow() -> None:
    task = Task("t", LINE, np.zeros((3, 1)), np.full(3, 1.7e308))
    assert_allclose(Rows.of(task).losses, 1.7e308)


def test_a_parameter_without_a_value_is_not_searched_nor_what_depends_on_it() -> None:
    space = Space(x=Int(0, 9), kind=Categorical(["a", "b"]), y=Float(0, 1, when={"kind": "a"}))
    codes = np.array([[1.0, NAN, 0.5], [2.0, NAN, NAN]])
    rows = Rows.of(Task("t", space, codes, np.array([1.0, 2.0])))
    assert rows.space == Space(x=Int(0, 9))
    assert_array_equal(rows.codes, [[1], [2]])


def test_rows_with_a_hole_are_left_out_and_inactive_values_are_no_holes() -> None:
    space = Space(kind=Categorical(["a", "b"]), y=Float(0, 1, when={"kind": "a"}))
    codes = np.array([[0.0, 0.5], [0.0, NAN], [1.0, NAN], [NAN, NAN]])
    rows = Rows.of(Task("t", space, codes, np.arange(4.0)))
    assert_array_equal(rows.codes, [[0, 0.5], [1, NAN]])
    assert rows.losses.tolist() == [0, 2]


def test_a_task_of_which_nothing_is_known_has_no_rows() -> None:
    assert len(Rows.of(Task("t", LINE, np.full((3, 1), NAN), np.ones(3)))) == 0


def test_the_others_are_seen_from_the_space_of_the_one() -> None:
    tasks = [on_line(np.arange(3.0)), Task("b", Space(z=Float(0, 1)), np.ones((1, 1)), np.ones(1))]
    found = others(History(tasks), Rows.of(tasks[0]))
    assert found.names == ("b",)
    assert found.space == LINE


# -- random search -------------------------------------------------------------------------


@repeatable
@given(st.integers(1, 40), st.data())
def test_chances_are_counted_choices(rows: int, data: st.DataObject) -> None:
    trials = data.draw(st.integers(1, rows))
    expected = [
        1 - math.comb(rows - best, trials) / math.comb(rows, trials) for best in range(1, rows + 1)
    ]
    found = _chance(rows, np.array(trials), np.arange(1, rows + 1))
    assert_allclose(found, expected, atol=1e-9)


def test_the_level_is_reached_by_half_of_all_random_orders() -> None:
    losses = np.random.default_rng(0).standard_normal(80)
    rows = Rows.of(on_line(losses))
    level = rows.level(20)
    orders = np.array(
        [np.random.default_rng(i).permutation(losses)[:20].min() for i in range(2000)]
    )
    assert level in losses
    assert np.mean(orders <= level) > 0.47
    better = np.max(losses[losses < level])
    assert np.mean(orders <= better) < 0.53


@repeatable
@given(st.integers(10, 60), st.data())
def test_random_search_needs_at_most_the_trials_that_set_the_level(
    count: int, data: st.DataObject
) -> None:
    trials = data.draw(st.integers(1, count // 2))
    ties = data.draw(st.integers(1, 10))
    rows = Rows.of(on_line(np.arange(float(count)) // ties))
    found = rows.random_trials(rows.level(trials))
    assert 1 <= found <= trials


def test_random_search_needs_half_of_the_rows_for_the_very_best() -> None:
    rows = Rows.of(on_line(np.arange(50.0)))
    assert rows.random_trials(0.0) == 25
    assert rows.random_trials(49.0) == 1


def test_the_trials_needed_are_the_first_with_an_even_chance() -> None:
    rows = Rows.of(on_line(np.arange(60.0)))
    for good in (1, 3, 10, 59):
        needed = rows.random_trials(good - 1.0)
        chances = [1 - math.comb(60 - good, k) / math.comb(60, k) for k in (needed - 1, needed)]
        assert chances[0] < 0.5 <= chances[1] + 1e-12


def test_many_rows_are_counted_in_a_moment() -> None:
    """Not one by one with a look at all for each: that would be ten billion."""
    codes = np.arange(100_000.0)[:, None]
    rows = Rows("many", Space(x=Int(0, 99_999)), codes, codes[:, 0])
    assert rows.random_trials(0.0) == 50_000


def test_a_failure_is_no_level() -> None:
    rows = Rows.of(on_line(np.array([3.0, 4.0, *[NAN] * 18])))
    assert rows.level(1) == 4.0
    assert rows.random_trials(4.0) == 6  # 1 − C(18, 6) / C(20, 6) = 0.52


# -- a tuning ------------------------------------------------------------------------------


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_a_tuning_looks_up_losses_until_the_level_is_reached(direction: Direction) -> None:
    losses = np.abs(np.arange(40.0) - 17)
    losses[5:9] = NAN
    rows = Rows.of(on_line(losses))
    optimizer = Malibo(space=LINE, candidates=LINE.configs(rows.codes), seed=0, direction=direction)
    curve = rows.tune(optimizer, level=2.0, least=3, most=40)
    assert 3 <= len(curve) <= 40
    assert curve[-1] <= 2.0
    assert (np.diff(curve) <= 0).all()
    if len(curve) > 3:
        assert curve[-2] > 2.0
    factor = -1 if direction == "maximize" else 1
    for config, value in optimizer.results:
        assert (
            value is None
            if math.isnan(losses[config["x"]])
            else value == factor * losses[config["x"]]
        )


def test_a_tuning_ends_at_the_most_and_not_before_the_least() -> None:
    rows = Rows.of(on_line(np.arange(30.0)))
    configs = LINE.configs(rows.codes)
    never = rows.tune(Malibo(space=LINE, candidates=configs, seed=0), -1.0, 3, 7)
    at_once = rows.tune(Malibo(space=LINE, candidates=configs, seed=0), 99.0, 3, 7)
    assert (len(never), len(at_once)) == (7, 3)


def test_tuning_warm_is_told_in_the_direction_of_the_past() -> None:
    rows = Rows.of(on_line(np.arange(30.0), "maximize"))
    model = MetaModel(space=LINE, joint=LINE, direction="maximize")
    optimizer = Malibo(model, candidates=LINE.configs(rows.codes), seed=0)
    curve = rows.tune(optimizer, -1.0, 12, 12)
    assert optimizer.best[1] == -curve[-1]
