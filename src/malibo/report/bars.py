"""Small bars in tables: where a value lies in its range, and how sure a share is."""

from __future__ import annotations

from typing import Any

from malibo.report.frame import inset, percent_of
from malibo.report.markup import Markup, tag
from malibo.report.scales import Scale, parameter_place

Facts = dict[str, Any]


def range_bar(parameter: Facts, value: Any) -> Markup:
    """A track from low to high with a mark at the value; of choices, one cell each."""
    place = parameter_place(parameter, value)
    if "choices" in parameter:
        marks = _cells(len(parameter["choices"]), place)
    else:
        marks = [tag("rect", x=0, y=6, width="100%", height=4, rx=2, class_="track")]
        if place is not None:
            marks.append(tag("circle", cx=percent_of(inset(place)), cy=8, r=6, class_="mark"))
    return tag("svg", *marks, class_="bar", height=16, aria_hidden="true")


def _cells(number: int, place: float | None) -> list[Markup]:
    wide = 100 / number
    chosen = -1 if place is None else int(place * number)
    return [
        tag(
            "rect",
            x=f"{index * wide:.2f}%",
            y=4,
            width=f"{wide * (0.94 if number > 1 else 1):.2f}%",
            height=8,
            rx=2,
            class_="mark" if index == chosen else "track",
        )
        for index in range(number)
    ]


def interval_bar(value: float, low: float, high: float, scale: Scale) -> Markup:
    """A bar from zero to the value, and a thin line for the interval."""
    zero, end, first, last = (scale.place(number) for number in (0.0, value, low, high))
    left, wide = min(zero, end), abs(end - zero)
    marks = [
        tag("rect", x=0, y=3, width="100%", height=12, rx=2, class_="track"),
        tag("rect", x=percent_of(left), y=3, width=percent_of(wide), height=12, class_="filled"),
        tag("line", x1=percent_of(first), x2=percent_of(last), y1=9, y2=9, class_="interval"),
        _stroke(first, 5, 13, "interval"),
        _stroke(last, 5, 13, "interval"),
    ]
    if scale.low < 0:
        marks.append(_stroke(zero, 0, 18, "zero"))
    return tag("svg", *marks, class_="bar", height=18, aria_hidden="true")


def _stroke(place: float, top: int, bottom: int, kind: str) -> Markup:
    """An upright line."""
    at = percent_of(place)
    return tag("line", x1=at, x2=at, y1=top, y2=bottom, class_=kind)
