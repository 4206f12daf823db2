"""What all charts of the report share: a grid, numbers beside it, and places in it.

A chart is as wide as its place on the page, and its text keeps its size: heights are in pixels,
places from left to right in percent. Lines are drawn in a box of 1,000 by the height that is
stretched, dots and text are not. Colours come from the style sheet, by class.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from malibo.report.markup import Markup, joined, tag
from malibo.report.scales import Scale, tick_labels

WIDE = 1000  # of the stretched box
_PAD = 10  # pixels above and below the values, so that dots are whole
_SIDE = 0.025  # of the width, left and right of the first and last trial
_BELOW = 26  # pixels for what is written under the axis


def chart(
    height: int,
    scale: Scale,
    body: Sequence[object],
    label: str,
    ticks: Sequence[float] | None = None,
) -> Markup:
    """Numbers on the left, and right of them the picture with its grid.

    ``label`` is what it shows, in a sentence, for those who do not see it.
    """
    marks = scale.ticks() if ticks is None else list(ticks)
    labels = tick_labels(marks)
    wide = 14 + 7 * max((len(label) for label in labels), default=1)
    heights = [height_of(scale, mark, height) for mark in marks]
    numbers = [
        tag("text", label, x=wide - 8, y=y + 4, text_anchor="end")
        for label, y in zip(labels, heights, strict=True)
    ]
    grid = [tag("line", x1=0, x2="100%", y1=y, y2=y, class_="grid") for y in heights]
    return tag(
        "div",
        tag("svg", *numbers, class_="axis", width=wide, height=height + _BELOW),
        tag("svg", *grid, *body, class_="plot", height=height + _BELOW),
        class_="chart",
        role="img",
        aria_label=label,
    )


def stretched(height: int, *lines: object) -> Markup:
    """A box of 1,000 by the height that takes the whole width."""
    return tag(
        "svg",
        *lines,
        viewBox=f"0 0 {WIDE} {height}",
        preserveAspectRatio="none",
        width="100%",
        height=height,
    )


def trial_axis(numbers: Sequence[int]) -> Scale:
    """The axis of trial numbers."""
    return Scale(min(numbers), max(numbers))


def trial_numbers(numbers: Sequence[int], across: Scale, height: int) -> Markup:
    """Numbers of trials under the axis."""
    if across.low == across.high:
        return under(across_at(across, across.low), str(numbers[0]), height)
    ticks = [tick for tick in across.ticks(6) if tick == int(tick)]
    return joined(*[under(across_at(across, tick), str(int(tick)), height) for tick in ticks])


def under(place: float, label: str, height: int) -> Markup:
    """A label under the axis."""
    return tag("text", label, x=percent_of(place), y=height + 18, text_anchor="middle")


def across_at(across: Scale, number: float) -> float:
    """Where a trial lies from left to right, as a share of the width."""
    return inset(across.place(number))


def inset(place: float) -> float:
    """Away from both ends, so that dots are whole."""
    return _SIDE + (1 - 2 * _SIDE) * place


def height_of(scale: Scale, value: float, height: int) -> float:
    """Pixels from above."""
    return _PAD + (1 - scale.place(value)) * (height - 2 * _PAD)


def percent_of(share: float) -> str:
    """A share of the width as SVG has it."""
    return f"{100 * share:.2f}%"


def path(points: Iterable[tuple[float, float]]) -> str:
    """A line through points of the stretched box."""
    text = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return f"M{text}" if text else ""


def dots_path(points: Iterable[tuple[float, float]]) -> str:
    """Lines of no length, which round ends make dots."""
    return "".join(f"M{x:.1f} {y:.1f}h0" for x, y in points)
