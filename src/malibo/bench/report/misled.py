"""A past that misleads: how much worse a method is than one without a past."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from malibo.bench.figures.style import style
from malibo.bench.metrics import curves, normalised_regret
from malibo.bench.report.content import Cells
from malibo.bench.runs import Run
from malibo.space.parameters import Array

STEP = 30


def ratio_table(
    results: Mapping[str, Sequence[Run]], method: str = "malibo", cold: str = "lfbo"
) -> Cells:
    """Regret of two methods at a step of each suite that has both, and their ratio.

    Only tasks and seeds that both have count.
    """
    names = style(method).label, style(cold).label
    lines = [line for suite, runs in results.items() for line in _line(suite, runs, method, cold)]
    return [["past", "runs", *names, "ratio"], *lines] if lines else []


def _line(suite: str, runs: Sequence[Run], method: str, cold: str) -> list[list[str]]:
    """One line, or none."""
    both = [run for run in runs if run.method in (method, cold)]
    paired = curves(both, normalised_regret).paired()
    if len(paired.methods) < 2 or not paired.tasks or STEP not in paired.steps:
        return []
    position = int(np.flatnonzero(paired.steps == STEP)[0])
    own, other = (paired.values[name][:, position] for name in (method, cold))
    value, error = ratio(own, other)
    means = [_with_error(float(v.mean()), standard_error(v)) for v in (own, other)]
    return [[suite, str(len(own)), *means, _with_error(value, error, 2)]]


def ratio(values: Array, others: Array) -> tuple[float, float]:
    """Ratio of two means of pairs, and its standard error to the first order."""
    if not others.any():
        return (np.nan, np.nan)
    value = float(values.mean() / others.mean())
    return value, standard_error(values - value * others) / float(others.mean())


def standard_error(values: Array) -> float:
    """Of a mean; NaN for a single value."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else np.nan


def _with_error(value: float, error: float, decimals: int = 4) -> str:
    if np.isnan(value):
        return ""
    text = f"{value:.{decimals}f}"
    return text if np.isnan(error) else f"{text} ± {error:.{decimals}f}"
