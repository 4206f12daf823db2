"""``malibo demo``: a warm start on real data, beside random search and a cold start."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from malibo import plots
from malibo.bench.problems import Problem
from malibo.bench.problems.packaged import FCNET, load
from malibo.bench.problems.tables import TableProblem
from malibo.errors import InputError, listing, nearest, plural
from malibo.history import History
from malibo.metamodel import MetaModel
from malibo.optimizer import Malibo
from malibo.space.parameters import Array
from malibo.training import meta_train

DATA_SETS = FCNET.tasks
METHODS = ("MALIBO", "cold LFBO", "random search")
STEPS = (1, 2, 5, 10, 25, 50)


@dataclass(frozen=True, eq=False)
class Demo:
    """What came of it: best regret so far (seeds, trials) of each method, and the picture."""

    target: str
    curves: dict[str, Array]
    picture: Path
    seconds: float

    def text(self) -> str:
        """For people."""
        last = f"Picture: {self.picture}. Took {self.seconds:.0f} s."
        return "\n".join([*summary(self.curves, self.target), "", last])

    def facts(self) -> dict[str, Any]:
        """For scripts."""
        means = {name: rows.mean(axis=0).tolist() for name, rows in self.curves.items()}
        return {"target": self.target, "regret": means, "picture": str(self.picture)}


def run_demo(target: str, seeds: int, trials: int, output: Path, progress: bool = True) -> Demo:
    """Run, and save the picture."""
    check_name(target)
    plots.check_path(output)
    start = time.perf_counter()
    problem = TableProblem(load(FCNET, progress), target)
    curves = run(problem, seeds, trials, progress)
    title = f"Tuning a network on {target}, with the past of three other data sets"
    plots.save(plots.regret_figure(curves, title), output)
    return Demo(target, curves, output, time.perf_counter() - start)


def check_name(data_set: str) -> None:
    """Refuse a data set that there is not."""
    if data_set not in DATA_SETS:
        raise InputError(
            f"unknown data set {data_set!r}; known: {listing(DATA_SETS)}."
            f"{nearest(data_set, DATA_SETS)}"
        )


def run(problem: Problem, seeds: int, trials: int, progress: bool) -> dict[str, Array]:
    """Best regret so far, (seeds, trials), for each method."""
    curves: dict[str, list[Array]] = {name: [] for name in METHODS}
    for seed in range(seeds):
        history = problem.past(np.random.default_rng([seed, 1]))
        for name, optimizer in optimizers(history, seed, progress):
            label = f"{name}, seed {seed}"
            curves[name].append(tune(optimizer, problem, trials, label, progress))
    return {name: np.array(rows) for name, rows in curves.items()}


def optimizers(history: History, seed: int, progress: bool) -> Iterator[tuple[str, Malibo]]:
    """The three that are compared."""
    model: MetaModel = meta_train(history, seed=seed, progress=progress)
    yield METHODS[0], Malibo(model, seed=seed)
    yield METHODS[1], Malibo(space=history.space, seed=seed)
    yield METHODS[2], Malibo(space=history.space, seed=seed, random_first=10**9)


def tune(optimizer: Malibo, problem: Problem, trials: int, label: str, progress: bool) -> Array:
    """Best regret after each trial."""
    rng, losses = np.random.default_rng(0), []  # tables have no noise
    for _ in tqdm(range(trials), desc=label, unit="trial", disable=not progress or None):
        config = optimizer.ask()
        loss = problem.evaluate(optimizer.space.codes([config])[0], rng).loss
        optimizer.tell(config, loss)
        losses.append(loss)
    low, high = problem.reference.best, problem.reference.worst
    return np.asarray((np.minimum.accumulate(losses) - low) / (high - low))


def summary(curves: dict[str, Array], target: str) -> list[str]:
    """A table of mean regrets, and a sentence on the trials saved."""
    trials = next(iter(curves.values())).shape[1]
    steps = [step for step in STEPS if step <= trials]
    lines = [
        f"Normalised regret on {target}, mean over {plural(len(curves[METHODS[0]]), 'seed')}",
        f"{'after trial':16}" + "".join(f"{step:>18}" for step in steps),
    ]
    for name, rows in curves.items():
        lines.append(f"{name:16}" + "".join(f"{_cell(rows[:, step - 1]):>18}" for step in steps))
    return [*lines, "", saved_sentence(curves)]


def _cell(values: Array) -> str:
    """Mean and, of several values, its standard error."""
    if len(values) == 1:
        return f"{values[0]:.1e}"
    return f"{values.mean():.1e} ±{values.std(ddof=1) / np.sqrt(len(values)):.0e}"


def saved_sentence(curves: dict[str, Array]) -> str:
    """How many trials the past was worth, seed by seed against random search."""
    warm, random = curves[METHODS[0]], curves[METHODS[2]]
    seeds, trials = warm.shape
    needed = [first_reaching(w, r[-1]) for w, r in zip(warm, random, strict=True)]
    missed = needed.count(np.inf)
    typical = float(np.median(needed))
    if not np.isfinite(typical):
        return (
            f"In {missed} of {plural(seeds, 'seed')} MALIBO did not find in {trials} trials what"
            " random search found: no trials were saved."
        )
    never = f"; not at all in {missed} of them" if missed else ""
    return (
        f"What random search found in {trials} trials, MALIBO had after {typical:g} (median over"
        f" {plural(seeds, 'seed')}{never}): {trials - typical:g} trials saved."
    )


def first_reaching(curve: Array, level: float) -> float:
    """The first trial at which a curve is at or below a level; infinity if never."""
    reached = np.flatnonzero(curve <= level)
    return float(reached[0]) + 1 if len(reached) else np.inf
