"""Distances and the Matérn correlation against other libraries."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.gaussian_process.kernels import Matern

from malibo.kernels import distances, matern
from strategies import repeatable, seeds


@repeatable
@given(st.integers(0, 8), st.integers(1, 8), st.integers(1, 6), seeds)
def test_distances_are_those_of_scipy(n: int, m: int, columns: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(size=(n, columns)), rng.uniform(size=(m, columns))
    assert_allclose(distances(a, b), cdist(a, b), atol=1e-7)


def test_a_point_has_hardly_any_distance_to_itself() -> None:
    a = np.random.default_rng(0).uniform(size=(200, 30))
    assert_allclose(np.diag(distances(a, a)), 0, atol=1e-6)


def test_distances_change_none_of_the_points() -> None:
    a, b = np.ones((2, 3)), np.zeros((4, 3))
    assert_allclose(distances(a, b), np.sqrt(3))
    assert_array_equal(a, 1)
    assert_array_equal(b, 0)


@repeatable
@given(st.lists(st.floats(0, 50), min_size=1, max_size=20))
def test_the_correlation_is_that_of_scikit_learn(given: list[float]) -> None:
    distance = np.array(given)
    found = matern(distance)
    assert_allclose(found, Matern(1.0, nu=2.5)(distance[:, None], [[0.0]])[:, 0], atol=1e-12)
    assert_array_equal(distance, given)


def test_a_correlation_is_one_at_a_point_and_falls_from_there() -> None:
    found = matern(np.linspace(0, 10, 50))
    assert found[0] == 1
    assert (np.diff(found) < 0).all()
    assert matern(np.array([1e3]))[0] == 0


def test_single_precision_stays_what_it_is() -> None:
    a, b = (np.random.default_rng(i).uniform(size=(20, 3)) for i in (0, 1))
    found = distances(a.astype(np.float32), b.astype(np.float32))
    correlation = matern(found)
    assert found.dtype == correlation.dtype == np.float32
    assert_allclose(correlation, matern(distances(a, b)), atol=1e-5)
