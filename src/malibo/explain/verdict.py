"""What leaving out one task at a time has shown, for people and for scripts."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.stats import binom

from malibo.errors import plural
from malibo.space.parameters import Array

STEPS = (5, 10)  # trials at which a warm start is compared with a cold one
FORMAT = 1  # of ``Evaluation.facts``; one more where a script that reads them would fail
_LEAST, _FEW = 5, 8  # tasks: below there is no interval, below all tasks must agree
_OUTSIDE = 0.05  # probability of being beyond either end of an interval
_FLIPS = 4096  # drawn where there are too many to try all

_WORTH, _NO_GAIN, _HARMFUL, _TOO_FEW = (
    "worth it",
    "no clear gain",
    "harmful",
    "too few tasks to tell",
)

#: The rule behind each verdict, as the text gives it.
_RULES = {
    _WORTH: "both intervals are above 0",
    _NO_GAIN: "not both intervals are above 0, and neither is below it",
    _HARMFUL: "an interval is below 0",
    _TOO_FEW: f"intervals need at least {_LEAST} tasks",
}

_LEGEND = """\
Trials until a tuning has found a result as good as the target (median over seeds).
  rows     configurations of the task that were run: each tuning chooses among these
  trials   set the target: what random search finds in so many, with at least an even chance
  random   trials after which random search has this even chance; fewer if more rows are as good
  cold     trials of a tuning without a past
  warm     trials of a tuning with the other tasks as its past
"""


@dataclass(frozen=True)
class Tuned:
    """A task that was left out, and how long each way took to a level of its loss.

    rows      distinct configurations that could be chosen
    trials    of random search, which set the level: it is reached in them with an even chance
    random    trials that random search needs for an even chance of it
    warm, cold   trials that each seed needed; twice ``trials`` where it was not reached by then
    better    of each seed, at each of STEPS: 1 if the warm start was ahead of the cold one,
              −1 if behind, 0 if equal
    """

    task: str
    rows: int
    trials: int
    random: int
    warm: tuple[int, ...]
    cold: tuple[int, ...]
    better: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Saved:
    """Trials saved: the median over tasks, each by the median of its seeds, and its 90 % interval.

    The interval is that of the sign test: whatever the tasks are like, the true median is below
    it in 5 % of cases at most, and above it in as many. With fewer than five tasks there is
    none; then ``low`` and ``high`` are infinite.
    """

    median: float
    low: float
    high: float


@dataclass(frozen=True)
class Ahead:
    """Warm against cold after some trials, as shares of all tunings; p by flipping tasks."""

    trial: int
    better: float
    equal: float
    worse: float
    p: float


@dataclass(frozen=True)
class Evaluation:
    """What leaving one task out at a time has shown; ``text`` is for people.

    tasks     those that were tuned
    notes     sentences on those that were not, and on those that are short
    """

    tasks: tuple[Tuned, ...]
    notes: tuple[str, ...]

    @property
    def over_random(self) -> Saved:
        """Trials saved by a warm start against random search."""
        return _saved([t.random - np.array(t.warm) for t in self.tasks])

    @property
    def over_cold(self) -> Saved:
        """Trials saved by a warm start against a cold one of the same seed."""
        return _saved([np.subtract(t.cold, t.warm) for t in self.tasks])

    @property
    def ahead(self) -> tuple[Ahead, ...]:
        """How often a warm start was ahead of a cold one, at each of STEPS."""
        return tuple(_ahead(self.tasks, index) for index in range(len(STEPS)))

    @property
    def verdict(self) -> str:
        """A few words, by the intervals of what is saved.

        "worth it" is more than nothing against both random search and a cold start, "harmful" less
        than nothing against one of them; with fewer than five tasks there is no verdict. Of
        independent tasks with nothing to gain, "worth it" is said in 5 % of cases at most.
        """
        if len(self.tasks) < _LEAST:
            return _TOO_FEW
        both = (self.over_random, self.over_cold)
        if all(saved.low > 0 for saved in both):
            return _WORTH
        return _HARMFUL if any(saved.high < 0 for saved in both) else _NO_GAIN

    def facts(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "format": FORMAT,
            "verdict": self.verdict,
            "saved_over_random": _plain(self.over_random),
            "saved_over_cold": _plain(self.over_cold),
            "ahead_of_cold": [asdict(ahead) for ahead in self.ahead],
            "tasks": [asdict(task) for task in self.tasks],
            "notes": list(self.notes),
        }

    def text(self) -> str:
        """A table of the tasks, what was saved, and the verdict."""
        lines = [*_table(self.tasks), "", *self._sentences(), "", self._verdict_sentence()]
        return "\n".join([*lines, *(f"Note: {note}" for note in self.notes)])

    def _sentences(self) -> list[str]:
        return [
            f"Trials saved against random search: {_interval(self.over_random)}.",
            f"Trials saved against a cold start:  {_interval(self.over_cold)}.",
            *(_lead(ahead) for ahead in self.ahead if ahead.trial <= self._trials),
        ]

    @property
    def _trials(self) -> int:
        """The most that were given to random search."""
        return max(task.trials for task in self.tasks)

    def _verdict_sentence(self) -> str:
        hint = f" With {plural(len(self.tasks), 'task')} this is a hint and no proof."
        few = _LEAST <= len(self.tasks) < _FEW
        return (
            f"Verdict: {self.verdict}, because {_RULES[self.verdict]}.{hint * few} Only"
            " configurations that were run could be chosen: what nobody ran, no method could find."
        )


def _saved(per_task: Sequence[Array]) -> Saved:
    """Median over tasks, and the order statistics of the tasks that enclose the true one."""
    values = np.sort([np.median(values) for values in per_task])
    outside = int(binom.ppf(_OUTSIDE, len(values), 0.5))  # tasks on each side of the interval, + 1
    if outside < 1:
        return Saved(float(np.median(values)), -math.inf, math.inf)
    return Saved(float(np.median(values)), float(values[outside - 1]), float(values[-outside]))


def _ahead(tasks: Sequence[Tuned], index: int) -> Ahead:
    signs = np.array([[seed[index] for seed in task.better] for task in tasks])
    better, equal, worse = (float(np.mean(signs == sign)) for sign in (1, 0, -1))
    return Ahead(STEPS[index], better, equal, worse, _flip_test(signs.mean(axis=1)))


def _flip_test(means: Array) -> float:
    """p that the mean over tasks is as far from 0 if each task might as well be turned around."""
    if 2 ** len(means) <= _FLIPS:
        signs = np.array(list(itertools.product((-1, 1), repeat=len(means))))
    else:  # the tasks as they are count as one of the draws, so that p is never 0
        drawn = np.random.default_rng(0).choice((-1, 1), size=(_FLIPS, len(means)))
        signs = np.concatenate([np.ones((1, len(means))), drawn])
    return float(np.mean(np.abs(signs @ means) >= np.abs(means.sum()) - 1e-12))


def _plain(saved: Saved) -> dict[str, float | None]:
    """As JSON has it, which knows no infinity."""
    return {name: v if math.isfinite(v) else None for name, v in asdict(saved).items()}


def _interval(saved: Saved) -> str:
    if math.isinf(saved.low):
        return f"{saved.median:g} (median; too few tasks for an interval)"
    return f"{saved.median:g} (median; 90 % interval over tasks: {saved.low:g} to {saved.high:g})"


def _lead(ahead: Ahead) -> str:
    if ahead.equal == 1:
        return f"After {ahead.trial} trials the warm start and the cold one are the same."
    return (
        f"After {ahead.trial} trials the warm start is better than the cold one in"
        f" {ahead.better:.0%} of the tunings and worse in {ahead.worse:.0%} (p = {ahead.p:.2g})."
    )


def _table(tasks: Sequence[Tuned]) -> list[str]:
    width = max(4, *(len(task.task) for task in tasks))
    lines = [
        _LEGEND,
        f"{'task':{width}}  {'rows':>6}  {'trials':>6}  {'random':>6}  {'cold':>6}  {'warm':>6}",
    ]
    for task in tasks:
        cold, warm = (_cell(np.median(n), 2 * task.trials) for n in (task.cold, task.warm))
        lines.append(
            f"{task.task:{width}}  {task.rows:6,}  {task.trials:6}  {task.random:6}"
            f"  {cold:>6}  {warm:>6}"
        )
    return lines


def _cell(needed: float | np.floating[Any], most: int) -> str:
    return f"≥ {most}" if needed >= most else f"{needed:g}"
