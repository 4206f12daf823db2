"""The history as training sees it: what is held out, batches, unknown values."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from malibo import Categorical, Float, History, Int, Space, Task
from malibo.config import TrainConfig
from malibo.labels import label
from malibo.network import centred
from malibo.training import data as module
from malibo.training.data import Data, batches, best_codes, encode, gaps, label_history, split
from strategies import repeatable
from training.examples import SQUARE, noise, quadratics


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def with_failures(failed: list[int], runs: int = 6) -> History:
    """Tasks of equal size, the first runs of each failed."""
    tasks = []
    for number, count in enumerate(failed):
        losses = np.where(np.arange(runs) < count, np.nan, np.arange(runs))
        tasks.append(Task(str(number), SQUARE, rng(number).uniform(size=(runs, 2)), losses))
    return History(tasks)


@pytest.mark.parametrize(("tasks", "expected"), [(10, 2), (12, 2), (26, 3), (40, 4), (400, 32)])
def test_from_ten_tasks_on_whole_tasks_are_held_out(tasks: int, expected: int) -> None:
    history = noise(tasks, 5)
    held_out, numbers = split(history, rng())
    assert len(set(numbers)) == expected
    assert_array_equal(held_out, np.isin(history.task_index, numbers))
    assert numbers == sorted(numbers)


@pytest.mark.parametrize("tasks", [1, 2, 9])
@pytest.mark.parametrize("runs", [1, 4, 5, 23])
def test_of_few_tasks_a_fifth_of_the_rows_of_each_is_held_out(tasks: int, runs: int) -> None:
    history = noise(tasks, runs)
    held_out, numbers = split(history, rng())
    assert numbers == []
    assert_array_equal(np.bincount(history.task_index[held_out], minlength=tasks), runs // 5)


def test_a_task_is_held_out_only_if_there_is_enough_to_judge_by() -> None:
    history = with_failures([3] * 8 + [2] + [0] * 3)
    for seed in range(20):
        _, numbers = split(history, rng(seed))
        assert set(numbers) <= {8, 9, 10, 11}
    assert {n for seed in range(20) for n in split(history, rng(seed))[1]} == {8, 9, 10, 11}


def test_without_a_task_to_judge_by_nothing_is_held_out() -> None:
    held_out, numbers = split(with_failures([3] * 12), rng())
    assert numbers == []
    assert not held_out.any()


@pytest.mark.parametrize("tasks", [3, 12])
def test_what_is_held_out_follows_the_generator(tasks: int) -> None:
    history = noise(tasks, 20)
    first, again, other = (split(history, rng(seed))[0] for seed in (1, 1, 2))
    assert_array_equal(first, again)
    assert not np.array_equal(first, other)


@repeatable
@given(st.integers(1, 50), st.integers(1, 60))
def test_a_pass_has_each_row_once(size: int, batch: int) -> None:
    passes = 3 * batch
    drawn = list(islice(batches(size, batch, rng()), 3 * size))
    assert {len(rows) for rows in drawn} == {batch}
    for row in np.concatenate(drawn).reshape(passes, size):
        assert_array_equal(np.sort(row), np.arange(size))


def test_passes_differ_in_order() -> None:
    first, second = islice(batches(50, 50, rng()), 2)
    assert not np.array_equal(first, second)


def test_labels_are_those_of_each_task() -> None:
    history = quadratics(3, 20)
    p, n = label_history(history, TrainConfig(gamma=0.2, utility="pi"))
    expected = [label(task.losses, 0.2, "pi") for task in history]
    assert_allclose(p, np.concatenate([each.p for each in expected]), rtol=1e-6)
    assert_array_equal(n, np.ones(60))
    assert p.dtype == n.dtype == np.float32


def test_the_scale_of_a_task_does_not_matter() -> None:
    history = quadratics(3, 20)
    scaled = History([Task(t.name, SQUARE, t.codes, 1e6 * t.losses - 7) for t in history])
    before, after = (label_history(h, TrainConfig())[0] for h in (history, scaled))
    assert_allclose(after, before, rtol=1e-5)


def test_known_values_are_encoded_as_they_are() -> None:
    codes = rng().uniform(size=(30, 2))
    x = encode(SQUARE, codes, rng())
    assert_array_equal(x, centred(codes))
    assert x.dtype == np.float32


def test_only_unknown_values_are_drawn_and_anew_each_time() -> None:
    codes = rng().uniform(size=(200, 2))
    codes[::2, 1] = np.nan
    generator = rng(1)
    first, second = encode(SQUARE, codes, generator), encode(SQUARE, codes, generator)
    differs = first != second
    assert_array_equal(differs, np.isnan(codes))
    assert_array_equal(first[1::2], centred(codes[1::2]))
    drawn = first[::2, 1]
    assert (np.abs(drawn) <= 1).all()
    assert_allclose(drawn.mean(), 0, atol=0.25)


def test_inactive_values_are_not_drawn() -> None:
    space = Space(n=Int(1, 2), a=Float(0, 1, when={"n": 2}))
    codes = np.array([[1, np.nan], [2, np.nan]])
    x = np.stack([encode(space, codes, rng(seed)) for seed in range(5)])
    assert len(np.unique(x[:, 0], axis=0)) == 1
    assert len(np.unique(x[:, 1], axis=0)) == 5


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    codes = rng().uniform(size=(30, 2))
    whole = encode(SQUARE, codes, rng())
    monkeypatch.setattr(module, "_CHUNK", 7)
    assert_array_equal(encode(SQUARE, codes, rng()), whole)


def test_rows_are_taken_from_every_column() -> None:
    column = np.arange(4, dtype=np.float32)
    data = Data(column[:, None], column + 10, column + 20, column.astype(np.int32))
    part = data.rows(np.array([2, 0]))
    assert len(part) == 2
    assert_array_equal(part.x, [[2], [0]])
    assert_array_equal(part.p, [12, 10])
    assert_array_equal(part.n, [22, 20])
    assert_array_equal(part.task, [2, 0])


# -- gaps of the past, and its best ----------------------------------------------------------


def sampled(runs: int, tasks: int = 3, low: float = 0.0, high: float = 1.0) -> History:
    """Runs spread evenly over a part of the square."""
    found = []
    for number in range(tasks):
        codes = rng(number).uniform(low, high, (runs, 2))
        found.append(Task(str(number), SQUARE, codes, codes.sum(axis=1)))
    return History(found)


@pytest.mark.parametrize("runs", [100, 512, 5000])
def test_many_runs_spread_evenly_leave_no_gaps(runs: int) -> None:
    assert gaps(sampled(runs)) == 0


@pytest.mark.parametrize(("runs", "expected"), [(75, 0.125), (50, 0.25), (10, 0.45), (1, 0.495)])
def test_few_runs_leave_gaps(runs: int, expected: float) -> None:
    assert gaps(sampled(runs)) == pytest.approx(expected, abs=0.03)


def test_an_optimiser_leaves_gaps_the_more_the_closer_it_looks() -> None:
    found = [gaps(sampled(300, low=0.5 - width, high=0.5 + width)) for width in (0.4, 0.3, 0.05)]
    assert 0.05 < found[0] < found[1] < found[2] <= 0.6


def test_few_and_close_together_is_not_more_than_the_most() -> None:
    assert gaps(sampled(5, low=0.9)) == 0.6


def test_constants_and_lists_leave_no_gaps() -> None:
    space = Space(a=Categorical(["x", "y", "z"]), b=Int(1, 4), c=3, d=Float(0, 1, when={"a": "x"}))
    tasks = [
        Task(str(i), space, space.sample(rng(i), 400), rng(i).uniform(size=400)) for i in (1, 2)
    ]
    assert gaps(History(tasks)) < 0.01


def test_the_best_are_of_every_task_and_not_failed() -> None:
    history = with_failures([0, 3], runs=40)
    found = best_codes(history)
    expected = [history.tasks[0].codes[:4], history.tasks[1].codes[3:7]]
    assert_array_equal(found, np.concatenate(expected))


@pytest.mark.parametrize(
    ("tasks", "runs", "expected"), [(1, 1, 1), (3, 9, 3), (2, 9000, 512), (600, 1, 512)]
)
def test_the_best_are_a_tenth_at_most_and_not_too_many(
    tasks: int, runs: int, expected: int
) -> None:
    assert len(best_codes(noise(tasks, runs))) == expected
