"""FSBO, against dense references and against chance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies
from numpy.testing import assert_allclose, assert_array_equal

pytest.importorskip("torch")

import torch
from scipy.stats import multivariate_normal

from malibo import Float, Space, Task
from malibo.bench.methods.fsbo import (
    WARM,
    DeepKernel,
    Fsbo,
    Process,
    complementary,
    fine_tuned,
    predicted_regret,
    promising,
    rescaled,
)
from malibo.bench.methods.past import Data
from malibo.bench.methods.surrogate import matern, one_core
from malibo.bench.problems.ensembles import FAMILIES
from malibo.bench.searchspace import SearchSpace
from malibo.space.parameters import Array

FAMILY = replace(FAMILIES["forrester"], tasks=8, size=64)
SEARCH = SearchSpace(FAMILY.space)


def kernel() -> DeepKernel:
    torch.manual_seed(0)
    deep = DeepKernel(2)
    with torch.no_grad():
        deep.rest.copy_(torch.tensor([0.3, -2.0, 0.5]))
    return deep


def dense(deep: DeepKernel, points: Array) -> Array:
    with torch.no_grad():
        outputs = deep.network(torch.as_tensor(points))
        return np.asarray(np.exp(0.3) * matern(outputs, outputs, torch.ones(1)).numpy())


def task(size: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(0)
    points = rng.random((size, 2))
    return points, np.sin(6 * points[:, 0])


def test_the_loss_is_the_likelihood_of_a_dense_normal() -> None:
    points, values = task(6)
    covariance = dense(kernel(), points) + (np.exp(-2) + 1e-5) * np.eye(6)
    normal = multivariate_normal(np.full(6, 0.5), covariance)
    found = kernel().loss(Data.of([(points, values)])).item()
    assert found == pytest.approx(-normal.logpdf(values) / 6 - np.log(2 * np.pi) / 2, abs=1e-6)


def test_predictions_are_those_of_dense_algebra() -> None:
    points, values = task(9)
    mean, sd = Process(kernel(), (points[:6], values[:6])).predict(points[6:])
    covariance = dense(kernel(), points)
    inverse = np.linalg.inv(covariance[:6, :6] + (np.exp(-2) + 1e-5) * np.eye(6))
    cross = covariance[6:, :6]
    assert_allclose(mean, 0.5 + cross @ inverse @ (values[:6] - 0.5), atol=1e-6)
    expected = (covariance[6:, 6:] - cross @ inverse @ cross.T).diagonal()
    assert_allclose(sd**2, expected, atol=1e-6)


def test_fine_tuning_raises_the_likelihood_and_leaves_the_kernel_as_it_is() -> None:
    deep, data = kernel(), Data.of([task(20)])
    before = deep.loss(data).item()
    with one_core():
        tuned = fine_tuned(deep, task(20))
    assert tuned.loss(data).item() < before - 0.01
    assert deep.loss(data).item() == before


# -- new scales --------------------------------------------------------------------------------


@settings(deadline=None)
@given(strategies.integers(0, 10**6))
def test_new_scales_keep_the_order_and_the_proportions(seed: int) -> None:
    values = np.random.default_rng(1).standard_normal(20)
    changed = rescaled(values, np.random.default_rng(seed))
    slope, _ = np.polyfit(values, changed, 1)
    assert slope > 0
    assert np.corrcoef(values, changed)[0, 1] == pytest.approx(1)
    assert 1 - 1e-9 < np.ptp(changed) < 10 + 1e-9
    assert changed.min() < 1e-9


def test_new_scales_differ_and_equal_values_stay_as_they_are() -> None:
    rng, values = np.random.default_rng(0), np.arange(5.0)
    assert np.ptp(rescaled(values, rng)) != np.ptp(rescaled(values, rng))
    assert_array_equal(rescaled(np.ones(3), rng), np.ones(3))


# -- the first suggestions ---------------------------------------------------------------------


def test_the_first_ones_complement_each_other() -> None:
    """The last is good everywhere, the others are each the best somewhere."""
    regrets = np.array([[0.0, 0.1, 1.0, 0.3], [1.0, 0.9, 0.0, 0.4]])
    assert complementary(regrets, 3) == [3, 2, 0]
    assert complementary(regrets[:, 1:3], 5) == [0, 1]


def test_candidates_are_the_best_of_each_task_and_none_twice() -> None:
    space = Space(x=Float(0, 1))
    codes = np.linspace(0, 1, 11)[:, None]
    tasks = [
        Task("up", space, codes, np.where(codes[:, 0] == 0, np.nan, codes[:, 0])),
        Task("down", space, codes, -codes[:, 0]),
    ]
    assert_allclose(promising(tasks, 4)[:, 0], [0.1, 0.2, 0.9, 1.0])
    assert len(promising(tasks, 100)) == 11


def test_predicted_regret_is_lowest_where_a_task_is() -> None:
    points, values = task(60)
    with one_core():
        tuned = fine_tuned(kernel(), (points, values))
        regret = predicted_regret(tuned, (points, values), points)
    assert regret.min() == 0
    assert regret.max() == 1
    assert values[np.argmin(regret)] < -0.8


def test_the_first_ones_come_in_turn_and_not_after_enough_results() -> None:
    past = FAMILY.past(np.random.default_rng(0))
    optimizer = Fsbo(SEARCH, past, np.random.default_rng(0), updates=5)
    warm = FAMILY.space.configs(optimizer._warm)
    assert len(warm) == WARM
    asked = []
    for _ in range(WARM):
        asked.append(optimizer.ask())
        optimizer.tell(asked[-1], None)
    assert asked == warm
    other = Fsbo(SEARCH, past, np.random.default_rng(0), updates=5)
    for x in np.linspace(0.1, 0.9, WARM):
        other.tell({"x": float(x)}, 1.0)
    assert other.ask() not in warm


def regret(seed: int, updates: int) -> float:
    """After 5 given points and 3 steps on a new function; 1 is the median of the space."""
    rng = np.random.default_rng([7, seed])
    past, function = FAMILY.past(rng), FAMILY.draw(rng)
    values = function(FAMILY.space.sample(rng, 5000))
    optimizer = Fsbo(SEARCH, past, np.random.default_rng(seed), updates)
    for config in FAMILY.space.configs(FAMILY.space.sample(rng, WARM)):
        optimizer.tell(config, float(function(FAMILY.space.codes([config]))[0]))
    for _ in range(3):
        config = optimizer.ask()
        optimizer.tell(config, float(function(FAMILY.space.codes([config]))[0]))
    lowest = values.min()
    return float((optimizer.losses.min() - lowest) / (np.median(values) - lowest))


def test_it_finds_the_optimum_of_a_new_function_in_three_steps_after_five_points() -> None:
    """Eight random ones have 0.22 on average, and so has it without training."""
    assert np.mean([regret(seed, updates=300) for seed in range(5)]) < 0.08
    assert np.mean([regret(seed, updates=0) for seed in range(5)]) > 0.15
