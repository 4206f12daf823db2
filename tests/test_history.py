"""Task and History: validated, frozen, columnar, and what describe() says of them."""

from __future__ import annotations

import sys
import tracemalloc
from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from malibo import Categorical, Float, History, Int, Space, Task
from malibo.errors import HistoryError, InputError, SpaceError

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
    with pytest.raises(HistoryError, match=r"task 'one', row 1: loss must be .* got 'bad'"):
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


@pytest.mark.parametrize("tasks", [[1], None, 5, "runs.csv"])
def test_a_history_is_made_of_tasks(tasks: Any) -> None:
    with pytest.raises(HistoryError, match=r"a history is made of malibo\.Task objects, got"):
        History(tasks)


def test_histories_are_joined_by_their_tasks() -> None:
    one, two = History([a_task("one")]), History([a_task("two")])
    with pytest.raises(HistoryError, match=r"Join histories by History\(\[\*one, \*other\]\)"):
        History([one, two])  # type: ignore[list-item]
    assert History([*one, *two]).names == ("one", "two")


def test_what_is_no_space_is_refused() -> None:
    wrong: Any = {"x": Float(0, 1)}
    with pytest.raises(HistoryError, match=r"space must be a malibo\.Space, got dict"):
        History([a_task()]).for_space(wrong)
    with pytest.raises(HistoryError, match=r"task 'one': space must be a malibo\.Space"):
        Task("one", wrong, np.zeros((1, 1)), np.zeros(1))


def test_what_is_printed_of_a_history_is_a_line() -> None:
    assert repr(a_task("one")) == "<Task 'one': 3 runs, 2 parameters>"
    assert repr(History([a_task()])) == "<History: 1 task, 3 runs; describe() tells more>"


def test_without_a_target_the_space_is_the_union_of_the_tasks() -> None:
    other = Task.from_configs(
        "two", Space(x=Float(-1, 0.5), n=Int(1, 3)), [{"x": -1, "n": 2}], [1.0]
    )
    history = History([a_task(), other])
    assert history.space == Space(x=Float(-1, 1), kind=SPACE["kind"], n=Int(1, 3))
    assert_array_equal(history.codes[-1], [-1, NAN, 2])


def test_for_space_sees_the_same_past_from_another_target() -> None:
    history = History([replace(a_task(), direction="maximize")], SPACE)
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
    task = replace(a_task("one", [-0.9, -0.1, -0.5]), direction="maximize")
    text = History([task], SPACE).describe()
    assert text.splitlines()[0].endswith("maximize")
    assert text.splitlines()[3].split() == ["one", "3", "0", "0.9", "0.5"]


def test_describe_of_many_tasks_stays_short() -> None:
    lines = History([a_task(f"task {number}") for number in range(50)]).describe().splitlines()
    assert "and 30 more" in lines
    assert not any(line.startswith("task 20 ") for line in lines)
    assert len(lines) < 40


def test_what_is_no_number_is_refused() -> None:
    wrong: Any = ["a"]
    with pytest.raises(HistoryError, match=r"must be numbers; Task\.from_configs takes dicts"):
        Task("one", SPACE, np.zeros((1, 2)), wrong)
    with pytest.raises(HistoryError, match="task 'one': losses must be a list, got 5"):
        Task.from_configs("one", SPACE, [], 5)  # type: ignore[arg-type]


# -- notes ---------------------------------------------------------------------------------


def test_the_notes_of_tasks_are_told_once_with_the_names_of_the_tasks() -> None:
    tasks = [
        replace(a_task("one"), notes=("2 failed trials as not good",)),
        replace(a_task("two"), notes=("2 failed trials as not good", "'old' is 'new' now")),
        a_task("three"),
    ]
    history = History(tasks)
    assert history.repairs == {
        "2 failed trials as not good": ["one", "two"],
        "'old' is 'new' now": ["two"],
    }
    assert history.describe().splitlines()[-3:] == [
        "What was done to fit the past to this space:",
        "- 2 failed trials as not good ('one', 'two')",
        "- 'old' is 'new' now ('two')",
    ]


def test_notes_stand_beside_the_repairs_of_spaces_and_stay_in_another_view() -> None:
    history = History([replace(a_task(), notes=("as it was read",))]).for_space(
        Space(x=Float(0, 1))
    )
    assert list(history.repairs) == [
        "'kind' is dropped: the target has no such parameter",
        "as it was read",
    ]


def test_a_task_has_no_notes_unless_they_are_given() -> None:
    assert a_task().notes == ()
    assert History([a_task()]).repairs == {}


# -- from Optuna ---------------------------------------------------------------------------


def test_past_studies_are_seen_from_a_space_that_is_given() -> None:
    optuna = pytest.importorskip("optuna")
    storage = optuna.storages.InMemoryStorage()
    study = optuna.create_study(storage=storage, study_name="one")
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
    target = Space(x=Float(0, 4), kind=Categorical(["a", "b"], default="b"))
    history = History.from_optuna(storage, space=target)
    assert (history.names, history.space) == (("one",), target)
    assert_array_equal(history.codes, [[trial.params["x"], 1] for trial in study.trials])
    assert list(history.repairs) == [
        "'x': range 0.0 to 1.0 in the past, 0.0 to 4.0 now: one scale over both",
        "'kind' is missing: filled with its default 'b'",
    ]
    assert History.from_optuna(storage).space == Space(x=Float(0, 1))
