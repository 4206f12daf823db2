"""Figures of many sets of tables: a panel for each, and all of them together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import rankdata

from malibo.bench.figures import from_results
from malibo.bench.figures.lines import Band, Results, command, draw_bands
from malibo.bench.figures.style import legend_below, name_axes, panels, title
from malibo.bench.metrics import Curves, average_ranks, comparable
from malibo.bench.overall import pooled
from malibo.bench.suites import misleading_past, suites
from malibo.errors import InputError, plural

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BENCHMARKS = ("fcnet", "nasbench201")  # those of the paper, which have figures of their own
HPOB = "hpob"  # has a protocol of its own
STEPS = (5, 10, 25, 50)
_RUN = f"run: {command('hpobench_mlp', ('malibo', 'tpe', 'random'))}"


def all_tables(results: Results) -> Results:
    """Runs by suite, but for made-up ones and HPO-B."""
    made_up = {name for name, suite in suites().items() if suite.synthetic} | {HPOB}
    return {
        name: runs
        for name, runs in results.items()
        if runs and name not in made_up and not misleading_past(name)
    }


def other_tables(results: Results) -> tuple[str, ...]:
    """Names of the sets of tables that are none of the paper's benchmarks."""
    return tuple(name for name in all_tables(results) if name not in BENCHMARKS)


def rank_figure(results: Results) -> Figure:
    """Average rank over steps, a panel for each set."""
    return from_results.rank_figure(results, _some(results))


def regret_figure(results: Results) -> Figure:
    """Mean normalised regret over steps, a panel for each set."""
    return from_results.regret_figure(results, _some(results))


def overall_rank_figure(results: Results) -> Figure:
    """Average rank over steps, over the runs of all sets, the paper's benchmarks among them."""
    shown, count = _pooled(results)
    figure, (axes,) = panels(1, height=3.4)
    ranks = average_ranks(shown)
    draw_bands(axes, {name: Band(shown.steps, *[ranks[name]] * 3) for name in ranks}, False)
    title(axes, plural(count, "set"), _sample(shown))
    name_axes(figure, "step", "average rank")
    legend_below(figure, "ranks among the methods that every set has, 1 is best")
    return figure


def cd_figure(results: Results) -> Figure:
    """Critical-difference diagrams over the runs of all sets."""
    shown, count = _pooled(results)
    of_what = f"ranks of {plural(count, 'set')}, {_sample(shown)}"
    return from_results.differences(_ranked(shown), STEPS, of_what)


def _some(results: Results) -> tuple[str, ...]:
    names = other_tables(results)
    if not names:
        raise InputError(f"there are no results of other sets of tables; {_RUN}")
    return names


def _pooled(results: Results) -> tuple[Curves, int]:
    """Runs of the methods that all sets have, and the number of sets."""
    chosen = all_tables(results)
    shown = pooled(chosen).only(from_results.METHODS)
    if len(chosen) < 2 or len(shown.methods) < 2 or not shown.tasks:
        raise InputError(f"there are no two sets of tables with the same methods; {_RUN}")
    return shown, len(chosen)


def _ranked(shown: Curves) -> Curves:
    """Ranks in place of regrets, whose scales have nothing in common from set to set."""
    regrets = comparable(np.array([shown.values[name] for name in shown.methods]))
    ranks = rankdata(regrets, axis=0)
    return replace(shown, values=dict(zip(shown.methods, ranks, strict=True)))


def _sample(shown: Curves) -> str:
    runs = len(shown.keys[shown.methods[0]])
    return f"{plural(len(shown.tasks), 'task')}, {plural(runs, 'run')} a method"
