"""The way forward and the way back, against automatic differentiation."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from malibo.network import Network
from malibo.training.backprop import backward, forward
from training import reference
from training.examples import Arrays, weights_off_their_start

SIZES = [(1, 1, 1, 1), (2, 6, 2, 4), (9, 16, 4, 3), (3, 5, 1, 8)]
OF_PHI = {
    "input.weight",
    "input.bias",
    "hidden.weight",
    "hidden.bias",
    "features.weight",
    "features.bias",
}


def float32(weights: Arrays) -> Arrays:
    return {name: w.astype(np.float32) for name, w in weights.items()}


@pytest.mark.parametrize("sizes", SIZES)
def test_the_features_are_those_of_the_network(sizes: tuple[int, int, int, int]) -> None:
    weights = float32(weights_off_their_start(sizes))
    x = np.random.default_rng(0).uniform(-1, 1, (50, sizes[0])).astype(np.float32)
    phi = forward(weights, x).phi
    assert phi.dtype == np.float32
    assert_allclose(phi, Network(weights).features(x), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("sizes", SIZES)
def test_the_way_back_is_that_of_automatic_differentiation(
    sizes: tuple[int, int, int, int],
) -> None:
    weights = float32(weights_off_their_start(sizes))
    rng = np.random.default_rng(1)
    x = rng.uniform(-1, 1, (20, sizes[0])).astype(np.float32)
    d_phi = rng.standard_normal((20, sizes[3])).astype(np.float32)
    found = backward(weights, forward(weights, x), d_phi)

    def score(tree: reference.Tree) -> jax.Array:
        return jnp.sum(d_phi * reference.forward(tree, jnp.asarray(x))[0])

    expected = jax.jit(jax.grad(score))({name: jnp.asarray(w) for name, w in weights.items()})
    assert set(found) == OF_PHI
    for name, gradient in found.items():
        scale = np.abs(np.asarray(expected[name])).max()
        assert_allclose(gradient, expected[name], rtol=1e-3, atol=1e-5 * scale, err_msg=name)
        assert gradient.dtype == np.float32


def test_the_way_back_is_the_slope_of_the_way_forward() -> None:
    weights = weights_off_their_start((2, 6, 2, 4))
    rng = np.random.default_rng(1)
    x: NDArray[Any] = rng.uniform(-1, 1, (20, 2))
    d_phi: NDArray[Any] = rng.standard_normal((20, 4))
    found = backward(weights, forward(weights, x), d_phi)
    for name in sorted(OF_PHI):
        direction: NDArray[Any] = rng.standard_normal(weights[name].shape)
        ends = []
        for step in (1e-6 * direction, -1e-6 * direction):
            moved: Arrays = {**weights, name: weights[name] + step}
            ends.append(np.sum(d_phi * forward(moved, x).phi))
        slope = (ends[0] - ends[1]) / 2e-6
        assert_allclose(np.sum(found[name] * direction), slope, rtol=1e-6, err_msg=name)


def test_nothing_that_is_given_is_changed() -> None:
    weights = weights_off_their_start()
    before = {name: w.copy() for name, w in weights.items()}
    x, d_phi = np.full((3, 2), 0.5, np.float32), np.ones((3, 4), np.float32)
    backward(weights, forward(weights, x), d_phi)
    assert_array_equal(x, np.full((3, 2), 0.5))
    assert_array_equal(d_phi, np.ones((3, 4)))
    for name, w in weights.items():
        assert_array_equal(w, before[name])
