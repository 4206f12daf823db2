"""Names at the ends of lines: moved apart, no further than needed."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from malibo.bench.published.endlabels import spread


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=30).map(sorted),
    st.floats(0.001, 0.2),
)
def test_labels_are_moved_apart_and_stay_inside_if_they_can(
    values: list[float], gap: float
) -> None:
    places = spread(values, gap)
    assert all(second - first >= gap - 1e-9 for first, second in pairwise(places))
    if gap * (len(values) - 1) <= 1:
        assert places[0] >= -1e-9
        assert places[-1] <= 1 + 1e-9


def test_labels_with_room_stay_where_they_are() -> None:
    assert_allclose(spread([0.1, 0.5, 0.9], 0.2), [0.1, 0.5, 0.9])
    assert_allclose(spread([0.5, 0.5], 0.2), [0.4, 0.6])
    assert_allclose(spread([0.0, 0.0, 0.9], 0.1), [0.0, 0.1, 0.9])
