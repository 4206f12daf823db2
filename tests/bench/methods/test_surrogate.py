"""Gaussian processes, improvement and its search, against slow references."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

pytest.importorskip("torch")

import torch
from scipy.integrate import quad
from scipy.stats import norm

from malibo import Categorical, Float, History, Int, Space, Task
from malibo.bench.methods.likelihood import Hyperparameters
from malibo.bench.methods.surrogate import (
    Posterior,
    Surrogate,
    fit_gp,
    log_expected_improvement,
    one_core,
    seeded,
    standardized,
    with_failures,
)
from malibo.bench.searchspace import SearchSpace
from malibo.maximize import key
from malibo.space.parameters import Array


def observations(n: int = 15, width: int = 3) -> tuple[Array, Array]:
    rng = np.random.default_rng(0)
    points = rng.random((n, width))
    return points, standardized(np.sin(5 * points).sum(axis=1))


def reference(points: Array, values: Array, new: Array, rbf: bool) -> tuple[Array, Array]:
    """A Gaussian process in plain numpy: length scales 0.3, 0.5, 0.7, noise 0.01, mean 0.2."""

    def kernel(left: Array, right: Array) -> Array:
        scaled = (left[:, None] - right[None]) / [0.3, 0.5, 0.7]
        distance = np.sqrt((scaled**2).sum(axis=2))
        if rbf:
            return np.asarray(np.exp(-(distance**2) / 2))
        root = np.sqrt(5) * distance
        return np.asarray((1 + root + root**2 / 3) * np.exp(-root))

    inverse = np.linalg.inv(kernel(points, points) + 0.01 * np.eye(len(points)))
    cross = kernel(new, points)
    mean = 0.2 + cross @ inverse @ (values - 0.2)
    return mean, np.sqrt(1 - np.einsum("ij,jk,ik->i", cross, inverse, cross))


KNOWN = Hyperparameters(np.array([0.3, 0.5, 0.7]), 0.01, 0.2)


@pytest.mark.parametrize("rbf", [False, True])
def test_predictions_are_those_of_a_gaussian_process(rbf: bool) -> None:
    points, values = observations()
    new = np.random.default_rng(1).random((40, 3))
    mean, sd = Posterior.of(KNOWN, points, values, rbf).predict(new)
    expected_mean, expected_sd = reference(points, values, new, rbf)
    assert_allclose(mean, expected_mean, atol=1e-9)
    assert_allclose(sd, expected_sd, atol=1e-9)


def test_a_fitted_process_knows_which_column_matters_and_predicts() -> None:
    rng = np.random.default_rng(0)
    points, new = rng.random((60, 3)), rng.random((100, 3))
    with one_core():
        fitted = fit_gp(points, standardized(np.sin(6 * points[:, 0])))
    wanted = np.sin(6 * new[:, 0])
    assert fitted.lengths[0] < fitted.lengths[1:].min() / 3
    assert np.corrcoef(fitted.predict(new)[0], wanted)[0, 1] > 0.999


def test_hyperparameters_can_be_fitted_to_some_observations_while_all_are_seen() -> None:
    rng = np.random.default_rng(0)
    points = rng.random((60, 3))
    values = standardized(np.sin(6 * points[:, 0]))
    with one_core():
        some, whole = fit_gp(points[:20], values[:20]), fit_gp(points, values, fitted=20)
    assert_array_equal(whole.lengths.numpy(), some.lengths.numpy())
    assert len(whole.points) == 60
    assert_allclose(whole.predict(points[20:])[0], values[20:], atol=0.02)
    assert np.abs(some.predict(points[20:])[0] - values[20:]).max() > 0.02


def test_a_process_survives_repeated_points_and_equal_values() -> None:
    points = np.full((12, 2), 0.5)
    with one_core():
        mean, sd = fit_gp(points, np.zeros(12)).predict(np.array([[0.5, 0.5], [0.0, 1.0]]))
    assert np.isfinite([mean, sd]).all()
    assert sd[0] < sd[1]


@pytest.mark.parametrize("mean", [-1.0, 0.0, 0.3, 2.0])
@pytest.mark.parametrize("sd", [0.1, 1.0])
def test_expected_improvement_is_the_integral(mean: float, sd: float) -> None:
    def integrand(y: float) -> float:
        return float((0.2 - y) * norm.pdf(y, mean, sd))

    expected, _ = quad(integrand, min(mean, 0.2) - 12 * sd, 0.2, epsabs=0, limit=200)
    found = log_expected_improvement(np.array([mean]), np.array([sd]), 0.2)
    assert_allclose(found, np.log(expected), rtol=1e-6)


def test_expected_improvement_falls_also_where_it_is_no_number_any_more() -> None:
    far = -np.geomspace(1e-3, 1e9, 2000)
    logs = log_expected_improvement(-far, np.ones_like(far), 0.0)
    assert np.isfinite(logs).all()
    assert (np.diff(logs) < 0).all()
    assert_allclose(logs[-1], norm.logpdf(far[-1]) - 2 * np.log(-far[-1]))


def test_failed_trials_count_as_the_worst_seen() -> None:
    assert_array_equal(with_failures(np.array([1.0, np.nan, 3.0])), [1, 3, 3])
    assert_array_equal(with_failures(np.array([np.nan, np.nan])), [0, 0])


def test_standardised_values_have_mean_zero_and_deviation_one() -> None:
    values = standardized(np.array([1e300, 2e300, 6e300]))
    assert_allclose([values.mean(), values.std()], [0, 1], atol=1e-12)
    assert_array_equal(standardized(np.full(3, 0.1)), np.zeros(3))
    assert_array_equal(standardized(np.empty(0)), np.empty(0))


def test_the_generator_of_torch_is_put_back() -> None:
    torch.manual_seed(1)
    expected = torch.rand(1)
    torch.manual_seed(1)
    with seeded(np.random.default_rng(0)):
        first = torch.rand(1)
    with seeded(np.random.default_rng(0)):
        assert torch.rand(1) == first
    assert torch.rand(1) == expected


class Peak(Surrogate):
    """Looks for the point nearest to a given one."""

    where = 0.123456

    def next_row(self, rng: np.random.Generator) -> Array:
        return self.highest(lambda points: -((points - self.where) ** 2).sum(axis=1), rng)


def peak(search: SearchSpace) -> Peak:
    task = Task("past", search.space, search.space.sample(np.random.default_rng(0), 1), np.zeros(1))
    return Peak(search, History([task]), np.random.default_rng(0))


def test_the_search_is_precise_in_a_continuous_space() -> None:
    config = peak(SearchSpace(Space(a=Float(0, 1), b=Float(0, 1), c=Float(0, 1)))).ask()
    assert_allclose(list(config.values()), Peak.where, atol=0.01)


def test_the_search_finds_the_best_of_a_large_grid() -> None:
    space = Space({f"x{index}": Int(0, 20) for index in range(5)})
    assert list(peak(SearchSpace(space)).ask().values()) == [2] * 5  # 2/20 is nearest


def test_the_search_does_not_leave_a_table() -> None:
    space = Space(a=Float(0, 1), b=Categorical(["x", "y"]))
    table = space.sample(np.random.default_rng(1), 30)
    optimizer = peak(SearchSpace(space, table))
    asked = set()
    for _ in range(30):
        config = optimizer.ask()
        asked.add(key(space.codes([config])[0]))
        optimizer.tell(config, 0.0)
    assert asked == {key(row) for row in table}
