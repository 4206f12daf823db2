"""Steps of a tuning over two parameters: maps of the acquisition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from malibo.optimizer import Malibo
from malibo.plots.slices import Slice
from malibo.plots.steps import Step
from malibo.plots.style import ORANGE, WORDS, blank, legend, shortened, wrapped
from malibo.space.parameters import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure

COLUMNS = 4  # of panels, at most
_SIDE = 2.5  # of a panel, in inches
_LEVELS = 20  # of colour
_LOWEST = 1e-3  # share of the highest acquisition that is told from less


def maps_figure(optimizer: Malibo, shown: Slice, steps: Sequence[Step]) -> Figure:
    """A map for each step, with the results by then and the best place."""
    names = " and ".join(shortened(axis.name) for axis in shown.axes)
    title = f"Acquisition over {names}"
    figure, panels = map_panels(title, len(steps))
    colours = None
    for axes, step in zip(panels, steps, strict=True):
        if step.random:
            _draw_nothing(axes, shown)
        else:
            share = step.acquisition / step.acquisition.max()
            colours = draw_map(axes, shown, share, logarithmic=True)
        _draw_results(axes, shown, step)
        axes.set_title(step.moment, fontsize=9.5, loc="left")
    name_sides(shown, panels)
    if colours is not None:
        _explain_colours(figure, colours, panels)
    legend(figure, wrapped(figure, _note(shown, steps)))
    return figure


def map_panels(title: str, count: int) -> tuple[Figure, list[Axes]]:
    """A figure with square panels in as few rows as are readable."""
    columns = min(count, COLUMNS)
    rows = -(-count // columns)
    width = max(_SIDE * columns + 1.0, 5.6)
    figure = blank(width, (width - 1.0) / columns * rows + 1.2, title)
    grid: list[Axes] = list(figure.subplots(rows, columns, squeeze=False).flat)
    for unused in grid[count:]:
        unused.remove()
    return figure, grid[:count]


def draw_map(
    axes: Axes,
    shown: Slice,
    heights: Array,
    colours: str = "viridis",
    logarithmic: bool = False,
) -> ScalarMappable:
    """Heights over a slice of two parameters: contours, or cells where values are few.

    The colours are those of the heights' own range, or logarithmic ones from 0.001 to 1.
    """
    from matplotlib.colors import LogNorm, Normalize

    first, second = shown.axes
    low, high = (_LOWEST, 1.0) if logarithmic else (heights.min(), heights.max())
    high = high if high > low else low + 1.0
    norm = (LogNorm if logarithmic else Normalize)(low, high)
    table = np.clip(heights, low, high).reshape(shown.shape).T
    style: dict[str, Any] = {"cmap": colours, "norm": norm}
    found: ScalarMappable
    if first.separate or second.separate:
        found = axes.pcolormesh(first.edges, second.edges, table, rasterized=True, **style)
    else:
        levels = (np.geomspace if logarithmic else np.linspace)(low, high, _LEVELS + 1)
        levels[[0, -1]] = low, high  # to all digits, or the ends would be left white
        found = axes.contourf(first.codes, second.codes, table, levels, **style)
    _dress(axes, shown)
    return found


def _dress(axes: Axes, shown: Slice) -> None:
    shown.axes[0].dress(axes, "x", name=False)
    shown.axes[1].dress(axes, "y", name=False)
    axes.tick_params(labelsize=8)


def _draw_nothing(axes: Axes, shown: Slice) -> None:
    """A map for a choice by chance."""
    axes.set_facecolor("#eeeeee")
    axes.text(0.5, 0.05, "chosen at random", transform=axes.transAxes, **WORDS)
    _dress(axes, shown)


def _explain_colours(figure: Figure, colours: ScalarMappable, panels: Sequence[Axes]) -> None:
    bar = figure.colorbar(colours, ax=panels, fraction=0.05, pad=0.02, aspect=25)
    bar.set_label("acquisition, share of its highest", fontsize=9)
    bar.set_ticks([0.001, 0.01, 0.1, 1], labels=["≤ 0.001", "0.01", "0.1", "1"])
    bar.minorticks_off()
    bar.ax.tick_params(labelsize=8)


def name_sides(shown: Slice, panels: Sequence[Axes]) -> None:
    """Names at the lowest panel of each column and at the first of each row; ticks there only."""
    columns = min(len(panels), COLUMNS)
    for number, axes in enumerate(panels):
        lowest, leftmost = number + columns >= len(panels), number % columns == 0
        axes.set_xlabel(shortened(shown.axes[0].name) if lowest else "", fontsize=9)
        axes.set_ylabel(shortened(shown.axes[1].name) if leftmost else "", fontsize=9)
        axes.tick_params(labelbottom=lowest, labelleft=leftmost)
        axes.tick_params(which="minor", labelbottom=False, labelleft=False)


def _draw_results(axes: Axes, shown: Slice, step: Step) -> None:
    (x, y), failed = shown.along(step.known.codes).T, np.isnan(step.known.losses)
    dot: dict[str, Any] = {"c": "white", "ec": "black", "lw": 0.8, "zorder": 3, "clip_on": False}
    axes.scatter(x[~failed], y[~failed], s=26, label="result", **dot)
    if failed.any():
        axes.scatter(x[failed], y[failed], s=36, marker="X", label="failed trial", **dot)
    chosen_x, chosen_y = shown.place(shown.find(step.suggestion.row))
    star = {**dot, "c": ORANGE, "ec": "white", "marker": "*"}
    axes.scatter(chosen_x, chosen_y, s=170, label="chosen next", **star)


def _note(shown: Slice, steps: Sequence[Step]) -> str:
    parts = []
    if any(step.improvement for step in steps):
        parts.append("acquisition: the expected improvement")
    if not all(step.improvement or step.random for step in steps):
        parts.append("or σ(logit)" if parts else "acquisition: σ(logit)")
    if len(shown.space) > 2:
        parts.append("results differ in other parameters")
    return "; ".join(parts).replace("; or", " or")
