"""Classifiers that are averaged with the base."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit, logit

from malibo.residual import Averaged
from malibo.residual.averaged import fit_forest
from malibo.residual.observed import Array
from residual.examples import loss_of, observed


@dataclass
class Stub:
    probability: Array

    def predict(self, unit: Array) -> Array:
        return self.probability


def test_probabilities_are_averaged_not_logits() -> None:
    base = logit(np.array([0.2, 0.9, 0.5]))
    found = Averaged(Stub(np.array([0.6, 0.1, 0.5]))).correct(base, np.zeros((3, 1)))
    assert_allclose(expit(found), [0.4, 0.5, 0.5])


@pytest.mark.parametrize(("base", "other"), [(-1e4, 0.0), (1e4, 1.0), (-1e4, -0.1), (1e4, 1.1)])
def test_certain_classifiers_leave_a_finite_logit(base: float, other: float) -> None:
    found = Averaged(Stub(np.array([other]))).correct(np.array([base]), np.zeros((1, 1)))
    assert np.isfinite(found).all()
    assert np.sign(found[0]) == np.sign(base)


def test_the_classifier_sees_the_points() -> None:
    class First:
        def predict(self, unit: Array) -> Array:
            return unit[:, 0]

    found = Averaged(First()).correct(np.zeros(2), np.array([[0.3, 9], [0.7, 9]]))
    assert_allclose(expit(found), [0.4, 0.6])


@pytest.mark.slow
def test_the_forest_learns_and_repeats_with_the_generator() -> None:
    data, unit = observed(60), np.random.default_rng(9).uniform(size=(200, 2))
    first, again, other = (
        fit_forest(data, np.random.default_rng(seed)).predict(unit) for seed in (1, 1, 2)
    )
    assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    assert ((first >= 0) & (first <= 1)).all()
    assert np.corrcoef(first, -loss_of(unit))[0, 1] > 0.7


def test_the_forest_does_not_see_the_base() -> None:
    unit = np.random.default_rng(9).uniform(size=(20, 2))
    predictions = [
        fit_forest(observed(15, base=base), np.random.default_rng(1)).predict(unit)
        for base in (-5.0, 5.0)
    ]
    assert_array_equal(predictions[0], predictions[1])
