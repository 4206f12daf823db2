"""Metrics of runs whose values are known by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from bench.examples import run
from malibo.bench import metrics
from malibo.bench.metrics import Curves, curves
from malibo.bench.problems import Reference


def test_regret_is_that_of_the_best_so_far() -> None:
    found = run("random", "a", 0, [6.0, 8.0, 3.0, 4.0], reference=Reference(1.0, 21.0, 1.5))
    assert_allclose(metrics.immediate_regret(found), [5, 5, 2, 2])
    assert_allclose(metrics.normalised_regret(found), [0.25, 0.25, 0.1, 0.1])


def test_a_value_under_the_best_known_has_no_negative_regret() -> None:
    assert_allclose(metrics.immediate_regret(run("random", "a", 0, [-1e-9])), [0])


def test_a_task_whose_losses_are_all_equal_has_no_regret() -> None:
    flat = run("random", "a", 0, [2.0, 2.0], reference=Reference(2.0, 2.0, 2.0))
    assert_allclose(metrics.normalised_regret(flat), [0, 0])
    assert_allclose(metrics.log10_regret(flat), [-12, -12])


def test_the_optimum_counts_as_the_second_best_in_the_logarithm() -> None:
    assert_allclose(
        metrics.log10_regret(run("random", "a", 0, [10.0, 1.0, 0.0])), [0, -1, np.log10(0.05)]
    )


def test_without_a_second_best_the_logarithm_has_a_fixed_floor() -> None:
    continuous = run("random", "a", 0, [1.0, 0.0], reference=Reference(0.0, 10.0, 0.0))
    assert_allclose(metrics.log10_regret(continuous), [-1, -12])


def test_the_share_of_better_ones_never_grows() -> None:
    found = run("random", "a", 0, [3.0, 5.0, 1.0], better=[0.3, 0.5, 0.1])
    assert_allclose(metrics.share_better(found), [0.3, 0.3, 0.1])


def test_step_zero_is_the_best_of_the_initial_points() -> None:
    found = run("random", "a", 0, [4.0, 2.0, 6.0, 5.0, 1.0], initial=3)
    shown = curves([found], metrics.immediate_regret)
    assert_array_equal(shown.steps, [0, 1, 2])
    assert_allclose(shown.values["random"], [[2, 2, 1]])


def test_without_initial_points_step_one_is_the_first_one_asked_for() -> None:
    shown = curves([run("random", "a", 0, [4.0, 2.0])], metrics.immediate_regret)
    assert_array_equal(shown.steps, [1, 2])


def test_wall_clock_adds_up_evaluations_and_the_methods_own_time() -> None:
    found = run("malibo", "a", 0, [1.0, 1.0], seconds=[10.0, 20.0], train=[5.0, 1.0])
    assert_allclose(metrics.wall_clock(found), [15.25, 36.5])
    assert metrics.times_known(found)


def test_an_unknown_time_counts_nothing_and_is_told() -> None:
    found = run("malibo", "a", 0, [1.0, 1.0], seconds=[math.nan, 2.0])
    assert_allclose(metrics.wall_clock(found), [0.25, 2.5])
    assert not metrics.times_known(found)


def test_time_before_the_first_step_counts_on_the_clock() -> None:
    found = run("malibo", "a", 0, [1.0, 1.0, 1.0], initial=2, suggest=0.0, train=[5.0, 0.0, 1.0])
    assert_allclose(metrics.wall_clock(found), [7, 9])


def test_runtime_leaves_meta_training_out() -> None:
    found = run("malibo", "a", 0, [1.0, 1.0], suggest=[0.5, 0.25], train=[100.0, 0.5])
    assert_allclose(metrics.runtime(found), [0.5, 0.75])
    assert metrics.training_time(found) == 100


def test_runtime_is_of_the_steps_that_were_asked_for() -> None:
    found = run("malibo", "a", 0, [1.0] * 3, initial=2, suggest=[0, 0, 0.5], train=[100, 1, 0.25])
    shown = curves([found], metrics.runtime)
    assert_array_equal(shown.steps, [1])
    assert_allclose(shown.values["malibo"], [[0.75]])


def grid(values: dict[str, dict[tuple[str, int], float]]) -> Curves:
    """Curves of one step."""
    return curves(
        [run(name, *key, [value]) for name, runs in values.items() for key, value in runs.items()],
        metrics.immediate_regret,
    )


def test_runs_that_end_early_or_occur_twice_do_no_harm() -> None:
    long, short = run("random", "a", 0, [3.0, 2.0, 1.0]), run("random", "a", 1, [5.0, 4.0])
    shown = curves([long, short, short], metrics.immediate_regret)
    assert_array_equal(shown.steps, [1, 2])
    assert_allclose(shown.values["random"], [[3, 2], [5, 4]])


def test_pairs_are_the_tasks_and_seeds_that_all_methods_have() -> None:
    shown = grid(
        {
            "one": {("b", 0): 1, ("a", 1): 2, ("a", 0): 3},
            "two": {("a", 0): 4, ("a", 2): 5, ("b", 0): 6},
        }
    ).paired()
    assert shown.keys["one"] == shown.keys["two"] == [("a", 0), ("b", 0)]
    assert_allclose(shown.values["one"], [[3], [1]])
    assert_allclose(shown.values["two"], [[4], [6]])


def test_methods_and_tasks_can_be_chosen() -> None:
    shown = grid({"one": {("a", 0): 1, ("b", 0): 2}, "two": {("a", 0): 3}})
    assert shown.only(["two", "unknown", "one"]).methods == ("two", "one")
    assert shown.on_tasks(["b"]).methods == ("one",)
    assert shown.common_tasks() == ("a",)
    assert shown.tasks == ("a", "b")


def test_no_runs_are_no_curves() -> None:
    shown = curves([], metrics.immediate_regret)
    assert shown.methods == shown.tasks == shown.common_tasks() == ()
    assert metrics.seed_counts(shown) == (0, 0)
    assert metrics.average_ranks(shown) == {}


def test_numbers_in_names_are_ordered_by_size() -> None:
    assert metrics.in_natural_order({"task 10", "task 9", "Other", "10", "9"}) == (
        "Other",
        "task 9",
        "task 10",
        "9",
        "10",
    )


def test_the_error_is_that_of_the_seeds_averages_over_tasks() -> None:
    shown = grid({"one": {("a", 0): 1, ("a", 1): 3, ("b", 0): 5, ("b", 1): 3}})
    mean, error = metrics.mean_and_error(shown, "one")
    assert_allclose(mean, [3])
    assert_allclose(error, [0], atol=1e-12)  # both seeds have an average of 3


def test_tasks_count_the_same_however_many_seeds_they_have() -> None:
    shown = grid({"one": {("a", 0): 1, ("a", 1): 3, ("b", 0): 4, ("b", 1): 5, ("b", 2): 6}})
    mean, error = metrics.mean_and_error(shown, "one")
    assert_allclose(mean, [3.5])
    assert_allclose(error, [math.sqrt(1 + 1 / 3) / 2])
    assert metrics.seed_counts(shown) == (2, 3)


def test_a_single_seed_has_no_standard_error() -> None:
    mean, error = metrics.mean_and_error(grid({"one": {("a", 0): 1, ("b", 0): 3}}), "one")
    assert_allclose(mean, [2])
    assert np.isnan(error).all()


def test_ties_share_their_average_rank() -> None:
    shown = grid({"one": {("a", 0): 1}, "two": {("a", 0): 1}, "three": {("a", 0): 0.5}})
    ranks = {name: float(line[0]) for name, line in metrics.average_ranks(shown).items()}
    assert ranks == {"one": 2.5, "two": 2.5, "three": 1}


def test_ranks_are_averages_over_common_pairs_only() -> None:
    shown = grid(
        {
            "one": {("a", 0): 1, ("b", 0): 1, ("c", 0): 1},
            "two": {("a", 0): 2, ("b", 0): 0.5, ("d", 0): 0},
        }
    )
    assert_allclose(metrics.average_ranks(shown)["one"], [1.5])
    apart = grid({"one": {("a", 0): 1}, "two": {("b", 0): 1}})
    assert np.isnan(metrics.average_ranks(apart)["one"]).all()


@pytest.mark.parametrize("scale", [1.0, 1e-13])
def test_float_noise_is_a_tie_and_a_small_difference_is_not(scale: float) -> None:
    values = metrics.comparable(scale * np.array([1.0, 1 + 1e-14, 1.001, 0.0, -2.0]))
    assert values[0] == values[1] < values[2]
    assert_allclose(values, scale * np.array([1, 1, 1.001, 0, -2]), rtol=1e-9)
