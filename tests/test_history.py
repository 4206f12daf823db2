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
from malibo.errors import HistoryError

NAN, INF = np.nan, np.inf
SPACE = Space(x=Float(0, 1), kind=Categorical(["a", "b"]))


def a_task(name: str = "one", losses: Any = (3.0, 1.0, 2.0)) -> Task:
    codes = [[0.1 * row, row % 2] for row in range(len(losses))]
    return Task(name, SPACE, np.array(codes).reshape(-1, 2), losses)


# -- one task ------------------------------------------------------------------------------


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
