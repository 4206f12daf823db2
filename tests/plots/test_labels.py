"""Names beside points: near, inside, and apart from each other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from strategies import repeatable, seeds

pytest.importorskip("matplotlib")

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from malibo.plots.labels import place_labels
from malibo.space.parameters import Array


def labelled(places: Array, names: list[str]) -> Figure:
    figure = Figure(figsize=(6, 5), layout="constrained")
    axes = figure.subplots()
    axes.scatter(places[:, 0], places[:, 1])
    place_labels(figure, axes, places, names, places)
    return figure


def overlaps(figure: Figure) -> int:
    """Pairs of names that overlap, as they are really printed."""
    FigureCanvasAgg(figure)
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in figure.axes[0].texts]
    pairs = [(a, b) for i, a in enumerate(boxes) for b in boxes[:i]]
    return sum(a.overlaps(b) for a, b in pairs)


def test_two_points_side_by_side_have_names_apart() -> None:
    places = np.array([[0.0, 0.0], [0.02, 0.0], [1.0, 1.0]])
    figure = labelled(places, ["a first task", "a second task", "far away"])
    assert overlaps(figure) == 0
    assert [text.get_text() for text in figure.axes[0].texts][2] == "far away"


def test_a_name_at_the_rim_stays_inside() -> None:
    figure = labelled(np.array([[0.0, 0.0], [1.0, 1.0]]), ["left", "a rather long name"])
    FigureCanvasAgg(figure)
    figure.draw_without_rendering()
    frame = figure.axes[0].get_window_extent()
    box = figure.axes[0].texts[1].get_window_extent()
    assert box.x1 <= frame.x1
    assert box.y1 <= frame.y1


@settings(parent=repeatable, max_examples=8)
@given(seeds)
def test_twenty_names_hardly_overlap(seed: int) -> None:
    places = np.random.default_rng(seed).uniform(size=(20, 2))
    assert overlaps(labelled(places, [f"task {number}" for number in range(20)])) <= 2
