"""Marks of trials: a colour and a shape for each source, so that either tells them apart."""

from __future__ import annotations

from malibo.report.frame import percent_of
from malibo.report.markup import Markup, tag
from malibo.suggest import OWN, SOURCES, Shape

_BOX = 6  # half the side of a small picture of a mark
_PATHS: dict[Shape, str] = {  # around 0, 0, about as large as a circle of radius 4.5
    "circle": "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z",
    "square": "M-4-4h8v8h-8z",
    "triangle": "M0-5.2L5 4H-5z",
    "down": "M0 5.2L5-4H-5z",
    "diamond": "M0-5.8L5 0L0 5.8L-5 0z",
    "cross": "M-5-2.8L-2.8-5L0-2.2L2.8-5L5-2.8L2.2 0L5 2.8L2.8 5L0 2.2L-2.8 5L-5 2.8L-2.2 0z",
    "plus": "M-1.7-5.2h3.4v3.5h3.5v3.4h-3.5v3.5h-3.4v-3.5h-3.5v-3.4h3.5z",
}
LOST = "lost"  # the class of a trial without a value, which is a ring


def trial_mark(
    across: float, down: float, kinds: str, source: str | None, trial: int | None = None
) -> Markup:
    """The mark of a trial in a chart, at a share of the width and at pixels from above.

    ``source`` is None for one without a value; ``trial`` is its number, by which the page's script
    finds it.
    """
    shape = tag("path", d=_path(source), class_=kinds, data_trial=trial)
    return tag("svg", shape, x=percent_of(across), y=down)


def swatch(source: str | None) -> Markup:
    """A small picture of the mark of a source, or of a trial without a value, before its name."""
    kind = LOST if source is None else source_class(source)
    return tag(
        "svg",
        tag("path", d=_path(source), class_=kind),
        class_="swatch",
        viewBox=f"-{_BOX} -{_BOX} {2 * _BOX} {2 * _BOX}",
        aria_hidden="true",
    )


def source_class(source: str) -> str:
    """The class of a source in the style sheet; any other name is one of one's own."""
    return f"source-{source if source in SOURCES else OWN}"


def _path(source: str | None) -> str:
    """Of any other name as of one's own; of a trial without a value, a circle."""
    if source is None:
        return _PATHS["circle"]
    return _PATHS[SOURCES[source if source in SOURCES else OWN].shape]
