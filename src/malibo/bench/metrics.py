"""Metrics: regret, ranks and time out of runs.

A metric turns one run into an array over steps. Step 1 is the first configuration that was asked
for. Where initial points were given, there is a step 0 with the best of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from malibo.bench.runs import Run
from malibo.space.parameters import Array

Metric = Callable[[Run], Array]
Pair = tuple[str, int]  # task and seed

SMALLEST_REGRET = 1e-12  # for the logarithm, where no second best value is known
LEAST_SEEDS = 5  # for a comparison in pairs, where others have as many
_DIGITS = 10  # by which regrets are told apart


def immediate_regret(run: Run) -> Array:
    """How far the best so far is from the best there is, in units of the loss."""
    distance = np.maximum(np.array(run.truth) - run.reference.best, 0.0)
    return _from_start(run, np.minimum.accumulate(distance))


def normalised_regret(run: Run) -> Array:
    """Immediate regret as a share of the distance between the best and the worst; 0 if none."""
    return immediate_regret(run) / (_range(run) or 1.0)


def log10_regret(run: Run) -> Array:
    """Logarithm of the normalised regret, in which the optimum counts as the second best.

    The logarithm of 0 has no place in an average.
    """
    second = (run.reference.second - run.reference.best) / (_range(run) or 1.0)
    return np.asarray(np.log10(np.maximum(normalised_regret(run), second or SMALLEST_REGRET)))


def share_better(run: Run) -> Array:
    """Share of all configurations that are better than the best so far."""
    return _from_start(run, np.minimum.accumulate(run.better))


def wall_clock(run: Run) -> Array:
    """Seconds since the start: meta-training, evaluations and the method's own time.

    An evaluation of unknown time counts 0: see :func:`times_known`.
    """
    evaluation = np.nan_to_num(np.array(run.seconds), nan=0.0)
    return _from_start(run, np.cumsum(evaluation + run.suggest + np.array(run.train)))


def times_known(run: Run) -> bool:
    """Whether the time of every evaluation is known."""
    return bool(np.isfinite(run.seconds).all())


def runtime(run: Run) -> Array:
    """Seconds of the method itself for each step that was asked for, without meta-training."""
    train = np.array(run.train)
    train[0] = 0.0  # meta-training is in there
    return np.asarray((run.suggest + train)[run.initial :])


def training_time(run: Run) -> float:
    """Seconds of meta-training."""
    return run.train[0]


def _from_start(run: Run, values: Array) -> Array:
    """Without the initial points but for the last, which stands for all of them."""
    return np.asarray(values[max(run.initial - 1, 0) :], dtype=float)


def _range(run: Run) -> float:
    return run.reference.worst - run.reference.best


@dataclass(frozen=True, eq=False)
class Curves:
    """A metric of many runs of one suite.

    steps    numbers of the steps (S,)
    keys     task and seed of every run, by method
    values   the metric of the same runs (runs, S), by method
    """

    steps: Array
    keys: Mapping[str, Sequence[Pair]]
    values: Mapping[str, Array]

    @property
    def methods(self) -> tuple[str, ...]:
        """Names of the methods."""
        return tuple(self.keys)

    @property
    def tasks(self) -> tuple[str, ...]:
        """Names of all tasks."""
        return in_natural_order({task for keys in self.keys.values() for task, _ in keys})

    def only(self, methods: Iterable[str]) -> Curves:
        """Those methods of the given ones that are there, in the given order."""
        there = [name for name in methods if name in self.keys]
        return self._restrict(there, {key for name in there for key in self.keys[name]})

    def on_tasks(self, tasks: Iterable[str]) -> Curves:
        """Runs on the given tasks, and the methods that have any."""
        wanted = set(tasks)
        pairs = {key for keys in self.keys.values() for key in keys if key[0] in wanted}
        there = [name for name, keys in self.keys.items() if pairs.intersection(keys)]
        return self._restrict(there, pairs)

    def common_tasks(self) -> tuple[str, ...]:
        """Tasks that every method was run on."""
        tasks = [{task for task, _ in keys} for keys in self.keys.values()]
        return in_natural_order(set.intersection(*tasks) if tasks else set())

    def paired(self) -> Curves:
        """Runs of the tasks and seeds that all methods have, in the same order for each."""
        keys = [set(keys) for keys in self.keys.values()]
        return self._restrict(self.methods, set.intersection(*keys) if keys else set())

    def _restrict(self, methods: Iterable[str], pairs: set[Pair]) -> Curves:
        rows = {
            name: [row for row, key in enumerate(self.keys[name]) if key in pairs]
            for name in methods
        }
        keys = {name: [self.keys[name][row] for row in rows[name]] for name in rows}
        values = {name: self.values[name][rows[name]] for name in rows}
        return Curves(self.steps, keys, values)


def curves(runs: Iterable[Run], metric: Metric) -> Curves:
    """A metric of all runs, each once, up to the last step that all of them have."""
    once = {run.key: run for run in runs}
    ordered = sorted(once.values(), key=lambda run: (run.task, run.seed))
    by_method: dict[str, list[Run]] = {}
    for run in ordered:
        by_method.setdefault(run.method, []).append(run)
    lines = {name: [metric(run) for run in group] for name, group in by_method.items()}
    length = min((len(line) for group in lines.values() for line in group), default=0)
    last = len(ordered[0].truth) - ordered[0].initial if ordered else 0
    first = last - len(lines[ordered[0].method][0]) + 1 if ordered else 1
    return Curves(
        steps=np.arange(first, first + length, dtype=float),
        keys={name: [(run.task, run.seed) for run in group] for name, group in by_method.items()},
        values={name: np.array([line[:length] for line in lines[name]]) for name in lines},
    )


def in_natural_order(names: Iterable[str]) -> tuple[str, ...]:
    """Sorted, with numbers in names by their size: "task 2" before "task 10"."""

    def parts(name: str) -> list[tuple[int, str]]:
        pieces = re.findall(r"\d+|\D+", name.lower())
        return [(int(piece), "") if piece.isdecimal() else (-1, piece) for piece in pieces]

    return tuple(sorted(names, key=lambda name: (parts(name), name)))


def mean_and_error(curves: Curves, method: str) -> tuple[Array, Array]:
    """Mean over tasks at each step, and its standard error over seeds (NaN for a single seed).

    The mean is that of the tasks' means over seeds. If all tasks have the same seeds, each seed
    gives one average over tasks, and the error is that of their mean. If not, the tasks' own
    errors are combined as those of independent numbers.
    """
    seeds, lines = _by_task(curves, method)
    mean = np.mean([rows.mean(axis=0) for rows in lines], axis=0)
    if all(of_task == seeds[0] for of_task in seeds):
        return mean, _standard_error(np.mean(lines, axis=0))
    errors = np.array([_standard_error(rows) for rows in lines])
    return mean, np.asarray(np.sqrt((errors**2).sum(axis=0)) / len(lines))


def _by_task(curves: Curves, method: str) -> tuple[list[list[int]], list[Array]]:
    """Seeds and values (seeds, S) of each task, seeds in order."""
    rows: dict[str, list[tuple[int, int]]] = {}
    for row, (task, seed) in enumerate(curves.keys[method]):
        rows.setdefault(task, []).append((seed, row))
    groups = [sorted(group) for group in rows.values()]
    values = curves.values[method]
    return (
        [[seed for seed, _ in group] for group in groups],
        [values[[row for _, row in group]] for group in groups],
    )


def _standard_error(rows: Array) -> Array:
    if len(rows) < 2:
        return np.full(rows.shape[1], np.nan)
    return np.asarray(rows.std(axis=0, ddof=1) / np.sqrt(len(rows)))


def seed_counts(curves: Curves) -> tuple[int, int]:
    """Least and greatest number of seeds that a method has on a task."""
    counts = [len(seeds) for name in curves.methods for seeds in _by_task(curves, name)[0]]
    return min(counts, default=0), max(counts, default=0)


def with_seeds(curves: Curves) -> list[str]:
    """Methods with five seeds, or with as many as any other one has: others leave few pairs."""
    seeds = {method: seed_counts(curves.only([method]))[0] for method in curves.methods}
    least = min(LEAST_SEEDS, max(seeds.values(), default=0))
    return [method for method in seeds if seeds[method] >= least]


def comparable(values: Array) -> Array:
    """Rounded to significant digits: float noise should not decide which regret is smaller.

    Regrets of 1e-13 occur, so that no number of decimals would do.
    """
    magnitude = np.floor(np.log10(np.abs(values), out=np.zeros_like(values), where=values != 0))
    scale = 10.0 ** (_DIGITS - 1 - magnitude)
    return np.asarray(np.round(values * scale) / scale)


def average_ranks(curves: Curves) -> dict[str, Array]:
    """Rank of each method among all at each step, 1 for the smallest value; ties share the mean.

    The average is over the tasks and seeds that all methods have; NaN if there are none.
    """
    paired = curves.paired()
    stacked = np.array([*paired.values.values()])
    if not stacked.size:
        return {name: np.full(len(curves.steps), np.nan) for name in curves.methods}
    ranks = rankdata(comparable(stacked), axis=0).mean(axis=1)
    return dict(zip(paired.methods, ranks, strict=True))
