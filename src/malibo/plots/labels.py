"""Names beside points, placed so that they cover neither points nor each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from malibo.plots.style import DARK
from malibo.space.parameters import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SIZE = 8.0  # of letters, in points
_LETTER = 0.56  # width of a letter as a share of its size
_POINT = 4.0  # radius of a point and the air around it

Box = tuple[float, float, float, float]  # left, low, right, high


def place_labels(
    figure: Figure, axes: Axes, places: Array, names: Sequence[str], avoid: Array
) -> None:
    """Write each name near its place, where it overlaps least with what is there already.

    ``avoid`` are the points of the picture. All else must have been drawn before: the places
    of points on paper are those of the finished layout.
    """
    from matplotlib.patheffects import withStroke

    figure.draw_without_rendering()
    scale = 72 / figure.dpi
    points = axes.transData.transform(places) * scale
    frame = axes.get_window_extent()
    inside = (frame.x0 * scale, frame.y0 * scale, frame.x1 * scale, frame.y1 * scale)
    taken = [_around(*point) for point in axes.transData.transform(avoid) * scale]
    for point, place, name in zip(points, places, names, strict=True):
        offset, box = _best_offset(point, name, taken, inside)
        taken.append(box)
        axes.annotate(
            name,
            (float(place[0]), float(place[1])),
            offset,
            textcoords="offset points",
            fontsize=_SIZE,
            color=DARK,
            zorder=6,
            path_effects=[withStroke(linewidth=2.5, foreground="white")],
        )


def _best_offset(
    point: Array, name: str, taken: Sequence[Box], inside: Box
) -> tuple[tuple[float, float], Box]:
    """The way to the lower left corner of a name that covers least, the nearest first."""
    width, height = _LETTER * _SIZE * len(name), 1.1 * _SIZE
    found = []
    for far in (0.0, 8.0, 16.0):
        for x, y in _corners(width, height, _POINT + 1 + far):
            left, low = point[0] + x, point[1] + y
            box = (left, low, left + width, low + height)
            cost = sum(_overlap(box, other) for other in taken)
            cost += width * height - _overlap(box, inside)
            found.append((cost + far, (x, y), box))
    _, offset, box = min(found, key=lambda item: item[0])
    return offset, box


def _corners(width: float, height: float, gap: float) -> list[tuple[float, float]]:
    """Right, left, above, below, and the four corners in between."""
    middle, beside = -height / 2, -width - gap
    return [
        (gap, middle),
        (beside, middle),
        (-width / 2, gap),
        (-width / 2, -height - gap),
        (gap, gap / 2),
        (gap, -height - gap / 2),
        (beside, gap / 2),
        (beside, -height - gap / 2),
    ]


def _around(x: float, y: float) -> Box:
    return (x - _POINT, y - _POINT, x + _POINT, y + _POINT)


def _overlap(a: Box, b: Box) -> float:
    """Area that two boxes share."""
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    return float(np.maximum(width, 0) * np.maximum(height, 0))
