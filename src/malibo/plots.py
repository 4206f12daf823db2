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
    """Best regret so far over trials: a line for each method, a band from least to most.

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
        middle = np.exp(np.log(shown).mean(axis=0))
        axes.plot(trials, middle, color=colour, label=name, linewidth=2)
        axes.fill_between(trials, shown.min(axis=0), shown.max(axis=0), color=colour, alpha=0.15)
    axes.set_yscale("log")
    axes.set_xlim(1, None)
    axes.set_xlabel("trial")
    axes.set_ylabel("normalised regret of the best so far")
    axes.set_title(title, fontsize=11, loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.3)
    axes.legend(frameon=False, loc="upper right")
    seeds = next(iter(curves.values())).shape[0]
    note = f"line: geometric mean of {seeds} seeds, band: least to most"
    axes.annotate(note, (0.01, 0.02), xycoords="axes fraction", fontsize=8, color="#555555")
    return figure


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
