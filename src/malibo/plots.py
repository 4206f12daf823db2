"""Pictures (extra ``demo``)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from malibo.errors import InputError, listing
from malibo.extras import require

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = ("#0072b2", "#d55e00", "#767676", "#009e73", "#cc79a7", "#56b4e9")  # for all eyes


def regret_figure(curves: Mapping[str, NDArray[np.float64]], title: str) -> Figure:
    """Best regret so far over trials: a line for each method in a band of its error.

    Each value of ``curves`` is (seeds, trials).
    """
    require("matplotlib", "demo")
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
    axes.annotate(note, (0.01, 0.02), xycoords="axes fraction", fontsize=8, color="#555555")
    return figure


def _mean_and_error(rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean over the first axis, and its standard error (0 for a single row)."""
    spread = rows.std(axis=0, ddof=1) if len(rows) > 1 else np.zeros(rows.shape[1])
    return rows.mean(axis=0), spread / np.sqrt(len(rows))


def check_path(path: Path) -> None:
    """Refuse a path that no picture can go to, before the work for it is done."""
    require("matplotlib", "demo")
    from matplotlib.figure import Figure

    if not path.parent.is_dir():
        raise InputError(f"cannot save the picture: there is no folder {path.parent}.")
    known = Figure().canvas.get_supported_filetypes()
    if path.suffix[1:].lower() not in known:
        raise InputError(
            f"cannot save the picture as {path.name!r}; its ending must be one of"
            f" {listing(known, 20)}."
        )


def save(figure: Figure, path: Path) -> None:
    """Write a picture, in the format of the path's ending."""
    figure.savefig(path, dpi=150)
