"""Several processes that work on one study in PostgreSQL at the same time."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

optuna = pytest.importorskip("optuna")
sqlalchemy = pytest.importorskip("sqlalchemy")

from integrations.optuna import worker  # noqa: E402
from integrations.optuna.worker import wait_for  # noqa: E402
from malibo.integrations.optuna import MaliboSampler  # noqa: E402

Config = tuple[int, ...]
Process = subprocess.Popen[bytes]
Start = Callable[..., dict[str, Process]]


@pytest.fixture
def study(postgres: str) -> Iterator[Any]:
    """The empty study on which all of them work."""
    storage = worker.open_storage(postgres)
    yield optuna.create_study(storage=storage, study_name=worker.STUDY)
    storage.remove_session()
    storage.engine.dispose()


@pytest.fixture
def start(postgres: str, study: Any, tmp_path: Path) -> Iterator[Start]:
    """A function that starts so many workers, all of them at the same moment."""
    processes: dict[str, Process] = {}

    def start_workers(number: int, *options: str) -> dict[str, Process]:
        for name in (f"worker-{i}" for i in range(number)):
            processes[name] = _process(tmp_path, name, postgres, options)
        wait_for(lambda: all(_is_ready(tmp_path, *item) for item in processes.items()), "worker")
        (tmp_path / "go").touch()
        return processes

    yield start_workers
    for process in processes.values():
        process.kill()
        process.wait()


def _process(folder: Path, name: str, url: str, options: Sequence[str]) -> Process:
    command = [sys.executable, worker.__file__, str(folder), name, url, *options]
    with (folder / f"{name}.log").open("wb") as log:
        return subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)


def _is_ready(folder: Path, name: str, process: Process) -> bool:
    assert process.poll() is None, (folder / f"{name}.log").read_text()
    return (folder / f"{name}.ready").exists()


def finish(folder: Path, processes: dict[str, Process]) -> None:
    """Every worker comes to its end, and without an error."""
    for name, process in processes.items():
        assert process.wait(worker.DEADLINE) == 0, (folder / f"{name}.log").read_text()


def evaluated(folder: Path, name: str) -> list[Config]:
    """What a worker evaluated, by its own record."""
    file = folder / f"{name}.evaluated"
    lines = file.read_text().splitlines() if file.exists() else []
    return [tuple(json.loads(line)) for line in lines]


def evaluated_by_all(folder: Path) -> Counter[Config]:
    names = [file.stem for file in folder.glob("*.evaluated")]
    return Counter(config for name in names for config in evaluated(folder, name))


def config_of(trial: Any) -> Config:
    return tuple(trial.params[name] for name in sorted(trial.params))


def retried(trial: Any) -> int | None:
    """The number of the trial that this one repeats."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        number = optuna.storages.RetryHeartbeatStaleTrialCallback.retried_trial_number(trial)
    return None if number is None else int(number)


def kill_the_blocked(folder: Path, processes: dict[str, Process], study: Any, number: int) -> str:
    """Kill the worker that is in the middle of this trial, and return its name."""
    wait_for(lambda: list(folder.glob("*.blocked")), "trial that blocks its worker")
    (marker,) = folder.glob("*.blocked")
    wait_for(lambda: has_heartbeat(study, number), "heartbeat of the blocked trial")
    process = processes.pop(marker.stem)
    process.kill()
    process.wait()
    return marker.stem


def has_heartbeat(study: Any, number: int) -> bool:
    """Whether it is known in the storage that someone is at work on the trial."""
    query = "SELECT count(*) FROM trial_heartbeats JOIN trials USING (trial_id) WHERE number = :n"
    with study._storage._backend.engine.connect() as connection:
        return bool(connection.execute(sqlalchemy.text(query), {"n": number}).scalar())


def test_the_trial_of_a_killed_worker_is_run_again_and_none_is_lost_or_doubled(
    start: Start, study: Any, tmp_path: Path
) -> None:
    processes = start(3, "--sizes=5x4x3", "--completed=20", "--blocked=5")
    killed = kill_the_blocked(tmp_path, processes, study, number=5)
    finish(tmp_path, processes)

    trials = study.get_trials()
    completed = [t for t in trials if t.state == optuna.trial.TrialState.COMPLETE]
    failed = [t for t in trials if t.state == optuna.trial.TrialState.FAIL]
    assert [trial.number for trial in trials] == list(range(len(trials)))
    assert len(trials) == len(completed) + len(failed)
    assert len(completed) >= 20

    assert [trial.number for trial in failed] == [5]
    assert evaluated(tmp_path, killed)[-1] == config_of(failed[0])
    (again,) = [trial for trial in completed if retried(trial) == 5]
    assert again.params == failed[0].params

    counts = evaluated_by_all(tmp_path)
    assert counts == Counter(config_of(trial) for trial in trials)
    assert counts.pop(config_of(failed[0])) == 2
    assert set(counts.values()) == {1}


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(["--sizes=4x3", "--known"], id="every-one-of-a-known-space"),
        # x0 is fixed before x1 is known of: each of its values has room for all twelve trials
        pytest.param(["--sizes=2x12"], id="twelve-of-an-unknown-space"),
    ],
)
def test_workers_that_start_at_the_same_moment_try_nothing_twice(
    start: Start, study: Any, tmp_path: Path, options: list[str]
) -> None:
    finish(tmp_path, start(4, "--trials=3", *options))
    assert {trial.state for trial in study.trials} == {optuna.trial.TrialState.COMPLETE}
    counts = evaluated_by_all(tmp_path)
    assert counts.total() == 12
    assert len(counts) == 12


def test_samplers_of_twelve_threads_find_all_twelve_configurations() -> None:
    for _ in range(10):
        storage = optuna.storages.InMemoryStorage()
        study = optuna.create_study(storage=storage, study_name=worker.STUDY)
        with ThreadPoolExecutor(12) as threads:
            list(threads.map(run_one, [storage] * 12, [Barrier(12)] * 12))
        assert len({config_of(trial) for trial in study.trials}) == 12


def run_one(storage: Any, barrier: Barrier) -> None:
    """One trial with a sampler that shares nothing with others but the storage."""
    space = worker.grid([4, 3])
    sampler = MaliboSampler(seed=0, search_space=space)
    study = optuna.load_study(study_name=worker.STUDY, storage=storage, sampler=sampler)
    barrier.wait()
    study.tell(study.ask(space), 1.0)
