"""Critical-difference diagrams (Demšar, 2006): average ranks, and who differs from whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from malibo.bench.figures.style import BLACK, style
from malibo.extras import require
from malibo.plots.style import NOTE, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 8.0  # inches
_NOTE = 0.4  # inches for the small print
LINE = 0.2  # inches from label to label
_BAR = 0.11  # inches from bar to bar
_ABOVE = 0.62  # inches for the title, the scale and its numbers
_MARGIN = 0.36  # of the scale's width, on either side of it, for the labels

Diagram = tuple[int, Mapping[str, float], Sequence[Sequence[str]]]  # step, ranks, cliques


def diagrams(shown: Sequence[Diagram], note: str) -> Figure:
    """Diagrams at some steps below each other."""
    require("matplotlib", "plots")
    from matplotlib.figure import Figure

    heights = [height(len(ranks), bar_levels(ranks, groups)) for _, ranks, groups in shown]
    figure = Figure(figsize=(WIDTH, sum(heights) + _NOTE))
    top = 1.0
    for inches, (step, ranks, groups) in zip(heights, shown, strict=True):
        share = inches / figure.get_figheight()
        top -= share
        axes = figure.add_axes((0.0, top, 1.0, share))
        draw(axes, ranks, groups)
        axes.text(0.5, 0.98, f"after {step} steps", transform=axes.transAxes, ha="center", va="top")
    small = wrapped(figure, note)
    figure.text(0.5, 0.5 * top, small, ha="center", va="center", fontsize=8, color=NOTE)
    return figure


def height(methods: int, bars: int) -> float:
    """Inches that a diagram takes."""
    return _ABOVE + _BAR * (bars + 1) + LINE * (-(-methods // 2)) + 0.1


def draw(axes: Axes, ranks: Mapping[str, float], cliques: Sequence[Sequence[str]]) -> None:
    """Ranks on a scale with the best on the left; a bar joins methods that do not differ.

    One unit of the vertical axis is an inch, downwards from the scale.
    """
    best, worst = 1.0, float(max(len(ranks), 2))
    bars = bar_levels(ranks, cliques)
    _draw_scale(axes, best, worst)
    for clique, level in zip(cliques, _levels(ranks, cliques), strict=True):
        _draw_bar(axes, ranks[clique[0]], ranks[clique[-1]], -_BAR * (level + 1), worst - best)
    _draw_labels(axes, ranks, -_BAR * (bars + 1), best, worst)
    margin = _MARGIN * (worst - best)
    axes.set_xlim(best - margin, worst + margin)
    axes.set_ylim(_ABOVE - height(len(ranks), bars), _ABOVE)
    axes.set_axis_off()


def bar_levels(ranks: Mapping[str, float], cliques: Sequence[Sequence[str]]) -> int:
    """How many bars lie below each other."""
    return max(_levels(ranks, cliques), default=-1) + 1


def _levels(ranks: Mapping[str, float], cliques: Sequence[Sequence[str]]) -> list[int]:
    """For each bar the first level on which it keeps away from all others."""
    gap = 0.04 * len(ranks)
    ends: list[float] = []  # of the last bar on each level
    levels = []
    for clique in cliques:
        start, end = ranks[clique[0]], ranks[clique[-1]]
        free = [level for level, last in enumerate(ends) if last + gap < start]
        level = free[0] if free else len(ends)
        ends[level : level + 1] = [end]
        levels.append(level)
    return levels


def _draw_scale(axes: Axes, best: float, worst: float) -> None:
    axes.plot([best, worst], [0, 0], color=BLACK, linewidth=1)
    for rank in np.arange(best, worst + 1):
        axes.plot([rank, rank], [0, 0.06], color=BLACK, linewidth=1)
        axes.text(rank, 0.1, f"{rank:g}", ha="center", va="bottom", fontsize=8, color=NOTE)


def _draw_bar(axes: Axes, start: float, end: float, y: float, width: float) -> None:
    over = 0.006 * width  # a bar of no length is seen, too
    axes.plot([start - over, end + over], [y, y], color=BLACK, linewidth=3.2, solid_capstyle="butt")


def _draw_labels(
    axes: Axes, ranks: Mapping[str, float], top: float, best: float, worst: float
) -> None:
    """The better half on the left and the others on the right, so that no two lines cross."""
    order = sorted(ranks, key=lambda name: ranks[name])
    half = -(-len(order) // 2)
    width = worst - best
    for place, name in enumerate(order[:half]):
        _draw_label(axes, name, ranks[name], top - LINE * (place + 0.6), best, -1, width)
    for place, name in enumerate(reversed(order[half:])):
        _draw_label(axes, name, ranks[name], top - LINE * (place + 0.6), worst, 1, width)


def _draw_label(
    axes: Axes, name: str, rank: float, y: float, side: float, direction: int, width: float
) -> None:
    """A line from the scale down and out to a label beside the scale, with the rank in it."""
    look = style(name)
    end = side + direction * 0.02 * width
    own = name == "malibo"
    axes.plot(
        [rank, rank, end], [0, y, y], color=look.colour, linewidth=1.3, solid_joinstyle="miter"
    )
    text = f"{look.label}  {rank:.2f}" if direction < 0 else f"{rank:.2f}  {look.label}"
    axes.text(
        end + direction * 0.012 * width,
        y,
        text,
        ha="right" if direction < 0 else "left",
        va="center",
        fontsize=8.5,
        fontweight="bold" if own else "normal",
        color=look.colour if own else BLACK,
    )
