"""How far the past was trusted as results came in."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from malibo.config import SuggestConfig
from malibo.errors import InputError, plural
from malibo.optimizer import Malibo
from malibo.plots.style import (
    BLUE,
    DARK,
    GREEN,
    GREY,
    ORANGE,
    PINK,
    SKY,
    blank,
    finish,
    legend,
    shortened,
    whole_numbers,
    wrapped,
)
from malibo.plots.told import first, told
from malibo.process import DISTRUST, Process
from malibo.space.parameters import Array
from malibo.suggest import OWN, SOURCES, Shape
from malibo.threads import one_thread

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = {
    "past": GREEN,
    "meta-model": BLUE,
    "process": ORANGE,
    "booster": PINK,
    "random": GREY,
    "repeat": SKY,
    OWN: DARK,
}
_MARKERS: dict[Shape, str] = {
    "square": "s",
    "circle": "o",
    "triangle": "^",
    "diamond": "D",
    "cross": "X",
    "down": "v",
    "plus": "P",
}


class Trial(Protocol):
    """A trial that knows what chose it, and how far the past was trusted then."""

    @property
    def trust(self) -> float | None:
        """Before its result."""

    @property
    def source(self) -> str | None:
        """A name of malibo.suggest.SOURCES, or any other."""


def trust_figure(
    trusted: Malibo | Sequence[float | None] | Sequence[Trial],
    *,
    sources: Sequence[str | None] | None = None,
    prior: float | None = None,
) -> Figure:
    """Trust in the past over trials, with the level below which the past is doubted.

    ``trusted`` is an optimizer, of which the trust after each result is worked out anew; or the
    trust at each trial (None where there was none); or trials that have a ``trust`` and a
    ``source``. With ``sources``, or from trials, a dot says what chose the trial. ``prior`` is
    the trust before the first result.
    """
    course = _read(trusted, sources, prior)
    latest = course.trust[np.isfinite(course.trust)][-1]
    figure = blank(8, 4.2, f"Trust in the past: {latest:.2f} {course.when}")
    axes = figure.subplots()
    finish(axes)
    axes.plot(
        course.x,
        course.trust,
        color=BLUE,
        lw=2,
        marker="o",
        ms=3.5,
        zorder=3,
        label="trust in the past",
    )
    _draw_levels(axes, course.prior)
    _draw_sources(axes, course)
    axes.set_xlim(course.x[0] - 0.5, course.x[-1] + 0.5)
    axes.set_ylim(-0.02, 1.02)
    axes.set_ylabel("probability that the past helps")
    axes.set_xlabel(course.label)
    whole_numbers(axes)
    note = "line: probability, given the results so far, that the past helps with this task"
    legend(figure, wrapped(figure, note))
    return figure


@dataclass(frozen=True, eq=False)
class _Course:
    """Trust as it went: at which places, what chose the trials, and words for it."""

    x: Array
    trust: Array
    sources: Sequence[str | None]
    prior: float
    label: str
    when: str


def _read(trusted: Any, sources: Sequence[str | None] | None, prior: float | None) -> _Course:
    if isinstance(trusted, Malibo):
        trust = _recomputed(trusted)
        found = _checked_sources(sources, len(trust) - 1)
        when = f"after {plural(len(trust) - 1, 'result')}"
        before = trusted.config.trust if prior is None else prior
        return _Course(np.arange(float(len(trust))), trust, found, before, "results told", when)
    if isinstance(trusted, str) or not isinstance(trusted, Iterable):
        raise InputError(
            f"expected a malibo.Malibo, trials, or a list of numbers; got {trusted!r}."
        )
    trials = list(trusted)
    trust = np.array([_trust_of(trial) for trial in trials])
    if not np.isfinite(trust).any():
        raise InputError(
            f"none of {plural(len(trials), 'trial')} has a trust; a tuning without a past has none."
        )
    if sources is None:
        sources = [getattr(trial, "source", None) for trial in trials]
    found = _checked_sources(sources, len(trials))
    when = f"at trial {int(np.flatnonzero(np.isfinite(trust))[-1]) + 1}"
    before = SuggestConfig().trust if prior is None else prior
    return _Course(np.arange(1.0, len(trials) + 1), trust, found, before, "trial", when)


def _recomputed(optimizer: Malibo) -> Array:
    """Trust before the first result and after each."""
    if not optimizer.model.informed:
        raise InputError("the model knows no past, so there is no trust to show.")
    known, prior = told(optimizer), optimizer.config.trust
    if not len(known.losses):
        raise InputError("there are no results yet; tell the optimizer some first.")
    with one_thread():
        after = [
            Process(optimizer.model, first(known, count).in_order(), prior).trust
            for count in range(1, len(known.losses) + 1)
        ]
    return np.array([prior, *after])


def _trust_of(trial: Any) -> float:
    """Of a trial or a number; NaN where there is none."""
    trust = getattr(trial, "trust", trial)
    if trust is None:
        return np.nan
    if isinstance(trust, bool) or not isinstance(trust, numbers.Real):
        raise InputError(f"trust must be a number from 0 to 1, or None; got {trust!r}.")
    if not 0 <= float(trust) <= 1 + 1e-9:
        raise InputError(f"trust must be a number from 0 to 1, or None; got {trust!r}.")
    return float(trust)


def _checked_sources(sources: Sequence[str | None] | None, trials: int) -> list[str | None]:
    if sources is None:
        return []
    found = list(sources)
    if len(found) != trials:
        raise InputError(f"there are {plural(trials, 'trial')}, but {len(found)} sources.")
    if wrong := [name for name in found if not isinstance(name, str | None)]:
        raise InputError(f"a source must be a name or None, got {wrong[0]!r}.")
    return found


def _draw_levels(axes: Axes, prior: float) -> None:
    axes.axhspan(0, DISTRUST, color=ORANGE, alpha=0.07, lw=0, label="the past more likely misleads")
    axes.axhline(DISTRUST, color=ORANGE, lw=1, ls="--")
    name = f"before the first result ({prior:g})"
    axes.axhline(prior, color=DARK, lw=1, ls=":", label=name)


def _draw_sources(axes: Axes, course: _Course) -> None:
    """Dots by what chose the trials, at the trust that they were chosen with."""
    count = len(course.sources)
    x, trust = course.x[:count], course.trust[:count]
    others = sorted({name for name in course.sources if name and name not in SOURCES})
    for source in (*SOURCES, *others):
        which = np.array([name == source for name in course.sources], dtype=bool)
        which &= np.isfinite(trust)
        if which.any():
            name = f"chosen by: {shortened(source)}"
            axes.scatter(x[which], trust[which], zorder=4, label=name, **_dot(source))


def _dot(source: str) -> dict[str, Any]:
    """How the trials of a source look; of any other name, as those of one's own."""
    known = source if source in SOURCES else OWN
    marker = _MARKERS[SOURCES[known].shape]
    return {"color": _COLOURS[known], "marker": marker, "s": 36, "ec": "white", "lw": 0.6}
