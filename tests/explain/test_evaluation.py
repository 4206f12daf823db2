"""Evaluation: a past that helps is told from one that does not, and from none at all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from malibo import Float, History, Space, Task
from malibo.errors import InputError
from malibo.explain import Evaluation, evaluate
from malibo.explain.evaluation import _own_seed, _tuned
from malibo.explain.leave_one_out import Rows
from malibo.space.parameters import Array

CUBE = Space({f"x{i}": Float(0, 1) for i in range(4)})


def task(name: str, centre: float, count: int, seed: int) -> Task:
    codes = CUBE.sample(np.random.default_rng([seed, count]), count)
    return Task(name, CUBE, codes, ((codes - centre) ** 2).sum(axis=1))


def alike(tasks: int = 3, count: int = 60) -> History:
    """Tasks whose best configurations are next to each other."""
    return History([task(f"task {i}", 0.7 + 0.02 * i, count, i) for i in range(tasks)])


def quick(history: History, **options: Any) -> Evaluation:
    given: dict[str, Any] = {"seeds": 1, "steps": 200, "progress": False, **options}
    return evaluate(history, **given)


def test_a_past_that_is_alike_is_worth_it() -> None:
    found = quick(alike(5), trials=20)
    assert found.verdict == "worth it"
    assert found.over_random.median > 5
    assert [t.task for t in found.tasks] == [f"task {i}" for i in range(5)]
    assert all(t.rows == 60 and t.trials == 20 and len(t.warm) == 1 for t in found.tasks)
    assert found.notes == ()


def test_every_seed_is_a_tuning_and_the_same_again() -> None:
    one, other = (quick(alike(2, 12), trials=4, seeds=2, steps=5) for _ in range(2))
    assert one == other
    assert all(len(t.warm) == len(t.cold) == len(t.better) == 2 for t in one.tasks)


def test_tasks_with_the_same_rows_do_not_share_their_luck() -> None:
    """A cold start knows nothing of the task: two that are the same are two draws."""
    one = task("one", 0.3, 60, 0)
    history = History([one, Task("other", CUBE, one.codes, one.losses)])
    first, second = quick(history, trials=20, seeds=4, steps=1).tasks
    assert first.random == second.random
    assert first.cold != second.cold


def test_a_task_has_the_same_seeds_whatever_else_there_is() -> None:
    assert _own_seed("a", 0) == _own_seed("a", 0)
    assert len({_own_seed(name, seed) for name in "abc" for seed in range(10)}) == 30


def test_short_tasks_are_told_and_tuned_for_half_of_their_rows() -> None:
    history = History([*alike(2, 30), task("short", 0.7, 12, 9), task("tiny", 0.7, 9, 9)])
    found = quick(history, trials=10, steps=5)
    assert {t.task: t.trials for t in found.tasks} == {"task 0": 10, "task 1": 10, "short": 6}
    assert found.notes == (
        "task 'short' has 12 configurations, fewer than 2 x 10: with little to choose from all"
        " methods look alike.",
        "task 'tiny' is not tuned: 9 distinct valid configurations, 10 are needed.",
    )


def test_a_constant_task_is_not_tuned() -> None:
    codes = CUBE.sample(np.random.default_rng(0), 20)
    found = quick(History([*alike(1, 12), Task("flat", CUBE, codes, np.ones(20))]), steps=5)
    assert "task 'flat' is not tuned: all its losses are equal." in found.notes
    assert [t.task for t in found.tasks] == ["task 0"]


def test_tasks_with_other_parameters_can_be_evaluated() -> None:
    other = Space(z=Float(0, 1))
    codes = other.sample(np.random.default_rng(0), 12)
    history = History([*alike(1, 12), Task("other", other, codes, codes[:, 0])])
    assert len(quick(history, trials=3, steps=5).tasks) == 2


def test_failed_rows_do_no_harm() -> None:
    tasks = []
    for old in alike(2, 24):
        losses = old.losses.copy()
        losses[:12] = np.nan
        tasks.append(Task(old.name, CUBE, old.codes, losses))
    found = quick(History(tasks), trials=8, steps=5)
    assert [t.rows for t in found.tasks] == [24, 24]


def test_trials_needed_are_counted_to_the_level_and_at_most_twice_as_many() -> None:
    rows = Rows.of(task("t", 0.5, 40, 0))
    level = rows.level(10)
    reached = np.array([9.0] * 6 + [level] * 14)
    curves: list[tuple[Array, Array]] = [(reached, np.full(20, 9.0)), (reached[6:], reached)]
    found = _tuned(rows, 10, curves)
    assert found.warm == (7, 1)
    assert found.cold == (20, 7)
    assert found.better == ((0, 1), (1, 0))
    assert found.random == rows.random_trials(level)


def test_one_task_alone_is_refused() -> None:
    with pytest.raises(InputError, match=r"needs at least 2 tasks, .* got 'task 0' alone; add"):
        evaluate(alike(1))


def test_a_past_with_too_little_in_each_task_is_refused() -> None:
    with pytest.raises(InputError, match=r"each needs 10 distinct .* 'task 0' is not tuned: 3 dis"):
        evaluate(alike(2, 3))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"trials": 0}, "trials must be a whole number >= 1, got 0"),
        ({"seeds": True}, "seeds must be a whole number >= 1, got True"),
        ({"step": 5}, "unknown option 'step'.* Did you mean 'steps'"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        evaluate(alike(2, 3), **options)


def test_no_history_is_refused() -> None:
    with pytest.raises(InputError, match=r"must be a malibo\.History, got list"):
        evaluate([1])  # type: ignore[arg-type]
