"""Whether a past is worth a warm start: each of its tasks is tuned as if it were new."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from tqdm import tqdm

from malibo.config import TrainConfig, with_options
from malibo.errors import InputError, need_whole_number, plural
from malibo.explain.leave_one_out import Rows, others
from malibo.explain.verdict import STEPS, Evaluation, Tuned
from malibo.history import History
from malibo.optimizer import Malibo
from malibo.space.parameters import Array
from malibo.training import meta_train

LEAST = 10  # distinct valid configurations of a task that is tuned


def evaluate(
    history: History,
    *,
    trials: int = 30,
    seeds: int = 3,
    progress: bool = True,
    config: TrainConfig | None = None,
    **options: Any,
) -> Evaluation:
    """Leave out one task at a time, and tune it with the past of the others.

    For each task the level is what random search reaches in ``trials`` trials with an even chance,
    in fewer if it has less than twice as many rows. Counted are the trials that a warm start, a
    cold start and random search take to it. Warm and cold run with ``seeds`` seeds; that of random
    search is exact. ``options`` are fields of TrainConfig.

    A warm start also adapts by another model than a cold one (malibo.process), so that it may save
    trials even where tasks have little in common. Each task has seeds and an order of its rows of
    its own, so that tasks with the same rows do not share their luck.
    """
    _check(history, trials, seeds)
    chosen = with_options(TrainConfig, config, options)
    tables, notes = _tables(history, trials)
    jobs = [(rows, seed) for rows in tables for seed in range(seeds)]
    shown = tqdm(jobs, desc="tuning", unit="run", disable=not progress or None)
    curves = [_curves(history, rows, trials, seed, chosen) for rows, seed in shown]
    of_task = (curves[start : start + seeds] for start in range(0, len(curves), seeds))
    tuned = (_tuned(rows, trials, found) for rows, found in zip(tables, of_task, strict=True))
    return Evaluation(tuple(tuned), tuple(notes))


def _check(history: History, trials: int, seeds: int) -> None:
    if not isinstance(history, History):
        raise InputError(f"history must be a malibo.History, got {type(history).__name__}.")
    need_whole_number("trials", trials)
    need_whole_number("seeds", seeds)
    if len(history.tasks) < 2:
        raise InputError(
            f"evaluating needs at least 2 tasks, to leave one out, got {history.names[0]!r} alone;"
            " add the runs of another task."
        )


def _tables(history: History, trials: int) -> tuple[list[Rows], list[str]]:
    """The tasks that can be tuned, and a sentence on each that cannot or is short."""
    found, notes = [], []
    for rows in map(Rows.of, history):
        if reason := _unfit(rows):
            notes.append(f"task {rows.name!r} is not tuned: {reason}.")
            continue
        found.append(rows)
        if len(rows) < 2 * trials:
            notes.append(
                f"task {rows.name!r} has {len(rows)} configurations, fewer than 2 x {trials}:"
                " with little to choose from all methods look alike."
            )
    if not found:
        raise InputError(
            f"no task can be tuned, for each needs {LEAST} distinct configurations with different"
            f" losses; {notes[0]}"
        )
    return found, notes


def _unfit(rows: Rows) -> str:
    """Why a task cannot be tuned; empty if it can."""
    if rows.valid < LEAST:
        return f"{plural(rows.valid, 'distinct valid configuration')}, {LEAST} are needed"
    valid = rows.losses[np.isfinite(rows.losses)]
    return "all its losses are equal" if valid.min() == valid.max() else ""


def _trials(rows: Rows, trials: int) -> int:
    """So many, or half of the rows where there are few."""
    return min(trials, len(rows) // 2)


def _curves(
    history: History, rows: Rows, trials: int, seed: int, config: TrainConfig
) -> tuple[Array, Array]:
    """Best losses of a warm start, and of a cold one."""
    few, seed = _trials(rows, trials), _own_seed(rows.name, seed)
    order = np.random.default_rng(seed).permutation(len(rows))
    level, configs = rows.level(few), rows.space.configs(rows.codes[order])
    model = meta_train(others(history, rows), config, seed=seed, progress=False)
    warm = Malibo(model, candidates=configs, seed=seed)
    cold = Malibo(space=rows.space, candidates=configs, seed=seed)
    least, most = max(STEPS), 2 * few
    return rows.tune(warm, level, least, most), rows.tune(cold, level, least, most)


def _own_seed(task: str, seed: int) -> int:
    """A seed of the task's own: tasks with the same rows would else draw the same ones.

    What happens by chance would happen to all of them, and look like what they have in common.
    """
    sequence = np.random.SeedSequence([seed, zlib.crc32(task.encode())])
    return int(sequence.generate_state(1)[0])


def _tuned(rows: Rows, trials: int, curves: Sequence[tuple[Array, Array]]) -> Tuned:
    few = _trials(rows, trials)
    level = rows.level(few)

    def needed(curve: Array) -> int:
        reached = np.flatnonzero(curve[: 2 * few] <= level)
        return int(reached[0]) + 1 if len(reached) else 2 * few

    return Tuned(
        task=rows.name,
        rows=len(rows),
        trials=few,
        random=rows.random_trials(level),
        warm=tuple(needed(warm) for warm, _ in curves),
        cold=tuple(needed(cold) for _, cold in curves),
        better=tuple(tuple(_sign(c[s - 1], w[s - 1]) for s in STEPS) for w, c in curves),
    )


def _sign(cold: float, warm: float) -> int:
    """1 if the warm loss is less than the cold one; infinite ones are equal."""
    return int(warm < cold) - int(warm > cold)
