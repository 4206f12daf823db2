"""The loss of Equation 6, and its derivatives against finite differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from malibo.posterior import Evidence
from posterior.examples import Array, evidence
from strategies import repeatable, seeds

sizes = st.tuples(st.integers(0, 12), st.integers(1, 6))


def embedding(d: int) -> Array:
    return np.random.default_rng(d).standard_normal(d)


def test_the_loss_is_equation_6() -> None:
    task, z = evidence(7, 3), embedding(3)
    expected = 0.5 * sum(v * v for v in z)
    for phi, offset, p, n in zip(task.phi, task.offset, task.p, task.n, strict=True):
        k_hat = 1 / (1 + math.exp(-offset - sum(phi * z)))
        expected -= p * math.log(k_hat) + n * math.log(1 - k_hat)
    assert_allclose(task.loss(z), expected, rtol=1e-12)


@repeatable
@given(sizes, seeds, st.floats(0.1, 3))
def test_the_gradient_is_the_slope_of_the_loss(
    size: tuple[int, int], seed: int, scale: float
) -> None:
    task, z = evidence(*size, seed=seed, scale=scale), embedding(size[1])
    h = 1e-5 * np.eye(size[1])
    slope = [(task.loss(z + e) - task.loss(z - e)) / 2e-5 for e in h]
    assert_allclose(task.gradient(z), slope, rtol=1e-6, atol=1e-7)


@repeatable
@given(sizes, seeds, st.floats(0.1, 3))
def test_the_hessian_is_the_slope_of_the_gradient(
    size: tuple[int, int], seed: int, scale: float
) -> None:
    task, z = evidence(*size, seed=seed, scale=scale), embedding(size[1])
    h = 1e-5 * np.eye(size[1])
    slope = [(task.gradient(z + e) - task.gradient(z - e)) / 2e-5 for e in h]
    assert_allclose(task.hessian(z), slope, rtol=1e-6, atol=1e-7)


def test_the_hessian_is_equation_7() -> None:
    task, z = evidence(7, 3), embedding(3)
    expected = np.eye(3)
    for phi, offset, p in zip(task.phi, task.offset, task.p, strict=True):
        k_hat = 1 / (1 + math.exp(-offset - sum(phi * z)))
        expected += (p + 1) * k_hat * (1 - k_hat) * np.outer(phi, phi)
    assert_allclose(task.hessian(z), expected, rtol=1e-12)


def test_without_observations_the_prior_is_left() -> None:
    task, z = evidence(0, 3), np.array([1.0, 2.0, -2.0])
    assert task.loss(z) == 4.5
    assert_array_equal(task.gradient(z), z)
    assert_array_equal(task.hessian(z), np.eye(3))


def test_a_weight_counts_as_so_many_observations() -> None:
    phi, z = np.array([[1.0, -2.0]]), np.array([0.3, 0.4])
    once = Evidence(phi, np.array([0.5]), np.array([2.0]), np.array([3.0]))
    rows = Evidence(
        np.repeat(phi, 5, axis=0),
        np.full(5, 0.5),
        np.array([1.0, 1, 0, 0, 0]),
        np.array([0.0, 0, 1, 1, 1]),
    )
    assert_allclose(once.loss(z), rows.loss(z))
    assert_allclose(once.gradient(z), rows.gradient(z))
    assert_allclose(once.hessian(z), rows.hessian(z))


@pytest.mark.parametrize("offset", [-1e6, -800.0, 800.0, 1e6])
def test_far_logits_neither_overflow_nor_vanish(offset: float) -> None:
    task = Evidence(np.array([[1.0]]), np.array([offset]), np.array([2.0]), np.array([3.0]))
    z = np.zeros(1)
    assert_allclose(task.loss(z), -2 * offset if offset < 0 else 3 * offset)
    assert_allclose(task.gradient(z), [-2 if offset < 0 else 3], atol=1e-12)
    assert_array_equal(task.hessian(z), [[1.0]])
