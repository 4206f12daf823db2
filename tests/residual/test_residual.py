"""The choice among residual models."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from malibo.config import ResidualModel
from malibo.residual import Averaged, Boosting, fit_residual
from malibo.residual.boosting import TREES, count_trees, fit_boosting
from malibo.residual.mlp import Mlp, fit_mlp
from malibo.residual.observed import Array
from residual.examples import observed

DATA = observed(40, base=np.random.default_rng(2).standard_normal(40))
UNIT = np.random.default_rng(3).uniform(size=(25, 2))
BASE = np.random.default_rng(4).standard_normal(25)


def corrected(kind: ResidualModel, early_stopping: bool = True) -> Array:
    model = fit_residual(kind, DATA, np.random.default_rng(0), early_stopping)
    return model.correct(BASE, UNIT)


def test_none_returns_the_base() -> None:
    assert_array_equal(corrected("none"), BASE)


def test_boosting_has_so_many_trees_as_generalise() -> None:
    trees = count_trees(DATA, np.random.default_rng(0))
    assert 0 < trees < TREES
    assert_array_equal(corrected("boosting"), fit_boosting(DATA, trees).correct(BASE, UNIT))


def test_without_early_stopping_boosting_has_all_its_trees() -> None:
    expected = fit_boosting(DATA, TREES).correct(BASE, UNIT)
    assert_array_equal(corrected("boosting", early_stopping=False), expected)


def test_the_perceptron_is_averaged_with_the_base() -> None:
    model = fit_residual("mlp", DATA, np.random.default_rng(0))
    assert isinstance(model, Averaged)
    assert isinstance(model.classifier, Mlp)
    expected = Averaged(fit_mlp(DATA, np.random.default_rng(0))).correct(BASE, UNIT)
    assert_array_equal(model.correct(BASE, UNIT), expected)


def test_the_forest_is_averaged_with_the_base() -> None:
    model = fit_residual("forest", DATA, np.random.default_rng(0))
    assert isinstance(model, Averaged)
    expected = Averaged(model.classifier).correct(BASE, UNIT)
    assert_array_equal(model.correct(BASE, UNIT), expected)
    assert not isinstance(model.classifier, Mlp)


@pytest.mark.parametrize("kind", ["boosting", "forest", "mlp", "none"])
@pytest.mark.parametrize("n", [2, 5])
def test_few_observations_are_enough(kind: ResidualModel, n: int) -> None:
    model = fit_residual(kind, observed(n), np.random.default_rng(0))
    assert np.isfinite(model.correct(BASE, UNIT)).all()


def test_no_tree_is_no_booster() -> None:
    model = fit_residual("none", DATA, np.random.default_rng(0))
    assert isinstance(model, Boosting)
    assert model.booster is None
