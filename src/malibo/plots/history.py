"""The course of a tuning: every trial, the best so far, and how the past tasks went."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from malibo.errors import InputError, listing, nearest, plural
from malibo.history import History
from malibo.optimizer import Malibo
from malibo.plots.style import BLUE, DARK, GREY, blank, finish, legend, whole_numbers, wrapped
from malibo.plots.values import draw_values, drawable, fence, with_room
from malibo.space.parameters import Array
from malibo.task import Direction, read_loss, sign

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Scale = Literal["auto", "raw", "relative"]

_BAND = (0.1, 0.5, 0.9)  # quantiles over past tasks
_TOO_WIDE = 100  # one range is so many times as wide as another: they do not go together
_DECADES = (2, 12)  # between the smallest and the greatest value: a logarithmic axis


def history_figure(
    results: Malibo | Iterable[float | None],
    past: History | None = None,
    *,
    direction: Direction | None = None,
    scale: Scale = "auto",
) -> Figure:
    """Every trial's value and the best so far, beside the running best of the past tasks.

    ``results`` is an optimizer, or a list of values in their order (None for a failed trial).
    ``direction`` is the optimizer's, else that of the past, else "minimize".

    With ``scale="raw"`` values are shown as they are. With "relative" each task is seen by its
    own first N trials, as many as the new task has: 0 is the best of them, 1 their median. "auto"
    takes "raw" where the range of most past tasks overlaps that of the new one, neither is more
    than a hundred times as wide as the other, and all tasks have the direction of the new one.
    """
    losses, direction = _read(results, past, direction)
    view = _view(losses, past, direction, scale)
    figure = blank(8, 4.5, _title(losses, sign(direction)))
    axes = figure.subplots()
    finish(axes)
    _draw_past(axes, view)
    limits = _set_limits(axes, view)
    _draw_trials(axes, view, limits)
    axes.set_xlabel("trial")
    axes.set_ylabel(view.label)
    axes.set_xlim(0.5, len(losses) + 0.5)
    whole_numbers(axes)
    legend(figure, wrapped(figure, _note(past)))
    return figure


@dataclass(frozen=True, eq=False)
class _View:
    """What is drawn: values on the scale of the picture.

    trials   (N,) of the new task; NaN is a failed one
    past     (T, N) running best of each past task; without a past there are no rows
    worse    1 if greater values are worse, −1 if smaller ones are
    """

    trials: Array
    past: Array
    worse: int
    label: str

    @property
    def best(self) -> Array:
        """(N,) the best so far."""
        return np.asarray(self.worse * np.fmin.accumulate(self.worse * self.trials))

    @property
    def band(self) -> Array:
        """(3, N) quantiles over the past tasks that have a value by then."""
        found = np.full((len(_BAND), self.past.shape[1]), np.nan)
        some = np.isfinite(self.past).any(axis=0)
        if some.any():
            found[:, some] = np.nanquantile(self.past[:, some], _BAND, axis=0)
        return found


# -- reading ---------------------------------------------------------------------------------


def _read(
    results: Any, past: History | None, direction: Direction | None
) -> tuple[Array, Direction]:
    """Losses, to be minimised, and the direction of what is shown."""
    if past is not None and not isinstance(past, History):
        raise InputError(f"past must be a malibo.History, got {type(past).__name__}.")
    if isinstance(results, Malibo):
        values: Iterable[Any] = [value for _, value in results.results]
        direction = direction or results.direction
    elif isinstance(results, Iterable) and not isinstance(results, str):
        values = results
    else:
        raise InputError(f"expected a malibo.Malibo or a list of values, got {results!r}.")
    direction = direction or (past.direction if past else None) or "minimize"
    losses = sign(direction) * drawable(np.array([read_loss(value) for value in values]))
    if not np.isfinite(losses).any():
        raise InputError(
            f"there is nothing to show: {plural(len(losses), 'result')}, none of them valid."
        )
    return losses, direction


def _view(losses: Array, past: History | None, direction: Direction, scale: str) -> _View:
    if scale not in get_args(Scale):
        known = get_args(Scale)
        raise InputError(
            f"scale must be one of {listing(known)}, got {scale!r}.{nearest(scale, known)}"
        )
    turned = [task.name for task in past or () if task.direction != direction]
    if turned and scale == "raw":
        raise InputError(
            f"task {turned[0]!r} of the past is not to be {direction}d, as the new one is: their"
            ' values do not go on one axis; leave out scale="raw".'
        )
    tasks = [drawable(task.losses[: len(losses)]) for task in past or ()]
    tasks = [task for task in tasks if np.isfinite(task).any()]
    if scale == "auto":
        scale = "relative" if turned or not _share_a_range(losses, tasks) else "raw"
    if scale == "raw":
        factor = sign(direction)
        curves = _running_best(tasks, len(losses))
        return _View(factor * losses, factor * curves, factor, "value")
    curves = _running_best([_relative(task) for task in tasks], len(losses))
    return _View(_relative(losses), curves, 1, "distance to a task's best (1: its median)")


def _share_a_range(losses: Array, tasks: list[Array]) -> bool:
    """Whether most tasks can be shown on one axis with the new one."""
    low, high = np.nanmin(losses), np.nanmax(losses)
    fits = []
    for task in tasks:
        other_low, other_high = np.nanmin(task), np.nanmax(task)
        widths = sorted((high - low, other_high - other_low))
        alike = widths[1] <= _TOO_WIDE * widths[0] or widths[0] == 0
        fits.append(alike and other_low <= high and low <= other_high)
    return not fits or float(np.mean(fits)) > 0.5


def _relative(losses: Array) -> Array:
    """By the best (0) and the median (1) of a task; where they agree, by the best and the worst."""
    best, median, worst = np.nanmin(losses), np.nanmedian(losses), np.nanmax(losses)
    return np.asarray((losses - best) / ((median - best) or (worst - best) or 1.0))


def _running_best(tasks: list[Array], trials: int) -> Array:
    """(T, N): a task that ended sooner keeps its best."""
    curves = np.full((len(tasks), trials), np.nan)
    for row, task in zip(curves, tasks, strict=True):
        row[: len(task)] = task
    return np.asarray(np.fmin.accumulate(curves, axis=1))


# -- drawing ---------------------------------------------------------------------------------


def _title(losses: Array, factor: int) -> str:
    number = int(np.nanargmin(losses))
    value = f"{factor * losses[number]:.4g}"
    return f"Best value {value}, found in trial {number + 1} of {len(losses)}"


def _note(past: History | None) -> str:
    if past is None:
        return "line: the best value up to a trial"
    tasks = plural(len(past.tasks), "past task")
    return f"band: the best so far of {tasks} at their own trials, 10 % to 90 % of the tasks"


def _draw_past(axes: Axes, view: _View) -> None:
    if not len(view.past):
        return
    trials, (low, middle, high) = np.arange(1, len(view.trials) + 1), view.band
    style: dict[str, Any] = {"color": GREY, "alpha": 0.22, "lw": 0}
    axes.fill_between(trials, low, high, step="post", label="past tasks, 10 % to 90 %", **style)
    axes.step(trials, middle, where="post", color=DARK, lw=1.4, ls="--", label="past tasks, median")


def _draw_trials(axes: Axes, view: _View, limits: tuple[float, float]) -> None:
    """The best so far, and every trial."""
    numbers = np.arange(1.0, len(view.trials) + 1)
    axes.step(numbers, view.best, where="post", color=BLUE, lw=2.2, label="best so far", zorder=3)
    dot: dict[str, Any] = {"s": 26, "color": BLUE, "ec": "white", "lw": 0.6, "label": "trial"}
    draw_values(axes, numbers, view.trials, view.worse, limits, **dot)


def _set_limits(axes: Axes, view: _View) -> tuple[float, float]:
    """The range of the picture: a diverged trial does not flatten the rest."""
    turned = view.worse * view.trials
    good, bad = [np.nanmin(turned)], [fence(turned)]
    if np.isfinite(view.past).any():
        band = view.worse * view.band[:, np.isfinite(view.band).all(axis=0)]
        good.append(band.min())
        bad.append(fence(band.max(axis=0)))
    low, high = sorted((float(view.worse * min(good)), float(view.worse * max(bad))))
    if view.label == "value" and 10 ** _DECADES[0] * low < high < 10 ** _DECADES[1] * low:
        axes.set_yscale("log")
        room = (high / low) ** 0.04
        limits = (low / room, high * room)
    else:
        limits = with_room(low, high)
    axes.set_ylim(*limits)
    return limits
