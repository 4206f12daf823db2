"""Values as dots: inside the picture, or at its worse edge."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure

from malibo.plots.values import draw_values, fence, with_room
from plots.artists import dots
from strategies import repeatable


def test_a_diverged_loss_is_behind_the_fence() -> None:
    assert fence(np.array([1.0, 2.0, 3.0, 4.0, 1e9])) == 4.0
    assert fence(np.array([1.0, 2.0, np.nan, 4.0])) == 4.0
    # Up to 9 they are usual, and three times as far from the best is shown.
    assert fence(np.array([0.0, 1.0, 2.0, 3.0, 26.9])) == 26.9
    assert fence(np.array([0.0, 1.0, 2.0, 3.0, 27.1])) == 3.0


@settings(parent=repeatable)
@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=20))
def test_the_fence_is_one_of_the_losses_and_not_below_three_quarters_of_them(
    losses: list[float],
) -> None:
    found = fence(np.array(losses))
    assert found in losses
    assert np.mean(np.array(losses) <= found) >= 0.74


def test_limits_leave_room_even_for_a_single_value() -> None:
    assert with_room(0, 10) == (-0.5, 10.5)
    low, high = with_room(3, 3)
    assert low < 3 < high
    low, high = with_room(0, 0)
    assert low < 0 < high


@pytest.mark.parametrize(("worse", "edge"), [(1, 10.0), (-1, 0.0)])
def test_what_has_no_place_inside_is_at_the_worse_edge(worse: int, edge: float) -> None:
    axes = Figure().subplots()
    x, beyond = np.arange(4.0), 5 + worse * 100
    values = np.array([2.0, np.nan, beyond, 5 - worse * 100])
    draw_values(axes, x, values, worse, (0.0, 10.0), label="value")
    assert_allclose(dots(axes, "value"), [(0, 2), (3, 5 - worse * 100)])
    assert_allclose(dots(axes, "failed trial"), [(1, edge)])
    assert_allclose(dots(axes, "off the scale"), [(2, edge)])
