"""Wall-clock: regret over simulated time instead of steps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from malibo.bench.figures.lines import Band, mean_bands
from malibo.bench.metrics import Curves, immediate_regret, wall_clock
from malibo.bench.runs import Run
from malibo.space.parameters import Array

POINTS = 300
_SHORTEST = 1e-6  # seconds: 0 has no place on the axis


def time_bands(runs: Sequence[Run], methods: Sequence[str]) -> dict[str, Band]:
    """Mean regret of each method over time, and one standard error each way."""
    bands: dict[str, Band] = {}
    for name in methods:
        if of_method := [run for run in runs if run.method == name]:
            grid, regret = over_time(of_method)
            keys = [(run.task, run.seed) for run in of_method]
            bands |= mean_bands(Curves(grid, {name: keys}, {name: regret}))
    return bands


def over_time(runs: Sequence[Run]) -> tuple[Array, Array]:
    """Times on a logarithmic grid (T,), and the regret of every run at each of them (runs, T).

    The grid begins when all runs have a result. It goes on until the last one ends; a run that
    has ended keeps its best.
    """
    clocks = [wall_clock(run) for run in runs]
    first = max(_SHORTEST, *(clock[0] for clock in clocks))
    last = max(_SHORTEST, *(clock[-1] for clock in clocks))
    grid = np.geomspace(first, last, POINTS)
    grid[[0, -1]] = first, last  # exactly: a result on the edge counts
    lines = [
        immediate_regret(run)[np.searchsorted(clock, grid, side="right") - 1]
        for run, clock in zip(runs, clocks, strict=True)
    ]
    return grid, np.array(lines)
