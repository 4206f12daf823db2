"""Ray Tune with a warm start: four past studies, and a new one that is stopped and goes on.

Run with ``python examples/ray_tune.py`` (needs ``pip install "malibo[ray]"``).
The past is made up on the spot: studies in a SQLite file, whose optima differ a little.
"""

import logging
import math
import os
import tempfile
from pathlib import Path

import optuna
import ray
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from ray import tune
from ray.tune.search import ConcurrencyLimiter
from ray.tune.search.optuna import OptunaSearch

import malibo
from malibo.integrations.optuna import MaliboSampler

SPACE = {
    "lr": FloatDistribution(1e-5, 1e-1, log=True),
    "depth": IntDistribution(1, 16),
    "optimizer": CategoricalDistribution(["adam", "sgd"]),
}


def loss(config: malibo.Config, task: float) -> float:
    """A made-up validation loss with an optimum for each task; no loss is less than ``task``."""
    distance = (math.log10(config["lr"]) + 4 - 0.3 * task) ** 2
    distance += 0.05 * (config["depth"] - 5 - 2 * task) ** 2
    return float(10**task * (distance + 0.3 * (config["optimizer"] == "sgd")) + task)


def past_study(storage: str, task: int) -> None:
    """Forty random trials, as they would lie in a team's database."""
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=task))
    for _ in range(40):
        trial = study.ask(SPACE)
        study.tell(trial, loss(trial.params, task))
    optuna.create_study(study_name=f"product {task}", storage=storage).add_trials(study.trials)


def train(config: malibo.Config) -> malibo.Config:
    """What Ray's workers do: train with a configuration, and return the loss by its name."""
    return {"loss": loss(config, task=1.5)}


def run(searcher: OptunaSearch, trials: int, folder: Path) -> list[tuple[malibo.Config, float]]:
    """So many more trials, two at a time."""
    tuner = tune.Tuner(
        train,
        tune_config=tune.TuneConfig(
            search_alg=ConcurrencyLimiter(searcher, max_concurrent=2),
            num_samples=trials,
            reuse_actors=True,  # workers stay: short trials need not wait for new ones
        ),
        run_config=tune.RunConfig(storage_path=str(folder), verbose=0),
    )
    return [(result.config, result.metrics["loss"]) for result in tuner.fit()]


def main(folder: Path) -> None:
    """Learn from the past, run six trials, stop, and go on with six more."""
    storage = f"sqlite:///{folder}/studies.db"
    for task in range(4):
        past_study(storage, task)

    sampler = MaliboSampler.from_studies(storage, seed=0)
    searcher = OptunaSearch(SPACE, metric="loss", mode="min", sampler=sampler)
    results = run(searcher, 6, folder)
    searcher.save(str(folder / "searcher.pkl"))

    # Later, in another process: the file has the model, the space and the results so far.
    searcher = OptunaSearch()
    searcher.restore(str(folder / "searcher.pkl"))
    results += run(searcher, 6, folder)

    for number, (config, value) in enumerate(results):
        print(f"trial {number:2}: loss {value:7.3f}  {config}")
    print("best:", min(results, key=lambda result: result[1]))
    print("least possible: 1.5; twelve random trials get to 14, in the median")


if __name__ == "__main__":
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # Ray sends nothing home
    os.environ["RAY_AIR_NEW_OUTPUT"] = "0"  # and verbose=0 is silent
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    ray.init(num_cpus=2, include_dashboard=False, logging_level=logging.ERROR)
    main(Path(tempfile.mkdtemp()))
    ray.shutdown()
