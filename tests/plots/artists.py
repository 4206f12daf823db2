"""How tests find what was drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from malibo.space.parameters import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def line(axes: Axes, name: str) -> Array:
    """(2, n) places of the line with a name."""
    (found,) = [one for one in axes.lines if one.get_label() == name]
    return np.array(found.get_data(), dtype=float)


def dots(axes: Axes, name: str) -> Array:
    """(n, 2) places of the dots with a name; none if there are no such dots."""
    found = [one for one in axes.collections if one.get_label() == name]
    return np.array(found[0].get_offsets(), dtype=float) if found else np.empty((0, 2))


def names(figure: Figure) -> set[str]:
    """All names of the legend below a figure."""
    (legend,) = figure.legends
    return {text.get_text() for text in legend.get_texts()}


def note(figure: Figure) -> str:
    """The small print over the legend, in one line."""
    (legend,) = figure.legends
    return legend.get_title().get_text().replace("\n", " ")


def title(figure: Figure) -> str:
    """Of the whole figure."""
    return figure.get_suptitle()
