"""The network in numpy: values by hand, and the same as the network that is trained."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from malibo.network import Array32, Network, centred, initial_weights
from training.reference import forward

SHAPES = [(1, 1, 1, 1), (3, 8, 2, 5), (9, 64, 4, 50), (30, 16, 6, 2)]


def weights_like_trained(
    inputs: int, hidden: int, layers: int, features: int
) -> dict[str, Array32]:
    """Weights with no zero among them."""
    rng = np.random.default_rng(features)
    start = initial_weights(inputs, hidden, layers, features, rng)
    return {
        name: np.asarray(w + 0.1 * rng.standard_normal(w.shape), np.float32)
        for name, w in start.items()
    }


def points(n: int, inputs: int) -> Array32:
    return centred(np.random.default_rng(n).uniform(size=(n, inputs)))


@pytest.fixture
def tiny() -> Network:
    """One input, one hidden layer of one unit, two features: all by hand."""
    arrays = {
        "input.weight": [[2.0]],
        "input.bias": [1.0],
        "hidden.weight": [[[-1.0]]],
        "hidden.bias": [[0.5]],
        "features.weight": [[1.0, 3.0]],
        "features.bias": [0.0, -1.0],
        "mean.weight": [2.0, 1.0],
        "mean.bias": 0.25,
    }
    return Network({name: np.asarray(w, np.float32) for name, w in arrays.items()})


def test_features_by_hand(tiny: Network) -> None:
    down = np.expm1(-2.5)  # x = 1: h = 3, h + ELU(−3 + 0.5)
    up = 1.5  # x = −1: h = −1, h + ELU(1 + 0.5) = 0.5
    h = np.array([3 + down, -1 + up])
    phi = tiny.features(np.array([[1.0], [-1.0]], np.float32))
    assert_allclose(phi, np.stack([h, 3 * h - 1], axis=1), rtol=1e-6)


def test_the_mean_logit_by_hand(tiny: Network) -> None:
    logit = tiny.mean_logit(np.array([[1.0, 2.0], [0.0, 0.0]], np.float32))
    assert_array_equal(logit, [4.25, 0.25])
    assert logit.dtype == np.float64


def test_elu_has_its_exact_values() -> None:
    """With zero weights before it and identity after it, h is ELU of the bias."""
    a = np.array([-100.0, -1.0, -1e-3, 0.0, 1e-3, 1.0, 100.0], np.float32)
    size = len(a)
    weights = initial_weights(1, size, 1, size, np.random.default_rng(0))
    weights["input.weight"] = np.zeros((1, size), np.float32)
    weights["hidden.bias"] = a[None]
    weights["features.weight"] = np.eye(size, dtype=np.float32)
    phi = Network(weights).features(np.zeros((1, 1), np.float32))[0]
    assert_allclose(phi, np.maximum(a, np.expm1(np.minimum(a, 0))), rtol=1e-6, atol=1e-7)
    assert_array_equal(phi[a >= 0], a[a >= 0])
    assert phi[0] == -1


@pytest.mark.parametrize(("inputs", "hidden", "layers", "features"), SHAPES)
def test_the_trained_network_gives_the_same(
    inputs: int, hidden: int, layers: int, features: int
) -> None:
    weights = weights_like_trained(inputs, hidden, layers, features)
    x = points(100, inputs)
    phi, mean = Network(weights).features_and_mean(x)
    jax_phi, jax_mean = forward({k: jnp.asarray(w) for k, w in weights.items()}, jnp.asarray(x))
    assert_allclose(phi, jax_phi, rtol=1e-4, atol=1e-4 * np.abs(phi).max())
    assert_allclose(mean, jax_mean, rtol=1e-4, atol=1e-4 * np.abs(mean).max())


def test_the_network_computes_in_float32() -> None:
    network = Network(weights_like_trained(3, 8, 2, 5))
    assert network.features(points(4, 3)).dtype == np.float32
    phi, mean = network.features_and_mean(points(4, 3))
    assert phi.dtype == mean.dtype == np.float64
    assert_array_equal(phi, network.features(points(4, 3)))
    assert_array_equal(mean, network.mean_logit(network.features(points(4, 3))))


def test_a_point_is_judged_alone() -> None:
    network, x = Network(weights_like_trained(3, 8, 2, 5)), points(10, 3)
    rows = np.concatenate([network.features(x[i : i + 1]) for i in range(10)])
    assert_allclose(network.features(x), rows, rtol=1e-5, atol=1e-6)
    assert network.features(x[:0]).shape == (0, 5)


def test_the_network_changes_nothing_that_it_is_given() -> None:
    weights, x = weights_like_trained(3, 8, 2, 5), points(10, 3)
    before = {name: w.copy() for name, w in weights.items()}
    Network(weights).features_and_mean(x)
    assert_array_equal(x, points(10, 3))
    for name, w in weights.items():
        assert_array_equal(w, before[name])


def test_the_unit_cube_is_centred() -> None:
    moved = centred(np.array([[0.0, 0.25, 0.5, 1.0]]))
    assert_array_equal(moved, [[-1, -0.5, 0, 1]])
    assert moved.dtype == np.float32


@pytest.mark.parametrize(("inputs", "hidden", "layers", "features"), SHAPES)
def test_initial_weights_have_their_shapes(
    inputs: int, hidden: int, layers: int, features: int
) -> None:
    weights = initial_weights(inputs, hidden, layers, features, np.random.default_rng(0))
    assert {name: w.shape for name, w in weights.items()} == {
        "input.weight": (inputs, hidden),
        "input.bias": (hidden,),
        "hidden.weight": (layers, hidden, hidden),
        "hidden.bias": (layers, hidden),
        "features.weight": (hidden, features),
        "features.bias": (features,),
        "mean.weight": (features,),
        "mean.bias": (),
    }
    assert {w.dtype for w in weights.values()} == {np.dtype(np.float32)}
    assert Network(weights).dimension == features


def test_initial_weights_have_variance_one_over_fan_in() -> None:
    weights = initial_weights(20, 64, 4, 50, np.random.default_rng(0))
    assert_allclose(weights["input.weight"].std(), 20**-0.5, rtol=0.05)
    assert_allclose(weights["hidden.weight"].std(), 64**-0.5, rtol=0.05)
    assert_allclose(weights["features.weight"].std(), (64 * 50) ** -0.5, rtol=0.05)


def test_the_spread_under_the_prior_starts_near_one_and_the_mean_at_zero() -> None:
    weights = initial_weights(9, 64, 4, 50, np.random.default_rng(0))
    phi, mean = Network(weights).features_and_mean(points(1000, 9))
    assert 0.3 < np.sqrt((phi**2).sum(axis=1).mean()) < 3
    assert not mean.any()


def test_initial_weights_repeat_with_the_generator() -> None:
    first, second = (initial_weights(2, 4, 1, 3, np.random.default_rng(s)) for s in (1, 1))
    for name, w in first.items():
        assert_array_equal(w, second[name])
