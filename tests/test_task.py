"""Tasks: validated, frozen, minimised."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from malibo import Categorical, Float, History, Space, Task
from malibo.errors import HistoryError, InputError, SpaceError

NAN, INF = np.nan, np.inf
SPACE = Space(x=Float(0, 1), kind=Categorical(["a", "b"]))


def a_task(name: str = "one", losses: Any = (3.0, 1.0, 2.0)) -> Task:
    codes = [[0.1 * row, row % 2] for row in range(len(losses))]
    return Task(name, SPACE, np.array(codes).reshape(-1, 2), losses)


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
    with pytest.raises(HistoryError, match=r"task 'one', row 1: loss must be .* got 'bad'"):
        Task.from_configs("one", SPACE, configs, [1.0, "bad"])  # type: ignore[list-item]


def test_a_wrong_direction_is_refused() -> None:
    with pytest.raises(InputError, match="must be 'minimize' or 'maximize', got 'up'"):
        Task("one", SPACE, np.zeros((1, 2)), np.zeros(1), "up")  # type: ignore[arg-type]


def test_scores_are_losses_with_the_sign_turned() -> None:
    configs = [{"x": 0.5, "kind": "a"}] * 3
    task = Task.from_configs("one", SPACE, configs, [0.9, None, 0.1], "maximize")
    assert_array_equal(task.losses, [-0.9, NAN, -0.1])
    assert History([task]).direction == "maximize"
    assert History([task, a_task("two")]).direction is None
    text = History([task, a_task("two")]).describe()
    assert text.splitlines()[0].endswith("minimize and maximize")
    assert text.splitlines()[3].split() == ["one", "3", "1", "0.9", "0.5"]


def test_what_is_no_number_is_refused() -> None:
    wrong: Any = ["a"]
    with pytest.raises(HistoryError, match=r"must be numbers; Task\.from_configs takes dicts"):
        Task("one", SPACE, np.zeros((1, 2)), wrong)
    with pytest.raises(HistoryError, match="task 'one': losses must be a list, got 5"):
        Task.from_configs("one", SPACE, [], 5)  # type: ignore[arg-type]


def test_a_task_has_no_notes_unless_they_are_given() -> None:
    assert a_task().notes == ()
    assert History([a_task()]).repairs == {}


def test_every_configuration_needs_a_loss() -> None:
    configs = [{"x": 0.1, "kind": "a"}] * 3
    with pytest.raises(HistoryError, match="got 3 configurations and 2 losses; None is the loss"):
        Task.from_configs("one", SPACE, configs, [1.0, 2.0])
