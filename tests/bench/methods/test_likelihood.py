"""Hyperparameters of Gaussian processes, against BoTorch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime

from malibo.bench.methods.likelihood import (
    Hyperparameters,
    Kernel,
    fit,
    matern,
    objective,
    squared_exponential,
)
from malibo.space.parameters import Array

KERNELS = {"matern": matern, "squared exponential": squared_exponential}


def observations(n: int, width: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(0)
    points = rng.random((n, width))
    values = np.sin(5 * points[:, 0]) + 0.1 * rng.standard_normal(n)
    return points, (values - values.mean()) / values.std()


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
@settings(deadline=None, max_examples=20)
@given(n=st.integers(1, 20), width=st.integers(1, 5), seed=st.integers(0, 1000))
def test_the_gradient_is_that_of_the_objective(
    kernel: Kernel, n: int, width: int, seed: int
) -> None:
    points, values = observations(20, width)
    points, values = points[:n], values[:n]
    vector = Hyperparameters.modes(width).to_vector()
    vector = vector + 0.3 * np.random.default_rng(seed).standard_normal(len(vector))

    def value(at: Array) -> float:
        return objective(at, points, values, kernel)[0]

    wanted = approx_fprime(vector, value, 1e-6)
    assert_allclose(objective(vector, points, values, kernel)[1], wanted, atol=2e-4, rtol=1e-3)


def test_hyperparameters_come_back_out_of_their_vector() -> None:
    known = Hyperparameters(np.array([0.1, 2.0]), 0.3, -0.4)
    again = Hyperparameters.of_vector(known.to_vector())
    assert_allclose(again.lengths, known.lengths)
    assert_allclose([again.noise, again.constant], [0.3, -0.4])


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
@pytest.mark.parametrize(("n", "width"), [(3, 1), (12, 2), (40, 6)])
def test_the_objective_is_that_of_botorch_and_the_fit_an_optimum_of_it(
    kernel: Kernel, n: int, width: int
) -> None:
    pytest.importorskip("botorch")
    import torch
    from botorch.models import SingleTaskGP
    from botorch.models.utils.gpytorch_modules import get_covar_module_with_dim_scaled_prior
    from gpytorch.mlls import ExactMarginalLogLikelihood

    points, values = observations(n, width)
    X, y = torch.as_tensor(points), torch.as_tensor(values)[:, None]
    covariance = get_covar_module_with_dim_scaled_prior(width, use_rbf_kernel=kernel is not matern)
    model = SingleTaskGP(X, y, covar_module=covariance, outcome_transform=None)
    likelihood = ExactMarginalLogLikelihood(model.likelihood, model)

    def botorch() -> float:
        model.train()
        return float(-likelihood(model(*model.train_inputs), model.train_targets).item())

    begin = Hyperparameters.modes(width)
    assert_allclose(covariance.lengthscale.detach().numpy()[0], begin.lengths, rtol=1e-6)
    assert_allclose(objective(begin.to_vector(), points, values, kernel)[0], botorch(), atol=1e-6)
    found = fit(points, values, kernel)
    covariance.lengthscale = torch.as_tensor(found.lengths)
    model.likelihood.noise, model.mean_module.constant = found.noise, found.constant
    value, gradient = objective(found.to_vector(), points, values, kernel)
    assert_allclose(value, botorch(), atol=1e-6)
    assert_allclose(gradient, 0, atol=1e-3)


def test_where_there_is_no_factor_the_objective_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    points, values = observations(4, 2)
    monkeypatch.setattr("scipy.linalg.lapack.dpotrf", lambda matrix, lower: (matrix, 2))
    begin = Hyperparameters.modes(2)
    value, gradient = objective(begin.to_vector(), points, values, matern)
    assert value > 1e9
    assert_array_equal(gradient, 0)
    assert_array_equal(fit(points, values, matern).lengths, begin.lengths)
