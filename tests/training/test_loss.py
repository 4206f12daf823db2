"""The loss of Equation 3 against plain loops, and its gradient against two others."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy.stats import norm

from malibo.config import TrainConfig
from malibo.training.backprop import forward
from malibo.training.data import Data
from malibo.training.loss import EMBEDDINGS, Loss, used_embeddings
from malibo.training.regularizer import empirical_cdf, expected_terms
from training import reference
from training.examples import Arrays, unequal_tasks, weights_off_their_start

CONFIGS = {
    "whole": TrainConfig(),
    "RES": TrainConfig(mean_layer=False),
    "MEAN": TrainConfig(task_layer=False),
    "free": TrainConfig(regularization=0),
}
VARIANTS = pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS.keys())


def weights_of(config: TrainConfig) -> Arrays:
    """Without the mean layer its weights stay at zero, where they start."""
    weights = weights_off_their_start()
    if not config.mean_layer:
        weights |= {name: 0 * weights[name] for name in ("mean.weight", "mean.bias")}
    return weights


def value_and_gradient(
    weights: Arrays, config: TrainConfig, variance: float, data: Data | None = None
) -> tuple[float, Arrays]:
    data = unequal_tasks() if data is None else data
    sizes = np.bincount(data.task)
    share = len(data) / (len(sizes) * sizes[data.task])
    cdf = empirical_cdf(weights_of(config)[EMBEDDINGS])  # ranks carry no gradient
    return Loss(config, variance).value_and_gradient(weights, data, share, cdf)  # type: ignore[arg-type]


def plain_loss(weights: Arrays, config: TrainConfig, variance: float) -> float:
    """Equation 3, task by task and observation by observation."""
    data, z = unequal_tasks(), weights[EMBEDDINGS]
    phi = forward(weights, data.x).phi
    centre = z.mean(axis=0) if config.mean_layer else 0.0
    total = 0.0
    for t in range(3):
        losses, norms = [], []
        for i in np.flatnonzero(data.task == t):
            logit = phi[i] @ weights["mean.weight"] + weights["mean.bias"]
            logit += config.task_layer * phi[i] @ (z[t] - centre)
            k_hat = 1 / (1 + np.exp(-logit))
            losses.append(-data.p[i] * np.log(k_hat) - data.n[i] * np.log(1 - k_hat))
            norms.append(phi[i] @ phi[i])
        total += sum(losses) / len(losses) / 3
        total += config.task_layer * variance * sum(norms) / len(norms) / 3
    if config.task_layer:
        ks, covariance = expected_terms(3, 4)
        distance = ((empirical_cdf(z) - norm.cdf(z)) ** 2).mean(axis=0).sum()
        difference = ((np.eye(4) - np.cov(z.T)) ** 2).sum()
        total += config.regularization * (distance / (2 * ks) + difference / (2 * covariance))
    return float(total)


@VARIANTS
@pytest.mark.parametrize("variance", [0.0, 0.1])
def test_the_loss_is_equation_4(config: TrainConfig, variance: float) -> None:
    weights = weights_of(config)
    found, _ = value_and_gradient(weights, config, variance)
    assert_allclose(found, plain_loss(weights, config, variance), rtol=1e-12)


@VARIANTS
def test_the_gradient_is_the_slope_of_the_loss(config: TrainConfig) -> None:
    weights = weights_of(config)
    _, found = value_and_gradient(weights, config, 0.1)
    unheard = set() if config.mean_layer else {"mean.weight", "mean.bias"}
    assert found.keys() == weights.keys()
    for name in weights.keys() - unheard:
        slope = np.zeros(weights[name].shape)
        for index in np.ndindex(slope.shape):
            step = np.zeros(slope.shape)
            step[index] = 1e-6
            above, below = (
                value_and_gradient({**weights, name: weights[name] + h}, config, 0.1)[0]
                for h in (step, -step)
            )
            slope[index] = (above - below) / 2e-6
        assert_allclose(found[name], slope, rtol=1e-6, atol=1e-8, err_msg=name)


@VARIANTS
def test_automatic_differentiation_agrees(config: TrainConfig) -> None:
    weights, data = weights_of(config), unequal_tasks()
    value, found = value_and_gradient(weights, config, 0.1)
    tree = {name: jnp.asarray(w, jnp.float32) for name, w in weights.items()}
    rows = {name: jnp.asarray(getattr(data, name)) for name in ("x", "p", "n", "task")}
    cdf = jnp.asarray(empirical_cdf(weights[EMBEDDINGS]))
    loss = jax.jit(jax.value_and_grad(reference.meta_loss), static_argnums=(3, 4))
    expected_value, expected = loss(tree, rows, cdf, config, 0.1)
    assert_allclose(value, expected_value, rtol=1e-5)
    for name, gradient in found.items():
        assert_allclose(gradient, expected[name], rtol=1e-3, atol=1e-5, err_msg=name)


def test_without_the_mean_layer_its_weights_have_no_gradient() -> None:
    _, gradient = value_and_gradient(weights_of(CONFIGS["RES"]), CONFIGS["RES"], 0.1)
    assert not gradient["mean.weight"].any()
    assert not gradient["mean.bias"].any()
    assert gradient[EMBEDDINGS].any()


def test_without_the_task_layer_embeddings_have_no_gradient() -> None:
    _, gradient = value_and_gradient(weights_of(CONFIGS["MEAN"]), CONFIGS["MEAN"], 0.1)
    assert not gradient[EMBEDDINGS].any()
    assert gradient["mean.weight"].any()


@VARIANTS
def test_gradients_have_the_type_and_shape_of_the_weights(config: TrainConfig) -> None:
    weights = {name: w.astype(np.float32) for name, w in weights_of(config).items()}
    x, p, n = (getattr(unequal_tasks(), name).astype(np.float32) for name in ("x", "p", "n"))
    data = Data(x, p, n, unequal_tasks().task)
    share, cdf = np.ones(14, np.float32), empirical_cdf(weights[EMBEDDINGS])
    _, gradient = Loss(config, 0.1).value_and_gradient(weights, data, share, cdf)
    for name, w in weights.items():
        assert gradient[name].dtype == np.float32, name
        assert gradient[name].shape == w.shape, name


def test_without_regulariser_tasks_that_are_not_in_a_batch_stay() -> None:
    config = TrainConfig(mean_layer=False, regularization=0)
    data = unequal_tasks().rows(unequal_tasks().task == 1)
    weights, share = weights_of(config), np.ones(len(data), np.float32)
    cdf = empirical_cdf(weights[EMBEDDINGS])
    _, gradient = Loss(config).value_and_gradient(weights, data, share, cdf)
    assert_array_equal(gradient[EMBEDDINGS].any(axis=1), [False, True, False])


@pytest.mark.parametrize("logit", [-1e4, 1e4])
def test_far_logits_leave_the_loss_finite(logit: float) -> None:
    config = TrainConfig(task_layer=False)
    weights = weights_of(config)
    weights["mean.bias"] = np.array(logit)
    value, gradient = value_and_gradient(weights, config, 0.0)
    assert np.isfinite(value)
    assert all(np.isfinite(g).all() for g in gradient.values())


def test_what_all_embeddings_share_belongs_to_the_mean_layer() -> None:
    z: NDArray[np.float32] = np.random.default_rng(0).standard_normal((5, 3)).astype(np.float32)
    used = used_embeddings(z, TrainConfig())
    assert_allclose(used.mean(axis=0), 0, atol=1e-6)
    assert_allclose(used - used[0], z - z[0], rtol=1e-5, atol=1e-6)
    assert_array_equal(used_embeddings(z, TrainConfig(mean_layer=False)), z)
    assert_array_equal(used_embeddings(z, TrainConfig(task_layer=False)), 0 * z)
