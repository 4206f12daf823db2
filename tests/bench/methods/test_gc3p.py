"""The Gaussian copula process."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

pytest.importorskip("torch")

from scipy.stats import norm

from malibo import Float, History, Space, Task
from malibo.bench.methods import gc3p
from malibo.bench.methods.gc3p import THOMPSON, Gc3p, Prior, to_quantiles
from malibo.bench.methods.surrogate import one_core
from malibo.bench.searchspace import SearchSpace
from malibo.space.parameters import Array

SPACE = Space(a=Float(0, 1), b=Float(0, 1))


@pytest.fixture(autouse=True)
def short_training(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gc3p, "_STAGES", ((1e-2, 400), (1e-3, 200)))


def test_quantiles_keep_the_order_and_only_the_order() -> None:
    losses = np.random.default_rng(0).lognormal(0, 3, 200)
    quantiles = to_quantiles(losses)
    assert (np.diff(quantiles[np.argsort(losses)]) >= 0).all()
    assert_array_equal(to_quantiles(np.log(losses)), quantiles)
    assert_allclose(to_quantiles(-losses), -quantiles, atol=1e-12)


def test_quantiles_are_gaussian_up_to_the_cut() -> None:
    quantiles = np.sort(to_quantiles(np.random.default_rng(0).lognormal(0, 3, 1000)))
    shares = (np.arange(1000) + 0.5) / 1000
    cut = 1 / (4 * 1000**0.25 * np.sqrt(np.pi * np.log(1000)))
    inside = (shares > cut) & (shares < 1 - cut)
    assert_allclose(quantiles[inside], norm.ppf(shares[inside]))
    assert_allclose(quantiles[[0, -1]], norm.ppf([cut, 1 - cut]))


def test_equal_losses_have_equal_quantiles() -> None:
    assert_array_equal(to_quantiles(np.array([2.0, 2.0])), [0, 0])
    assert_array_equal(to_quantiles(np.array([5.0])), [0])
    first, second, third = to_quantiles(np.array([1.0, 3.0, 3.0]))
    assert first < second == third


def test_the_prior_learns_mean_and_standard_deviation() -> None:
    rng = np.random.default_rng(0)
    points = rng.random((2000, 1))
    sd = np.where(points[:, 0] < 0.5, 0.1, 1.0)
    with one_core():
        prior = Prior(points, rng.normal(2 * points[:, 0], sd), rng)
    mean, deviation = prior.predict(np.array([[0.2], [0.8]]))
    assert_allclose(mean, [0.4, 1.6], atol=0.2)
    assert_allclose(deviation, [0.1, 1.0], rtol=0.5)


def loss(codes: Array, shift: float = 0.0) -> Array:
    return np.asarray((codes[:, 0] - 0.3 - shift) ** 2 + (codes[:, 1] - 0.8 + shift) ** 2)


def past() -> History:
    rng = np.random.default_rng(3)
    samples = [(shift, SPACE.sample(rng, 40)) for shift in (-0.1, 0.0, 0.1)]
    return History(
        [Task(f"{s}", SPACE, codes, 1e6 ** (s * 10) * loss(codes, s)) for s, codes in samples]
    )


def test_it_needs_fewer_steps_than_chance() -> None:
    optimizer = Gc3p(SearchSpace(SPACE), past(), np.random.default_rng(0))
    for _ in range(THOMPSON + 5):
        config = optimizer.ask()
        optimizer.tell(config, float(loss(SPACE.codes([config]))[0]))
    chance = loss(SPACE.sample(np.random.default_rng(0), 300)).min()
    assert np.median(optimizer.losses[:THOMPSON]) < 0.1  # 0.3 by chance
    assert optimizer.losses.min() < chance
