"""The two recipes: their numbers, their learning rates, and their optimisers by hand."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import linprog

from malibo.config import TrainConfig
from malibo.network import Array32
from malibo.training.recipes import (
    TOWARDS_ONE,
    Optimizer,
    Recipe,
    orthogonalized,
    recipe_for,
)

PAPER = TrainConfig(recipe="paper")
NAMES = ("input.weight", "hidden.weight", "tasks")


def weights() -> dict[str, Array32]:
    rng = np.random.default_rng(0)
    shapes = {"input.weight": (2, 3), "hidden.weight": (2, 3, 3), "tasks": (4, 2)}
    return {name: rng.standard_normal(shape, np.float32) for name, shape in shapes.items()}


def gradients(count: int) -> list[dict[str, Array32]]:
    rng = np.random.default_rng(1)
    return [
        {n: rng.standard_normal(w.shape, np.float32) for n, w in weights().items()}
        for _ in range(count)
    ]


def test_the_numbers_of_the_paper() -> None:
    recipe = recipe_for(PAPER, 1000)
    assert recipe.batch == 256
    assert recipe.epoch == 4  # the last batch of a pass runs into the next
    assert recipe.steps == 2048 * 4
    assert recipe.interval == 4
    assert recipe.variance == 0


@pytest.mark.parametrize(
    ("observations", "steps"), [(10, 300), (7_680, 300), (51_200, 2000), (10**7, 4000)]
)
def test_the_numbers_of_the_fast_recipe(observations: int, steps: int) -> None:
    recipe = recipe_for(TrainConfig(), observations)
    assert recipe.steps == steps
    assert recipe.batch == min(512, observations)
    assert recipe.interval == min(steps // 40, 50)
    assert recipe.variance == 0.01


@pytest.mark.parametrize("name", ["fast", "paper"])
def test_options_win(name: str) -> None:
    config = TrainConfig(recipe=name, steps=7, batch_size=30, prior_variance=0.5)  # type: ignore[arg-type]
    recipe = recipe_for(config, 100)
    assert (recipe.steps, recipe.batch, recipe.epoch) == (7, 30, 4)
    assert recipe.variance == 0.5
    assert 1 <= recipe.interval <= 7


@pytest.mark.parametrize("name", ["fast", "paper"])
def test_a_prior_variance_of_zero_wins_too(name: str) -> None:
    config = TrainConfig(recipe=name, prior_variance=0)  # type: ignore[arg-type]
    assert recipe_for(config, 100).variance == 0


@pytest.mark.parametrize("name", ["fast", "paper"])
@pytest.mark.parametrize("observations", [1, 2, 255])
def test_a_batch_is_never_larger_than_the_history(name: str, observations: int) -> None:
    recipe = recipe_for(TrainConfig(recipe=name), observations)  # type: ignore[arg-type]
    assert recipe.batch == observations
    assert recipe.epoch == 1


def test_the_rate_of_the_paper_decays_each_epoch() -> None:
    recipe = recipe_for(PAPER, 1000)
    assert [recipe.rate(step) for step in range(4)] == [1e-3] * 4
    assert_allclose([recipe.rate(step) for step in (4, 7, 8)], [9.99e-4, 9.99e-4, 9.98001e-4])
    assert_allclose(recipe.rate(2047 * 4), 1e-3 * 0.999**2047)


@pytest.mark.parametrize("steps", [1, 5, 10, 600, 601])
def test_the_fast_rate_is_one_cycle(steps: int) -> None:
    recipe = recipe_for(TrainConfig(steps=steps), 1000)
    rates = np.array([recipe.rate(step) for step in range(steps)])
    top = max(1, steps // 10)
    assert (rates > 0).all()
    assert_allclose(rates[0], 0.04 * 0.04)
    if steps > 1:
        assert np.argmax(rates) == top
        assert_allclose(rates[top], 0.04)
        assert (np.diff(rates[: top + 1]) > 0).all()
        assert (np.diff(rates[top:]) < 0).all()
    if steps > 100:
        assert rates[-1] < 1e-6


def adam(recipe: Recipe, name: str, rounds: list[dict[str, Array32]], factor: float) -> Array32:
    """Adam as its paper writes it, in float64."""
    weight = weights()[name].astype(float)
    first, second = np.zeros_like(weight), np.zeros_like(weight)
    for t, gradient in enumerate(rounds, 1):
        g = gradient[name].astype(float)
        first = 0.9 * first + 0.1 * g
        second = 0.999 * second + 0.001 * g * g
        unbiased = first / (1 - 0.9**t), second / (1 - 0.999**t)
        weight -= factor * recipe.rate(t - 1) * unbiased[0] / (np.sqrt(unbiased[1]) + 1e-8)
    return weight.astype(np.float32)


def trained(recipe: Recipe, rounds: list[dict[str, Array32]]) -> dict[str, Array32]:
    optimizer = Optimizer(weights(), recipe)
    for gradient in rounds:
        optimizer.step(gradient)
    assert optimizer.step_number == len(rounds)
    return optimizer.weights


@pytest.mark.parametrize("name", NAMES)
def test_the_recipe_of_the_paper_is_adam(name: str) -> None:
    recipe, rounds = recipe_for(PAPER, 600), gradients(8)
    assert_allclose(trained(recipe, rounds)[name], adam(recipe, name, rounds, 1), atol=1e-6)


@pytest.mark.parametrize(("name", "factor"), [("input.weight", 1), ("tasks", 2)])
def test_the_fast_recipe_has_adam_but_for_the_residual_layers(name: str, factor: float) -> None:
    recipe, rounds = recipe_for(TrainConfig(steps=50), 600), gradients(8)
    assert_allclose(trained(recipe, rounds)[name], adam(recipe, name, rounds, factor), atol=1e-5)


def test_the_first_step_of_the_paper_has_the_size_of_its_rate() -> None:
    change = trained(recipe_for(PAPER, 600), gradients(1))["tasks"] - weights()["tasks"]
    assert_allclose(change, -1e-3 * np.sign(gradients(1)[0]["tasks"]), rtol=1e-3)


def test_the_fast_recipe_has_muon_on_the_residual_layers() -> None:
    recipe, rounds = recipe_for(TrainConfig(steps=50), 600), gradients(3)
    expected = weights()["hidden.weight"]
    momentum = np.zeros_like(expected)
    for step, gradient in enumerate(rounds):
        g = gradient["hidden.weight"]
        momentum = 0.9 * momentum + 0.1 * g
        expected = expected - recipe.rate(step) * orthogonalized(0.9 * momentum + 0.1 * g)
    assert_allclose(trained(recipe, rounds)["hidden.weight"], expected, atol=1e-6)


@pytest.mark.parametrize("size", [1, 3, 64])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_orthogonalising_brings_singular_values_near_one(size: int, scale: float) -> None:
    stack = np.random.default_rng(size).standard_normal((4, size, size), np.float32)
    found = orthogonalized(np.float32(scale) * stack)
    for before, after in zip(stack, found, strict=True):
        u, values, vt = np.linalg.svd(before)
        turned = u.T @ after @ vt.T  # diagonal: the directions stay
        assert_allclose(turned, np.diag(np.diag(turned)), atol=2e-3)
        near_one = np.diag(turned)[values > 0.02 * np.sum(values**4) ** 0.25]
        assert ((near_one > 0.48) & (near_one < 1.52)).all()


def test_two_polynomials_bring_singular_values_as_near_one_as_two_can() -> None:
    """Each by linear programming: the smallest e for which |p(s) − 1| ≤ e for all s."""
    lowest, highest = 0.02, 1.0
    for found in TOWARDS_ONE:
        s = np.linspace(lowest, highest, 2000)[:, None]
        powers, ones = s ** np.array([1, 3, 5]), np.ones((2000, 1))
        limits = np.block([[powers, -ones], [-powers, -ones]])
        sides = np.concatenate([ones, -ones])[:, 0]
        best = linprog([0, 0, 0, 1], A_ub=limits, b_ub=sides, bounds=[(None, None)] * 3 + [(0, 1)])
        *coefficients, e = np.asarray(best.x)
        assert_allclose(found, coefficients, atol=2e-3)
        lowest, highest = 1 - e, 1 + e
    assert (lowest, highest) == pytest.approx((0.49, 1.51), abs=0.01)


def test_no_gradient_moves_nothing() -> None:
    nothing = {name: np.zeros_like(w) for name, w in weights().items()}
    for config in (PAPER, TrainConfig()):
        after = trained(recipe_for(config, 600), [nothing] * 3)
        for name, w in weights().items():
            assert_array_equal(after[name], w)


def test_the_initial_weights_are_left_alone() -> None:
    start = weights()
    Optimizer(start, recipe_for(PAPER, 600)).step(gradients(1)[0])
    for name, w in weights().items():
        assert_array_equal(start[name], w)


@pytest.mark.parametrize("name", NAMES)
def test_the_paper_keeps_the_weights_of_the_last_step(name: str) -> None:
    optimizer = Optimizer(weights(), recipe_for(PAPER, 600))
    for gradient in gradients(5):
        optimizer.step(gradient)
    assert_array_equal(optimizer.average()[name], optimizer.weights[name])


@pytest.mark.parametrize("name", NAMES)
def test_the_fast_recipe_averages_the_weights_of_the_last_ninth_of_the_steps(name: str) -> None:
    optimizer, after = Optimizer(weights(), recipe_for(TrainConfig(steps=400), 600)), []
    for gradient in gradients(300):
        optimizer.step(gradient)
        after.append(optimizer.weights[name].copy())
    ages = np.arange(299, -1, -1)
    shares = np.array([9 / (step + 8) for step in range(1, 301)])  # of the newest, at each step
    kept = np.concatenate([np.cumprod((1 - shares)[:0:-1])[::-1], [1.0]])
    assert_allclose((shares * kept).sum(), 1)
    assert_allclose(shares * kept @ ages, 300 / 9, rtol=0.15)  # steps ago, in the mean
    expected = np.tensordot(shares * kept, np.array(after, float), axes=1)
    assert_allclose(optimizer.average()[name], expected, atol=1e-5)


def test_an_average_is_a_copy() -> None:
    optimizer = Optimizer(weights(), recipe_for(PAPER, 600))
    kept = optimizer.average()
    optimizer.step(gradients(1)[0])
    for name, w in weights().items():
        assert_array_equal(kept[name], w)
