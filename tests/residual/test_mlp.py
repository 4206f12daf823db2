"""The small perceptron: its gradients, and that it learns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit

from malibo.residual.mlp import Mlp, _gradients, fit_mlp
from malibo.residual.observed import Observed
from residual.examples import loss_of, observed


def network(seed: int = 0) -> Mlp:
    rng = np.random.default_rng(seed)
    sizes = [(2, 5), (5, 4), (4, 1)]
    return Mlp([(rng.standard_normal(size), rng.standard_normal(size[1])) for size in sizes])


def mean_loss(model: Mlp, data: Observed) -> float:
    return data.loss(model.activations(data.unit)[-1][:, 0]) / len(data)


def test_the_prediction_by_hand() -> None:
    model = Mlp(
        [
            (np.array([[1.0, -1.0]]), np.array([0.0, 0.5])),
            (np.array([[1.0], [2.0]]), np.array([-1.0])),
            (np.array([[3.0]]), np.array([0.25])),
        ]
    )
    # x = 1: (1, 0), 1 − 1 = 0; x = −1: (0, 1.5), 3 − 1 = 2
    assert_allclose(model.predict(np.array([[1.0], [-1.0]])), expit([0.25, 6.25]))


def test_gradients_are_the_slopes_of_the_mean_loss() -> None:
    model, data = network(), observed(30)
    parameters = [array for layer in model.layers for array in layer]
    gradients = _gradients(model, data)
    assert [g.shape for g in gradients] == [array.shape for array in parameters]
    for array, gradient in zip(parameters, gradients, strict=True):
        for index in np.ndindex(array.shape):
            kept, ends = array[index], []
            for change in (1e-6, -1e-6):
                array[index] = kept + change
                ends.append(mean_loss(model, data))
            array[index] = kept
            assert_allclose(gradient[index], (ends[0] - ends[1]) / 2e-6, rtol=1e-4, atol=1e-8)


def test_a_simple_pattern_is_learned() -> None:
    data, unit = observed(150), np.random.default_rng(9).uniform(size=(300, 2))
    model = fit_mlp(data, np.random.default_rng(0))
    knows_nothing = data.loss(np.full(150, np.log(1 / 3)))
    assert data.loss(model.activations(data.unit)[-1][:, 0]) < 0.9 * knows_nothing
    assert np.corrcoef(model.predict(unit), -loss_of(unit))[0, 1] > 0.6


def test_two_layers_of_32_units() -> None:
    model = fit_mlp(observed(10, d=3), np.random.default_rng(0), epochs=1)
    assert [weight.shape for weight, _ in model.layers] == [(3, 32), (32, 32), (32, 1)]


def test_the_first_step_has_the_size_of_the_rate() -> None:
    data = observed(10)
    start, moved = (fit_mlp(data, np.random.default_rng(0), epochs=e) for e in (0, 1))
    for (before, _), (after, _) in zip(start.layers, moved.layers, strict=True):
        change = np.abs(after - before)
        assert_allclose(np.median(change[change > 0]), 1e-3, rtol=1e-3)
        assert change.max() < 1.001e-3


def test_the_fit_repeats_with_the_generator_and_does_not_see_the_base() -> None:
    data = observed(70)
    other_base = replace(data, base=data.base + 3)
    first, second = (fit_mlp(d, np.random.default_rng(1), epochs=3) for d in (data, other_base))
    for (a, b), (c, d) in zip(first.layers, second.layers, strict=True):
        assert_array_equal(a, c)
        assert_array_equal(b, d)


@pytest.mark.parametrize("n", [1, 2, 65])
def test_any_number_of_observations_can_be_fitted(n: int) -> None:
    model = fit_mlp(observed(n), np.random.default_rng(0), epochs=2)
    assert np.isfinite(model.predict(observed(n).unit)).all()
