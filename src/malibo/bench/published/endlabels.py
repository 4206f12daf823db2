"""Names of lines at their ends: where there are many, a legend would be a riddle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from malibo.bench.figures.lines import Band
from malibo.bench.figures.style import BLACK, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BEND, _END, _TEXT = 0.03, 0.09, 0.1  # shares of the panel's width, right of it
_ROOM = 0.17  # inches for a label


def label_ends(axes: Axes, bands: Mapping[str, Band]) -> None:
    """Every line goes on beyond the panel to its label, in the order in which the lines end.

    The limits of the axes must be final.
    """
    ends = {name: _height(axes, float(band.middle[-1])) for name, band in bands.items()}
    order = sorted(ends, key=lambda name: ends[name])
    size = axes.get_figure(root=True)
    inches = size.get_figheight() if size else 1.0
    places = spread([ends[name] for name in order], _ROOM / inches)
    for name, place in zip(order, places, strict=True):
        _draw(axes, name, ends[name], place)


def spread(values: Sequence[float], gap: float) -> list[float]:
    """Increasing numbers from 0 to 1, moved apart as little as needed, a gap between any two.

    They leave the range only if there is no room for all of them.
    """
    most = max(1 - gap * (len(values) - 1), 0)
    blocks: list[list[float]] = []  # sum of where its members would start it, and their number
    for number, value in enumerate(values):
        blocks.append([value - gap * number, 1])
        while len(blocks) > 1 and _mean(blocks[-2]) > _mean(blocks[-1]):
            total, count = blocks.pop()
            blocks[-1] = [blocks[-1][0] + total, blocks[-1][1] + count]
    levels = [min(max(_mean(block), 0), most) for block in blocks for _ in range(int(block[1]))]
    return [level + gap * number for number, level in enumerate(levels)]


def _mean(block: Sequence[float]) -> float:
    return block[0] / block[1]


def _height(axes: Axes, value: float) -> float:
    """Where a value is in the panel, from 0 at the bottom to 1 at the top."""
    low, high = axes.get_ylim()
    if axes.get_yscale() == "log":
        low, high, value = np.log(low), np.log(high), np.log(max(value, low))
    return float(np.clip((value - low) / (high - low), 0, 1))


def _draw(axes: Axes, name: str, end: float, place: float) -> None:
    look = style(name)
    axes.plot(
        [1, _BEND + 1, _END + 1],
        [end, place, place],
        transform=axes.transAxes,
        clip_on=False,
        **{**look.plot(), "label": "_"},
    )
    axes.text(
        1 + _TEXT,
        place,
        look.label,
        transform=axes.transAxes,
        va="center",
        fontsize=8.5,
        fontweight="bold" if name == "malibo" else "normal",
        color=BLACK,
    )
