"""Ray Tune on a real cluster of two workers on this machine: the example, and going on."""

from __future__ import annotations

import ast
import contextlib
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

import malibo
from malibo.integrations.optuna import MaliboSampler

EXAMPLE = Path(__file__).parents[2] / "examples" / "ray_tune.py"
TRIALS, HALF = 6, 3
SPACE = {
    "lr": FloatDistribution(1e-4, 1e-1, log=True),
    "layers": IntDistribution(1, 4),
    "optimizer": CategoricalDistribution(["adam", "sgd"]),
}


def loss(config: malibo.Config, shift: float = 0.0) -> float:
    distance = np.log10(config["lr"]) + 2.5 + shift
    return float(distance**2 + 0.1 * config["layers"] + 0.3 * (config["optimizer"] == "sgd"))


@pytest.fixture(scope="module")
def model() -> malibo.MetaModel:
    """Trained in a moment, in the space of this file."""
    space = malibo.Space.from_optuna(SPACE)
    rng = np.random.default_rng(0)
    tasks = []
    for shift in (-0.3, 0.0, 0.3):
        configs = space.configs(space.sample(rng, 30))
        losses = [loss(config, shift) for config in configs]
        tasks.append(malibo.Task.from_configs(f"task {shift}", space, configs, losses))
    return malibo.meta_train(malibo.History(tasks), steps=100, progress=False)


@pytest.fixture(scope="module")
def expected(model: malibo.MetaModel) -> list[malibo.Config]:
    """What comes without Ray, and without a stop."""
    study = optuna.create_study(sampler=MaliboSampler(model, seed=0))
    for _ in range(TRIALS):
        trial = study.ask(SPACE)
        study.tell(trial, loss(trial.params))
    return by_rate(trial.params for trial in study.trials)


def by_rate(configs: Iterable[malibo.Config]) -> list[malibo.Config]:
    """In an order of their own: Ray lists trials after a restart in another one."""
    return sorted(configs, key=lambda config: config["lr"])


# -- a cluster that stays on this machine and leaves nothing behind -----------------------------


@pytest.fixture(scope="module", autouse=True)
def folder() -> Iterator[str]:
    """Where Ray has its files. It sends no statistics and uses the loopback interface only.

    Ray reads variables when it is imported, and so that happens here and not above.
    """
    with (
        tempfile.TemporaryDirectory(prefix="ray") as short,  # sockets lie in it
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("RAY_TMPDIR", short)
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")  # loopback, on Linux as well
        patch.setenv("RAY_AUTH_MODE", "token")
        patch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))  # else one is written to ~/.ray
        patch.setenv("RAY_AIR_NEW_OUTPUT", "0")
        patch.setenv("MALIBO_CACHE", short)
        pytest.importorskip("ray")
        yield short


@pytest.fixture(scope="module")
def cluster(folder: str) -> Iterator[Any]:
    """Ray, started."""
    import ray

    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import it
    yield ray
    ray.shutdown()
    for number, handler in handlers.items():
        signal.signal(number, handler)


def searcher_for(model: malibo.MetaModel, **options: Any) -> Any:
    from ray.tune.search.optuna import OptunaSearch

    sampler = MaliboSampler(model, seed=0)
    return OptunaSearch(SPACE, metric="loss", mode="min", sampler=sampler, **options)


def train(config: malibo.Config) -> malibo.Config:
    return {"loss": loss(config)}


def run(searcher: Any, trials: int, folder: Path, **options: Any) -> list[malibo.Config]:
    """Trials one after the other: then nothing depends on which worker is faster."""
    from ray import tune
    from ray.tune.search import ConcurrencyLimiter

    tuner = tune.Tuner(
        train,
        tune_config=tune.TuneConfig(
            search_alg=ConcurrencyLimiter(searcher, max_concurrent=1),
            num_samples=trials,
            reuse_actors=True,
        ),
        run_config=tune.RunConfig(storage_path=str(folder), verbose=0, **options),
    )
    return [result.config for result in tuner.fit()]


def run_here(searcher: Any, trials: int) -> list[malibo.Config]:
    """The same without workers, by the calls that Ray makes."""
    configs = []
    for number in range(trials):
        configs.append(searcher.suggest(f"here {number}"))
        searcher.on_trial_complete(f"here {number}", train(configs[-1]))
    return configs


def left_behind(folder: str) -> list[bytes]:
    """Commands of processes that still run with files in a folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it ended in between
            command = path.read_bytes()
            found += [command] if folder.encode() in command else []
    return found


# -- tests -------------------------------------------------------------------------------------


def test_example_prints_twelve_different_trials_and_a_good_one(folder: str) -> None:
    command = [sys.executable, str(EXAMPLE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    *trials, best, _ = done.stdout.splitlines()
    configs = [line[line.index("{") :] for line in trials]
    assert len(set(configs)) == 12
    config, value = ast.literal_eval(best.removeprefix("best: "))
    assert str(config) in configs
    assert 1.5 <= value < 3.5  # one random trial in a hundred is as good
    assert left_behind(folder) == []


def test_cluster_listens_on_this_machine_only(cluster: Any) -> None:
    assert [node["NodeManagerAddress"] for node in cluster.nodes()] == ["127.0.0.1"]


def test_saved_searcher_goes_on_as_if_it_had_not_been_stopped(
    cluster: Any, model: malibo.MetaModel, expected: list[malibo.Config], tmp_path: Path
) -> None:
    from ray.tune.search.optuna import OptunaSearch

    searcher = searcher_for(model)
    configs = run(searcher, HALF, tmp_path)
    searcher.save(str(tmp_path / "searcher.pkl"))
    restored = OptunaSearch()
    restored.restore(str(tmp_path / "searcher.pkl"))

    rest = run_here(restored, TRIALS - HALF)
    assert rest == run_here(searcher, TRIALS - HALF)
    assert by_rate(configs + rest) == expected


def test_study_in_a_storage_goes_on_with_a_new_searcher(
    model: malibo.MetaModel, expected: list[malibo.Config], tmp_path: Path
) -> None:
    configs = []
    for trials in (HALF, TRIALS - HALF):
        storage = optuna.storages.RDBStorage(f"sqlite:///{tmp_path}/studies.db")
        searcher = searcher_for(model, storage=storage, study_name="new")
        configs += run_here(searcher, trials)
    assert by_rate(configs) == expected


def test_tuning_stopped_by_the_keyboard_is_restored(
    cluster: Any, model: malibo.MetaModel, expected: list[malibo.Config], tmp_path: Path
) -> None:
    from ray import tune

    class Stop(tune.Callback):  # type: ignore[misc]  # Any, where Ray is not installed
        def on_trial_complete(self, iteration: int, trials: list[Any], **_: Any) -> None:
            if sum(trial.status == "TERMINATED" for trial in trials) == HALF:
                os.kill(os.getpid(), signal.SIGINT)

    stopped = run(searcher_for(model), TRIALS, tmp_path, name="stopped", callbacks=[Stop()])
    assert len(stopped) < TRIALS

    again = tune.Tuner.restore(str(tmp_path / "stopped"), train).fit()
    assert by_rate(result.config for result in again) == expected
