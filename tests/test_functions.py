"""Functions of past tasks: sums of kernels, evaluated block by block."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.gaussian_process.kernels import Matern

from malibo.functions import Functions, kernel

RNG = np.random.default_rng(0)
FUNCTIONS = Functions(
    RNG.uniform(size=(7, 3)).astype(np.float32),
    np.array([0.2, 1.0, 3.0], np.float32),
    RNG.standard_normal((7, 4)).astype(np.float32),
)


@pytest.mark.parametrize("n", [0, 1, 1300])
def test_functions_are_weighted_sums_of_matern_kernels(n: int) -> None:
    unit = np.random.default_rng(1).uniform(size=(n, 3))
    found = FUNCTIONS(unit)
    assert found.shape == (n, 4)
    if n:
        correlations = Matern(FUNCTIONS.lengths, nu=2.5)(unit, FUNCTIONS.centres)
        assert_allclose(found, correlations @ FUNCTIONS.weights, atol=1e-5)


def test_a_long_length_makes_a_column_irrelevant() -> None:
    a = np.array([[0.1, 0.0], [0.1, 1.0]])
    found = kernel(a, a[:1], np.array([0.1, 1e6]))
    assert_allclose(found, 1, atol=1e-6)
