"""Everything: all parts of the plan in turn, cheap ones first; whatever fails, the others are run.

What is finished is in the results, so that the same call goes on where another one stopped.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from errno import EDQUOT, ENOSPC, EROFS
from pathlib import Path

from malibo.bench.estimate import (
    duration,
    forecast,
    in_all,
    processes,
    read_finished,
    unfinished,
)
from malibo.bench.parts import Part
from malibo.bench.runner import run_suite
from malibo.bench.runs import RunKey
from malibo.errors import MaliboError, plural

_FULL = (ENOSPC, EDQUOT, EROFS)  # a disk that takes no more


@dataclass(frozen=True)
class Failed:
    """Runs of a part that are not there at its end, why, and the command to try them again."""

    suite: str
    runs: int
    error: str
    command: str


@dataclass
class Outcome:
    """How many runs were added, and what failed."""

    runs: int = 0
    failed: list[Failed] = field(default_factory=list)


def run_everything(
    parts: Sequence[Part],
    results: Path,
    jobs: int = 1,
    say: Callable[[str], None] = lambda line: None,
    progress: bool = True,
) -> Outcome:
    """Run what is not finished; ``say`` is given a line at the end of each experiment."""
    outcome = Outcome()
    at_once = processes(jobs)
    for each in forecast(parts, read_finished(parts, results)):
        if each.finished == each.runs:
            say(f"{each.experiment}: finished before")
            continue
        start, before = time.monotonic(), outcome.runs
        for part in parts:
            if part.experiment == each.experiment:
                _run_part(part, results, jobs, progress, outcome)
        took = duration(time.monotonic() - start)
        left = in_all(forecast(parts, read_finished(parts, results))).seconds / at_once
        rest = f"about {duration(left)} left for everything" if left else "nothing is left"
        say(f"{each.experiment}: {plural(outcome.runs - before, 'new run')} in {took}; {rest}")
    return outcome


def _run_part(part: Part, results: Path, jobs: int, progress: bool, outcome: Outcome) -> None:
    """Run what is left of a part, and note what of it failed."""
    todo = _left(part, results)
    error = _try(part, results, jobs, progress) if todo else ""
    still = _left(part, results) if error else []
    outcome.runs += len(todo) - len(still)
    if still:
        methods = list(dict.fromkeys(key.method for key in still))
        command = part.command(methods, results)
        outcome.failed.append(Failed(part.suite.name, len(still), error, command))


def _left(part: Part, results: Path) -> list[RunKey]:
    return unfinished(part, read_finished([part], results))


def _try(part: Part, results: Path, jobs: int, progress: bool) -> str:
    """Call the runner, and return in brief what it had to complain about."""
    path = part.path(results)
    try:
        run_suite(
            part.suite, part.methods, part.seeds, part.steps, path, jobs, progress, part.tasks
        )
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _FULL:
            raise  # others would fail as well
        return _in_brief(error)
    return ""


def _in_brief(error: Exception) -> str:
    """The first line, and the last one of the traceback below it."""
    lines = str(error).strip().splitlines() or [""]
    brief = lines[0] if len(lines) == 1 else f"{lines[0]} {lines[-1].strip()}"
    return brief if isinstance(error, MaliboError) else f"{type(error).__name__}: {brief}"
