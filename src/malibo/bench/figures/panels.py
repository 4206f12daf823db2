"""Parts of the illustrations: a function, queries on it, an acquisition, features.

A mean or average is blue, a Thompson sample dark and dashed, what boosting makes of it orange.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit

from malibo.bench.figures.adaptation import GRID, TRAINING, grid, prior
from malibo.bench.problems.ensembles import Function
from malibo.history import History
from malibo.labels import label
from malibo.metamodel import MetaModel
from malibo.plots import features
from malibo.plots.style import BLUE, DARK, ORANGE, SKY, finish
from malibo.space.parameters import Array
from malibo.suggest import Suggestion

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RELATED = 10  # past functions that are shown


def tidy(axes: Axes, text: str = "") -> None:
    """What all panels share."""
    finish(axes)
    axes.set_title(text, fontsize=9.5, loc="left")
    axes.set_xlim(-0.02, 1.02)
    axes.set_xticks([0, 0.5, 1])


def tidy_acquisition(axes: Axes, text: str = "") -> None:
    """The same for an acquisition, shown as a probability."""
    tidy(axes, text)
    axes.set_ylim(0, 1)
    axes.set_yticks([0, 0.5, 1])


# -- functions and queries -----------------------------------------------------------------


def draw_function(axes: Axes, function: Function, name: str = "function") -> None:
    """The function to tune."""
    axes.plot(GRID, function(GRID[:, None]), color="black", lw=1.2, label=name)


def draw_queries(axes: Axes, queries: Array, heights: Array) -> None:
    """Queries in the order of their colours, from bright to dark."""
    order = np.arange(len(queries))
    axes.scatter(queries, heights, c=order, cmap="viridis_r", s=34, ec="black", lw=0.5, zorder=3)


def draw_observations(axes: Axes, history: History) -> None:
    """Observations of some tasks, the good ones of each in another colour."""
    tasks = list(history)[:RELATED]
    x = np.concatenate([task.codes[:, 0] for task in tasks])
    losses = np.concatenate([task.losses for task in tasks])
    gamma = TRAINING.past_gamma
    good = np.concatenate([label(task.losses, gamma).k for task in tasks])
    best = f"best {gamma:.0%} of a task"
    for which, colour, name in ((good, ORANGE, best), (~good, BLUE, "others")):
        axes.scatter(x[which], losses[which], s=6, alpha=0.5, color=colour, lw=0, label=name)


def draw_related(axes: Axes, history: History) -> None:
    """Some tasks as lines through their observations."""
    for number, task in enumerate(list(history)[:RELATED]):
        order = np.argsort(task.codes[:, 0])
        name = "past functions" if number == 0 else None
        axes.plot(task.codes[order, 0], task.losses[order], color=SKY, lw=1, label=name)


# -- acquisitions and features -------------------------------------------------------------


def draw_mean(axes: Axes, logits: Array, name: str = "mean") -> None:
    """The acquisition under the mean of q(z), or averaged over it."""
    axes.plot(GRID, expit(logits), color=BLUE, lw=1.5, label=name)


def draw_spread(axes: Axes, model: MetaModel) -> None:
    """How far the acquisition of a new task may be from the mean, before its first trial."""
    points = grid(model).points
    spread = np.sqrt(prior(model).variance(points.phi))
    low, high = expit(points.offset - spread), expit(points.offset + spread)
    name = "± 1 standard deviation"
    axes.fill_between(GRID, low, high, color=BLUE, alpha=0.2, linewidth=0, label=name)


def draw_sample(
    axes: Axes, logits: Array, colour: str = DARK, name: str | None = "Thompson sample"
) -> None:
    """The acquisition under a draw of z."""
    axes.plot(GRID, expit(logits), "--", color=colour, lw=1.2, label=name, zorder=2.5)


def draw_boosted(axes: Axes, logits: Array) -> None:
    """The acquisition after the residual model."""
    axes.plot(GRID, expit(logits), color=ORANGE, lw=1.5, label="with boosting")


def mark_query(axes: Axes, suggestion: Suggestion, colour: str = "black") -> None:
    """A triangle on the acquisition where it is highest: the query."""
    chosen = np.flatnonzero(suggestion.pool.codes[:, 0] == suggestion.row[0])
    height = expit(suggestion.corrected[chosen])
    style: dict[str, Any] = {"ms": 7, "mec": "black", "mew": 0.5, "clip_on": False, "zorder": 4}
    axes.plot(GRID[chosen], height, "v", color=colour, **style)


def draw_thread(panels: Iterable[Axes], suggestion: Suggestion) -> None:
    """A dotted line through panels from the query to the acquisition that chose it."""
    for axes in panels:
        axes.axvline(suggestion.row[0], color="black", ls=":", lw=0.8, zorder=1)


def draw_features(axes: Axes, model: MetaModel) -> None:
    """All features thin, those that vary most in colours."""
    features.draw_features(axes, GRID, grid(model).points.phi)
