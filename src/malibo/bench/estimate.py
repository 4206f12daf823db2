"""The estimate: how long the runs that are not finished yet will take, about.

A run takes as long as the finished runs of its method on its suite did. Where there are none it
takes as long as on the machine of reference.json, times how this machine compares with it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from statistics import fmean, median
from typing import Any

from malibo.bench.parts import Part
from malibo.bench.runs import Run, RunKey, read_runs
from malibo.errors import InputError, plural
from malibo.extras import require

#: Seconds of 100 steps by suite and method.
Table = Mapping[str, Mapping[str, float]]

#: Seconds of the finished runs by suite.
Finished = Mapping[str, Mapping[RunKey, float]]

REFERENCE = Path(__file__).with_name("reference.json")

GUESS = 30.0  # seconds of 100 steps of a method that the reference does not have

SHORT = 30  # steps; shorter runs take no less time, as most of it goes into training


@dataclass(frozen=True)
class Forecast:
    """What is left of an experiment.

    runs, finished   how many there are in all, and of these in the results
    seconds          that the others take one after another
    guessed          methods among them of which nobody knows how long they take
    """

    experiment: str
    runs: int
    finished: int
    seconds: float
    guessed: tuple[str, ...] = ()


def forecast(parts: Sequence[Part], finished: Finished) -> list[Forecast]:
    """One for each experiment, that with the least to do first."""
    pace = Pace(rates(finished, {part.suite.name: part.steps for part in parts}))
    names = dict.fromkeys(part.experiment for part in parts)
    found = [
        _of_experiment(name, [part for part in parts if part.experiment == name], finished, pace)
        for name in names
    ]
    return sorted(found, key=lambda forecast: forecast.seconds)


def _of_experiment(name: str, parts: Sequence[Part], finished: Finished, pace: Pace) -> Forecast:
    runs, left, seconds = 0, 0, 0.0
    guessed: dict[str, None] = {}
    for part in parts:
        todo = unfinished(part, finished)
        runs += len(part.run_keys())
        left += len(todo)
        for key in todo:
            seconds += pace.seconds(part.suite.name, key.method) * share(part.steps)
        guessed |= {key.method: None for key in todo if not pace.knows(key.method)}
    return Forecast(name, runs, runs - left, seconds, tuple(guessed))


def unfinished(part: Part, finished: Finished) -> list[RunKey]:
    """The runs of a part that are not in the results."""
    done = finished.get(part.suite.name, {})
    return [key for key in part.run_keys() if key not in done]


# -- what is finished ----------------------------------------------------------------------


def read_finished(parts: Iterable[Part], results: Path) -> dict[str, dict[RunKey, float]]:
    """The finished runs of a folder, each with its seconds; refuse results of other steps."""
    finished = {}
    for path, run_set in dict.fromkeys((part.path(results), part.run_set) for part in parts):
        if not _is_begun(path):
            continue
        found, runs = read_runs(path)
        if found != run_set:
            raise InputError(
                f"{path} holds {found.suite} with {found.steps} steps, and {run_set.suite} with"
                f" {run_set.steps} steps is planned; give another --results."
            )
        finished[run_set.suite] = {run.key: seconds_of(run) for run in runs}
    return finished


def _is_begun(path: Path) -> bool:
    """Whether there is a file with a whole first line; the runner mends a torn one."""
    if not path.exists():
        return False
    with path.open("rb") as file:
        return file.readline().endswith(b"\n")


def seconds_of(run: Run) -> float:
    """What the method took; reading the table and looking things up are next to nothing."""
    return sum(run.suggest) + sum(run.train)


def rates(finished: Finished, steps: Mapping[str, int]) -> dict[str, dict[str, float]]:
    """Mean seconds of 100 steps by suite and method."""
    return {
        suite: {
            method: fmean(runs[key] for key in runs if key.method == method) / share(steps[suite])
            for method in dict.fromkeys(key.method for key in runs)
        }
        for suite, runs in finished.items()
    }


def share(steps: int) -> float:
    """The time of a run to that of 100 steps."""
    return max(steps, SHORT) / 100


# -- how fast ------------------------------------------------------------------------------


class Pace:
    """How fast methods are on this machine, by what was measured on it and by the reference."""

    def __init__(self, here: Table, reference: Table | None = None) -> None:
        self._here = here
        self._reference = read_reference() if reference is None else reference

    def seconds(self, suite: str, method: str) -> float:
        """Seconds of 100 steps: those of the suite, else the average over others, else a guess."""
        tables = ((self._here, 1.0), (self._reference, self.ratio))
        for table, factor in tables:
            if method in table.get(suite, {}):
                return table[suite][method] * factor
        for table, factor in tables:
            if of_others := [rates[method] for rates in table.values() if method in rates]:
                return fmean(of_others) * factor
        return GUESS * self.ratio

    def knows(self, method: str) -> bool:
        """Whether a method was ever measured, on whatever suite."""
        tables = (self._here, self._reference)
        return any(method in rates for table in tables for rates in table.values())

    @cached_property
    def ratio(self) -> float:
        """The seconds of this machine to those of the reference: 2 is half as fast."""
        ratios = [
            seconds / self._reference[suite][method]
            for suite, methods in self._here.items()
            for method, seconds in methods.items()
            if method in self._reference.get(suite, {})
        ]
        return median(ratios) if ratios else 1.0


@lru_cache(maxsize=1)
def read_reference() -> dict[str, dict[str, float]]:
    """Seconds of 100 steps by suite and method on one machine."""
    table: dict[str, dict[str, float]] = json.loads(REFERENCE.read_text(encoding="utf-8"))
    return table


def update_reference(results: Path, reference: Path = REFERENCE) -> None:
    """Put what the runs of a folder took into the reference; what they lack is kept."""
    table = json.loads(reference.read_text(encoding="utf-8"))
    for path in sorted(results.glob("*.jsonl")):
        run_set, runs = read_runs(path)
        finished = {run_set.suite: {run.key: seconds_of(run) for run in runs}}
        measured = rates(finished, {run_set.suite: run_set.steps})[run_set.suite]
        rounded = {method: float(f"{seconds:.3g}") for method, seconds in measured.items()}
        table[run_set.suite] = {**table.get(run_set.suite, {}), **rounded}
    reference.write_text(_lines(table), encoding="utf-8")


def _lines(table: Table) -> str:
    """JSON with one line for each suite."""
    lines = [f" {json.dumps(suite)}: {json.dumps(rates)}" for suite, rates in table.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


# -- in words ------------------------------------------------------------------------------


def processes(jobs: int) -> int:
    """How many runs go on at once; -1 is one for each core."""
    if jobs == 0:
        raise InputError("jobs must be the number of processes, or -1 for all cores; got 0.")
    return int(require("joblib", "bench").effective_n_jobs(jobs))


def as_text(forecasts: Sequence[Forecast], at_once: int) -> str:
    """A table with a line for each experiment and one for all of them."""
    total = in_all(forecasts)
    lines = [f"{'experiment':12} {'runs':>8} {'finished':>9} {'time left':>12}"]
    for each in [*forecasts, total]:
        left = f"about {duration(each.seconds / at_once)}" if each.seconds else "none"
        lines.append(f"{each.experiment:12} {each.runs:>8,} {each.finished:>9,} {left:>12}")
    lines.append(f"Times are for {plural(at_once, 'run')} at once.")
    if total.guessed:
        lines.append(f"Never measured, so that their times are guesses: {', '.join(total.guessed)}")
    return "\n".join(lines)


def in_all(forecasts: Sequence[Forecast]) -> Forecast:
    """The sum of them."""
    return Forecast(
        "all",
        sum(each.runs for each in forecasts),
        sum(each.finished for each in forecasts),
        sum(each.seconds for each in forecasts),
        tuple(dict.fromkeys(method for each in forecasts for method in each.guessed)),
    )


def duration(seconds: float) -> str:
    """``"40 s"``, ``"12 min"``, ``"3.4 h"``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def as_facts(forecasts: Sequence[Forecast], at_once: int) -> dict[str, Any]:
    """The same for scripts."""
    return {
        "jobs": at_once,
        "experiments": [_facts(each, at_once) for each in forecasts],
        "all": _facts(in_all(forecasts), at_once),
    }


def _facts(each: Forecast, at_once: int) -> dict[str, Any]:
    return {
        "experiment": each.experiment,
        "runs": each.runs,
        "finished": each.finished,
        "hours_left": each.seconds / at_once / 3600,
        "guessed": list(each.guessed),
    }
