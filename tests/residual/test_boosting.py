"""Gradient boosting over base logits: the right loss, the right base, the right size."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit

from malibo.errors import MissingDependencyError
from malibo.labels import label
from malibo.residual import Boosting, Observed, boosting, lightgbm
from malibo.residual.boosting import TREES, count_trees, fit_boosting
from residual.examples import loss_of, observed


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def corrected(data: Observed, trees: int) -> float:
    return data.loss(fit_boosting(data, trees).correct(data.base, data.unit))


def test_no_tree_leaves_the_base_as_it_is() -> None:
    base = rng().standard_normal(7)
    assert_array_equal(fit_boosting(observed(7), 0).correct(base, rng().uniform(size=(7, 2))), base)


@pytest.mark.parametrize("n", [2, 3, 5, 10, 100])
def test_trees_reduce_the_loss(n: int) -> None:
    data = observed(n, base=rng(n).standard_normal(n))
    losses = [corrected(data, trees) for trees in (0, 1, 10, 100)]
    assert losses[0] == data.loss(data.base)
    assert losses[0] > losses[1] > losses[2] > losses[3] - 1e-9


@pytest.mark.parametrize("logit", [-5.0, -7.0, -9.0, -12.0])
def test_a_base_that_is_sure_and_wrong_is_corrected(logit: float) -> None:
    data = observed(40, base=logit)
    assert corrected(data, 1) < data.loss(data.base)
    assert corrected(data, 100) < 1.1 * corrected(observed(40), 100)
    assert count_trees(data, rng()) > 0


@pytest.mark.parametrize("spread", [1.0, 10.0, 100.0])
def test_no_base_is_made_worse(spread: float) -> None:
    for seed in range(20):
        data = observed(30, seed=seed, base=spread * rng(seed).standard_normal(30))
        assert corrected(data, 100) <= data.loss(data.base) * (1 + 1e-9)


def test_a_tree_moves_a_logit_by_one_at_most() -> None:
    data = observed(40, base=-9.0)
    change = fit_boosting(data, 3).correct(data.base, data.unit) - data.base
    assert 1 < np.abs(change).max() <= 3 + 1e-6


def test_the_fit_and_the_correction_have_the_same_base() -> None:
    """LightGBM's own training loss is that of base plus trees."""
    data = observed(50, base=2 * rng(1).standard_normal(50))
    booster = fit_boosting(data, 30).booster
    (reported,) = (each[2] for each in booster.eval_train())
    logits = Boosting(booster).correct(data.base, data.unit)
    assert_allclose(reported, data.loss(logits) / (data.p + data.n).sum(), rtol=1e-6)


def test_a_tree_is_a_newton_step_of_the_lfbo_loss() -> None:
    """Two clusters, one tree: the leaves are −0.1 Σ gradient / (Σ curvature + 0.001)."""
    unit = np.array([[0.0], [0.0], [0.0], [1.0], [1.0], [1.0]])
    base = np.array([0.3, -0.5, 0.1, -1.0, 0.2, 0.0])
    p, n = np.array([1.5, 0.2, 0.4, 0.0, 0.0, 0.1]), np.ones(6)
    data = Observed(unit, base, p, n)
    k_hat = expit(base)
    gradient, curvature = (p + n) * k_hat - p, (p + n) * k_hat * (1 - k_hat)
    change = fit_boosting(data, 1).correct(base, unit) - base
    for leaf in (slice(0, 3), slice(3, 6)):
        step = -0.1 * gradient[leaf].sum() / (curvature[leaf].sum() + 1e-3)
        assert_allclose(change[leaf], step, rtol=1e-4)


def test_points_get_their_own_base_and_the_trees_of_their_place() -> None:
    model = fit_boosting(observed(50), 20)
    unit, base = rng(3).uniform(size=(9, 2)), rng(4).standard_normal(9)
    assert_allclose(model.correct(base, unit) - base, model.correct(0 * base, unit))


def test_a_clear_pattern_is_learned_over_a_base_that_knows_nothing() -> None:
    data, unit = observed(100), rng(9).uniform(size=(500, 2))
    trees = count_trees(data, rng())
    assert 0 < trees <= TREES
    logits = fit_boosting(data, trees).correct(np.zeros(500), unit)
    assert np.corrcoef(logits, -loss_of(unit))[0, 1] > 0.8


def test_noise_over_a_perfect_base_is_left_alone() -> None:
    """The base is the best logit; what is left is chance. Most counts are 0, and none is large."""
    counts = []
    for seed in range(30):
        generator = rng(seed)
        base = generator.uniform(-4, 2, 100)
        p = (generator.uniform(size=100) < expit(base)).astype(float)  # with n = 1 − p: P(k) = C
        data = Observed(generator.uniform(size=(100, 2)), base, p, 1 - p)
        counts.append(count_trees(data, generator))
    assert counts.count(0) >= 10
    assert np.median(counts) <= 3
    assert np.mean(counts) < 0.3 * count_trees(observed(100), rng())


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_few_observations_can_be_counted(n: int) -> None:
    for seed in range(5):
        assert 0 <= count_trees(observed(n, seed=seed), rng(seed)) <= TREES


def test_there_are_never_more_than_a_hundred_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boosting, "PATIENCE", 1000)
    data = observed(400)
    assert count_trees(data, rng()) <= TREES == 100
    assert fit_boosting(data, TREES).booster.num_trees() == 100


def test_the_count_and_the_trees_repeat_with_the_generator() -> None:
    data, unit = observed(60), rng(5).uniform(size=(50, 2))
    assert count_trees(data, rng(1)) == count_trees(data, rng(1))
    assert len({count_trees(data, rng(seed)) for seed in range(10)}) > 1
    first, second = (fit_boosting(data, 20).correct(np.zeros(50), unit) for _ in range(2))
    assert_array_equal(first, second)


def test_equal_points_leave_nothing_to_learn() -> None:
    labels = label(np.arange(10.0))
    data = Observed(np.full((10, 2), 0.5), np.zeros(10), labels.p, labels.n)
    assert count_trees(data, rng()) == 0
    assert_array_equal(fit_boosting(data, 5).correct(data.base, data.unit), data.base)


def test_failed_trials_are_pushed_down() -> None:
    unit = np.linspace(0, 1, 20, dtype=np.float64)[:, None]
    labels = label(np.where(unit[:, 0] < 0.5, np.nan, 1.0))
    logits = fit_boosting(Observed(unit, np.zeros(20), labels.p, labels.n), 50).correct(
        np.zeros(20), unit
    )
    assert logits[:10].max() < logits[10:].min()


def test_a_missing_system_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    message = "libgomp.so.1: cannot open shared object file"

    def broken(name: str, *_: Any) -> ModuleType:
        raise OSError(message)

    monkeypatch.setattr(importlib, "import_module", broken)
    with pytest.raises(MissingDependencyError) as caught:
        lightgbm()
    for part in (message, "apt-get install libgomp1", "dnf install libgomp", "brew install libomp"):
        assert part in str(caught.value)
