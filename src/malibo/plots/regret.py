"""Methods compared: the best regret so far over trials."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np

from malibo.errors import InputError
from malibo.extras import require
from malibo.plots.style import COLOURS, NOTE
from malibo.space.parameters import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def regret_figure(curves: Mapping[str, Array], title: str) -> Figure:
    """Best regret so far over trials: a line for each method in a band of its error.

    Each value of ``curves`` is (seeds, trials).
    """
    _check(curves)
    require("matplotlib", "plots")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    positive = [rows[rows > 0].min() for rows in curves.values() if (rows > 0).any()]
    floor = min(positive, default=1.0)
    for colour, (name, rows) in zip(cycle(COLOURS), curves.items(), strict=False):
        shown = np.maximum(rows, floor / 2)  # a regret of 0 has no place on a logarithmic scale
        trials = np.arange(1, rows.shape[1] + 1)
        middle, error = _mean_and_error(np.log(shown))
        axes.plot(trials, np.exp(middle), color=colour, label=name, linewidth=2)
        low, high = np.exp(middle - error), np.exp(middle + error)
        axes.fill_between(trials, low, high, color=colour, alpha=0.2, linewidth=0)
    axes.set_yscale("log")
    axes.set_xlim(1, None)
    axes.set_xlabel("trial")
    axes.set_ylabel("normalised regret of the best so far")
    axes.set_title(title, fontsize=11, loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.3)
    axes.legend(frameon=False, loc="upper right")
    seeds = next(iter(curves.values())).shape[0]
    note = f"line: geometric mean of {seeds} seeds, band: one standard error each way"
    axes.annotate(note, (0.01, 0.02), xycoords="axes fraction", fontsize=8, color=NOTE)
    return figure


def _check(curves: Mapping[str, Array]) -> None:
    """Refuse what has no lines."""
    if not isinstance(curves, Mapping) or not curves:
        raise InputError(
            f"curves must be a dict of methods and their regrets (seeds, trials), got {curves!r}."
        )
    for name, rows in curves.items():
        if np.ndim(rows) != 2 or not np.size(rows):
            raise InputError(
                f"the regrets of {name!r} must be an array (seeds, trials) with at least one of"
                f" each, got the shape {np.shape(rows)}."
            )


def _mean_and_error(rows: Array) -> tuple[Array, Array]:
    """Mean over the first axis, and its standard error (0 for a single row)."""
    spread = rows.std(axis=0, ddof=1) if len(rows) > 1 else np.zeros(rows.shape[1])
    return rows.mean(axis=0), spread / np.sqrt(len(rows))
