"""An Optuna study that starts warm from past studies.

Run with ``python examples/optuna_studies.py``. The past is five studies in a SQLite file, each
tuned from nothing on another data set; the sixth learns from them by one other line.
"""

import tempfile
from pathlib import Path

import optuna

from malibo.integrations.optuna import MaliboSampler

optuna.logging.set_verbosity(optuna.logging.WARNING)


def objective(trial: optuna.Trial, dataset: int) -> float:
    """A validation loss: best near lr = 0.003 with adam, a little elsewhere on each data set."""
    lr = trial.suggest_float("lr", 1e-5, 1e-1, log=True)
    layers = trial.suggest_int("layers", 1, 8)
    optimizer = trial.suggest_categorical("optimizer", ["adam", "sgd"])
    loss = (lr / 3e-3 - 1) ** 2 / (lr / 3e-3) + (layers - 4 - dataset % 2) ** 2 / 8
    if optimizer == "sgd":
        loss += 0.5 + (trial.suggest_float("momentum", 0.0, 0.99) - 0.9) ** 2
    return (1 + dataset) * loss  # every data set has its own unit


with tempfile.TemporaryDirectory() as folder:
    past = f"sqlite:///{Path(folder) / 'past.db'}"
    for dataset in range(5):
        study = optuna.create_study(
            storage=past,
            study_name=f"data set {dataset}",
            sampler=optuna.samplers.TPESampler(seed=dataset),
        )
        study.optimize(lambda trial, dataset=dataset: objective(trial, dataset), n_trials=30)  # type: ignore[misc]

    # One line is other than before. The model is kept in a cache for the next start; not here.
    sampler = MaliboSampler.from_studies(past, seed=0, cache=False, progress=False)
    assert sampler.history is not None
    print(sampler.history.describe())

    study = optuna.create_study(sampler=sampler)
    study.optimize(lambda trial: objective(trial, 5), n_trials=15)
    for trial in study.trials:
        notes = trial.user_attrs
        print(
            f"trial {trial.number:2d}  loss {trial.value:7.3f}"
            f"  trust {notes['malibo:trust']:.2f}  source {notes['malibo:source']}"
        )
    print("best:", (study.best_params, study.best_value))
