"""The synthetic families: known values, noise, and their past."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from malibo import Float
from malibo.bench.problems.ensembles import (
    FAMILIES,
    TARGETS,
    FamilyProblem,
    branin_value,
    forrester_value,
    hartmann3d_value,
    noisy,
    quadratic,
    quadratic_value,
)

every_family = pytest.mark.parametrize("name", list(FAMILIES))


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


# -- formulas ------------------------------------------------------------------------------


def test_the_quadratic_has_its_optimum_at_b() -> None:
    x = np.array([[0.25], [0.75]])
    assert_allclose(quadratic_value(x, a=2, b=0.25, c=0.5), [-0.5, 0.5])


def test_branin_with_its_usual_parameters_has_three_equal_minima() -> None:
    x = np.array([[-pi, 12.275], [pi, 2.275], [9.42478, 2.475], [0, 0]])
    value = branin_value(x, a=1, b=5.1 / (4 * pi**2), c=5 / pi, r=6, s=10, t=1 / (8 * pi))
    assert_allclose(value, [0.397887, 0.397887, 0.397887, 55.602113], atol=1e-6)


def test_forrester_with_its_usual_parameters_has_its_known_minimum() -> None:
    value = forrester_value(np.array([[0.757249], [0.5], [0]]), a=1, b=0, c=0)
    assert_allclose(value, [-6.020740, np.sin(2), 4 * np.sin(-4)], atol=1e-6)


def test_forrester_is_tilted_and_shifted() -> None:
    x = np.array([[0.0], [0.5], [1.0]])
    plain = forrester_value(x, a=1, b=0, c=0)
    assert_allclose(forrester_value(x, a=0.5, b=10, c=-5), 0.5 * plain + [0, 5, 10])


def test_hartmann_with_its_usual_parameters_has_its_known_minimum() -> None:
    x = np.array([[0.114614, 0.555649, 0.852547], [0, 0, 0]])
    value = hartmann3d_value(x, np.array([1.0, 1.2, 3.0, 3.2]))
    assert_allclose(value, [-3.86278, -0.067974], atol=1e-5)


# -- functions of a family -----------------------------------------------------------------


def test_the_optimum_of_every_quadratic_lies_in_the_space() -> None:
    grid = np.linspace(0, 1, 1001)[:, None]
    generator = rng()
    for _ in range(500):
        best = int(np.argmin(quadratic(generator)(grid)))
        assert 0 < best < 1000


@every_family
def test_functions_of_a_family_differ(name: str) -> None:
    family = FAMILIES[name]
    generator = rng()
    points = family.space.sample(generator, 5)
    values = [family.draw(generator)(points) for _ in range(10)]
    assert len(np.unique(values)) == 50


def test_without_noise_values_are_exact() -> None:
    values = np.array([-2.0, 0.0, 3.0])
    assert_array_equal(noisy(values, 0.0, rng()), values)


def test_noise_is_in_proportion_to_the_value() -> None:
    values = np.repeat([[-10.0], [0.0], [1.0]], 20_000, axis=1)
    found = noisy(values, 0.1, rng())
    assert_allclose(found.std(axis=1), [1.0, 0.0, 0.1], rtol=0.03)
    assert_allclose(found.mean(axis=1), values[:, 0], atol=0.03)


# -- the past ------------------------------------------------------------------------------


@every_family
def test_the_past_has_the_sizes_of_its_family(name: str) -> None:
    family = FAMILIES[name]
    past = family.past(rng())
    assert len(past.tasks) == family.tasks
    assert {len(task) for task in past} == {family.size}
    assert past.space == family.space


@every_family
def test_the_past_is_decided_by_the_generator_and_not_by_the_target(name: str) -> None:
    first, second = (FamilyProblem(FAMILIES[name], number, 0.1) for number in (0, 1))
    past = first.past(rng(3))
    assert_array_equal(past.losses, first.past(rng(3)).losses)
    assert_array_equal(past.losses, second.past(rng(3)).losses)
    assert_array_equal(past.codes, second.past(rng(3)).codes)
    assert (past.losses != first.past(rng(4)).losses).all()


def test_the_past_is_noisy() -> None:
    family = FAMILIES["branin"]
    assert family.past(rng(), 0.0).losses.min() > 0  # a Branin function is never negative
    assert family.past(rng(), 1.0).losses.min() < 0


# -- the target ----------------------------------------------------------------------------


@every_family
def test_nothing_is_better_than_the_reference(name: str) -> None:
    family = FAMILIES[name]
    for number in range(2):
        problem = FamilyProblem(family, number)
        rows = family.space.sample(rng(1), 1000)
        truth = np.array([problem.evaluate(row, rng()).truth for row in rows])
        assert problem.reference.best <= truth.min()
        span = problem.reference.worst - problem.reference.best
        assert truth.min() - problem.reference.best < 0.05 * span
        assert problem.reference.worst > truth.max() - 0.05 * span


@every_family
def test_targets_are_fixed_and_differ(name: str) -> None:
    bests = [FamilyProblem(FAMILIES[name], number).reference.best for number in (0, 1, 0)]
    assert bests[0] == bests[2] != bests[1]
    assert TARGETS == 15


def test_an_evaluation_without_noise_is_the_truth() -> None:
    found = FamilyProblem(FAMILIES["branin"], 0).evaluate(np.array([1.0, 1.0]), rng())
    assert found.loss == found.truth
    assert np.isnan(found.seconds)


def test_an_evaluation_with_noise_knows_the_truth() -> None:
    row = np.array([1.0, 1.0])
    exact = FamilyProblem(FAMILIES["branin"], 0).evaluate(row, rng())
    problem = FamilyProblem(FAMILIES["branin"], 0, noise=0.1)
    generator = rng()
    found = [problem.evaluate(row, generator) for _ in range(2000)]
    assert {one.truth for one in found} == {exact.truth}
    assert {one.better for one in found} == {exact.better}
    losses = np.array([one.loss for one in found])
    assert losses.mean() == pytest.approx(exact.truth, rel=0.01)
    assert losses.std() == pytest.approx(0.1 * exact.truth, rel=0.05)


def test_better_is_the_share_of_the_space() -> None:
    problem = FamilyProblem(FAMILIES["quadratic"], 0)
    rows = problem.search.space.sample(rng(), 2000)
    better = np.array([problem.evaluate(row, rng()).better for row in rows])
    assert better.min() < 0.005
    assert better.max() > 0.99
    assert better.mean() == pytest.approx(0.5, abs=0.03)


def test_the_spaces_are_those_of_the_paper() -> None:
    bounds = {
        name: [(p.low, p.high) for p in family.space.values() if isinstance(p, Float)]
        for name, family in FAMILIES.items()
    }
    assert bounds == {
        "quadratic": [(0, 1)],
        "forrester": [(0, 1)],
        "branin": [(-5, 10), (0, 15)],
        "hartmann3d": [(0, 1)] * 3,
    }
