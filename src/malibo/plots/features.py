"""What a model has learned: its features over one or two parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from malibo.errors import InputError
from malibo.metamodel import MetaModel, Points
from malibo.plots.maps import draw_map, map_panels, name_sides
from malibo.plots.slices import Slice, cut
from malibo.plots.style import (
    BLUE,
    DARK,
    GREEN,
    GREY,
    NOTE,
    ORANGE,
    PINK,
    SKY,
    blank,
    finish,
    shortened,
    wrapped,
)
from malibo.space.parameters import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LINES = (BLUE, ORANGE, GREEN, PINK, SKY)  # of the features that vary most
COLOURED = len(_LINES)
_MAPS = 7  # of the features that vary most, beside the mean


def features_figure(
    model: MetaModel,
    parameters: str | Sequence[str] | None = None,
    *,
    at: Mapping[str, Any] | None = None,
) -> Figure:
    """The features Φ that were learned from the past, and the mean logit m(Φ).

    Along one parameter they are lines, over two parameters maps of those that vary most. All
    other parameters are held where the model promises most, or as ``at={"depth": 3}`` says.
    Without ``parameters``, those are shown along which the mean logit varies most.
    """
    if not isinstance(model, MetaModel):
        raise InputError(f"model must be a malibo.MetaModel, got {type(model).__name__}.")
    if not model.informed:
        raise InputError("the model knows no past, so it has no features to show.")
    shown = cut(model, parameters, at=at)
    points = model.points(shown.codes)
    return (_lines if len(shown.axes) == 1 else _maps)(shown, points)


def varied(phi: Array) -> NDArray[np.intp]:
    """Numbers of the features, those that vary most in front."""
    return np.argsort(-phi.var(axis=0), kind="stable")


def draw_features(axes: Axes, x: Array, phi: Array, marker: str | None = None) -> None:
    """All features thin, those that vary most in colours."""
    order = varied(phi)
    axes.plot(x, phi[:, order[COLOURED:]], color=GREY, alpha=0.5, lw=0.5)
    for colour, column in zip(_LINES, order, strict=False):
        axes.plot(x, phi[:, column], color=colour, lw=1.5, marker=marker, ms=3.5)


def _lines(shown: Slice, points: Points) -> Figure:
    axis, count = shown.axes[0], points.phi.shape[1]
    figure = blank(8, 4.9, f"What was learned from the past, along {shortened(axis.name)}")
    top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=[2, 1])
    marker = "o" if axis.separate else None
    draw_features(top, axis.codes, points.phi, marker)
    bottom.plot(axis.codes, points.offset, color=DARK, lw=2, marker=marker, ms=3.5)
    for axes, name in ((top, "features Φ"), (bottom, "mean logit m(Φ)")):
        finish(axes)
        axes.set_ylabel(name)
        axis.dress(axes, "x", name=axes is bottom)
    top.tick_params(labelbottom=False)
    coloured = min(COLOURED, count)
    _small_print(
        figure,
        f"above: the {count} features, the {coloured} that vary most in colour;"
        " below: what was good on past tasks on average (higher is better)",
    )
    return figure


def _maps(shown: Slice, points: Points) -> Figure:
    names = " and ".join(shortened(axis.name) for axis in shown.axes)
    order = varied(points.phi)[:_MAPS]
    figure, panels = map_panels(f"What was learned from the past, over {names}", len(order) + 1)
    draw_map(panels[0], shown, points.offset, colours="cividis")
    panels[0].set_title("mean logit m(Φ)", fontsize=9.5, loc="left")
    for axes, column in zip(panels[1:], order, strict=True):
        draw_map(axes, shown, points.phi[:, column])
        axes.set_title(f"feature {column + 1}", fontsize=9.5, loc="left")
    name_sides(shown, panels)
    _small_print(
        figure,
        f"the {len(order)} of {points.phi.shape[1]} features that vary most;"
        " bright is high, each panel has a scale of its own",
    )
    return figure


def _small_print(figure: Figure, text: str) -> None:
    """A line or two below all panels."""
    figure.supxlabel(wrapped(figure, text), fontsize=8, color=NOTE)
