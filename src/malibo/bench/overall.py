"""All suites together: who is ahead over many problems, and how surely.

Regrets of different suites have nothing in common but their order, so everything here is about
ranks: of a run's method among all methods, at a step of a task with a seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy.stats import rankdata

from malibo.bench.metrics import Curves, comparable, curves, normalised_regret
from malibo.bench.runs import Run
from malibo.bench.statistics import holm, signed_rank
from malibo.space.parameters import Array


def pooled(results: Mapping[str, Sequence[Run]]) -> Curves:
    """Regrets of the methods that were run on every suite, on the tasks and seeds they share.

    A task is named by its suite as well. Curves end where the shortest suite does.
    """
    methods = [{run.method for run in runs} for runs in results.values()]
    everywhere = set.intersection(*methods) if methods else set()
    runs = [
        replace(run, task=f"{suite}: {run.task}")
        for suite, group in results.items()
        for run in group
        if run.method in everywhere
    ]
    return curves(runs, normalised_regret).paired()


def ranks(found: Curves, step: int) -> dict[str, Array]:
    """Rank of each method in every run at a step; ties share the mean."""
    column = int(np.flatnonzero(found.steps == step)[0])
    values = np.array([lines[:, column] for lines in found.values.values()])
    return dict(zip(found.methods, rankdata(comparable(values), axis=0), strict=True))


def ahead(found: Curves, step: int, method: str) -> dict[str, float]:
    """Against each other method the p of the signed-rank test on ranks, after Holm's correction."""
    by_method = ranks(found, step)
    others = [name for name in by_method if name != method]
    p_values = [signed_rank(by_method[method], by_method[name]) for name in others]
    return dict(zip(others, holm(p_values), strict=True))


def overall_table(
    results: Mapping[str, Sequence[Run]], steps: Sequence[int], method: str = "malibo"
) -> list[list[str]]:
    """Average ranks over all suites; a star where ``method`` is significantly ahead (p < 0.05).

    A dagger is where it is behind. Empty if the suites have no two methods in common.
    """
    found = pooled(results)
    if len(found.methods) < 2 or method not in found.methods:
        return []
    shown = [step for step in steps if step in found.steps]
    average = {step: {m: float(r.mean()) for m, r in ranks(found, step).items()} for step in shown}
    against = {step: ahead(found, step, method) for step in shown}
    order = sorted(found.methods, key=lambda m: float(np.mean([average[s][m] for s in shown])))
    lines = []
    for name in order:
        cells = [f"{average[step][name]:.2f}" for step in shown]
        for i, step in enumerate(shown):
            if name != method and against[step][name] < 0.05:
                cells[i] += "*" if average[step][method] < average[step][name] else "†"
        lines.append([name, *cells])
    return [["method", *(f"step {step}" for step in shown)], *lines]
