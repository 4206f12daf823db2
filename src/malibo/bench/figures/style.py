"""Style: how a method looks, the same in all figures, and what all panels have in common.

Colours are those that most eyes tell apart (Okabe and Ito), and a colour that occurs twice comes
with another kind of line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from malibo.extras import require
from malibo.plots.style import NOTE, finish

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, SKY, GREEN, ORANGE = "#0072b2", "#56b4e9", "#009e73", "#e69f00"
RED, PINK, GREY, BLACK, PURPLE, BROWN = (
    "#d55e00",
    "#cc79a7",
    "#767676",
    "#000000",
    "#5e3c99",
    "#8c510a",
)

SOLID, DASHED, DOTTED = "-", (0, (5, 2)), (0, (1, 1.5))
DASH_DOT, DASH_DOT_DOT = (0, (5, 1.5, 1, 1.5)), (0, (5, 1.5, 1, 1.5, 1, 1.5))
LineStyle = str | tuple[int, tuple[float, ...]]

WIDTH, HEIGHT = 3.3, 2.6  # of a panel, in inches
MOST_COLUMNS = 4


@dataclass(frozen=True)
class Style:
    """How one method is shown."""

    label: str
    colour: str
    line: LineStyle = SOLID
    width: float = 1.4

    def plot(self) -> dict[str, Any]:
        """Arguments of a line."""
        return {
            "label": self.label,
            "color": self.colour,
            "linestyle": self.line,
            "linewidth": self.width,
        }


STYLES: Mapping[str, Style] = {
    "malibo": Style("MALIBO", BLUE, width=2.6),
    "malibo-paper": Style("MALIBO (paper)", BLUE, DASHED),
    "malibo-classifier": Style("MALIBO (classifier)", SKY, DASH_DOT),
    "malibo-trusting": Style("MALIBO (trusting)", PURPLE, DOTTED),
    "lfbo": Style("LFBO", RED),
    "lfbo-bb": Style("LFBO+BB", ORANGE),
    "bore": Style("BORE", RED, DOTTED),
    "tpe": Style("TPE", PURPLE, DASH_DOT),
    "gp": Style("GP", GREEN),
    "rgpe": Style("RGPE", PINK),
    "ablr": Style("ABLR", SKY),
    "gc3p": Style("GC3P", BROWN, DASHED),
    "past-best": Style("Past best", BLACK, DASHED),
    "random": Style("Random", GREY, DOTTED),
    "malibo-probit": Style("MALIBO (Probit)", GREEN, DASHED),
    "malibo-ts": Style("MALIBO (TS)", ORANGE, DASHED),
    "malibo-res": Style("MALIBO (RES)", RED, DASH_DOT),
    "malibo-mean": Style("MALIBO (MEAN)", PINK, DASH_DOT),
    "malibo-rf": Style("MALIBO (RF)", SKY, DASHED),
    "malibo-mlp": Style("MALIBO (MLP)", BLACK, DOTTED),
    "malibo-variational": Style("MALIBO (SVI)", ORANGE, DASH_DOT),
    "malibo-hmc": Style("MALIBO (HMC)", GREEN, DASH_DOT),
    "malibo-d4": Style("d = 4", "#fdae61", DOTTED),
    "malibo-d8": Style("d = 8", "#f46d43", DASH_DOT_DOT),
    "malibo-d16": Style("d = 16", "#d73027", DASH_DOT),
    "malibo-d32": Style("d = 32", "#a50026", DASHED),
    "malibo-d64": Style("d = 64", PURPLE, DASHED),
    "malibo-d128": Style("d = 128", "#2d004b", DASH_DOT),
}

SUITES: Mapping[str, str] = {
    "fcnet": "HPOBench",
    "nasbench201": "NASBench201",
    "hpobench_mlp": "HPOBench-MLP",
    "quadratic": "Quadratic",
    "forrester": "Forrester",
    "branin": "Branin",
    "hartmann3d": "Hartmann3D",
}


def style(method: str) -> Style:
    """Of a method; one without a style of its own gets a plain one."""
    return STYLES.get(method, Style(method, GREY, DASH_DOT_DOT))


def suite_label(suite: str) -> str:
    """Name of a suite in print."""
    family, separator, noise = suite.partition("-noise-")
    label = SUITES.get(family, family)
    return f"{label}, ε = {noise}" if separator else label


def panels(count: int, height: float = HEIGHT) -> tuple[Figure, list[Axes]]:
    """A figure with some panels in as few rows as are readable."""
    require("matplotlib", "plots")
    from matplotlib.figure import Figure

    columns = min(count, MOST_COLUMNS) if count != 2 * MOST_COLUMNS - 2 else 3
    rows = -(-count // columns)
    width = WIDTH * max(columns, 1.5)  # wide enough for a legend below a single panel
    figure = Figure(figsize=(width, height * rows + 0.7), layout="constrained")
    grid = list(figure.subplots(rows, columns, squeeze=False).flat)
    for unused in grid[count:]:
        unused.remove()
    for axes in grid[:count]:
        finish(axes)
    return figure, grid[:count]


def title(axes: Axes, text: str, note: str = "") -> None:
    """Title of a panel on its left, and small print on its right."""
    axes.set_title(text, fontsize=10, loc="left")
    axes.set_title(note, fontsize=7.5, loc="right", color=NOTE)


def name_axes(figure: Figure, x: str, y: str) -> None:
    """Names of the axes at the lowest panel of each column and the first of each row."""
    places = [axes.get_subplotspec() for axes in figure.axes]
    last = {place.colspan.start: number for number, place in enumerate(places) if place}
    for number, (axes, place) in enumerate(zip(figure.axes, places, strict=True)):
        if place and place.is_first_col():
            axes.set_ylabel(y, fontsize=9)
        if number in last.values():
            axes.set_xlabel(x, fontsize=9)
