"""Figures of results: regret, ranks and time of all methods, as in the paper.

Every function takes the runs by suite and returns a figure. Methods without runs are left out; if
none has any, the error names the command that makes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from malibo.bench.figures import critical
from malibo.bench.figures.lines import (
    Band,
    Results,
    command,
    draw_bands,
    mean_bands,
    on_common_tasks,
    quartile_bands,
    sample_note,
    seeds_note,
    select,
    share_limits,
)
from malibo.bench.figures.style import legend_below, name_axes, panels, suite_label, title
from malibo.bench.figures.wallclock import time_bands
from malibo.bench.metrics import (
    Curves,
    Metric,
    average_ranks,
    curves,
    immediate_regret,
    log10_regret,
    normalised_regret,
    runtime,
    times_known,
    with_seeds,
)
from malibo.bench.statistics import LEVEL, cliques, compare, ranks_at
from malibo.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHODS = (
    "malibo",
    "malibo-paper",
    "lfbo-bb",
    "lfbo",
    "bore",
    "tpe",
    "gp",
    "rgpe",
    "ablr",
    "gc3p",
    "banner",
    "fsbo",
    "dre",
    "metabo",
    "pfn",
    "past-best",
    "random",
)
VARIANTS = (
    "malibo-paper",
    "malibo-probit",
    "malibo-ts",
    "malibo-res",
    "malibo-mean",
    "malibo-rf",
    "malibo-mlp",
)
INFERENCE = ("malibo-paper", "malibo-variational", "malibo-hmc")
DIMENSIONS = (
    "malibo-d4",
    "malibo-d8",
    "malibo-d16",
    "malibo-d32",
    "malibo-paper",
    "malibo-d64",
    "malibo-d128",
)
NOISES = ("0", "0.1", "1")
RANK_STEPS = (25, 50, 100)
_MEAN = "line: mean over tasks and seeds; band: one standard error each way"
_OF_SEEDS = "line: mean over seeds; band: one standard error each way"
_QUARTILES = "line: median over runs; band: from quartile to quartile"


def regret_figure(
    results: Results, suites: Sequence[str], methods: Sequence[str] = METHODS
) -> Figure:
    """Mean normalised regret over steps, a panel for each suite."""
    return _averages(results, suites, methods, normalised_regret, "normalised regret")


def log_regret_figure(
    results: Results, suites: Sequence[str], methods: Sequence[str] = METHODS
) -> Figure:
    """Mean of the logarithm of the normalised regret: the best runs count, too."""
    label = "mean log₁₀ of normalised regret"
    return _averages(results, suites, methods, log10_regret, label, logarithmic=False)


def ablation_figure(results: Results, suites: Sequence[str]) -> Figure:
    """Normalised regret of MALIBO as in the paper, and without or with other parts."""
    return regret_figure(results, suites, VARIANTS)


def inference_figure(results: Results, suites: Sequence[str] = ("nasbench201",)) -> Figure:
    """Normalised regret with each way to infer the task embedding."""
    return regret_figure(results, suites, INFERENCE)


def inference_runtime_figure(results: Results, suites: Sequence[str] = ("nasbench201",)) -> Figure:
    """Seconds for each step with each way to infer the task embedding."""
    return runtime_figure(results, suites, INFERENCE)


def dimension_figure(results: Results, suites: Sequence[str]) -> Figure:
    """Normalised regret for dimensions of the task embedding; the paper has 50."""
    note = f"d: dimensions of the task embedding, 50 in the paper\n{_MEAN}"
    return _averages(results, suites, DIMENSIONS, normalised_regret, "normalised regret", note)


def noise_figure(results: Results, family: str, methods: Sequence[str] = METHODS) -> Figure:
    """Normalised regret on a synthetic family with more and more noise."""
    suites = [family if noise == "0" else f"{family}-noise-{noise}" for noise in NOISES]
    figure = regret_figure(results, suites, methods)
    for axes in figure.axes:
        shown = axes.get_title(loc="left")
        if shown.strip() == suite_label(family):
            noiseless = shown.replace(suite_label(family), f"{suite_label(family)}, ε = 0")
            axes.set_title(noiseless, fontsize=10, loc="left")
    share_limits(figure.axes)
    return figure


def _averages(
    results: Results,
    suites: Sequence[str],
    methods: Sequence[str],
    metric: Metric,
    label: str,
    note: str = _MEAN,
    logarithmic: bool = True,
) -> Figure:
    """Means with their errors, a panel for each suite that has runs."""
    chosen = select(results, suites, methods)
    figure, grid = panels(len(chosen))
    for axes, (suite, runs) in zip(grid, chosen.items(), strict=True):
        shown = on_common_tasks(suite, runs, methods, metric)
        draw_bands(axes, mean_bands(shown), logarithmic)
        title(axes, suite_label(suite), sample_note(shown, runs))
    return _finished(figure, "step", label, note)


def _finished(figure: Figure, x: str, y: str, note: str) -> Figure:
    name_axes(figure, x, y)
    legend_below(figure, note)
    return figure


def runtime_figure(
    results: Results, suites: Sequence[str], methods: Sequence[str] = METHODS
) -> Figure:
    """Seconds that a method itself takes for each step, without meta-training."""
    chosen = select(results, suites, methods)
    figure, grid = panels(len(chosen))
    for axes, (suite, runs) in zip(grid, chosen.items(), strict=True):
        shown = on_common_tasks(suite, runs, methods, runtime)
        draw_bands(axes, quartile_bands(shown))
        title(axes, suite_label(suite), sample_note(shown, runs))
    return _finished(figure, "step", "seconds for a step", _QUARTILES)


def rank_figure(
    results: Results, suites: Sequence[str], methods: Sequence[str] = METHODS
) -> Figure:
    """Average rank over steps, over the tasks and seeds that all methods have."""
    chosen = select(results, suites, methods)
    figure, grid = panels(len(chosen))
    for axes, (suite, runs) in zip(grid, chosen.items(), strict=True):
        shown = _paired(suite, curves(runs, normalised_regret).only(methods))
        ranks = average_ranks(shown)
        draw_bands(axes, {name: Band(shown.steps, *[ranks[name]] * 3) for name in ranks}, False)
        title(axes, suite_label(suite), sample_note(shown, runs))
    return _finished(figure, "step", "average rank", "ranks among the methods shown, 1 is best")


def _paired(suite: str, shown: Curves) -> Curves:
    """Runs of the tasks and seeds that all methods have, but those of few seeds; at least one."""
    paired = shown.only(with_seeds(shown)).paired()
    if not paired.tasks:
        raise InputError(
            f"in {suite} no task and seed was run with all of {', '.join(shown.methods)};"
            f" run: {command(suite, shown.methods)}"
        )
    return paired


def cd_figure(
    results: Results,
    suite: str,
    methods: Sequence[str] = METHODS,
    steps: Sequence[int] = RANK_STEPS,
) -> Figure:
    """Critical-difference diagrams, one for each of the steps that the runs reach."""
    runs = select(results, [suite], methods)[suite]
    shown = _paired(suite, curves(runs, normalised_regret).only(methods))
    return differences(shown, steps, f"{suite_label(suite)}, {sample_note(shown, runs)}")


def differences(shown: Curves, steps: Sequence[int], of_what: str) -> Figure:
    """Critical-difference diagrams of paired runs, at the steps that they reach."""
    last = int(shown.steps[-1])
    diagrams = []
    for step in [step for step in steps if step <= last] or [last]:
        ranks = ranks_at(shown, step)
        diagrams.append((step, ranks, cliques(ranks, compare(shown, step))))
    note = (
        f"{of_what}; a bar joins methods that do not differ"
        f" (Wilcoxon signed-rank tests with Holm's correction, p ≥ {LEVEL:g})"
    )
    return critical.diagrams(diagrams, note)


def immediate_figure(results: Results, suite: str, methods: Sequence[str] = METHODS) -> Figure:
    """Immediate regret over steps, a panel for each task."""
    runs = select(results, [suite], methods)[suite]
    shown = curves(runs, immediate_regret).only(methods)
    figure, grid = panels(len(shown.tasks))
    for axes, task in zip(grid, shown.tasks, strict=True):
        of_task = shown.on_tasks([task])
        draw_bands(axes, mean_bands(of_task))
        title(axes, task.replace("_", " "), seeds_note(of_task))
    return _finished(figure, "step", "immediate regret", f"{suite_label(suite)}; {_OF_SEEDS}")


def wallclock_figure(results: Results, suite: str, methods: Sequence[str] = METHODS) -> Figure:
    """Immediate regret over simulated time: evaluations, meta-training and the method itself."""
    chosen = select(results, [suite], methods)[suite]
    runs = [run for run in chosen if times_known(run)]
    if not runs:
        raise InputError(
            f"the times of evaluations in {suite} are not known; take fcnet or nasbench201."
        )
    shown = curves(runs, immediate_regret).only(methods)
    figure, grid = panels(len(shown.tasks))
    for axes, task in zip(grid, shown.tasks, strict=True):
        draw_bands(axes, time_bands([run for run in runs if run.task == task], methods))
        axes.set_xscale("log")
        title(axes, task.replace("_", " "), seeds_note(shown.on_tasks([task])))
    note = f"{suite_label(suite)}; {_OF_SEEDS}; it begins when all runs have a result"
    return _finished(figure, "simulated wall-clock time in seconds", "immediate regret", note)
