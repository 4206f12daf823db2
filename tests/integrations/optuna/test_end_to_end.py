"""Six studies of the past in SQLite, and a seventh that is tuned warm."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import optuna
import pytest
from optuna.samplers import BaseSampler, RandomSampler, TPESampler
from optuna.trial import Trial
from scipy.stats import wilcoxon

from malibo.integrations.optuna import MaliboSampler

SEEDS = range(10)
STEPS = (1, 5, 10)


def objective(shift: float, scale: float, variant: int) -> Callable[[Trial], float]:
    """A bowl whose place and unit change from study to study, and a little of its space too."""

    def evaluate(trial: Trial) -> float:
        high = 10.0 if variant % 2 else 12.0  # a changed range
        x = trial.suggest_float("x", -10, high)
        lr = trial.suggest_float("lr", 1e-5 if variant else 1e-6, 1e-1, log=True)
        name = "depth" if variant != 3 else "max_depth"  # renamed in one study
        depth = trial.suggest_int(name, 1, 12)
        kinds = ["adam", "sgd"] if variant < 4 else ["adam", "sgd", "lion"]  # a choice was added
        kind = trial.suggest_categorical("optimizer", kinds)
        value = ((x - shift) / 4) ** 2 + (np.log10(lr) + 3) ** 2 + ((depth - 6) / 4) ** 2
        value += {"adam": 0.0, "sgd": 0.5, "lion": 0.3}[kind]
        if kind == "sgd":  # a branch
            value += (trial.suggest_float("momentum", 0, 1) - 0.9) ** 2
        if variant == 2:  # a parameter that was dropped since
            value += 0.1 * trial.suggest_float("warmup", 0, 1)
        return float(scale * value + 100 * variant)

    return evaluate


@pytest.fixture(scope="module")
def past(tmp_path_factory: pytest.TempPathFactory) -> str:
    url = f"sqlite:///{tmp_path_factory.mktemp('past')}/past.db"
    memory = optuna.storages.InMemoryStorage()  # SQLite writes a value at a time, slowly
    for i in range(6):
        maximize = i == 5
        name = f"study {i}"
        study = optuna.create_study(
            study_name=name,
            storage=memory,
            sampler=RandomSampler(seed=i),
            direction="maximize" if maximize else "minimize",
        )
        sign = -1 if maximize else 1
        evaluate = objective(shift=1 + 0.3 * i, scale=sign * 10.0**i, variant=i)
        study.optimize(evaluate, n_trials=40)
        optuna.copy_study(from_study_name=name, from_storage=memory, to_storage=url)
    return url


def regrets(sampler: BaseSampler) -> list[float]:
    """Best values after 1, 5 and 10 trials of the seventh study."""
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective(shift=2.2, scale=7.0, variant=1), n_trials=max(STEPS))
    values = np.minimum.accumulate([float(t.value or 0) for t in study.trials]) - 100
    return [float(values[step - 1]) for step in STEPS]


@pytest.mark.filterwarnings("ignore:the objective differs")
def test_a_seventh_study_is_tuned_better_than_by_tpe(past: str, tmp_path: Path) -> None:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    found: dict[str, list[list[float]]] = {"malibo": [], "tpe": []}
    for seed in SEEDS:
        warm = MaliboSampler.from_studies(
            past, seed=seed, rename={"max_depth": "depth"}, cache=tmp_path, progress=False
        )
        found["malibo"].append(regrets(warm))
        found["tpe"].append(regrets(TPESampler(seed=seed)))
    assert len(list(tmp_path.iterdir())) == 1  # trained once
    malibo, tpe = np.array(found["malibo"]), np.array(found["tpe"])
    for column, step in enumerate(STEPS):
        assert malibo[:, column].mean() < tpe[:, column].mean(), step
        p = wilcoxon(malibo[:, column], tpe[:, column], alternative="less").pvalue
        assert p < 0.05, (step, malibo[:, column], tpe[:, column])


def test_every_repair_is_listed(past: str) -> None:
    sampler = MaliboSampler.from_studies(
        past, rename={"max_depth": "depth"}, cache=False, progress=False
    )
    assert sampler.history is not None
    text = sampler.history.describe()
    for sentence in (
        "'x': range -10.0 to 10.0 in the past",
        "'lr': range 1e-05 to 0.1 in the past",
        "'max_depth' in the past is 'depth' now ('study 3')",
        "'optimizer': no past evidence for 'lion'",
        "'momentum' is conditional: asked for when optimizer='sgd' (all tasks)",
        "'warmup' is missing",
        "minimize and maximize",
    ):
        assert sentence in text, text
