"""Pasts that mislead: what each does to the past, and that the task stays as it is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from bench.examples import SmallProblem
from malibo import History
from malibo.bench.problems import Problem
from malibo.bench.problems.ensembles import FAMILIES, FamilyProblem
from malibo.bench.problems.misleading import (
    BAD_TASKS,
    CORRUPTED,
    PASTS,
    MisledProblem,
    corrupted,
    elsewhere,
    flipped,
    one_good,
    unrelated,
)
from malibo.maximize import taken_rows
from malibo.space.parameters import Array

every_past = pytest.mark.parametrize("name", list(PASTS))


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.fixture(scope="module")
def problem() -> Problem:
    """One function of the family with three parameters."""
    return FamilyProblem(FAMILIES["hartmann3d"], 0, 0.0)


@pytest.fixture(scope="module")
def past(problem: Problem) -> History:
    """Its true past; three tasks of it will do."""
    return History(problem.past(rng()).tasks[:3])


def correlation(one: Array, other: Array) -> float:
    return float(np.corrcoef(one, other)[0, 1])


# -- every one of them ---------------------------------------------------------------------


@every_past
def test_the_space_stays_and_the_true_past_is_not_changed(
    name: str, past: History, problem: Problem
) -> None:
    before = [(task.codes.copy(), task.losses.copy()) for task in past]
    found = PASTS[name](past, problem, rng(1))
    assert found.space == past.space
    for task, (codes, losses) in zip(past, before, strict=True):
        assert_array_equal(task.codes, codes)
        assert_array_equal(task.losses, losses)


@every_past
def test_the_same_generator_gives_the_same_past(name: str, past: History, problem: Problem) -> None:
    one, other = (PASTS[name](past, problem, rng(1)) for _ in range(2))
    assert one.names == other.names
    for task, again in zip(one, other, strict=True):
        assert_array_equal(task.codes, again.codes)
        assert_array_equal(task.losses, again.losses)


@every_past
def test_the_task_stays_as_it_is(name: str, problem: Problem) -> None:
    misled = MisledProblem(problem, name)
    assert misled.task == problem.task
    assert misled.search is problem.search
    assert misled.reference == problem.reference
    for row in problem.search.space.sample(rng(3), 5):
        found, true = (one.evaluate(row, rng(2)) for one in (misled, problem))
        assert (found.loss, found.truth, found.better) == (true.loss, true.truth, true.better)


@every_past
def test_a_misled_problem_has_the_misleading_past_of_its_true_one(name: str) -> None:
    true = SmallProblem("middle", given=2)
    misled = MisledProblem(true, name)
    assert_array_equal(misled.initial(1), true.initial(1))
    generator = rng(4)
    expected = PASTS[name](true.past(generator), true, generator)
    for task, again in zip(misled.past(rng(4)), expected, strict=True):
        assert task.name == again.name
        assert_array_equal(task.codes, again.codes)
        assert_array_equal(task.losses, again.losses)


def test_an_unknown_past_is_refused(problem: Problem) -> None:
    with pytest.raises(KeyError):
        MisledProblem(problem, "wrong")


# -- each by itself ------------------------------------------------------------------------


def test_unrelated_tasks_keep_their_points_and_nothing_of_their_losses(
    past: History, problem: Problem
) -> None:
    found = unrelated(past, problem, rng(1))
    assert found.names == past.names
    for task, true in zip(found, past, strict=True):
        assert_array_equal(task.codes, true.codes)
        assert np.isfinite(task.losses).all()
        assert abs(correlation(task.losses, true.losses)) < 0.5


def test_an_unrelated_task_is_smooth_and_a_function_of_its_own(
    past: History, problem: Problem
) -> None:
    """Near points have near losses, and equal points of two tasks do not."""
    task = past.tasks[0]
    one, other = unrelated(History([task, replace(task, name="again")]), problem, rng(1))
    assert abs(correlation(one.losses, other.losses)) < 0.5
    unit = past.space.encode(one.codes)
    distance = np.abs(unit[:, None] - unit[None]).max(axis=2) + np.eye(len(unit))
    near = distance.argmin(axis=1)
    close = distance.min(axis=1) < 0.05
    assert close.any()
    step = np.abs(one.losses - one.losses[near])[close].mean()
    assert step < 0.5 * np.abs(one.losses - rng().permutation(one.losses)).mean()


def test_a_flipped_past_says_the_opposite(past: History, problem: Problem) -> None:
    found = flipped(past, problem, rng(1))
    assert found.names == past.names
    for task, true in zip(found, past, strict=True):
        assert_array_equal(task.codes, true.codes)
        assert_array_equal(task.losses, -true.losses)


@pytest.mark.parametrize("seed", range(4))
def test_one_good_task_stands_among_unrelated_ones(
    seed: int, past: History, problem: Problem
) -> None:
    good, *bad = one_good(past, problem, rng(seed))
    (true,) = [task for task in past if task.name == good.name]
    assert_array_equal(good.losses, true.losses)
    assert len(bad) == BAD_TASKS
    points = [taken_rows(task.codes) for task in past]
    for task in bad:
        assert taken_rows(task.codes) in points
        same = past.tasks[points.index(taken_rows(task.codes))]
        assert abs(correlation(task.losses, same.losses)) < 0.7


def test_elsewhere_only_the_far_half_of_each_task_is_left(past: History, problem: Problem) -> None:
    found = elsewhere(past, problem, rng(1))
    look = problem.search.space.sample(rng(9), 20_000)
    truths = [problem.evaluate(row, rng()).truth for row in look[:4000]]
    optimum = past.space.encode(look[[int(np.argmin(truths))]])
    for task, true in zip(found, past, strict=True):
        assert len(task) == pytest.approx(len(true) / 2, abs=1)
        assert taken_rows(task.codes) <= taken_rows(true.codes)
        left, all_of_it = (
            np.abs(past.space.encode(t.codes) - optimum).sum(axis=1) for t in (task, true)
        )
        assert left.min() > np.quantile(all_of_it, 0.25)
        losses = dict(zip((row.tobytes() for row in true.codes), true.losses, strict=True))
        assert_array_equal(task.losses, [losses[row.tobytes()] for row in task.codes])


def test_some_values_are_corrupted_widely_and_half_of_them_look_splendid(
    past: History, problem: Problem
) -> None:
    found = corrupted(past, problem, rng(1))
    below = []
    for task, true in zip(found, past, strict=True):
        assert_array_equal(task.codes, true.codes)
        wrong = task.losses != true.losses
        assert wrong.sum() == round(CORRUPTED * len(true))
        away = task.losses[wrong] - np.median(true.losses)
        assert np.abs(away).mean() > 3 * np.ptp(true.losses)
        below += [*(task.losses[wrong] < true.losses.min())]
    assert 0.2 < np.mean(below) < 0.8


def test_failed_trials_stay_failed_or_are_corrupted(problem: Problem, past: History) -> None:
    task = past.tasks[0]
    losses = task.losses.copy()
    losses[:5] = np.nan
    failed = History([replace(task, losses=losses)])
    found = corrupted(failed, problem, rng(1)).tasks[0].losses
    assert np.isfinite(found[5:]).all()
    assert_allclose(np.median(found[5:]), np.median(losses[5:]), atol=np.ptp(losses[5:]))
