"""Axes: order is kept, round numbers are inside, and far-out values do not press others flat."""

from __future__ import annotations

import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from malibo.plots.values import fence
from malibo.report.scales import Scale, parameter_place, tick_labels, value_scale
from strategies import repeatable

finite = st.floats(allow_nan=False, allow_infinity=False)
several = st.lists(finite, min_size=1, max_size=20)


def test_places_on_a_plain_and_on_a_logarithmic_axis() -> None:
    assert Scale(0, 10).place(2.5) == 0.25
    assert Scale(1e-4, 1, log=True).place(0.01) == pytest.approx(0.5)
    assert Scale(1e-4, 1, log=True).place(0) == 0
    assert Scale(0, 10).place(11) == 1
    assert Scale(3, 3).place(3) == 0.5


def test_what_lies_beyond_the_ends() -> None:
    scale = Scale(0, 10)
    assert [scale.beyond(value) for value in (-1, 0, 10, 11)] == [True, False, False, True]


@repeatable
@given(several, st.booleans(), st.sampled_from([-1, 1]))
def test_every_axis_keeps_the_order_and_has_its_round_numbers_inside(
    values: list[float], log: bool, worse: int
) -> None:
    values = [abs(value) or 1.0 for value in values] if log else values
    scale = value_scale(values, log, worse)
    places = [scale.place(value) for value in sorted(values)]
    assert places == sorted(places)
    assert all(0 <= place <= 1 for place in places)
    ticks = scale.ticks()
    assert len(ticks) <= 9
    room = 1e-6 * abs(scale.high / 4 - scale.low / 4)
    assert all(scale.low - room <= tick <= scale.high + room for tick in ticks)


@repeatable
@given(several, st.sampled_from([-1, 1]))
def test_the_best_value_is_never_beyond(values: list[float], worse: int) -> None:
    best = min(values) if worse == 1 else max(values)
    assert not value_scale(values, False, worse).beyond(best)


def test_a_value_far_out_on_the_bad_side_is_left_beyond() -> None:
    low = value_scale([1.0, 2.0, 3.0, 4.0, 1e9], log=False, worse=1)
    assert low.high < 5
    assert low.beyond(1e9)
    high = value_scale([1.0, 2.0, 3.0, 4.0, -1e9], log=False, worse=-1)
    assert high.low > 0
    assert not value_scale([1.0, 2.0, 3.0, 4.0, -1e9], log=False, worse=1).beyond(-1e9)


def test_values_somewhat_further_out_are_shown() -> None:
    assert not value_scale([1.0, 1.1, 1.2, 1.3, 2.5], log=False, worse=1).beyond(2.5)


def test_other_numbers_make_an_axis_longer_unless_they_are_far() -> None:
    scale = value_scale([1.0, 2.0], log=False, worse=1, also=[0.6, 100.0])
    assert scale.low == pytest.approx(0.6 - 0.05 * 1.4)
    assert scale.high == pytest.approx(2.0 + 0.05 * 1.4)


@pytest.mark.parametrize("value", [5.0, 0.0, -3.0])
def test_a_constant_is_drawn_in_the_middle(value: float) -> None:
    assert value_scale([value, value], log=False, worse=1).place(value) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("scale", "labels"),
    [
        (Scale(0, 1), ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
        (Scale(0.1, 0.35), ["0.1", "0.15", "0.2", "0.25", "0.3", "0.35"]),
        (Scale(-3, 5), ["-2", "0", "2", "4"]),
        (Scale(0.30001, 0.30009), ["0.30002", "0.30004", "0.30006", "0.30008"]),
        (Scale(1e-5, 1e-1, log=True), ["1e-5", "0.0001", "0.001", "0.01", "0.1"]),
        (Scale(0.2, 0.9, log=True), ["0.2", "0.4", "0.6", "0.8"]),
        (Scale(1e-12, 1e12, log=True), ["1e-12", "1e-7", "0.01", "1000", "1e8"]),
    ],
)
def test_numbers_beside_an_axis_are_round_and_short(scale: Scale, labels: list[str]) -> None:
    assert tick_labels(scale.ticks()) == labels


@pytest.mark.parametrize(
    ("parameter", "value", "place"),
    [
        ({"low": 0, "high": 4, "log": False}, 1, 0.25),
        ({"low": 1, "high": 100, "log": True}, 10.0, 0.5),
        ({"choices": ["a", "b"]}, "b", 0.75),
        ({"choices": [None, 3]}, None, 0.25),
        ({"choices": ["a", "b"]}, "c", None),
        ({"low": 0, "high": 4, "log": False}, "text", None),
        ({"low": 0, "high": 4, "log": False}, True, None),
    ],
)
def test_where_a_value_lies_in_the_range_of_its_parameter(
    parameter: dict[str, Any], value: object, place: float | None
) -> None:
    found = parameter_place(parameter, value)
    assert found == place if place is None else math.isclose(found or math.nan, place)


def test_values_of_any_size_have_an_axis() -> None:
    far = [-1.7e308, -1.7e308, 1.7e308, 1.7e308]
    assert math.isfinite(value_scale(far, log=False, worse=1).high)


@repeatable
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20))
def test_the_page_leaves_beyond_what_the_pictures_leave_beyond(values: list[float]) -> None:
    scale, last = value_scale(values, log=False, worse=1), fence(np.array(values))
    beyond = {value for value in values if scale.beyond(value)}
    assert beyond <= {value for value in values if value > last}


def test_the_report_needs_no_matplotlib() -> None:
    code = "import sys; sys.modules['matplotlib'] = None; import malibo.report"
    subprocess.run([sys.executable, "-c", code], check=True)
