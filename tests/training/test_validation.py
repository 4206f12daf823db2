"""Validation losses by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from malibo.acquisition import probit_logits
from malibo.labels import label
from malibo.network import Array32, Network
from malibo.posterior import Evidence, laplace
from malibo.training.data import Data
from malibo.training.validation import (
    NewTask,
    lfbo_loss,
    loss_of_known_tasks,
    loss_of_new_tasks,
    task_posterior,
)
from training.examples import unequal_tasks, weights_off_their_start


@pytest.fixture
def network() -> Network:
    weights = weights_off_their_start()
    return Network({name: w.astype(np.float32) for name, w in weights.items() if name != "tasks"})


def task(size: int, seed: int = 0) -> Data:
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, (size, 2)).astype(np.float32)
    p = rng.exponential(size=size).astype(np.float32)
    return Data(x, p, np.ones(size, np.float32), np.zeros(size, np.int32))


def column(*values: float) -> Array32:
    return np.array(values, np.float32)


def test_the_lfbo_loss_by_hand() -> None:
    data = Data(np.zeros((2, 1), np.float32), column(2, 0), column(1, 3), np.zeros(2, np.int32))
    logits = np.log([3.0, 0.25])  # C = 3/4 and 1/5
    expected = -(2 * np.log(0.75) + np.log(0.25) + 3 * np.log(0.8)) / 2
    assert_allclose(lfbo_loss(logits, data), expected)


def test_the_lfbo_loss_is_least_where_the_odds_are_the_ratio_of_weights() -> None:
    data = Data(np.zeros((1, 1), np.float32), column(0.5), column(2), np.zeros(1, np.int32))
    best = lfbo_loss(np.log([0.25]), data)
    assert best < lfbo_loss(np.log([0.2]), data)
    assert best < lfbo_loss(np.log([0.3]), data)


def test_the_lfbo_loss_of_far_logits_is_finite() -> None:
    assert_allclose(lfbo_loss(np.array([1e4, -1e4]), task(2)), (1e4 + task(2).p[1] * 1e4) / 2)


def test_known_tasks_are_averaged_over_tasks_not_rows(network: Network) -> None:
    data = unequal_tasks()
    data = Data(data.x.astype(np.float32), data.p, data.n, data.task)
    z = weights_off_their_start()["tasks"].astype(np.float32)
    phi, mean = network.features_and_mean(data.x)
    losses = []
    for number in range(3):
        own = data.task == number
        losses.append(lfbo_loss(mean[own] + phi[own] @ z[number], data.rows(own)))
    assert_allclose(loss_of_known_tasks(network, z, data), sum(losses) / 3, rtol=1e-5)
    logits = mean + (phi * z[data.task]).sum(axis=1)
    assert abs(lfbo_loss(logits, data) - sum(losses) / 3) > 0.01  # the sizes differ


@pytest.mark.parametrize(("size", "known"), [(40, 10), (21, 10), (12, 6), (4, 2)])
def test_new_tasks_are_judged_before_and_after_a_few_observations(
    network: Network, size: int, known: int
) -> None:
    data = task(size)
    own = label(np.arange(known)).p  # as a new task would label what was seen of it
    phi, offset = network.features_and_mean(data.x)
    before = offset / np.sqrt(1 + np.pi / 8 * (phi**2).sum(axis=1))  # under the prior of z
    evidence = Evidence(phi[:known], offset[:known], own, np.ones(known))
    after = probit_logits(laplace(evidence), phi[known:], offset[known:])
    rest = data.rows(slice(known, None))
    expected = (lfbo_loss(before[known:], rest) + lfbo_loss(after, rest)) / 2
    new = NewTask(data, replace(data.rows(slice(known)), p=own.astype(np.float32)))
    assert_allclose(loss_of_new_tasks(network, True, [new]), expected, rtol=1e-5)


def test_without_a_task_layer_new_tasks_see_the_mean_alone(network: Network) -> None:
    rests = [task(20, 0), task(6, 1)]
    losses = [lfbo_loss(network.features_and_mean(each.x)[1], each) for each in rests]
    tasks = [NewTask(each, each.rows(slice(0))) for each in rests]
    assert_allclose(loss_of_new_tasks(network, False, tasks), np.mean(losses))


def test_the_posterior_of_a_task_is_that_of_laplace(network: Network) -> None:
    data = task(15)
    phi, offset = network.features_and_mean(data.x)
    q = task_posterior(phi, offset, data)
    evidence = Evidence(phi, offset, data.p.astype(float), np.ones(15))
    assert_allclose(q.mean, laplace(evidence).mean)
    assert_allclose(evidence.gradient(q.mean), 0, atol=1e-4)
