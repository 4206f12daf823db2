"""Task and History: validated, frozen, columnar, and what describe() says of them."""

from __future__ import annotations

import sys
import tracemalloc
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from malibo import Categorical, Float, History, Int, Space, Task
from malibo.errors import HistoryError, SpaceError

NAN, INF = np.nan, np.inf
SPACE = Space(x=Float(0, 1), kind=Categorical(["a", "b"]))


def a_task(name: str = "one", losses: Any = (3.0, 1.0, 2.0)) -> Task:
    codes = [[0.1 * row, row % 2] for row in range(len(losses))]
    return Task(name, SPACE, np.array(codes).reshape(-1, 2), losses)


# -- one task ------------------------------------------------------------------------------


def test_the_arrays_of_a_task_are_read_only() -> None:
    task = a_task()
    with pytest.raises(ValueError, match="read-only"):
        task.codes[0, 0] = 0.5
    with pytest.raises(ValueError, match="read-only"):
        task.losses[0] = 0.5


def test_a_task_does_not_change_with_the_arrays_it_was_made_of() -> None:
    codes, losses = np.array([[0.1, 0.0]]), np.array([1.0])
    task = Task("one", SPACE, codes, losses)
    codes[:], losses[:] = 0.0, 7.0
    assert_array_equal(task.codes, [[0.1, 0.0]])
    assert_array_equal(task.losses, [1.0])


def test_the_fields_of_task_and_history_are_frozen() -> None:
    task = a_task()
    with pytest.raises(FrozenInstanceError):
        task.name = "other"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        History([task]).space = SPACE  # type: ignore[misc]


def test_the_tasks_of_a_history_do_not_change_with_the_list_they_came_in() -> None:
    tasks = [a_task()]
    history = History(tasks)
    tasks.append(a_task("two"))
    assert history.names == ("one",)


@pytest.mark.parametrize("failure", [None, NAN, INF, -INF])
def test_a_loss_that_is_no_finite_number_is_a_failed_trial(failure: float | None) -> None:
    configs = [{"x": 0.5, "kind": "a"}, {"x": 0.7, "kind": "b"}]
    task = Task.from_configs("one", SPACE, configs, [failure, 2.0])
    assert_array_equal(task.losses, [NAN, 2.0])
    assert_array_equal(task.codes, [[0.5, 0], [0.7, 1]])
    assert (len(task), task.failed) == (2, 1)


@pytest.mark.parametrize(
    ("codes", "losses", "message"),
    [
        ([[0.1, 0]], [1.0, 2.0], r"task 'one': expected 2 rows .* 2 columns .* shape \(1, 2\)"),
        ([[0.1]], [1.0], r"2 columns .* got codes of shape \(1, 1\)"),
        ([0.1, 0], [1.0], "expected an array of 2 dimensions, got 1"),
        ([[0.1, 0]], [[1.0]], "expected an array of 1 dimensions, got 2"),
        ([[0.1, 0], [0.1, 2]], [1.0, 2.0], r"'kind' is out of its space in 1 rows.*row 1 .*2\.0"),
        ([[1.5, 0], [-1, 0]], [1.0, 2.0], r"'x' is out of its space in 2 rows.*row 0 .*1\.5"),
        ([[INF, 0]], [1.0], r"'x' is out of its space in 1 rows, first in row 0 with code .*inf"),
        ([[0.1, 0], [0.2, 0]], [NAN, INF], "'one' has no valid observation among 2; leave it out"),
        (np.empty((0, 2)), [], "'one' has no valid observation among 0"),
    ],
)
def test_a_wrong_task_is_refused(codes: Any, losses: Any, message: str) -> None:
    with pytest.raises(HistoryError, match=message):
        Task("one", SPACE, codes, losses)


@pytest.mark.parametrize("name", ["", 3, None])
def test_a_task_needs_a_text_as_name(name: Any) -> None:
    with pytest.raises(HistoryError, match="a task's name must be a text, got"):
        a_task(name)


def test_a_wrong_configuration_or_loss_is_named() -> None:
    with pytest.raises(SpaceError, match=r"parameter 'x': expected a number .*, got 2"):
        Task.from_configs("one", SPACE, [{"x": 2, "kind": "a"}], [1.0])
    configs = [{"x": 0.5, "kind": "a"}] * 2
    with pytest.raises(HistoryError, match=r"task 'one': a loss must be .* got 'bad' in row 1"):
        Task.from_configs("one", SPACE, configs, [1.0, "bad"])  # type: ignore[list-item]


# -- several tasks -------------------------------------------------------------------------


def test_the_columns_run_through_all_tasks() -> None:
    history = History([a_task("one"), a_task("two", [5.0, NAN])], SPACE)
    assert len(history) == 5
    assert [task.name for task in history] == list(history.names) == ["one", "two"]
    assert_array_equal(history.losses, [3, 1, 2, 5, NAN])
    assert_array_equal(history.task_index, [0, 0, 0, 1, 1])
    assert_array_equal(history.codes[:, 1], [0, 1, 0, 0, 1])
    assert history.joint == SPACE


def test_an_empty_history_is_refused() -> None:
    with pytest.raises(HistoryError, match="the history is empty; give at least one task"):
        History([])


def test_task_names_must_differ() -> None:
    with pytest.raises(HistoryError, match="task names must differ, got 'one' more than once"):
        History([a_task("one"), a_task("two"), a_task("one")])


def test_a_wrong_direction_is_refused() -> None:
    with pytest.raises(HistoryError, match="must be 'minimize' or 'maximize', got 'up'"):
        History([a_task()], direction="up")  # type: ignore[arg-type]


def test_without_a_target_the_space_is_the_union_of_the_tasks() -> None:
    other = Task.from_configs(
        "two", Space(x=Float(-1, 0.5), n=Int(1, 3)), [{"x": -1, "n": 2}], [1.0]
    )
    history = History([a_task(), other])
    assert history.space == Space(x=Float(-1, 1), kind=SPACE["kind"], n=Int(1, 3))
    assert_array_equal(history.codes[-1], [-1, NAN, 2])


def test_for_space_sees_the_same_past_from_another_target() -> None:
    history = History([a_task()], SPACE, "maximize")
    target = Space(x=Float(0, 4))
    seen = history.for_space(target)
    assert seen.space == target
    assert seen.tasks == history.tasks
    assert seen.direction == "maximize"
    assert seen.codes.shape == (3, 1)
    assert history.space == SPACE


def test_a_million_observations_are_arrays_and_no_objects() -> None:
    space = Space({f"p{index}": Float(0, 1) for index in range(5)})
    rng = np.random.default_rng(0)
    codes, losses = rng.random((1_000_000, 5)), rng.random(1_000_000)
    tracemalloc.start()
    try:
        blocks = sys.getallocatedblocks()
        parts = np.split(np.arange(1_000_000), 10)
        history = History([Task(str(i), space, codes[p], losses[p]) for i, p in enumerate(parts)])
        assert history.codes.nbytes == 40_000_000
        assert history.losses.nbytes == 8_000_000
        assert history.task_index.nbytes == 8_000_000
        assert sys.getallocatedblocks() - blocks < 10_000
        assert tracemalloc.get_traced_memory()[1] < 400e6
    finally:
        tracemalloc.stop()


# -- describe ------------------------------------------------------------------------------


def test_describe_counts_and_shows_every_task() -> None:
    text = History([a_task("one"), a_task("two", [5.0, NAN, 5.0])], SPACE).describe()
    lines = text.splitlines()
    assert lines[0] == "2 tasks, 6 observations (1 failed), 2 parameters, minimize"
    assert lines[2].split() == ["task", "runs", "failed", "best", "median"]
    assert lines[3].split() == ["one", "3", "0", "1", "2"]
    assert lines[4].split() == ["two", "3", "1", "5", "5", "constant:", "teaches", "nothing"]
    assert repr(SPACE) in text
    assert "Repairs" not in text


def test_describe_speaks_in_the_direction_of_the_user() -> None:
    text = History([a_task("one", [-0.9, -0.1, -0.5])], SPACE, "maximize").describe()
    assert text.splitlines()[0].endswith("maximize")
    assert text.splitlines()[3].split() == ["one", "3", "0", "0.9", "0.5"]


def test_describe_of_many_tasks_stays_short() -> None:
    lines = History([a_task(f"task {number}") for number in range(50)]).describe().splitlines()
    assert "and 30 more" in lines
    assert not any(line.startswith("task 20 ") for line in lines)
    assert len(lines) < 40
