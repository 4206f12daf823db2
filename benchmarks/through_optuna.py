"""A suggestion through Optuna and the same one by ask and tell."""

from __future__ import annotations

import time
from collections.abc import Callable

import ensembles
import numpy as np
import optuna

from malibo import Config, Malibo, MetaModel, meta_train
from malibo.integrations.optuna import MaliboSampler

PARAMETERS, TRIALS = 9, 1_000
TASKS, RUNS = 10, 10_000  # 100,000 past runs


def trained() -> MetaModel:
    """A model of 100,000 past runs."""
    past = ensembles.noise_history(PARAMETERS, tasks=TASKS, size=RUNS, seed=0)
    return meta_train(past, progress=False)


def loss(config: Config) -> float:
    """A bowl."""
    return float(sum((value - 0.4) ** 2 for value in config.values()))


def asks(model: MetaModel, storage: str | None = None) -> dict[str, Callable[[], float]]:
    """Functions that time one suggestion: by ``Malibo.ask``, and through two studies.

    All have 1,000 trials to begin with, and one more after each call. The study with random
    suggestions shows what Optuna and its storage take by themselves.
    """
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    configs = model.space.configs(model.space.sample(np.random.default_rng(0), TRIALS))
    opt = Malibo(model, seed=0)
    for config in configs:
        opt.tell(config, loss(config))

    def bare() -> float:
        start = time.perf_counter()
        config = opt.ask()
        seconds = time.perf_counter() - start
        opt.tell(config, loss(config))
        return seconds

    return {
        "malibo": _through(MaliboSampler(model, seed=0), model, configs, storage),
        "random": _through(optuna.samplers.RandomSampler(seed=0), model, configs, storage),
        "other": bare,
    }


def _through(
    sampler: optuna.samplers.BaseSampler,
    model: MetaModel,
    configs: list[Config],
    storage: str | None,
) -> Callable[[], float]:
    distributions = model.space.to_optuna()
    study = optuna.create_study(storage=storage, sampler=sampler)
    for config in configs:
        value = loss(config)
        study.add_trial(
            optuna.create_trial(params=config, distributions=distributions, value=value)
        )

    def through() -> float:
        start = time.perf_counter()
        trial = study.ask(distributions)
        seconds = time.perf_counter() - start
        study.tell(trial, loss(trial.params))
        return seconds

    return through
