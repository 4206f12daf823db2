"""The functions of past tasks: exact gradients, the textbook's regression, what they foresee."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import Matern

from malibo import Categorical, Float, History, Space, Task
from malibo.functions import Functions, kernel
from malibo.training import functions
from malibo.training.data import MOST_GAPS
from malibo.training.functions import (
    Observed,
    fit_functions,
    fit_kernel,
    observed_tasks,
    principal,
    regress,
)

SPACE = Space(x=Float(0, 1), y=Float(0, 1))


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def some_task(seed: int = 0, n: int = 12) -> Observed:
    points = rng(seed).uniform(size=(n, 3))
    return Observed(points, np.sin(6 * points[:, 0]) + points[:, 1])


def bowl(centre: float, n: int = 60, seed: int = 0) -> Task:
    """(x − centre)², whatever y is."""
    codes = rng(seed).uniform(size=(n, 2))
    return Task(f"{centre} {seed}", SPACE, codes, (codes[:, 0] - centre) ** 2)


def history(*tasks: Task) -> History:
    return History(tasks, SPACE)


# -- lengths ----------------------------------------------------------------------------------


def test_a_column_without_effect_gets_a_long_length() -> None:
    tasks = [some_task(seed, 80) for seed in range(3)]
    lengths, noise = fit_kernel(tasks, rng())
    assert lengths[0] < lengths[1]
    assert lengths[2] > 3 * lengths[0]
    assert noise < 0.01


def test_noise_is_noticed() -> None:
    quiet = [some_task(seed, 100) for seed in range(2)]
    loud = [Observed(p, s + 0.5 * rng(5).standard_normal(len(s))) for p, s in quiet]
    noise = fit_kernel(loud, rng())[1]
    assert 0.1 < noise < 0.6


# -- regression --------------------------------------------------------------------------------


def test_with_all_points_as_centres_it_is_the_textbooks_regression() -> None:
    task, lengths = some_task(n=30), np.array([0.3, 0.5, 2.0])
    exact = GaussianProcessRegressor(Matern(lengths, nu=2.5), alpha=0.01, optimizer=None)
    exact.fit(task.points, task.scores)
    among = kernel(task.points, task.points, lengths)
    found = among @ regress(task, task.points, lengths, 0.01, among)
    assert_allclose(found, exact.predict(task.points), atol=1e-3)


def test_principal_directions_keep_what_varies_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functions, "_DEVIATIONS", 2)
    strong, weak = rng(0).standard_normal((200, 2)) * [5, 3], rng(1).standard_normal((200, 3))
    mixing = np.linalg.qr(rng(2).standard_normal((5, 5)))[0]
    deviations = np.hstack([strong, 0.01 * weak]) @ mixing
    kept = principal(deviations + 7)  # a constant is no difference from place to place
    assert kept.shape == (5, 2)
    assert_allclose(kept.T @ kept, np.eye(2), atol=1e-9)
    centred = deviations - deviations.mean(axis=0)
    assert (centred @ kept).var(axis=0).sum() > 0.999 * centred.var(axis=0).sum()


# -- the whole ---------------------------------------------------------------------------------


def test_the_mean_and_the_deviations_are_those_of_the_tasks() -> None:
    past = history(*(bowl(centre) for centre in (0.2, 0.5, 0.8)))
    found = fit_functions(past, rng())
    assert found is not None
    x = np.linspace(0, 1, 50)
    mean, *deviations = found(np.column_stack([x, np.full(50, 0.5)])).T
    assert len(deviations) == 3
    assert x[np.argmin(mean)] == pytest.approx(0.5, abs=0.1)
    tasks = mean[:, None] + np.sqrt(2) * np.array(deviations).T
    lows = np.sort(x[np.argmin(tasks, axis=0)])
    assert_allclose(lows, [0.2, 0.5, 0.8], atol=0.06)


def test_one_task_has_a_mean_and_no_deviation() -> None:
    found = fit_functions(history(bowl(0.3)), rng())
    assert found is not None
    assert found.weights.shape[1] == 1


def test_many_tasks_have_their_greatest_deviations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functions, "_DEVIATIONS", 3)
    tasks = [bowl(centre, 20, seed) for seed, centre in enumerate(np.linspace(0.1, 0.9, 9))]
    found = fit_functions(history(*tasks), rng())
    assert found is not None
    assert found.weights.shape == (len(found.centres), 4)
    assert x_of_least(found) == pytest.approx(0.5, abs=0.15)


def x_of_least(found: Functions) -> float:
    x = np.linspace(0, 1, 101)
    return float(x[np.argmin(found(np.column_stack([x, np.full(101, 0.5)]))[:, 0])])


def test_tasks_that_tell_nothing_are_left_out() -> None:
    codes = rng().uniform(size=(5, 2))
    flat = Task("flat", SPACE, codes, np.ones(5))
    failed = Task("failed", SPACE, codes, np.array([np.nan, 1.0, np.nan, np.nan, 2.0]))
    few = Task("few", SPACE, codes[:2], np.array([0.0, 1.0]))
    assert fit_functions(history(flat, failed, few), rng()) is None
    assert len(observed_tasks(history(flat, bowl(0.4), failed, few), rng(), 0.0)) == 1


def test_where_an_optimiser_did_not_go_nothing_good_is_presumed() -> None:
    """Runs close to the best, a few bad ones far away on one side, nothing on the other."""
    near = 0.3 + 0.03 * rng(1).standard_normal((80, 2))
    codes = np.clip(np.vstack([near, [[0.05, 0.3], [0.1, 0.1], [0.02, 0.5]]]), 0, 1)
    losses = ((codes - 0.3) ** 2).sum(axis=1)
    past = history(Task("tuned", SPACE, codes, losses))
    corner = np.array([[0.95, 0.95], [0.3, 0.3]])
    even, uneven = (fit_functions(past, rng(), gaps) for gaps in (0.0, MOST_GAPS))
    assert even is not None
    assert uneven is not None
    far, best = uneven(corner)[:, 0]
    assert far > best + 1
    assert far - best > np.subtract(*even(corner)[:, 0]) + 0.5
    scores = observed_tasks(past, rng(), MOST_GAPS)[0].scores
    assert scores.max() == pytest.approx(0)


def test_failed_runs_are_bad_ones() -> None:
    codes = rng().uniform(size=(80, 2))
    losses = np.where(codes[:, 0] < 0.4, np.nan, codes[:, 0])
    found = fit_functions(history(Task("some fail", SPACE, codes, losses)), rng())
    assert found is not None
    assert x_of_least(found) == pytest.approx(0.4, abs=0.15)


def test_large_tasks_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functions, "_RUNS", 25)
    monkeypatch.setattr(functions, "_TASKS", 2)
    monkeypatch.setattr(functions, "_CENTRES", 16)
    past = history(bowl(0.3), bowl(0.4), bowl(0.5))
    assert [len(task.scores) for task in observed_tasks(past, rng(), 0.0)] == [25, 25]
    found = fit_functions(past, rng())
    assert found is not None
    assert found.centres.shape == (16, 2)


def test_tasks_that_tell_nothing_take_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functions, "_TASKS", 2)
    codes = rng().uniform(size=(5, 2))
    flat = [Task(f"flat {i}", SPACE, codes, np.ones(5)) for i in range(9)]
    assert len(observed_tasks(history(*flat, bowl(0.3), bowl(0.4), bowl(0.5)), rng(), 0.0)) == 2


def test_the_same_generator_gives_the_same_functions() -> None:
    one, other = (fit_functions(history(bowl(0.3), bowl(0.6)), rng(4)) for _ in range(2))
    assert one is not None
    assert other is not None
    assert_array_equal(one.weights, other.weights)


def test_categories_and_conditions_are_seen_as_the_network_sees_them() -> None:
    space = Space(kind=Categorical(["a", "b"]), rate=Float(0, 1, when={"kind": "a"}))
    codes = space.sample(rng(), 60)
    losses = np.where(codes[:, 0] == 0, np.nan_to_num(codes[:, 1]), 2.0)
    found = fit_functions(History([Task("t", space, codes, losses)], space), rng())
    assert found is not None
    best = space.codes([{"kind": "a", "rate": 0.05}, {"kind": "b"}])
    mean = found(space.encode(best))[:, 0]
    assert mean[0] < mean[1]
