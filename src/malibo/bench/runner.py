"""The runner: every method on every task with every seed, resumable and reproducible.

Work is shared out by joblib, one run at a time, and only the parent writes: any backend of
joblib can take over (``with joblib.parallel_config(backend="ray")``).
"""

from __future__ import annotations

import hashlib
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from tqdm import tqdm

from malibo.bench.methods import check_installed, method
from malibo.bench.methods.optimizer import Optimizer
from malibo.bench.problems import Evaluation, Problem
from malibo.bench.runs import Run, RunKey, RunSet, open_runs
from malibo.bench.suites import Suite
from malibo.errors import (
    InputError,
    MaliboError,
    MissingDependencyError,
    SpaceExhaustedError,
    plural,
)
from malibo.extras import require
from malibo.space.parameters import Array
from malibo.threads import one_thread


@dataclass(frozen=True)
class Failure:
    """A run that ended in an error."""

    key: RunKey
    error: str


def run_suite(
    suite: Suite,
    methods: Sequence[str],
    seeds: int,
    steps: int,
    output: Path,
    jobs: int = 1,
    progress: bool = True,
    tasks: Sequence[str] | None = None,
) -> int:
    """Do what is not in the results file yet, and return how many runs that were."""
    require("joblib", "bench")
    if jobs == 0:
        raise InputError("jobs must be the number of processes, or -1 for all cores; got 0.")
    for name in methods:
        check_installed(name)
    wanted = [
        RunKey(name, task, seed)
        for seed in range(seeds)
        for task in (tasks or suite.tasks())
        for name in methods
    ]
    failures: list[Failure] = []
    with open_runs(output, RunSet(suite.name, steps)) as file:
        todo = [key for key in wanted if key not in file.done]
        bar = tqdm(total=len(wanted), unit="run", disable=not progress or None, desc=suite.name)
        bar.update(len(wanted) - len(todo))
        with bar:
            for result in _results(suite, todo, steps, jobs):
                if isinstance(result, Failure):
                    failures.append(result)
                else:
                    file.append(result)
                bar.update()
    if failures:
        raise MaliboError(_failed(failures))
    return len(todo)


def _results(
    suite: Suite, todo: Sequence[RunKey], steps: int, jobs: int
) -> Iterator[Run | Failure]:
    """Results in the order in which they come in."""
    joblib = require("joblib", "bench")
    backend = joblib.parallel.get_active_backend()[0]
    lazily = "generator_unordered" if backend.supports_return_generator else "list"
    parallel = joblib.Parallel(n_jobs=jobs, return_as=lazily)
    work = joblib.delayed(try_run)
    yield from parallel(work(suite, key, steps) for key in todo)


def _failed(failures: list[Failure]) -> str:
    first = failures[0]
    return (
        f"{plural(len(failures), 'run')} failed and will be tried again next time. The first:"
        f" {first.key.method} on {first.key.task}, seed {first.key.seed}:\n{first.error}"
    )


def try_run(suite: Suite, key: RunKey, steps: int) -> Run | Failure:
    """One run; an error of a method does not end the others, a missing package does."""
    try:
        return run_one(suite, key, steps)
    except MissingDependencyError:
        raise
    except Exception:
        return Failure(key, traceback.format_exc())


def run_one(suite: Suite, key: RunKey, steps: int) -> Run:
    """Tune one task with one method. All methods see the same past for a seed."""
    problem = _problem(suite, key.task)
    with one_thread():
        start = time.perf_counter()
        optimizer = method(key.method).factory(
            problem.search,
            problem.past(generator(suite.name, key, "past")),
            generator(suite.name, key, "optimizer"),
        )
        trained = time.perf_counter() - start
        noise = generator(suite.name, key, "noise")
        trials = list(_tune(optimizer, problem, key.seed, steps, noise))
    return _record(key, problem, trials, trained)


@lru_cache(maxsize=1)
def _problem(suite: Suite, task: str) -> Problem:
    return suite.problem(task)


def generator(suite: str, key: RunKey, purpose: str) -> np.random.Generator:
    """A generator for a task and a seed, the same for all methods: they are compared in pairs."""
    text = f"{purpose}/{suite}/{key.task}/{key.seed}"
    return np.random.default_rng(int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big"))


@dataclass(frozen=True, eq=False)
class Trial:
    """One step: where, what came out, and how long it took to find and to learn."""

    row: Array
    evaluation: Evaluation
    suggest: float
    train: float


def _tune(
    optimizer: Optimizer, problem: Problem, seed: int, steps: int, noise: np.random.Generator
) -> Iterator[Trial]:
    """Trials, until there are enough of them or the table is used up."""
    space = problem.search.space
    given = problem.initial(seed)
    for step in range(len(given) + steps):
        start = time.perf_counter()
        try:
            config = space.configs(given[step])[0] if step < len(given) else optimizer.ask()
        except SpaceExhaustedError:
            return
        asked = time.perf_counter()
        row = space.codes([config])[0]
        evaluation = problem.evaluate(row, noise)
        told = time.perf_counter()
        optimizer.tell(config, evaluation.loss)
        yield Trial(row, evaluation, asked - start, time.perf_counter() - told)


def _record(key: RunKey, problem: Problem, trials: list[Trial], trained: float) -> Run:
    space = problem.search.space
    configs = space.configs(np.stack([trial.row for trial in trials]))
    train = [trial.train for trial in trials]
    return Run(
        method=key.method,
        task=key.task,
        seed=key.seed,
        reference=problem.reference,
        parameters=list(space),
        initial=len(problem.initial(key.seed)),
        configs=[[config.get(name) for name in space] for config in configs],
        loss=[trial.evaluation.loss for trial in trials],
        truth=[trial.evaluation.truth for trial in trials],
        better=[trial.evaluation.better for trial in trials],
        seconds=[trial.evaluation.seconds for trial in trials],
        suggest=[round(trial.suggest, 6) for trial in trials],
        train=[round(seconds, 6) for seconds in [trained + train[0], *train[1:]]],
    )
