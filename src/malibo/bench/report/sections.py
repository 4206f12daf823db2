"""Sections: the tables of a suite, and the commands that made its results."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Sequence

from malibo.bench.figures.lines import command
from malibo.bench.figures.style import style
from malibo.bench.metrics import in_natural_order
from malibo.bench.plan import experiment_of
from malibo.bench.report.content import Cells, Section
from malibo.bench.runs import Run, RunSet
from malibo.bench.suites import suites
from malibo.bench.summary import ALL, STEPS, Row

_SHOWN = {"regret": "mean normalised regret"}
_NOISE = 1e-15
_FOLDED = {"log10_regret": "mean log10 regret", "rank": "average rank"}


def suite_section(suite: str, rows: Sequence[Row], line: str = "") -> Section:
    """Regret for everybody to see, its logarithm and ranks for those who open them.

    line   what the suite is, if that is known
    """
    return Section(
        suite,
        notes=[f"{line}."] if line else [],
        tables={caption: table(rows, column) for column, caption in _SHOWN.items()},
        folded={caption: table(rows, column) for column, caption in _FOLDED.items()},
    )


def table(rows: Sequence[Row], column: str) -> Cells:
    """A header, and a line for each method, the best at the last step first.

    There are no lines as long as no method was run on every task.
    """
    of_all = [row for row in rows if row["task"] == ALL]
    steps = _columns({int(row["step"]) for row in of_all})
    methods = in_natural_order({str(row["method"]) for row in of_all})
    cells = {(str(row["method"]), int(row["step"])): row for row in of_all}
    last = {method: cells[method, steps[-1]] for method in methods}
    lines = [
        [
            style(method).label,
            str(last[method]["seeds"]),
            *(_cell(cells[method, step], column) for step in steps),
        ]
        for method in sorted(methods, key=lambda method: _order(last[method], column))
    ]
    return [["method", "seeds", *(f"step {step}" for step in steps)], *lines]


def _order(row: Row, column: str) -> float:
    """The best first, the unknown last."""
    value = float(row[column])
    return math.inf if math.isnan(value) else value


def _columns(steps: set[int]) -> list[int]:
    """The steps of a table: fewer of the early ones where there are later ones."""
    crowded = {20, 30} if max(steps, default=0) > 30 else set()
    return [step for step in STEPS if step in steps and step not in crowded]


def _cell(row: Row, column: str) -> str:
    """A value, with its standard error where there is one."""
    value, error = float(row[column]), float(row.get(f"{column}_se", math.nan))
    if math.isnan(value):
        return ""
    if column != "regret":
        value = round(value, 2) + 0.0  # no −0.00
        return f"{value:.2f}" if math.isnan(error) else f"{value:.2f} ± {error:.2f}"
    text = scientific(value, 1)
    return text if math.isnan(error) else f"{text} ± {scientific(error, 0)}"


def scientific(value: float, decimals: int) -> str:
    """Such as 1.2e-5; nothing but noise of floats is 0."""
    if abs(value) < _NOISE:
        return "0"
    digits, exponent = f"{value:.{decimals}e}".split("e")
    return f"{digits}e{int(exponent)}"


def commands(run_set: RunSet, runs: Sequence[Run]) -> Iterator[str]:
    """The commands that make these results: methods with as many seeds go together."""
    seeds: dict[str, set[int]] = {}
    for run in runs:
        seeds.setdefault(run.method, set()).add(run.seed)
    by_number: dict[int, list[str]] = {}
    for method, numbers in seeds.items():
        by_number.setdefault(len(numbers), []).append(method)
    for number, methods in sorted(by_number.items(), reverse=True):
        seeds_and_steps = f"--seeds {number} --steps {run_set.steps}"
        yield f"{command(run_set.suite, methods)} {seeds_and_steps}{_of_a_folder(run_set, runs)}"


def _of_a_folder(run_set: RunSet, runs: Sequence[Run]) -> str:
    """Options of a suite that is not built in: where it is, and which of its tasks were run."""
    planned = experiment_of(run_set.suite, runs[0].method)
    if run_set.suite in suites() and not (planned and planned.folder):
        return ""
    tasks = ",".join(in_natural_order({run.task for run in runs}))
    return f" --data DIR --tasks {shlex.quote(tasks)}"
