"""Style: how a method looks, the same in all figures, and what all panels have in common.

Colours are those that most eyes tell apart (Okabe and Ito), and a colour that occurs twice comes
with another kind of line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from zlib import crc32

from malibo.extras import require
from malibo.plots.style import NOTE, finish, legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, SKY, GREEN, ORANGE = "#0072b2", "#56b4e9", "#009e73", "#e69f00"
RED, PINK, GREY, BLACK, PURPLE, BROWN, OLIVE = (
    "#d55e00",
    "#cc79a7",
    "#767676",
    "#000000",
    "#5e3c99",
    "#8c510a",
    "#999933",
)

SOLID, DASHED, DOTTED = "-", (0, (5, 2)), (0, (1, 1.5))
DASH_DOT, DASH_DOT_DOT = (0, (5, 1.5, 1, 1.5)), (0, (5, 1.5, 1, 1.5, 1, 1.5))
LineStyle = str | tuple[int, tuple[float, ...]]

WIDTH, HEIGHT = 3.3, 2.6  # of a panel, in inches
NARROW = 2.75  # its width where there are three columns: legible at the width of a page
MOST_COLUMNS = 3
LEGEND = 0.6  # inches for a legend of two rows, with small print


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
    "malibo-network": Style("MALIBO (network)", GREEN, DOTTED),
    "malibo-trusting": Style("MALIBO (trusting)", PURPLE, DOTTED),
    "lfbo": Style("LFBO", RED),
    "lfbo-bb": Style("LFBO+BB", ORANGE),
    "bore": Style("BORE", RED, DOTTED),
    "tpe": Style("TPE", PURPLE, DASH_DOT),
    "gp": Style("GP", GREEN),
    "rgpe": Style("RGPE", PINK),
    "ablr": Style("ABLR", SKY),
    "gc3p": Style("GC3P", BROWN, DASHED),
    "banner": Style("BaNNER", BLACK),
    "fsbo": Style("FSBO", PINK, DASHED),
    "dre": Style("DRE", OLIVE),
    "metabo": Style("MetaBO", BROWN),
    "pfn": Style("PFN", PURPLE),
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

FOREST, WINE, INDIGO = "#117733", "#882255", "#332288"  # of Paul Tol's colours

PUBLISHED: Mapping[str, Style] = {  # methods known by their curves on HPO-B, as named there
    "Random": Style("Random", GREY, DOTTED),
    "GP": Style("GP", GREEN),
    "DGP": Style("DGP", FOREST, DASHED),
    "DNGO": Style("DNGO", ORANGE),
    "BOHAMIANN": Style("BOHAMIANN", BROWN),
    "TST": Style("TST", SKY, DASHED),
    "TAF": Style("TAF", PURPLE, DASH_DOT),
    "RGPE": Style("RGPE", PINK),
    "FSBO": Style("FSBO", WINE, DASHED),
    "FSBO2": Style("FSBO2", WINE),
    "NAP": Style("NAP", BLACK, width=2.0),
    "OptFormer-NAP": Style("OptFormer (by NAP)", INDIGO, DASHED),
    "RS-C": Style("RS-C", GREY, DOTTED),
    "GP-C": Style("GP-C", GREEN),
    "DGP-C": Style("DGP-C", FOREST, DASHED),
    "FSBO2-C": Style("FSBO2-C", WINE),
    "random_search": Style("Random search", GREY, DOTTED),
    "random_search_ei": Style("Random search, EI", GREY),
    "gp_ucb": Style("GP-UCB", GREEN, DASHED),
    "dgp": Style("DGP", FOREST, DASHED),
    "hyperbo": Style("HyperBO", OLIVE),
    "vizier": Style("Vizier", BLACK),
    # a colour for each model, a line for each acquisition function; without one it is dotted
    "optformer": Style("OptFormer", INDIGO, DOTTED),
    "optformer_ei": Style("OptFormer, EI", INDIGO, width=2.0),
    "optformer_pi": Style("OptFormer, PI", INDIGO, DASHED),
    "optformer_ts": Style("OptFormer, TS", INDIGO, DASH_DOT),
    "optformer_ucb": Style("OptFormer, UCB", INDIGO, DASH_DOT_DOT),
    "optformer_min": Style("OptFormer-min", ORANGE, DOTTED),
    "optformer_min_ei": Style("OptFormer-min, EI", ORANGE),
    "optformer_B_ei": Style("OptFormer-B, EI", BLUE),
    "optformer_H_ei": Style("OptFormer-H, EI", WINE),
    "optformer_R_ei": Style("OptFormer-R, EI", PINK),
    "oss_optformer_B": Style("OSS OptFormer-B", BROWN, DOTTED),
    "oss_optformer_B_ei": Style("OSS OptFormer-B, EI", BROWN),
    "oss_optformer_H": Style("OSS OptFormer-H", RED, DOTTED),
    "oss_optformer_H_ei": Style("OSS OptFormer-H, EI", RED),
}
_COLOURS = (SKY, GREEN, ORANGE, RED, PINK, PURPLE, BROWN, OLIVE, FOREST, WINE, INDIGO)
_LINES = (DASH_DOT_DOT, DASH_DOT, DASHED)
_MARK = " (published)"  # of a published method beside an own one of the same name

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
    known = STYLES.get(method) or PUBLISHED.get(method)
    if known:
        return known
    if method.endswith(_MARK):
        original = style(method.removesuffix(_MARK))
        return replace(original, label=original.label + _MARK, line=DASH_DOT_DOT)
    return _plain(method)


def _plain(method: str) -> Style:
    """A colour and a line by the name: two unknown methods seldom look alike."""
    looks = [(colour, line) for line in _LINES for colour in _COLOURS]
    colour, line = looks[crc32(method.encode()) % len(looks)]
    return Style(method, colour, line)


def suite_label(suite: str) -> str:
    """Name of a suite in print."""
    family, separator, noise = suite.partition("-noise-")
    label = SUITES.get(family, family)
    return f"{label}, ε = {noise}" if separator else label


def panels(count: int, height: float = HEIGHT) -> tuple[Figure, list[Axes]]:
    """A figure with some panels in as few rows as are readable."""
    require("matplotlib", "plots")
    from matplotlib.figure import Figure

    columns = 2 if count == 4 else min(count, MOST_COLUMNS)
    rows = -(-count // columns)
    each = NARROW if columns == MOST_COLUMNS else WIDTH
    width = each * max(columns, 1.5)  # wide enough for a legend below a single panel
    figure = Figure(figsize=(width, height * rows + 0.1 + LEGEND), layout="constrained")
    grid = list(figure.subplots(rows, columns, squeeze=False).flat)
    for unused in grid[count:]:
        unused.remove()
    for axes in grid[:count]:
        finish(axes)
    return figure, grid[:count]


def legend_below(figure: Figure, note: str) -> None:
    """One legend below all panels, for which the figure grows: panels keep their height."""
    legend(figure, note)
    figure.draw_without_rendering()
    inches = figure.legends[0].get_window_extent().height / figure.dpi
    figure.set_figheight(figure.get_figheight() + max(inches - LEGEND, 0.0))


def title(axes: Axes, text: str, note: str = "") -> None:
    """Title of a panel on its left, and small print on its right, below it if that is narrow."""
    axes.set_title(f"{text}\n" if _is_narrow(axes) else text, fontsize=10, loc="left")
    axes.set_title(note, fontsize=7.5, loc="right", color=NOTE)


def _is_narrow(axes: Axes) -> bool:
    place, figure = axes.get_subplotspec(), axes.get_figure(root=True)
    if place is None or figure is None:
        return False
    return bool(figure.get_figwidth() < WIDTH * place.get_gridspec().ncols)


def name_axes(figure: Figure, x: str, y: str) -> None:
    """Names of the axes at the lowest panel of each column and the first of each row."""
    places = [axes.get_subplotspec() for axes in figure.axes]
    last = {place.colspan.start: number for number, place in enumerate(places) if place}
    for number, (axes, place) in enumerate(zip(figure.axes, places, strict=True)):
        if place and place.is_first_col():
            axes.set_ylabel(y, fontsize=9)
        if number in last.values():
            axes.set_xlabel(x, fontsize=9)
