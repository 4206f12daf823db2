"""The logarithm of the expected improvement: exact in the middle, finite and ordered far away."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.stats import norm

from malibo.process.improvement import log_expected_improvement
from strategies import repeatable

FAR = 1e5  # where the tail takes its asymptotic form


def one(gain: float, spread: float = 1.0) -> float:
    """Of a single point."""
    return float(log_expected_improvement(np.array([gain]), np.array([spread]))[0])


@pytest.mark.parametrize("gain", [-8.0, -3.0, -1.5, -1.0, -0.3, 0.0, 0.7, 2.0, 6.0])
@pytest.mark.parametrize("spread", [0.01, 1.0, 30.0])
def test_it_is_the_integral_over_what_improves(gain: float, spread: float) -> None:
    density = norm(gain, spread).pdf
    low, high = max(0.0, gain - 12 * spread), max(0.0, gain) + 12 * spread
    expected, _ = quad(lambda g: g * density(g), low, high, epsabs=0, epsrel=1e-10, limit=200)
    if expected > 1e-280:  # where the integral can be seen at all
        assert one(gain, spread) == pytest.approx(np.log(expected), abs=1e-7)


def test_without_a_gain_it_is_that_of_half_a_normal() -> None:
    assert one(0.0, 2.0) == pytest.approx(np.log(2 / np.sqrt(2 * np.pi)))


@pytest.mark.parametrize("u", [10.0, 100.0, 1e6, 1e12])
def test_a_sure_gain_is_the_improvement(u: float) -> None:
    assert one(u) == pytest.approx(np.log(u))


@pytest.mark.parametrize("u", [-50.0, -1e3, -FAR / 2, -2 * FAR, -1e6, -1e7, -1e8, -1e12])
def test_the_tail_is_that_of_the_asymptotic_series(u: float) -> None:
    series = -0.5 * u**2 - 0.5 * np.log(2 * np.pi) - 2 * np.log(-u) + np.log1p(-3 / u**2)
    assert one(u) == pytest.approx(series, rel=1e-6 / abs(u))
    assert np.isfinite(one(u))


@pytest.mark.parametrize("u", [-1.0, -FAR])
def test_it_is_continuous_where_the_formula_changes(u: float) -> None:
    around = np.array([np.nextafter(u, -np.inf), u, np.nextafter(u, np.inf)])
    found = log_expected_improvement(around, np.ones(3))
    step = 2 * abs(u) * np.spacing(abs(u)) + 8 * np.spacing(abs(found[1]))
    assert np.abs(np.diff(found)).max() <= step + 1e-5 * (u == -FAR)


@repeatable
@given(
    st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=20),
    st.floats(1e-3, 1e3),
)
def test_more_gain_is_never_worse(gains: list[float], spread: float) -> None:
    ordered = np.sort(gains)
    found = log_expected_improvement(ordered, np.full(len(ordered), spread))
    assert np.isfinite(found).all()
    assert (np.diff(found) >= -1e-9 * np.abs(found[1:]) - 1e-9).all()


@repeatable
@given(
    st.floats(-1e3, 1e3),
    st.lists(st.floats(1e-2, 1e3), min_size=2, max_size=20),
)
def test_more_spread_is_never_worse(gain: float, spreads: list[float]) -> None:
    ordered = np.sort(spreads)
    found = log_expected_improvement(np.full(len(ordered), gain), ordered)
    assert np.isfinite(found).all()
    assert (np.diff(found) >= -1e-9 * np.abs(found[1:]) - 1e-9).all()


def test_it_grows_strictly_on_a_fine_grid_over_both_changes() -> None:
    for grid in (np.linspace(-3, 3, 601), -np.geomspace(2 * FAR, FAR / 2, 601)):
        assert (np.diff(log_expected_improvement(grid, np.ones(len(grid)))) > 0).all()


@repeatable
@given(st.floats(-30, 30), st.floats(0.1, 10), st.floats(0.01, 100))
def test_the_unit_of_the_scores_adds_its_logarithm(gain: float, spread: float, unit: float) -> None:
    assert_allclose(one(unit * gain, unit * spread), one(gain, spread) + np.log(unit), rtol=1e-9)
