"""The ensemble of past Gaussian processes."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

pytest.importorskip("torch")

from malibo import Float, History, Space, Task
from malibo.bench.methods.likelihood import Hyperparameters
from malibo.bench.methods.rgpe import (
    Rgpe,
    bootstrap_losses,
    held_out_differences,
    misrankings,
    mixture,
    rank_weights,
)
from malibo.bench.methods.surrogate import Posterior, fit_gp, one_core
from malibo.bench.searchspace import SearchSpace
from malibo.space.parameters import Array

SPACE = Space(a=Float(0, 1), b=Float(0, 1))


def loss(codes: Array) -> Array:
    return np.asarray((codes[:, 0] - 0.3) ** 2 + (codes[:, 1] - 0.8) ** 2)


def past(*signs: int) -> History:
    codes = SPACE.sample(np.random.default_rng(3), 30)
    return History(
        [Task(f"task {n}", SPACE, codes, sign * loss(codes)) for n, sign in enumerate(signs)]
    )


def told(optimizer: Rgpe, steps: int) -> Rgpe:
    for row in SPACE.sample(np.random.default_rng(5), steps):
        optimizer.tell(SPACE.configs(row)[0], float(loss(row[None])[0]))
    return optimizer


def test_the_past_task_that_is_the_target_outweighs_its_negative() -> None:
    optimizer = told(Rgpe(SearchSpace(SPACE), past(1, -1), np.random.default_rng(0)), 4)
    with one_core():
        _, weights = optimizer._ensemble(np.random.default_rng(0))
    assert weights[0] > 0.5
    assert weights[1] == 0
    assert_allclose(weights.sum(), 1)


def test_past_tasks_count_the_same_at_the_beginning() -> None:
    optimizer = told(Rgpe(SearchSpace(SPACE), past(1, -1), np.random.default_rng(0)), 2)
    models, weights = optimizer._ensemble(np.random.default_rng(0))
    assert len(models) == 2
    assert_array_equal(weights, [0.5, 0.5])


def test_it_needs_fewer_steps_than_chance() -> None:
    optimizer = Rgpe(SearchSpace(SPACE), past(1, 1), np.random.default_rng(0))
    for _ in range(5):
        config = optimizer.ask()
        optimizer.tell(config, float(loss(SPACE.codes([config]))[0]))
    chance = loss(SPACE.sample(np.random.default_rng(0), 500)).min()
    assert optimizer.losses.min() < chance


def test_misranked_pairs_are_those_in_the_wrong_order() -> None:
    predicted, values = np.array([1.0, 3.0, 2.0, 2.0]), np.array([1.0, 2.0, 3.0, 3.0])
    found = misrankings(predicted[None] - predicted[:, None], values)
    expected = np.zeros((4, 4))
    expected[[1, 1, 2, 3], [2, 3, 1, 1]] = 1  # the pair of equal values does not count
    assert_array_equal(found, expected)


def unfitted(points: Array, values: Array) -> Posterior:
    return Posterior.of(Hyperparameters.modes(points.shape[1]), points, values, rbf=True)


def test_held_out_predictions_are_those_of_a_process_without_the_observation() -> None:
    rng = np.random.default_rng(0)
    points, values = rng.random((8, 2)), rng.standard_normal(8)
    whole = unfitted(points, values)
    differences = held_out_differences(whole)
    for row in range(8):
        rest = np.arange(8) != row
        predicted = unfitted(points[rest], values[rest]).predict(points)[0]
        assert_allclose(differences[row], predicted - predicted[row], atol=1e-8)


def test_bootstrap_losses_count_pairs_as_often_as_they_are_drawn() -> None:
    pairs = np.array([[0.0, 1.0], [1.0, 0.0]])
    found = bootstrap_losses([pairs, np.zeros((2, 2))], np.random.default_rng(0))
    assert set(found[0]) == {0.0, 2.0}  # both drawn: the pair in its two orders
    assert_allclose(found[0].mean(), 1.0, atol=0.1)
    assert not found[1].any()


def test_a_sample_counts_for_the_target_or_is_shared() -> None:
    rng = np.random.default_rng(0)
    losses = np.array([[1.0] * 4, [1.0] * 4, [5.0, 5.0, 5.0, 1.5]])
    assert_array_equal(rank_weights(losses, rng), [0.5, 0.5, 0])
    losses[-1] = 1.0
    assert_array_equal(rank_weights(losses, rng), [0, 0, 1])


def test_the_mixture_adds_weighted_means_and_variances() -> None:
    rng = np.random.default_rng(0)
    points, new = rng.random((6, 2)), rng.random((5, 2))
    with one_core():
        models = [fit_gp(points, rng.standard_normal(6), rbf=True) for _ in range(3)]
    mean, sd = mixture(models, np.array([0.7, 0.3, 0.0]), new)
    (one, one_sd), (two, two_sd), _ = (model.predict(new) for model in models)
    assert_allclose(mean, 0.7 * one + 0.3 * two)
    assert_allclose(sd**2, (0.7 * one_sd) ** 2 + (0.3 * two_sd) ** 2)
