"""Gaussian likelihoods and training on the past, against dense references."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

pytest.importorskip("torch")

import torch
from scipy.stats import multivariate_normal
from torch import Tensor

from malibo.bench.methods.exact import (
    Conditioned,
    Regression,
    Schedule,
    draw,
    in_chunks,
    left_out,
    matern,
    negative_log_likelihood,
    of_observations,
    train,
)
from malibo.bench.methods.past import Data, Observed
from malibo.bench.methods.surrogate import matern as fast_matern
from malibo.space.parameters import Array

RNG = np.random.default_rng(0)
POINTS, VALUES = RNG.random((7, 2)), RNG.standard_normal(7)
NOISE = torch.tensor(0.1, dtype=torch.float64)


def covariance() -> Tensor:
    points = torch.as_tensor(POINTS)
    return of_observations(matern(points, points), NOISE, torch.ones(7, dtype=torch.float64))


def constant(size: int) -> float:
    return size / 2 * float(np.log(2 * np.pi))


def test_covariances_are_those_of_the_other_implementation() -> None:
    points, others = torch.as_tensor(POINTS), torch.as_tensor(RNG.random((4, 2)))
    ones = torch.ones(2, dtype=torch.float64)
    assert_allclose(matern(points, others), fast_matern(points, others, ones), atol=1e-9)


def test_covariances_have_a_gradient_where_points_are_the_same() -> None:
    points = torch.as_tensor(POINTS).requires_grad_()
    (gradient,) = torch.autograd.grad(matern(points, points).square().sum(), points)
    assert torch.isfinite(gradient).all()
    assert gradient.abs().max() > 0.1


def test_the_likelihood_is_that_of_a_dense_normal() -> None:
    found = negative_log_likelihood(covariance(), torch.as_tensor(VALUES))
    expected = -multivariate_normal(cov=covariance().numpy()).logpdf(VALUES)
    assert_allclose(found + constant(7), expected, rtol=1e-6)


def test_what_is_not_known_does_not_count() -> None:
    points = torch.as_tensor(np.concatenate([POINTS, np.zeros((3, 2))]))
    values = torch.as_tensor(np.concatenate([VALUES, np.zeros(3)]))
    known = torch.as_tensor([1.0] * 7 + [0.0] * 3, dtype=torch.float64)
    padded = of_observations(matern(points, points), NOISE, known)
    expected = negative_log_likelihood(covariance(), torch.as_tensor(VALUES))
    assert_allclose(negative_log_likelihood(padded, values), expected, rtol=1e-6)


def test_predictions_are_those_of_dense_algebra() -> None:
    new = torch.as_tensor(RNG.random((5, 2)))
    cross = matern(torch.as_tensor(POINTS), new)
    seen = Conditioned.on(covariance(), torch.as_tensor(VALUES))
    mean, sd = seen.predict(cross, torch.ones(5, dtype=torch.float64))
    inverse = np.linalg.inv(covariance().numpy())
    assert_allclose(mean, cross.numpy().T @ inverse @ VALUES)
    assert_allclose(sd**2, 1 - (cross.numpy().T @ inverse @ cross.numpy()).diagonal())


def test_chunks_are_put_together_in_order() -> None:
    points = np.arange(10_000.0)[:, None]
    first, second = in_chunks(lambda part: (part[:, 0], -part[:, 0]), points)
    assert_array_equal(first, points[:, 0])
    assert_array_equal(second, -points[:, 0])


# -- linear regression -------------------------------------------------------------------------


def regression() -> tuple[Regression, Array, Array]:
    """Two tasks with 3 features, the second with one observation less."""
    rng = np.random.default_rng(1)
    features, values = rng.standard_normal((2, 6, 3)), rng.standard_normal((2, 6))
    known = np.ones((2, 6))
    features[1, 5], values[1, 5], known[1, 5] = 0, 0, 0
    tensors = torch.as_tensor(values), torch.as_tensor(features), torch.as_tensor(known)
    return Regression(*tensors, NOISE), features, values


def test_the_likelihood_of_a_regression_is_that_of_a_dense_normal() -> None:
    found, features, values = regression()
    for task, size in enumerate((6, 5)):
        phi, y = features[task, :size], values[task, :size]
        dense = multivariate_normal(cov=phi @ phi.T + 0.1 * np.eye(size))
        assert_allclose(found.losses()[task] + constant(size), -dense.logpdf(y))


def test_the_regulariser_compares_the_moments_of_all_weights_with_the_prior() -> None:
    found, features, values = regression()
    means, seconds = [], []
    for phi, y in zip(features, values, strict=True):
        cov = np.linalg.inv(np.eye(3) + phi.T @ phi / 0.1)
        means.append(cov @ phi.T @ y / 0.1)
        seconds.append(cov + np.outer(means[-1], means[-1]))
    expected = (np.mean(means, axis=0) ** 2).sum()
    expected += ((np.mean(seconds, axis=0) - np.eye(3)) ** 2).sum()
    assert_allclose(found.distance(), expected)


# -- training ----------------------------------------------------------------------------------


def numbered(size: int, task: int) -> Observed:
    values = np.arange(100 * task, 100 * task + size, dtype=np.float64)
    return values[:, None], values


def test_a_batch_is_of_different_tasks_and_of_their_different_observations() -> None:
    past = [numbered(20, task) for task in range(4)]
    batch = draw(past, Schedule(1, tasks=3, batch=5), np.random.default_rng(0))
    assert batch.values.shape == (3, 5)
    assert len(np.unique(batch.values)) == 15
    assert len({int(row[0]) // 100 for row in batch.values}) == 3
    assert_array_equal(batch.points[..., 0], batch.values)


def test_a_change_is_of_the_values_of_a_batch_and_not_of_the_past() -> None:
    past = [numbered(20, 1)]
    batch = draw(past, Schedule(1, 1, 5), np.random.default_rng(0), lambda values, _: -values)
    assert_array_equal(batch.points[..., 0], -batch.values)
    assert past[0][1].min() == 100


def test_what_is_held_out_is_the_last_quarter_or_a_task_of_one() -> None:
    assert left_out(*numbered(8, 0))[1].tolist() == [6, 7]
    assert left_out(*numbered(2, 0))[1].tolist() == [1]
    assert left_out(*numbered(1, 0))[1].tolist() == [0]


def test_training_ends_where_what_is_held_out_was_best() -> None:
    """The kept values pull to 1, those held out are best at 0.5."""
    parameter = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    values = np.concatenate([np.ones(75), np.full(25, 0.5)])

    def loss(data: Data) -> Tensor:
        return (data.values - parameter).square().mean()

    past = [(np.zeros((100, 1)), values)]
    optimizer = torch.optim.Adam([parameter], lr=0.02)
    schedule = Schedule(200, 1, 10)
    train([parameter], optimizer, loss, past, schedule, np.random.default_rng(0))
    assert parameter.item() == pytest.approx(0.5, abs=0.1)
