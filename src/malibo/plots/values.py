"""Results as dots: those that fit into the picture, and at its worse edge those that do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from malibo.plots.style import ORANGE
from malibo.space.parameters import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FAR = 3  # interquartile ranges beyond the worse quartile, up to where losses are usual
_LONGER = 3  # times as long an axis as the usual ones need, up to where others are shown
_HUGE = 1e100
_ROOM = 0.05  # at both ends, of the length between them


def drawable(values: Array) -> Array:
    """Values whose differences are finite: beyond all reason they are all the same."""
    return np.clip(values, -_HUGE, _HUGE)


def fence(losses: Array) -> float:
    """The greatest loss that is not far off the others: those beyond would press them flat.

    The good trials of a tuning lie close together, so the usual ones are not all that is shown.
    """
    best, low, high = np.nanquantile(losses, (0.0, 0.25, 0.75))
    usual = high + _FAR * (high - low)
    return float(np.nanmax(losses[losses <= best + _LONGER * (usual - best)]))


def with_room(low: float, high: float) -> tuple[float, float]:
    """Limits of an axis."""
    room = _ROOM * ((high - low) or abs(low) or 1.0)
    return low - room, high + room


def draw_values(
    axes: Axes, x: Array, values: Array, worse: int, limits: tuple[float, float], **style: Any
) -> None:
    """Values within the limits as dots; failed ones (NaN) and those beyond at the worse edge.

    ``worse`` is 1 if greater values are worse, −1 if smaller ones are.
    """
    edge = limits[1] if worse > 0 else limits[0]
    failed = np.isnan(values)
    beyond = ~failed & (worse * values > worse * edge)
    inside = ~failed & ~beyond
    dot: dict[str, Any] = {"zorder": 4, "clip_on": False}
    axes.scatter(x[inside], values[inside], **dot, **style)
    arrow = "^" if worse > 0 else "v"
    for which, marker, name in ((beyond, arrow, "off the scale"), (failed, "x", "failed trial")):
        if which.any():
            place = np.full(which.sum(), edge)
            axes.scatter(x[which], place, s=30, c=ORANGE, marker=marker, label=name, **dot)
