"""The Gaussian process that MetaBO estimates on the past, against dense algebra."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

pytest.importorskip("torch")

import torch

from malibo.bench.methods.metabo.prior import Prior, noise_of
from malibo.bench.methods.surrogate import fit_gp, matern, one_core
from malibo.space.parameters import Array

PRIOR = Prior(torch.tensor([0.4, 0.9], dtype=torch.float64), noise=0.05)


def test_predictions_are_those_of_dense_algebra() -> None:
    rng = np.random.default_rng(0)
    points, values, new = rng.random((7, 2)), rng.standard_normal(7), rng.random((5, 2))

    def covariance(some: Array, others: Array) -> Array:
        found = matern(torch.as_tensor(some), torch.as_tensor(others), PRIOR.lengths)
        return np.asarray(found)

    inverse = np.linalg.inv(covariance(points, points) + 0.05 * np.eye(7))
    cross = covariance(new, points)
    mean, sd = PRIOR.condition(points, values).predict(new)
    assert_allclose(mean, cross @ inverse @ values)
    assert_allclose(sd**2, 1 - np.einsum("ij,jk,ik->i", cross, inverse, cross), rtol=1e-6)


def test_without_observations_it_predicts_mean_0_and_deviation_1() -> None:
    new = np.random.default_rng(0).random((3, 2))
    mean, sd = PRIOR.condition(np.empty((0, 2)), np.empty(0)).predict(new)
    assert_array_equal(mean, np.zeros(3))
    assert_array_equal(sd, np.ones(3))


def test_hyperparameters_are_geometric_means_over_tasks() -> None:
    rng = np.random.default_rng(1)
    tasks = []
    for frequency in (2, 6):
        points = rng.random((40, 2))
        values = np.sin(frequency * points[:, 0]) + 0.3 * rng.standard_normal(40)
        tasks.append((points, (values - values.mean()) / values.std()))
    with one_core():
        fitted = [fit_gp(*task) for task in tasks]
        prior = Prior.estimate(tasks, rng)
    lengths = np.array([model.lengths.numpy() for model in fitted])
    noises = np.array([float(noise_of(model)) for model in fitted])
    assert_allclose(prior.lengths.numpy(), np.sqrt(lengths.prod(axis=0)), rtol=1e-5)
    assert_allclose(prior.noise, np.sqrt(noises.prod()), rtol=1e-5)


def test_the_noise_is_what_the_diagonal_has_beyond_1() -> None:
    model = PRIOR.condition(np.random.default_rng(0).random((4, 2)), np.zeros(4))
    assert_allclose(float(noise_of(model)), 0.05)
