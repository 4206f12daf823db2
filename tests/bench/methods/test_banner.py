"""BaNNER, against dense references and against chance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

pytest.importorskip("torch")

import torch
from scipy.stats import multivariate_normal

from malibo.bench.methods import banner
from malibo.bench.methods.banner import (
    FEATURES,
    OFFSET,
    Banner,
    Hyperparameters,
    Process,
    Shared,
    density_loss,
    fit,
)
from malibo.bench.methods.past import Data
from malibo.bench.methods.surrogate import matern, one_core
from malibo.bench.problems.ensembles import FAMILIES
from malibo.bench.searchspace import SearchSpace
from malibo.space.parameters import Array

FAMILY = replace(FAMILIES["forrester"], tasks=8, size=64)
LENGTHS, VARIANCE, NOISE, SCALE = np.array([0.3, 0.7]), 0.4, 0.02, 1.5


def shared() -> Shared:
    torch.manual_seed(0)
    return Shared(2)


def hyperparameters() -> Hyperparameters:
    logarithms = np.log([*LENGTHS, VARIANCE, NOISE - 1e-5, SCALE])
    return Hyperparameters(torch.as_tensor(logarithms))


def dense(network: Shared, points: Array) -> tuple[Array, Array]:
    """Mean and covariance of the function, before anything is seen."""
    with torch.no_grad():
        outputs = network.network(torch.as_tensor(points)).numpy()
    mean, features = outputs[:, 0], outputs[:, 1:]
    assert features.shape == (len(points), FEATURES)
    tensor = torch.as_tensor(points)
    residual = matern(tensor, tensor, torch.as_tensor(LENGTHS)).numpy()
    meta = SCALE**2 * (features @ features.T + OFFSET**2)
    return SCALE * mean, meta + VARIANCE * residual


def test_predictions_are_those_of_dense_algebra() -> None:
    rng, network = np.random.default_rng(0), shared()
    points, values = rng.random((9, 2)), rng.standard_normal(6)
    with torch.no_grad():
        inputs = network.inputs(torch.as_tensor(points[:6]))
    process = Process(network, inputs, torch.as_tensor(values), hyperparameters())
    found, sd = process.predict(points[6:])
    mean, covariance = dense(network, points)
    inverse = np.linalg.inv(covariance[:6, :6] + NOISE * np.eye(6))
    cross = covariance[6:, :6]
    assert_allclose(found, mean[6:] + cross @ inverse @ (values - mean[:6]), atol=1e-6)
    expected = (covariance[6:, 6:] - cross @ inverse @ cross.T).diagonal()
    assert_allclose(sd**2, expected, atol=1e-6)


def test_the_loss_is_the_density_of_the_values_and_of_the_hyperparameters() -> None:
    rng, network = np.random.default_rng(0), shared()
    points, values = rng.random((6, 2)), rng.standard_normal(6)
    with torch.no_grad():
        inputs = network.inputs(torch.as_tensor(points))
    found = density_loss(inputs, torch.as_tensor(values), hyperparameters())
    mean, covariance = dense(network, points)
    normal = multivariate_normal(mean, covariance + NOISE * np.eye(6))
    modes = Hyperparameters.modes(2).vector.numpy()
    deviations = (hyperparameters().vector.numpy() - modes) / np.sqrt([3, 3, 1, 1, 1])
    expected = -normal.logpdf(values) - 3 * np.log(2 * np.pi) + (deviations**2).sum() / 2
    assert_allclose(found, expected, rtol=1e-6)


def test_the_target_gets_the_scale_of_the_network_that_suits_it() -> None:
    rng, network = np.random.default_rng(0), shared()
    with torch.no_grad():
        inputs = network.inputs(torch.as_tensor(rng.random((40, 2))))
    values = inputs.mean + inputs.features @ torch.as_tensor(rng.standard_normal(FEATURES))
    with one_core():
        small, large = (float(fit(inputs, factor * values).others[2]) for factor in (0.2, 5.0))
    assert small < 0.6
    assert large > 2


def test_the_loss_of_the_past_is_the_likelihood_and_the_regulariser(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng, network = np.random.default_rng(0), shared()
    points, values = rng.random((5, 2)), rng.standard_normal(5)
    data = Data.of([(points, values)])
    outputs = network.network(torch.as_tensor(points)).detach().numpy()
    noise = np.exp(-2.0) + 1e-5
    normal = multivariate_normal(
        outputs[:, 0], outputs[:, 1:] @ outputs[:, 1:].T + noise * np.eye(5)
    )
    expected = -normal.logpdf(values) / 5 - np.log(2 * np.pi) / 2
    regularised = network.loss(data).item()
    monkeypatch.setattr(banner, "REGULARISER", 0.0)
    assert network.loss(data).item() == pytest.approx(expected)
    assert regularised > expected + 1e-3


def regret(seed: int, updates: int, steps: int = 4) -> float:
    """After some steps on a new function: 0 is the optimum, 1 the median of the space."""
    rng = np.random.default_rng([7, seed])
    past, function = FAMILY.past(rng), FAMILY.draw(rng)
    values = function(FAMILY.space.sample(rng, 5000))
    optimizer = Banner(SearchSpace(FAMILY.space), past, np.random.default_rng(seed), updates)
    for _ in range(steps):
        config = optimizer.ask()
        optimizer.tell(config, float(function(FAMILY.space.codes([config]))[0]))
    lowest = values.min()
    return float((optimizer.losses.min() - lowest) / (np.median(values) - lowest))


def test_it_finds_the_optimum_of_a_new_function_in_four_steps() -> None:
    """Four random ones have 0.3 on average; without training it has more than 1."""
    assert max(regret(seed, updates=300) for seed in range(3)) < 0.05
    assert np.mean([regret(seed, updates=0) for seed in range(3)]) > 0.2


def test_results_without_a_scale_count_with_what_was_predicted() -> None:
    optimizer = Banner(
        SearchSpace(FAMILY.space),
        FAMILY.past(np.random.default_rng(0)),
        np.random.default_rng(0),
        5,
    )
    for x in (0.2, 0.5):
        optimizer.tell({"x": x}, 3.0)
    with one_core():
        process = optimizer._process()
        mean, sd = process.predict(np.array([[0.2], [0.5], [0.9]]))
    with torch.no_grad():
        expected = optimizer._shared.inputs(torch.tensor([[0.2], [0.5], [0.9]]).double()).mean
    assert_allclose(mean, expected, atol=1e-6)
    assert sd[:2].max() < sd[2]
