"""Lines: what figures of results choose, average and draw."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from malibo.bench.figures.style import style
from malibo.bench.metrics import Curves, Metric, curves, mean_and_error, seed_counts
from malibo.bench.runs import Run
from malibo.errors import InputError, plural
from malibo.space.parameters import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Results = Mapping[str, Sequence[Run]]  # runs by suite


class Band(NamedTuple):
    """A line between a lower and an upper end."""

    x: Array
    low: Array
    middle: Array
    high: Array


def select(results: Results, suites: Sequence[str], methods: Sequence[str]) -> dict[str, list[Run]]:
    """Runs of the given methods by suite; suites and methods without runs are left out."""
    chosen = {
        suite: [run for run in results.get(suite, ()) if run.method in methods] for suite in suites
    }
    found = {suite: runs for suite, runs in chosen.items() if runs}
    if not found:
        raise InputError(
            f"there are no results for this figure; run: {command(suites[0], methods)}"
        )
    return found


def command(suite: str, methods: Iterable[str]) -> str:
    """The command that makes results."""
    return f"malibo bench run {suite} --methods {','.join(methods)}"


def on_common_tasks(
    suite: str, runs: Sequence[Run], methods: Sequence[str], metric: Metric
) -> Curves:
    """A metric on the tasks that all methods were run on: averages over others say nothing."""
    chosen = curves(runs, metric).only(methods)
    tasks = chosen.common_tasks()
    if not tasks:
        raise InputError(
            f"in {suite} there is no task on which all of {', '.join(chosen.methods)} were run;"
            f" run: {command(suite, chosen.methods)}"
        )
    return chosen.on_tasks(tasks)


def sample_note(shown: Curves, runs: Sequence[Run]) -> str:
    """On how many tasks and seeds a panel rests, such as "4 tasks, 5 to 20 seeds"."""
    tasks, known = len(shown.tasks), len({run.task for run in runs})
    return (
        f"{tasks} of " if tasks < known else ""
    ) + f"{plural(known, 'task')}, {seeds_note(shown)}"


def seeds_note(shown: Curves) -> str:
    """Number of seeds, or from which to which it goes."""
    least, most = seed_counts(shown)
    return (f"{least} to " if least < most else "") + plural(most, "seed")


def mean_bands(shown: Curves) -> dict[str, Band]:
    """Mean of each method over steps, and one standard error each way."""
    bands = {}
    for name in shown.methods:
        mean, error = mean_and_error(shown, name)
        error = np.nan_to_num(error)  # a single seed has none
        bands[name] = Band(shown.steps, mean - error, mean, mean + error)
    return bands


def quartile_bands(shown: Curves) -> dict[str, Band]:
    """Median of each method over steps, and the quartiles."""
    return {
        name: Band(shown.steps, *np.percentile(rows, [25, 50, 75], axis=0))
        for name, rows in shown.values.items()
    }


def draw_bands(axes: Axes, bands: Mapping[str, Band], logarithmic: bool = True) -> None:
    """A line and its band for each method; MALIBO lies over the others."""
    for name, (x, low, middle, high) in bands.items():
        look, over = style(name), 3 if name == "malibo" else 2
        axes.fill_between(x, low, high, color=look.colour, alpha=0.13, linewidth=0, zorder=over - 1)
        axes.plot(x, middle, zorder=over, **look.plot())
    _limit_steps(axes, bands.values())
    if logarithmic:
        axes.set_ylim(logarithmic_limits(bands.values()))
        axes.set_yscale("log")
        _label_few(axes)


def _label_few(axes: Axes) -> None:
    """Where there is one power of ten or none, 2 and 5 times those have their numbers, too."""
    low, high = np.log10(axes.get_ylim())
    few = np.floor(high) - np.ceil(low) < 1

    def text(value: float, _: object) -> str:
        digit, power = f"{value:.0e}".split("e")
        return rf"${digit} \times 10^{{{int(power)}}}$" if few and digit in "25" else ""

    axes.yaxis.set_minor_formatter(text)
    axes.tick_params(axis="y", which="minor", labelsize=7)


def _limit_steps(axes: Axes, bands: Iterable[Band]) -> None:
    x = np.concatenate([band.x for band in bands])
    if x.min() < x.max():
        axes.set_xlim(x.min(), x.max())
    axes.locator_params(axis="x", integer=True)


def logarithmic_limits(bands: Iterable[Band]) -> tuple[float, float]:
    """From a little under the lowest line to a little over the highest band.

    A line that reaches 0 leaves the panel at its bottom, and so does a band.
    """
    groups = list(bands)
    middles = np.concatenate([band.middle for band in groups])
    positive = middles[middles > 0]
    if not len(positive):
        return 0.1, 1.0
    low, high = float(positive.min()), max(float(band.high.max()) for band in groups)
    margin = max(high / low, 2.0) ** 0.06
    return low / margin, high * margin


def share_limits(panels: Sequence[Axes]) -> None:
    """The same vertical axis in all panels."""
    limits = np.array([axes.get_ylim() for axes in panels])
    for axes in panels:
        axes.set_ylim(limits[:, 0].min(), limits[:, 1].max())
