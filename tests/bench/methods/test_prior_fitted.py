"""The parts of the prior-fitted network: bars, the prior over functions, and the transformer."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

pytest.importorskip("torch")

import torch
from scipy.stats import norm
from torch import Generator

from malibo.bench.methods.bars import (
    BORDERS,
    LOGITS,
    OUTERMOST,
    TAIL,
    WIDTHS,
    expected_improvement,
    log_density,
    logits_of,
    prior_outputs,
)
from malibo.bench.methods.function_prior import (
    MOST_COLUMNS,
    ROUGHNESS,
    SPREAD_OUT,
    draw,
    draw_functions,
    draw_points,
)
from malibo.bench.methods.prior_fitted import Layer, PriorFittedNetwork, Size, standard_inputs
from malibo.space.parameters import Array
from strategies import repeatable

SMALL = Size(units=8, layers=2, heads=2, hidden=16)


def seeded(seed: int = 0) -> Generator:
    return Generator().manual_seed(seed)


# -- bars ----------------------------------------------------------------------------------


def fine_grid() -> tuple[Array, Array]:
    """Middles and widths of many thin slices of the line, none of them across a border."""
    inner = [np.linspace(low, high, 41) for low, high in pairwise(BORDERS.numpy())]
    tail = np.linspace(OUTERMOST, OUTERMOST + 20 * TAIL, 4001)
    edges = np.unique(np.concatenate([-tail, *inner, tail]))
    return (edges[1:] + edges[:-1]) / 2, np.diff(edges)


MIDDLES, SLICES = fine_grid()


def some_logits(seed: int) -> torch.Tensor:
    return 2 * torch.randn(LOGITS, generator=seeded(seed), dtype=torch.float64)


@lru_cache
def masses(seed: int) -> Array:
    """The probability of each slice, by the density in its middle."""
    repeated = some_logits(seed).expand(len(MIDDLES), -1)
    return np.asarray(log_density(repeated, torch.as_tensor(MIDDLES)).exp().numpy() * SLICES)


def test_the_density_integrates_to_one() -> None:
    assert_allclose(masses(0).sum(), 1, rtol=1e-4)


def test_each_interval_has_the_weight_of_its_logit() -> None:
    index = np.searchsorted(BORDERS.numpy(), MIDDLES)
    found = np.bincount(index, masses(1), minlength=LOGITS)
    assert_allclose(found, some_logits(1).softmax(0).numpy(), rtol=1e-4)


@repeatable
@given(incumbent=st.floats(-9, 9), seed=st.integers(0, 4))
def test_the_expected_improvement_is_the_integral(incumbent: float, seed: int) -> None:
    expected = (np.maximum(incumbent - MIDDLES, 0) * masses(seed)).sum()
    found = expected_improvement(some_logits(seed)[None], incumbent)
    assert_allclose(found.numpy(), [expected], rtol=1e-2, atol=1e-6)


def test_the_network_begins_with_a_distribution_around_zero() -> None:
    mass = logits_of(prior_outputs()).exp().numpy()
    assert_allclose(mass.sum(), 1, rtol=1e-5)
    assert_allclose(mass, mass[::-1], rtol=1e-3)
    assert mass[0] < mass[1:-1].mean() < mass[LOGITS // 2]


def test_slope_and_curvature_are_enough_for_a_normal_distribution() -> None:
    mean, sd = 0.7, 0.4
    corrections = torch.cat([torch.tensor([-9.0]), WIDTHS.log(), torch.tensor([-9.0])])
    parabola = torch.tensor([mean / sd**2, 1 / (2 * sd**2)])
    logits = logits_of(torch.cat([corrections, parabola]))
    middles = (BORDERS[:-1] + BORDERS[1:]) / 2
    found = log_density(logits.expand(len(middles), -1), middles)
    assert_allclose(found, norm(mean, sd).logpdf(middles.numpy()), atol=0.01)
    improvement = expected_improvement(logits[None], 0.5).numpy()
    assert_allclose(improvement, sd * (norm.pdf(-0.5) - 0.5 * norm.cdf(-0.5)), rtol=0.02)


# -- the prior -----------------------------------------------------------------------------


def test_covariances_are_those_of_the_kernels() -> None:
    functions = draw_functions(6, seeded(3), columns=3)
    assert {*functions.smooth.tolist()} == {True, False}
    points = torch.rand(6, 4, MOST_COLUMNS, generator=seeded()).double()
    found = functions.covariance(points)
    for b in range(6):
        for i in range(4):
            for j in range(4):
                scaled = (points[b, i, :3] - points[b, j, :3]) / functions.lengths[b, :3]
                d = float(scaled.norm())
                matern = (1 + math.sqrt(5) * d + 5 / 3 * d**2) * math.exp(-math.sqrt(5) * d)
                value = math.exp(-(d**2) / 2) if functions.smooth[b] else matern
                assert_allclose(found[b, i, j], value + ROUGHNESS * (i == j), rtol=1e-5)


def test_values_are_draws_of_the_process() -> None:
    drawn = draw(300, 20, 30, seeded(1))
    values = drawn.shift + drawn.scale * drawn.values
    covariance = drawn.functions.covariance(drawn.points.double())
    noise = torch.zeros(300, 30)
    noise[:, :20] = drawn.functions.noise[:, None]  # of those that are seen, and of no others
    factor = torch.linalg.cholesky(covariance + torch.diag_embed(noise))
    white = torch.linalg.solve_triangular(factor, values[..., None], upper=False)
    assert_allclose(white[:, :20].square().mean(), 1, atol=0.05)
    assert_allclose(white[:, 20:].square().mean(), 1, atol=0.07)
    assert_allclose(white.mean(), 0, atol=0.05)


def test_values_are_standardised_by_those_that_are_seen() -> None:
    drawn = draw(20, 7, 12, seeded(2))
    assert_allclose(drawn.values[:, :7].mean(dim=1), np.zeros(20), atol=1e-5)
    assert_allclose(drawn.values[:, :7].std(dim=1, correction=0), np.ones(20), rtol=1e-4)
    assert not np.allclose(drawn.values.mean(dim=1), 0, atol=0.1)


def test_points_fill_the_columns_that_count() -> None:
    columns = torch.tensor([1, 5, MOST_COLUMNS])
    points = draw_points(columns, 50, seeded())
    assert points.min() >= 0
    assert points.max() <= 1
    for found, number in zip(points, columns.tolist(), strict=True):
        assert (found[:, number:] == 0).all()
        assert (found[:, :number].std(dim=0) > 0).any()


def test_only_later_rows_lie_near_to_each_other() -> None:
    points = draw_points(torch.full((300,), 2), 40, seeded())
    first, later = points[:, :SPREAD_OUT, 0], points[:, SPREAD_OUT:, 0]
    continuous = np.array([len(np.unique(table[:, 0])) == 40 for table in points.numpy()])
    spread = [float(rows[continuous].std(dim=1).mean()) for rows in (first, later)]
    closest = [(rows[continuous].sort(dim=1)[0].diff(dim=1) < 1e-3) for rows in (first, later)]
    assert spread[0] > spread[1]
    assert closest[0].float().mean() < 0.02 < closest[1].float().mean()


def test_some_columns_are_continuous_and_some_have_few_levels() -> None:
    points = draw_points(torch.full((20,), MOST_COLUMNS), 60, seeded())
    levels = [len(np.unique(column)) for table in points.numpy() for column in table.T]
    assert 0.2 < np.mean(np.array(levels) == 60) < 0.8
    assert 0.2 < np.mean(np.array(levels) <= 6) < 0.8


def test_there_are_few_and_many_columns() -> None:
    columns = draw_functions(500, seeded()).columns.numpy()
    assert columns.min() == 1
    assert columns.max() == MOST_COLUMNS
    assert 4 < np.median(columns) < 10


# -- the network ---------------------------------------------------------------------------


def small_network() -> PriorFittedNetwork:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return PriorFittedNetwork(SMALL)


def data(rows: int) -> tuple[torch.Tensor, torch.Tensor]:
    drawn = draw(2, rows, rows, seeded(rows), columns=3)
    return standard_inputs(drawn.points, drawn.functions.columns[:, None, None]), drawn.values


def test_new_rows_are_predicted_one_by_one_as_together() -> None:
    network, (seen, values), (new, _) = small_network(), data(6), data(5)
    with torch.no_grad():
        together = network(seen, values, new)
        memories = network.remember(seen, values)
        single = [network.predict(new[:, i : i + 1], memories) for i in range(5)]
    assert together.shape == (2, 5, LOGITS)
    assert_allclose(torch.cat(single, dim=1), together, atol=1e-5)


def test_the_order_of_what_was_seen_does_not_matter_but_its_values_do() -> None:
    network, (seen, values), (new, _) = small_network(), data(6), data(5)
    order = [3, 1, 5, 0, 2, 4]
    with torch.no_grad():
        first = network(seen, values, new)
        again = network(seen[:, order], values[:, order], new)
        other = network(seen, values[:, order], new)
    assert_allclose(again, first, atol=1e-5)
    assert (other - first).abs().max() > 1e-3


def test_attention_falls_off_with_the_distance() -> None:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        layer = Layer(SMALL)
    (seen, _), (new, _) = data(6), data(5)
    rows, others = (
        torch.randn(2, 6, 8, generator=seeded()),
        torch.randn(2, 5, 8, generator=seeded()),
    )
    with torch.no_grad():
        memory = layer.remember(rows, seen)
        found = layer(others, new, memory)
        queries = (layer.query(layer.before(others)) + layer.place(new)).unflatten(-1, (2, 4))
        expected = torch.empty(2, 5, 2, 4)
        for b, m, head in np.ndindex(2, 5, 2):
            distance = (memory.keys[b, head] - queries[b, m, head]).square().sum(dim=1)
            weights = (-(distance - distance.min()) / 2).exp()
            expected[b, m, head] = weights @ memory.values[b, head] / weights.sum()
        after = others + layer.out(expected.flatten(2))
        assert_allclose(found, after + layer.perceptron(after), atol=1e-5)


def test_the_network_can_tell_how_many_were_seen() -> None:
    network, (seen, values), (new, _) = small_network(), data(6), data(5)
    with torch.no_grad():
        once = network(seen, values, new)
        twice = network(seen.repeat(1, 2, 1), values.repeat(1, 2), new)
    assert (once - twice).abs().max() > 1e-3


@pytest.mark.parametrize("columns", [1, 7, MOST_COLUMNS])
def test_inputs_are_as_far_apart_for_any_number_of_columns(columns: int) -> None:
    points = torch.rand(2000, MOST_COLUMNS, generator=seeded())
    inputs = standard_inputs(points, torch.tensor(columns))
    assert (inputs[:, columns:] == 0).all()
    assert_allclose((inputs[1:] - inputs[:-1]).square().sum(dim=1).mean(), 2, rtol=0.1)
