"""Figures of a group: regret and ranks over steps, critical differences, every search space."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from malibo.bench.figures import critical
from malibo.bench.figures.lines import Band, draw_bands, mean_bands, seeds_note
from malibo.bench.figures.style import name_axes, panels, style, title
from malibo.bench.metrics import Curves, average_ranks, in_natural_order
from malibo.bench.published.endlabels import label_ends
from malibo.bench.published.groups import Group
from malibo.bench.published.names import space_title
from malibo.bench.published.tables import on_space, shown_steps, space_of
from malibo.bench.statistics import LEVEL, cliques, compare, ranks_at
from malibo.errors import plural
from malibo.extras import require
from malibo.plots.style import NOTE, finish, legend, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Draw = Callable[[], "Figure"]

# so many methods have their errors shown: those of more would cover each other
MOST_BANDS, MOST_IN_SMALL = 12, 6  # in a large panel, in a small one
_WIDTH, _LINE, _BELOW = 7.6, 0.2, 0.9  # inches: of a figure, of a label, of what is below
_LETTER = 0.345  # inches of a diagram's width for a letter of its longest label
_AROUND = 7  # letters of the rank beside a label
_BAND = "; band: one standard error each way"


def group_figures(group: Group) -> dict[str, tuple[str, Draw]]:
    """Figures by name: one line on what each shows, and how it is drawn."""
    about = {
        "regret": ("mean normalised regret", regret_figure),
        "rank": ("average rank", rank_figure),
        "cd": ("critical differences (Wilcoxon, Holm)", cd_figure),
        "spaces": ("normalised regret in each search space", spaces_figure),
    }
    return {
        f"fig-{group.name}-{name}": (f"{line}, {group.title}", partial(draw, group))
        for name, (line, draw) in about.items()
    }


def regret_figure(group: Group) -> Figure:
    """Mean normalised regret over steps."""
    bands = _bands(group.curves, MOST_BANDS)
    note = f"line: mean over tasks and seeds{_band_note(group.curves, MOST_BANDS)}"
    return _single(group, bands, "normalised regret", note, logarithmic=True)


def rank_figure(group: Group) -> Figure:
    """Average rank over steps."""
    ranks = average_ranks(group.curves)
    bands = {name: Band(group.curves.steps, *[ranks[name]] * 3) for name in ranks}
    note = "ranks among the methods shown, 1 is best; equal at step 0 where all start alike"
    return _single(group, bands, "average rank", note, logarithmic=False)


def _single(
    group: Group, bands: Mapping[str, Band], label: str, note: str, logarithmic: bool
) -> Figure:
    """One panel, with the names of methods at the ends of their lines."""
    height = max(3.4, _LINE * len(bands))
    figure, axes = _panel(height)
    draw_bands(axes, bands, logarithmic)
    label_ends(axes, bands)
    title(axes, group.title.partition(":")[0], _sample(group.curves))
    name_axes(figure, "step", label)
    figure.supxlabel(wrapped(figure, note), fontsize=8, color=NOTE)
    return figure


def _panel(height: float) -> tuple[Figure, Axes]:
    """A figure with one large panel, and room for names right of it."""
    require("matplotlib", "plots")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH, height + _BELOW), layout="constrained")
    axes = figure.subplots()
    finish(axes)
    return figure, axes


def _bands(curves: Curves, most: int) -> dict[str, Band]:
    """Means with their errors; without, where there are too many of them."""
    found = mean_bands(curves)
    if len(found) <= most:
        return found
    return {name: Band(band.x, *[band.middle] * 3) for name, band in found.items()}


def _band_note(curves: Curves, most: int) -> str:
    return _BAND if len(curves.methods) <= most else ""


def _sample(curves: Curves) -> str:
    return f"{plural(len(curves.tasks), 'task')}, {seeds_note(curves)}"


def cd_figure(group: Group) -> Figure:
    """Critical-difference diagrams, one for each step of the tables."""
    diagrams = []
    for step in shown_steps(group.curves):
        ranks = ranks_at(group.curves, step)
        diagrams.append((step, ranks, cliques(ranks, compare(group.curves, step))))
    note = (
        f"{group.title.partition(':')[0]}, {_sample(group.curves)}; a bar joins methods that do"
        f" not differ\n(Wilcoxon signed-rank tests with Holm's correction, p ≥ {LEVEL:g})"
    )
    figure = critical.diagrams(diagrams, note)
    longest = max(len(style(method).label) for method in group.curves.methods)
    figure.set_figwidth(max(critical.WIDTH, _LETTER * (longest + _AROUND)))
    return figure


def spaces_figure(group: Group) -> Figure:
    """Normalised regret over steps, a panel for each search space."""
    spaces = in_natural_order({space_of(task) for task in group.curves.tasks})
    figure, grid = panels(len(spaces))
    for axes, space in zip(grid, spaces, strict=True):
        shown = on_space(group.curves, space)
        draw_bands(axes, _bands(shown, MOST_IN_SMALL))
        title(axes, space_title(space), _sample(shown))
    name_axes(figure, "step", "normalised regret")
    note = (
        f"{group.title}; line: mean over tasks and seeds{_band_note(group.curves, MOST_IN_SMALL)}"
    )
    legend(figure, note)
    return figure
