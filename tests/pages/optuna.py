"""What the page about Optuna takes for granted: past studies, and a training."""

import math

import optuna

optuna.logging.set_verbosity(optuna.logging.ERROR)


def loss(lr: float, layers: int) -> float:
    return (math.log10(lr) + 3) ** 2 + 0.1 * (layers - 4) ** 2


def past_objective(trial: optuna.Trial) -> float:
    lr = trial.suggest_float("lr", 1e-5, 1e-1, log=True)
    return loss(lr, trial.suggest_int("layers", 1, 8))


for past_name in ("mnist", "cifar", "svhn"):
    past = optuna.create_study(storage="sqlite:///past.db", study_name=past_name)
    past.optimize(past_objective, n_trials=20)
