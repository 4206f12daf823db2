"""Adaptive Bayesian linear regression, against dense references."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

pytest.importorskip("torch")

import torch
from scipy.stats import multivariate_normal

from malibo import Float, History, Space, Task
from malibo.bench.methods.ablr import (
    MOST_TASKS,
    Ablr,
    Heads,
    features,
    fit,
    initial,
    some,
    task_losses,
    with_task,
)
from malibo.bench.methods.past import Data, keep
from malibo.bench.methods.surrogate import one_core, standardized
from malibo.bench.searchspace import SearchSpace
from malibo.space.parameters import Array

SPACE = Space(a=Float(0, 1), b=Float(0, 1))
ALPHA, BETA = np.array([0.5, 2.0]), np.array([3.0, 20.0])


def two_tasks() -> tuple[Array, list[tuple[Array, Array]]]:
    """Random parameters, and two tasks of different sizes."""
    rng = np.random.default_rng(0)
    vector = initial(2, 3, rng)
    vector[-4:] = np.log([*ALPHA, *BETA])
    return vector, [(rng.random((n, 3)), rng.standard_normal(n)) for n in (7, 12)]


def test_the_marginal_likelihood_is_that_of_a_dense_normal() -> None:
    vector, tasks = two_tasks()
    found = task_losses(torch.as_tensor(vector), Data.of(tasks)).numpy()
    for index, (points, values) in enumerate(tasks):
        phi = features(torch.as_tensor(vector), torch.as_tensor(points)).numpy()
        covariance = phi @ phi.T / ALPHA[index] + np.eye(len(values)) / BETA[index]
        expected = -multivariate_normal(cov=covariance).logpdf(values)
        assert_allclose(found[index], expected)


def test_predictions_are_those_of_the_dot_product_process() -> None:
    vector, tasks = two_tasks()
    new = np.random.default_rng(1).random((5, 3))
    mean, sd = Heads.of(vector, Data.of(tasks)).predict(new, [0, 1])
    for index, (points, values) in enumerate(tasks):
        seen, unseen = (
            features(torch.as_tensor(vector), torch.as_tensor(x)).numpy() for x in (points, new)
        )
        inverse = np.linalg.inv(seen @ seen.T / ALPHA[index] + np.eye(len(seen)) / BETA[index])
        cross = unseen @ seen.T / ALPHA[index]
        variance = (unseen @ unseen.T / ALPHA[index] - cross @ inverse @ cross.T).diagonal()
        assert_allclose(mean[index], cross @ inverse @ values, atol=1e-9)
        assert_allclose(sd[index] ** 2, variance, atol=1e-9)


def test_training_ends_where_it_was_judged_best() -> None:
    vector, tasks = two_tasks()
    data = Data.of(tasks)
    seen: list[Array] = []

    def judge(values: torch.Tensor) -> float:
        seen.append(values.numpy().copy())
        return abs(len(seen) - 4.0)  # the fourth is the best

    assert_array_equal(fit(vector, data, 25, judge), seen[3])
    losses = [float(task_losses(torch.as_tensor(values), data).sum()) for values in seen]
    assert (np.diff(losses) < 0).all()


def test_a_new_task_has_the_mean_precisions_of_the_others() -> None:
    vector, _ = two_tasks()
    longer = with_task(vector, 2)
    alpha, beta = np.log(ALPHA), np.log(BETA)
    assert_array_equal(longer[:-6], vector[:-4])
    assert_allclose(longer[-6:], [*alpha, alpha.mean(), *beta, beta.mean()])


def test_a_quarter_is_held_out_but_never_everything() -> None:
    points, values = np.zeros((8, 1)), np.zeros(8)
    assert [len(keep(points[:n], values[:n])[1]) for n in (1, 2, 3, 4, 8)] == [1, 1, 2, 3, 6]


def loss(codes: Array, shift: float = 0.0) -> Array:
    return np.asarray((codes[:, 0] - 0.3 - shift) ** 2 + (codes[:, 1] - 0.8 + shift) ** 2)


def past() -> History:
    rng = np.random.default_rng(3)
    samples = [(shift, SPACE.sample(rng, 30)) for shift in (-0.1, 0.0, 0.1)]
    return History([Task(f"{s}", SPACE, codes, loss(codes, s)) for s, codes in samples])


def test_it_predicts_past_tasks_that_it_has_learnt() -> None:
    optimizer = Ablr(SearchSpace(SPACE), past(), np.random.default_rng(0))
    codes = SPACE.sample(np.random.default_rng(9), 100)
    with one_core():
        mean, _ = optimizer._heads.predict(SPACE.encode(codes), [1])
    assert np.corrcoef(mean[0], standardized(loss(codes)))[0, 1] > 0.98


def test_it_needs_fewer_steps_than_chance() -> None:
    optimizer = Ablr(SearchSpace(SPACE), past(), np.random.default_rng(0))
    for _ in range(6):
        config = optimizer.ask()
        optimizer.tell(config, float(loss(SPACE.codes([config]))[0]))
    chance = loss(SPACE.sample(np.random.default_rng(0), 500)).min()
    assert optimizer.losses[0] < 0.05
    assert optimizer.losses.min() < chance


def test_of_very_many_past_tasks_some_are_taken_at_random() -> None:
    codes = SPACE.sample(np.random.default_rng(0), 2)
    tasks = [Task(f"task {n}", SPACE, codes, np.arange(2.0)) for n in range(MOST_TASKS + 5)]
    few, again = (some(tasks, np.random.default_rng(seed)) for seed in (0, 1))
    assert len({task.name for task in few}) == MOST_TASKS
    assert {task.name for task in few} != {task.name for task in again}
    assert some(tasks[:MOST_TASKS], np.random.default_rng(0)) == tasks[:MOST_TASKS]
