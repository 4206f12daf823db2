"""A process that works on a study together with others; test_workers.py starts it.

What it does can be seen in its folder: it writes every configuration that it evaluates into a
file of its own, before the storage hears of a result.
"""

from __future__ import annotations

import argparse
import json
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import optuna
from optuna.distributions import BaseDistribution, IntDistribution
from optuna.storages import RDBStorage, RetryHeartbeatStaleTrialCallback
from optuna.trial import TrialState

from malibo.integrations.optuna import MaliboSampler

STUDY = "together"
DEADLINE = 60.0  # in seconds, for all that is waited for

Objective = Callable[[optuna.Trial], float]


def wait_for(condition: Callable[[], Any], what: str) -> None:
    """Return once the condition holds."""
    end = time.monotonic() + DEADLINE
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"after {DEADLINE:g} seconds there is still no {what}")
        time.sleep(0.02)


def open_storage(url: str) -> RDBStorage:
    """A storage that notices, some seconds later, that a worker has died."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        return RDBStorage(
            url,
            heartbeat_interval=1,
            grace_period=3,
            heartbeat_stale_trial_callback=RetryHeartbeatStaleTrialCallback(max_retry=2),
        )


# -- the work ----------------------------------------------------------------------------------


def grid(sizes: Sequence[int]) -> dict[str, BaseDistribution]:
    """As many whole numbers as there are sizes."""
    return {f"x{i}": IntDistribution(0, size - 1) for i, size in enumerate(sizes)}


def evaluator(folder: Path, name: str, sizes: Sequence[int], blocked: int | None) -> Objective:
    """An objective over a grid of these sizes; the trial with one number hangs."""

    def evaluate(trial: optuna.Trial) -> float:
        config = [trial.suggest_int(f"x{i}", 0, size - 1) for i, size in enumerate(sizes)]
        with (folder / f"{name}.evaluated").open("a") as file:
            file.write(json.dumps(config) + "\n")
        if trial.number == blocked:
            (folder / f"{name}.blocked").touch()
            threading.Event().wait(DEADLINE)
        return float(sum(config))

    return evaluate


def work_until(study: optuna.Study, objective: Objective, completed: int) -> None:
    """Run trials until so many are completed and none is left, not even by a dead worker.

    No new one is begun as long as those under way will do: they are waited for, until they end
    or their heartbeat is so old that they are to be run again.
    """
    while True:
        states = Counter(trial.state for trial in study.get_trials(deepcopy=False))
        begun = states[TrialState.COMPLETE] + states[TrialState.RUNNING]
        if states[TrialState.WAITING] or begun < completed:
            study.optimize(objective, n_trials=1)
        elif states[TrialState.RUNNING]:
            optuna.storages.fail_stale_trials(study)
            time.sleep(0.05)
        else:
            return


def warm_up() -> None:
    """Load all that the first suggestion loads, or the workers would not start together."""
    optuna.create_study(sampler=MaliboSampler(seed=0)).ask(grid([2]))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("name")
    parser.add_argument("url")
    parser.add_argument("--sizes", help="of the grid, as 5x4x3")
    parser.add_argument("--known", action="store_true", help="tell the sampler of the grid")
    parser.add_argument("--trials", type=int, help="of this worker")
    parser.add_argument("--completed", type=int, help="of all workers")
    parser.add_argument("--blocked", type=int, help="the number of the trial that hangs")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split("x")]
    sampler = MaliboSampler(seed=0, search_space=grid(sizes) if options.known else None)
    storage = open_storage(options.url)
    study = optuna.load_study(study_name=STUDY, storage=storage, sampler=sampler)
    objective = evaluator(options.folder, options.name, sizes, options.blocked)
    warm_up()
    (options.folder / f"{options.name}.ready").touch()
    wait_for((options.folder / "go").exists, "sign to start")
    if options.trials:
        study.optimize(objective, n_trials=options.trials)
    else:
        work_until(study, objective, options.completed)
    storage.remove_session()
    storage.engine.dispose()


if __name__ == "__main__":
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
    main()
