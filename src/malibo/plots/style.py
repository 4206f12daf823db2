"""What all pictures have in common: colours, a bare figure, tidy axes, a legend below.

Colours are those that most eyes tell apart (Okabe and Ito).
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

from malibo.extras import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072b2", "#d55e00", "#767676", "#009e73", "#cc79a7", "#56b4e9")  # for all eyes
BLUE, ORANGE, GREY, GREEN, PINK, SKY = COLOURS
DARK = "#333333"
NOTE = "#555555"  # colour of small print
_WORD = 12  # letters of a long word
_LETTERS = 15  # of small print to an inch


WORDS: dict[str, Any] = {  # of a text in the middle of a panel
    "ha": "center",
    "va": "center",
    "fontsize": 9,
    "color": NOTE,
    "bbox": {"facecolor": "white", "edgecolor": "none", "alpha": 0.9},
}


def blank(width: float, height: float, title: str) -> Figure:
    """A figure with a title and nothing else."""
    require("matplotlib", "plots")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    figure.suptitle(title, fontsize=11, x=0.01, ha="left")
    return figure


def finish(axes: Axes) -> None:
    """Only what is read: no frame, a light grid, small numbers."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=8)


def legend(figure: Figure, note: str = "") -> None:
    """One legend below all panels, with each name once and small print over it."""
    found: dict[str, Any] = {}
    for panel in figure.axes:
        handles, labels = panel.get_legend_handles_labels()
        for label, handle in zip(labels, handles, strict=True):
            found.setdefault(label, handle)
    box = figure.legend(
        list(found.values()),
        list(found),
        loc="outside lower center",
        ncols=_columns(list(found), figure.get_figwidth()),
        fontsize=8.5,
        frameon=False,
        handlelength=2.8,
        columnspacing=1.4,
        title=note or None,
        title_fontproperties={"size": 8},
    )
    box.get_title().set_color(NOTE)
    box.get_title().set_multialignment("center")


def _columns(labels: Sequence[str], width: float) -> int:
    """As many columns as fit, and rows of about the same length."""
    inches = 0.65 + 0.075 * max(map(len, labels), default=0)
    most = max(int(width / inches), 1)
    rows = max(-(-len(labels) // most), 1)
    return max(-(-len(labels) // rows), 1)


def wrapped(figure: Figure, note: str) -> str:
    """Small print in lines that fit into a figure, of about the same length."""
    most = int(_LETTERS * figure.get_figwidth())
    lines = -(-len(note) // most)
    return fill(note, min(most, len(note) // max(lines, 1) + _WORD))


def whole_numbers(axes: Axes) -> None:
    """Numbers of trials below a picture: no halves."""
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))


def shortened(text: object, most: int = 24) -> str:
    """A name that fits into a picture, with its ends; a dollar there begins no formula."""
    name = str(text)
    if len(name) > most:
        name = f"{name[: most // 2]}…{name[len(name) - (most - 1) // 2 :]}"
    return name.replace("$", r"\$")
