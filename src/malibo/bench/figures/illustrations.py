"""What MALIBO learns and how it adapts, drawn on functions of one variable.

These pictures of the paper need no results of runs: each is computed in seconds, and the same
seed gives the same picture. An acquisition is shown as a probability, σ(logit). Beside queries it
is the one that chose the last of them, where it has a triangle.

Seed 0 and the functions to tune (``adaptation.TARGETS``) are examples, not averages: the
Forrester function was chosen for its two optima far apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from malibo.bench.figures.adaptation import (
    VARIANTS,
    Iteration,
    adapt,
    grid,
    learned,
    mean_logits,
    past,
    prior_draws,
    target,
    untaught,
)
from malibo.bench.figures.panels import (
    RELATED,
    draw_boosted,
    draw_features,
    draw_function,
    draw_mean,
    draw_observations,
    draw_queries,
    draw_related,
    draw_sample,
    draw_spread,
    draw_thread,
    mark_query,
    tidy,
    tidy_acquisition,
)
from malibo.bench.problems.ensembles import Function
from malibo.metamodel import MetaModel
from malibo.plots.features import COLOURED
from malibo.plots.style import BLUE, GREEN, ORANGE, PINK, blank, legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Panels = NDArray[np.object_]  # of axes

_NAMES = {"forrester": "Forrester", "quadratic": "quadratic"}

# -- what is learned -----------------------------------------------------------------------


def meta_acquisition(seed: int = 0, steps: int | None = None) -> Figure:
    """Figure 1: what was good on related tasks, the acquisition learned from it, its features."""
    model = learned("forrester", seed, steps)
    figure, axes = _learned_panels("Learning an acquisition function from past tasks", model)
    tidy(axes["past"], f"observations of {RELATED} of {len(model.tasks)} past tasks")
    draw_observations(axes["past"], past("forrester", seed))
    draw_function(axes["past"], target("forrester"), "new function")
    for number, logits in enumerate(prior_draws(model, 5, seed)):
        draw_sample(axes["acquisition"], logits, name="Thompson samples" if number == 0 else None)
    draw_mean(axes["acquisition"], grid(model).points.offset)
    return _with_legends(figure, axes)


def features(family: str, seed: int = 0, steps: int | None = None) -> Figure:
    """Related functions, the acquisition learned from them with its uncertainty, its features."""
    model = learned(family, seed, steps)
    figure, axes = _learned_panels(f"Features learned from {_NAMES[family]} functions", model)
    tidy(axes["past"], f"{RELATED} of {len(model.tasks)} past functions")
    draw_related(axes["past"], past(family, seed))
    draw_function(axes["past"], target(family), "new function")
    draw_spread(axes["acquisition"], model)
    draw_mean(axes["acquisition"], grid(model).points.offset)
    return _with_legends(figure, axes)


def _learned_panels(title: str, model: MetaModel) -> tuple[Figure, dict[str, Axes]]:
    """Panels for the past, the acquisition, and the features, of which the last is drawn."""
    figure = blank(9, 4.8, title)
    axes: dict[str, Axes] = figure.subplot_mosaic(
        [["past", "features"], ["acquisition", "features"]], height_ratios=[3, 2]
    )
    tidy_acquisition(axes["acquisition"], "learned acquisition, before the first trial")
    count = model.config.features
    tidy(axes["features"], f"the {count} features Φ(x), the {COLOURED} that vary most in colour")
    axes["past"].set_ylabel("loss")
    axes["past"].tick_params(labelbottom=False)
    axes["acquisition"].set_ylabel("acquisition")
    for panel in ("acquisition", "features"):
        axes[panel].set_xlabel("x")
    draw_features(axes["features"], model)
    return figure, axes


def _with_legends(figure: Figure, axes: Mapping[str, Axes]) -> Figure:
    for panel in ("past", "acquisition"):
        axes[panel].legend(frameon=False, fontsize=8)
    return figure


# -- how variants adapt --------------------------------------------------------------------


def exploration(seed: int = 0, steps: int | None = None) -> Figure:
    """Without a draw and a residual model the queries stay at one optimum, with them they do not.

    The function was chosen for its two optima far apart.
    """
    model, function = learned("forrester", seed, steps), target("forrester")
    names = ("MALIBO (Probit)", "MALIBO")
    runs = {name: adapt(model, function, VARIANTS[name], 10, seed=seed) for name in names}
    return _comparison("Effects of exploration and residual prediction", runs, function)


def variants(family: str, seed: int = 0, steps: int | None = None) -> Figure:
    """Ten iterations of the probit average, Thompson sampling alone, and with boosting.

    The average is not worse on every function: where the optimum is near its first guess it
    needs no exploration and is a little better; where it is not, it may stay far away.
    """
    model, function = learned(family, seed, steps), target(family)
    runs = {name: adapt(model, function, c, 10, seed=seed) for name, c in VARIANTS.items()}
    title = f"Ten trials on a {_NAMES[family]} function after meta-learning"
    return _comparison(title, runs, function)


def without_meta(seed: int = 0) -> Figure:
    """LFBO, and MALIBO with features that nothing has been learned into, for 16 iterations.

    Over many seeds MALIBO is worse than LFBO here and better than its variants without boosting.
    """
    model, function = untaught("forrester", seed), target("forrester")
    cold = MetaModel.uninformed(model.space)
    runs = {"LFBO": adapt(cold, function, VARIANTS["MALIBO"], 16, seed=seed)}
    runs |= {name: adapt(model, function, c, 16, seed=seed) for name, c in VARIANTS.items()}
    title = "Sixteen trials on a Forrester function without meta-learning"
    return _comparison(title, runs, function)


def _comparison(title: str, runs: Mapping[str, list[Iteration]], function: Function) -> Figure:
    """One column a method: queries on the function, their order, the acquisition of the last."""
    figure = blank(10 if len(runs) > 2 else 8, 5.8, title)
    panels: Panels = figure.subplots(
        3, len(runs), sharex=True, sharey="row", height_ratios=[3, 2, 2], squeeze=False
    )
    for column, (name, run) in zip(panels.T, runs.items(), strict=True):
        top, middle, bottom = column
        queries = np.concatenate([iteration.queries for iteration in run])
        tidy(top, name)
        draw_function(top, function)
        draw_queries(top, queries, function(queries[:, None]))
        tidy(middle)
        draw_queries(middle, queries, np.arange(1.0, len(queries) + 1))
        tidy_acquisition(bottom)
        _draw_last(bottom, run[-1], name)
        draw_thread(column, run[-1].chosen[0])
        bottom.set_xlabel("x")
    for axes, text in zip(panels[:, 0], ("loss", "trial", "acquisition"), strict=True):
        axes.set_ylabel(text)
    middle.set_ylim(len(queries) + 1, 0)
    middle.set_yticks([1, len(queries)])
    legend(figure, "dotted: the last query, and below it the acquisition σ(logit) that chose it")
    return figure


def _draw_last(axes: Axes, iteration: Iteration, name: str) -> None:
    """The acquisition that chose the last query: before boosting and, where used, after it."""
    (suggestion,) = iteration.chosen
    if name == "MALIBO (Probit)":
        draw_mean(axes, suggestion.base, "probit average")
    elif name != "LFBO":  # which starts from nothing
        draw_sample(axes, suggestion.base)
    if name in ("LFBO", "MALIBO"):
        draw_boosted(axes, suggestion.corrected)
    mark_query(axes, suggestion)


# -- step by step --------------------------------------------------------------------------


def step_sequential(seed: int = 0, steps: int | None = None) -> Figure:
    """Eight iterations of MALIBO: the mean first, then draws, from the sixth on with boosting."""
    model, function = learned("forrester", seed, steps), target("forrester")
    run = adapt(model, function, VARIANTS["MALIBO"], 8, seed=seed)
    figure = blank(10, 7, "MALIBO on a Forrester function, step by step")
    panels: Panels = figure.subplots(4, 4, sharex=True, sharey="row", height_ratios=[3, 2, 3, 2])
    for (top, bottom), iteration in zip(_pairs(panels), run, strict=True):
        (suggestion,) = iteration.chosen
        _draw_step(top, function, iteration, ("black",))
        draw_mean(bottom, mean_logits(model, iteration.known))
        if iteration.known.trials > 0:  # the first query is the best under the mean
            draw_sample(bottom, suggestion.base)
        if iteration.known.trials >= VARIANTS["MALIBO"].residual_after:
            draw_boosted(bottom, suggestion.corrected)
        mark_query(bottom, suggestion)
        draw_thread((top, bottom), suggestion)
    return _stepped(figure, panels)


def step_parallel(seed: int = 0, steps: int | None = None) -> Figure:
    """Four iterations of MALIBO (TS), three queries at once, each by a draw of its own.

    The very first query is the best under the mean, as in every run with a mean layer.
    """
    model, function = learned("forrester", seed, steps), target("forrester")
    run = adapt(model, function, VARIANTS["MALIBO (TS)"], 4, at_once=3, seed=seed)
    figure = blank(10, 4.2, "MALIBO (TS) on a Forrester function, three queries at once")
    panels: Panels = figure.subplots(2, 4, sharex=True, sharey="row", height_ratios=[3, 2])
    for (top, bottom), iteration in zip(_pairs(panels), run, strict=True):
        first = iteration.known.trials == 0
        colours = (BLUE if first else GREEN, PINK, ORANGE)
        _draw_step(top, function, iteration, colours)
        for number, suggestion in enumerate(iteration.chosen):
            if first and number == 0:
                draw_mean(bottom, suggestion.base)
            else:
                draw_sample(bottom, suggestion.base, colours[number])
            mark_query(bottom, suggestion, colours[number])
    return _stepped(figure, panels)


def _pairs(panels: Panels) -> list[tuple[Axes, Axes]]:
    """Panels for function and acquisition of each iteration, in reading order."""
    return list(zip(panels[0::2].ravel(), panels[1::2].ravel(), strict=True))


def _draw_step(
    axes: Axes, function: Function, iteration: Iteration, colours: Sequence[str]
) -> None:
    """The function with the queries so far, and the next ones in colours."""
    known, queries = iteration.known, iteration.queries
    draw_function(axes, function)
    dot: dict[str, Any] = {"s": 34, "ec": "black", "lw": 0.5}
    axes.scatter(
        known.codes[:, 0], known.losses, c="white", **dot, zorder=3, label="earlier queries"
    )
    axes.scatter(queries, function(queries[:, None]), c=colours, **dot, zorder=4)


def _stepped(figure: Figure, panels: Panels) -> Figure:
    """Titles, labels and the legend."""
    for number, (top, bottom) in enumerate(_pairs(panels), start=1):
        tidy(top, f"iteration {number}")
        tidy_acquisition(bottom)
    for axes, text in zip(panels[:, 0], cycle(("loss", "acquisition")), strict=False):
        axes.set_ylabel(text)
    for axes in panels[-1]:
        axes.set_xlabel("x")
    legend(figure, "filled: the next query, where its acquisition σ(logit) is highest (triangle)")
    return figure
