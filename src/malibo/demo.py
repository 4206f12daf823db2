"""``malibo demo``: a warm start on real data, beside random search and a cold start."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tqdm import tqdm

from malibo import fcnet, plots
from malibo.errors import plural
from malibo.history import History, Task
from malibo.maximize import key
from malibo.metamodel import MetaModel
from malibo.optimizer import Malibo
from malibo.space.parameters import Array
from malibo.training import meta_train

PAST_RUNS = 512  # from each past data set
METHODS = ("MALIBO", "cold LFBO", "random search")
STEPS = (1, 2, 5, 10, 25, 50)


@dataclass(frozen=True, eq=False)
class Table:
    """All configurations of one data set with their losses."""

    codes: Array
    losses: Array

    def index(self) -> dict[bytes, int]:
        """Row number of each configuration."""
        return {key(row): i for i, row in enumerate(self.codes)}

    @property
    def regret(self) -> Array:
        """Losses moved and scaled to [0, 1]: 0 is the best configuration, 1 the worst."""
        low, high = self.losses.min(), self.losses.max()
        return np.asarray((self.losses - low) / (high - low))


def run_demo(target: str, seeds: int, trials: int, output: Path, progress: bool = True) -> str:
    """Run, save the picture, and return the text to print."""
    fcnet.check_name(target)
    plots.check_path(output)
    start = time.perf_counter()
    names = tqdm(fcnet.DATA_SETS, "reading tables", unit="table", disable=not progress or None)
    tables = {name: Table(*fcnet.load(name)) for name in names}
    curves = run(tables, target, seeds, trials, progress)
    title = f"Tuning a network on {target}, with the past of three other data sets"
    plots.save(plots.regret_figure(curves, title), output)
    seconds = time.perf_counter() - start
    return "\n".join([*summary(curves, target), "", f"Picture: {output}. Took {seconds:.0f} s."])


def run(
    tables: dict[str, Table], target: str, seeds: int, trials: int, progress: bool
) -> dict[str, Array]:
    """Best regret so far, (seeds, trials), for each method."""
    curves: dict[str, list[Array]] = {name: [] for name in METHODS}
    for seed in range(seeds):
        history = past_runs(tables, target, np.random.default_rng([seed, 1]))
        for name, optimizer in optimizers(history, seed, progress):
            label = f"{name}, seed {seed}"
            curves[name].append(tune(optimizer, tables[target], trials, label, progress))
    return {name: np.array(rows) for name, rows in curves.items()}


def past_runs(tables: dict[str, Table], target: str, rng: np.random.Generator) -> History:
    """Random runs on every data set but the target."""
    tasks = []
    for name, table in tables.items():
        if name != target:
            rows = rng.choice(len(table.losses), PAST_RUNS, replace=False)
            tasks.append(Task(name, fcnet.SPACE, table.codes[rows], table.losses[rows]))
    return History(tasks)


def optimizers(history: History, seed: int, progress: bool) -> Iterator[tuple[str, Malibo]]:
    """The three that are compared."""
    model: MetaModel = meta_train(history, seed=seed, progress=progress)
    yield METHODS[0], Malibo(model, seed=seed)
    yield METHODS[1], Malibo(space=fcnet.SPACE, seed=seed)
    yield METHODS[2], Malibo(space=fcnet.SPACE, seed=seed, random_first=10**9)


def tune(optimizer: Malibo, table: Table, trials: int, label: str, progress: bool) -> Array:
    """Best regret after each trial."""
    index, regret, found = table.index(), table.regret, []
    for _ in tqdm(range(trials), desc=label, unit="trial", disable=not progress or None):
        config = optimizer.ask()
        row = index[key(optimizer.space.codes([config])[0])]
        optimizer.tell(config, table.losses[row])
        found.append(regret[row])
    return np.minimum.accumulate(found)


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
