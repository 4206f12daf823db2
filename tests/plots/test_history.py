"""The course of a tuning: trials, the best so far, and the past beside them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from malibo import Float, History, Malibo, Space, Task
from malibo.errors import InputError
from malibo.plots import history_figure
from plots.artists import dots, line, names, note, title
from strategies import repeatable

finite = st.floats(allow_nan=False, allow_infinity=False)
SPACE = Space(x=Float(0, 1))


def past_of(*tasks: list[float | None], direction: Any = "minimize") -> History:
    found = []
    for number, values in enumerate(tasks):
        configs = [{"x": 0.5}] * len(values)
        found.append(Task.from_configs(f"task {number}", SPACE, configs, values, direction))
    return History(found)


def test_every_trial_is_a_dot_and_the_line_is_the_best_so_far() -> None:
    figure = history_figure([3.0, 4.0, None, 2.0])
    axes = figure.axes[0]
    assert_allclose(dots(axes, "trial"), [(1, 3), (2, 4), (4, 2)])
    assert_allclose(line(axes, "best so far"), [(1, 2, 3, 4), (3, 3, 3, 2)])
    assert_allclose(dots(axes, "failed trial"), [(3, axes.get_ylim()[1])])
    assert title(figure) == "Best value 2, found in trial 4 of 4"
    assert names(figure) == {"trial", "best so far", "failed trial"}
    assert axes.get_xlabel() == "trial"
    assert axes.get_ylabel() == "value"
    assert axes.get_xlim() == (0.5, 4.5)


def test_scores_that_are_maximised_rise() -> None:
    figure = history_figure([3.0, None, 4.0, 2.0], direction="maximize")
    axes = figure.axes[0]
    assert_allclose(line(axes, "best so far")[1], [3, 3, 4, 4])
    assert_allclose(dots(axes, "failed trial"), [(2, axes.get_ylim()[0])])
    assert title(figure) == "Best value 4, found in trial 3 of 4"


def test_the_direction_is_the_optimizers_or_that_of_the_past() -> None:
    optimizer = Malibo(space=SPACE, direction="maximize", seed=0)
    for value in (1.0, 2.0):
        optimizer.tell({"x": value / 4}, value)
    assert_allclose(line(history_figure(optimizer).axes[0], "best so far")[1], [1, 2])
    past = past_of([1.0, 3.0], direction="maximize")
    assert_allclose(line(history_figure([1.0, 2.0], past).axes[0], "best so far")[1], [1, 2])


def test_the_past_is_a_band_over_its_tasks_with_their_median() -> None:
    past = past_of([5.0, 4.0, 9.0], [3.0, 2.0, 1.0], [4.0, None, 3.0, 0.0])
    figure = history_figure([4.0, 3.0, 2.0], past)
    axes = figure.axes[0]
    assert_allclose(line(axes, "past tasks, median")[1], [4, 4, 3])
    (band,) = [one for one in axes.collections if one.get_label() == "past tasks, 10 % to 90 %"]
    heights = np.asarray(band.get_paths()[0].vertices)[:, 1]
    assert heights.max() == pytest.approx(np.quantile([5, 3, 4], 0.9))
    assert heights.min() == pytest.approx(np.quantile([4, 1, 3], 0.1))
    assert "3 past tasks" in note(figure)


def test_a_task_that_ended_sooner_keeps_its_best() -> None:
    figure = history_figure([4.0, 3.0, 2.0], past_of([5.0, 1.0]))
    assert_allclose(line(figure.axes[0], "past tasks, median")[1], [5, 1, 1])


def test_a_past_that_begins_with_failures_begins_later() -> None:
    figure = history_figure([4.0, 3.0, 2.0], past_of([None, 3.0, 2.0]))
    assert_array_equal(line(figure.axes[0], "past tasks, median")[1], [np.nan, 3, 2])


def test_the_relative_scale_goes_from_the_best_to_the_median_of_a_task() -> None:
    past = past_of([300.0, 200.0, 100.0, 7.0])
    figure = history_figure([5.0, 3.0, 2.0], past, scale="relative")
    axes = figure.axes[0]
    assert_allclose(dots(axes, "trial")[:, 1], [3, 1, 0])  # best 2, median 3
    assert_allclose(line(axes, "past tasks, median")[1], [2, 1, 0])  # the fourth is not looked at
    assert axes.get_ylabel() == "distance to a task's best (1: its median)"
    turned = history_figure([-5.0, -3.0, -2.0], past, scale="relative", direction="maximize").axes[
        0
    ]
    assert_allclose(dots(turned, "trial")[:, 1], [3, 1, 0])


@pytest.mark.parametrize(
    ("tasks", "label"),
    [
        ([[4.0, 1.0], [3.0, 2.0]], "value"),
        ([[4.0, 1.0], [3.0, 2.0], [500.0, 100.0]], "value"),  # most lie here
        ([[400.0, 300.0], [3.0, 2.0], [500.0, 100.0]], "distance"),  # most lie elsewhere
        ([[4e9, 1.0], [2e9, 1.0]], "distance"),  # much wider
    ],
)
def test_the_scale_is_raw_where_most_of_the_past_shares_the_range(
    tasks: list[list[float | None]], label: str
) -> None:
    axes = history_figure([3.5, 2.5], past_of(*tasks)).axes[0]
    assert axes.get_ylabel().startswith(label)


def test_a_past_in_another_direction_keeps_its_own() -> None:
    past = past_of([1.0, 3.0, 2.0], direction="maximize")
    axes = history_figure([3.0, 2.0, 1.0], past, direction="minimize").axes[0]
    assert axes.get_ylabel().startswith("distance")
    assert_allclose(line(axes, "past tasks, median")[1], [2, 0, 0])  # best 3, median 2
    with pytest.raises(InputError, match=r"task 'task 0' of the past is not to be minimized"):
        history_figure([3.0, 2.0], past, direction="minimize", scale="raw")


def test_constant_values_have_a_place() -> None:
    past = past_of([1.0, 1.0], [2.0, 2.0])
    for scale in ("raw", "relative"):
        axes = history_figure([1.0, 1.0], past, scale=scale).axes[0]
        assert len(dots(axes, "trial")) == 2
        low, high = axes.get_ylim()
        assert low < high


def test_a_diverged_trial_is_marked_and_does_not_flatten_the_rest() -> None:
    values = [-3.0, -2.0, -1.0, -2.5, -2.2, -2.1, 1e12]
    axes = history_figure(values).axes[0]
    low, high = axes.get_ylim()
    assert high < 0
    assert_allclose(dots(axes, "off the scale"), [(7, high)])
    assert low < -3


def test_values_over_many_decades_are_on_a_logarithmic_axis() -> None:
    assert history_figure([100.0, 10.0, 0.1, 50.0]).axes[0].get_yscale() == "log"
    assert history_figure([100.0, 10.0, 2.0, 50.0]).axes[0].get_yscale() == "linear"
    assert history_figure([100.0, 10.0, -1.0, 50.0]).axes[0].get_yscale() == "linear"


@settings(parent=repeatable, max_examples=15)
@given(st.lists(st.none() | finite, min_size=1, max_size=12))
def test_no_trial_is_left_out(values: list[float | None]) -> None:
    if all(value is None for value in values):
        return
    axes = history_figure(values).axes[0]
    kinds = ("trial", "failed trial", "off the scale")
    assert sum(len(dots(axes, kind)) for kind in kinds) == len(values)
    assert len(dots(axes, "failed trial")) == values.count(None)


@pytest.mark.parametrize("values", [[], [None, None]])
def test_nothing_to_show_is_an_error(values: list[float | None]) -> None:
    with pytest.raises(InputError, match=f"nothing to show: {len(values)} results, none of them"):
        history_figure(values)


def test_wrong_input_is_named(past: History) -> None:
    wrong: Any = 3
    with pytest.raises(InputError, match=r"expected a malibo\.Malibo or a list of values, got 3"):
        history_figure(wrong)
    with pytest.raises(InputError, match=r"past must be a malibo\.History, got int"):
        history_figure([1.0], wrong)
    with pytest.raises(InputError, match=r"scale must be one of .*Did you mean 'relative'"):
        history_figure([1.0], past, scale="relativ")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="direction must be"):
        history_figure([1.0], direction="up")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="loss must be a number"):
        history_figure(["low"])  # type: ignore[list-item]
