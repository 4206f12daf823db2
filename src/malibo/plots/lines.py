"""Steps of a tuning along one parameter: what is foreseen, and the acquisition below it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit

from malibo.optimizer import Malibo
from malibo.plots.slices import Axis, Slice
from malibo.plots.steps import Step, foreseen_values
from malibo.plots.style import (
    BLUE,
    DARK,
    ORANGE,
    SKY,
    WORDS,
    blank,
    finish,
    legend,
    shortened,
    wrapped,
)
from malibo.plots.values import draw_values, drawable, fence, with_room
from malibo.task import sign

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS = 4  # of panels, at most
_WIDTH, _HEIGHT = 2.6, 3.4  # of a column and of a pair of rows, in inches
_ROOM = 0.03  # at both ends of an axis


def lines_figure(optimizer: Malibo, shown: Slice, steps: Sequence[Step]) -> Figure:
    """A pair of panels for each step."""
    columns = min(len(steps), COLUMNS)
    rows = -(-len(steps) // columns)
    title = f"Results and acquisition along {shortened(shown.axes[0].name)}"
    figure = blank(max(_WIDTH * columns, 6.5), _HEIGHT * rows + 1.1, title)
    grid: Any = figure.subplots(
        2 * rows, columns, sharex=True, sharey="row", height_ratios=[3, 2] * rows, squeeze=False
    )
    pairs = list(zip(grid[0::2].ravel(), grid[1::2].ravel(), strict=True))
    for unused in pairs[len(steps) :]:
        unused[0].remove()
        unused[1].remove()
    limits = _limits(optimizer, steps)
    for (top, bottom), step in zip(pairs, steps, strict=False):
        _draw_results(top, optimizer, shown, step, limits)
        _draw_acquisition(bottom, shown, step)
        _mark(top, bottom, shown, step)
        top.set_title(step.moment, fontsize=9.5, loc="left")
        shown.axes[0].dress(bottom, "x", name=False, room=_ROOM)
    for top, bottom in pairs[: len(steps) : columns]:
        top.set_ylabel("value")
        bottom.set_ylabel("acquisition")
    for _, bottom in pairs[: len(steps)][-columns:]:
        bottom.set_xlabel(shortened(shown.axes[0].name))
        bottom.tick_params(labelbottom=True)
    legend(figure, wrapped(figure, _note(shown, steps)))
    return figure


def _limits(optimizer: Malibo, steps: Sequence[Step]) -> tuple[float, float]:
    """Of values: all results that are not far off, and half a range for what is foreseen below."""
    losses = drawable(np.concatenate([step.known.losses for step in steps]))
    if not np.isfinite(losses).any():
        return 0.0, 1.0
    best, worst = np.nanmin(losses), fence(losses)
    lows = [step.foreseen[0].min() for step in steps if step.foreseen is not None]
    low = max(min([best, *lows]), best - (worst - best) / 2)
    ends = sorted(sign(optimizer.direction) * np.array([low, worst]))
    return with_room(float(ends[0]), float(ends[1]))


def _draw_results(
    axes: Axes, optimizer: Malibo, shown: Slice, step: Step, limits: tuple[float, float]
) -> None:
    """Foreseen ones as a line in a band, those that were told as dots."""
    finish(axes)
    axes.tick_params(labelbottom=False)
    axis, foreseen = shown.axes[0], foreseen_values(step, optimizer)
    if foreseen is not None:
        low, middle, high = drawable(foreseen)
        style: dict[str, Any] = {"color": SKY, "alpha": 0.3, "lw": 0}
        axes.fill_between(axis.codes, low, high, label="foreseen, 80 %", **style)
        axes.plot(axis.codes, middle, **_line(axis, BLUE), label="foreseen, median")
    x, worse = shown.along(step.known.codes)[:, 0], sign(optimizer.direction)
    values = worse * drawable(step.known.losses)
    if not len(values):
        axes.text(0.5, 0.5, "no results yet", transform=axes.transAxes, **WORDS)
    dot: dict[str, Any] = {"s": 30, "c": "white", "ec": "black", "lw": 0.9, "label": "result"}
    draw_values(axes, x, values, worse, limits, **dot)
    axes.set_ylim(*limits)


def _draw_acquisition(axes: Axes, shown: Slice, step: Step) -> None:
    """Thompson samples, the mean, and what is maximised, as numbers from 0 to 1."""
    finish(axes)
    axis = shown.axes[0]
    for number, logits in enumerate(step.samples):
        name = "Thompson samples of the meta-model" if number == 0 else None
        line = {**_line(axis, DARK, 0.9), "ls": "--", "alpha": 0.6}
        axes.plot(axis.codes, expit(logits), **line, label=name)
    if step.mean is not None:
        axes.plot(axis.codes, expit(step.mean), **_line(axis, BLUE), label="its mean")
    if step.random:
        axes.text(0.5, 0.5, "chosen at random", transform=axes.transAxes, **WORDS)
    else:
        axes.plot(
            axis.codes, step.acquisition, **_line(axis, ORANGE, 2.0), label="what is maximised"
        )
    axes.set_ylim(0, 1.06)
    axes.set_yticks([0, 0.5, 1])


def _mark(top: Axes, bottom: Axes, shown: Slice, step: Step) -> None:
    """A triangle on the acquisition at the chosen place, and a dotted line up to the results."""
    number = shown.find(step.suggestion.row)
    place = shown.place(number)[0]
    for axes in (top, bottom):
        axes.axvline(place, color="black", ls=":", lw=0.9, zorder=1)
    height = 0.0 if step.random else step.acquisition[number]
    style: dict[str, Any] = {"ms": 8, "mec": "black", "mew": 0.6, "clip_on": False, "zorder": 5}
    bottom.plot([place], [height], "v", color=ORANGE, ls="none", label="chosen next", **style)


def _line(axis: Axis, colour: str, width: float = 1.6) -> dict[str, Any]:
    """How a line looks: with a dot for each value where these are few."""
    return {"color": colour, "lw": width, "marker": "o" if axis.separate else None, "ms": 3.5}


def _note(shown: Slice, steps: Sequence[Step]) -> str:
    """What is maximised, and what a mean and a sample are."""
    parts = ["samples and mean: σ(m(Φ) + zᵀΦ)"] if steps[0].mean is not None else []
    if any(step.foreseen is not None for step in steps):
        parts.append("foreseen values end at the worst result")
    if any(step.improvement for step in steps):
        parts.append("maximised: the expected improvement, by its highest")
    if len(shown.space) > 1:
        parts.append("results differ in other parameters")
    if any(_tried(shown, step) for step in steps):
        parts.append("what was tried is not chosen again")
    return "; ".join(parts)


def _tried(shown: Slice, step: Step) -> bool:
    """Whether the highest place was tried already, so that another one is chosen."""
    chosen = step.acquisition[shown.find(step.suggestion.row)]
    return not step.random and bool(chosen < step.acquisition.max())
