"""Five past studies of shifted functions, and a sixth that starts warm from them."""

from __future__ import annotations

import optuna
import optunahub


def objective(trial: optuna.Trial, shift: float) -> float:
    """A bowl around ``shift``."""
    x = trial.suggest_float("x", -10, 10)
    y = trial.suggest_float("y", -10, 10)
    return (x - shift) ** 2 + (y + shift) ** 2


def main() -> None:
    """Tune five functions from nothing, and one more with what was learned."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    past = optuna.storages.InMemoryStorage()
    for number in range(5):
        sampler = optuna.samplers.RandomSampler(seed=number)
        study = optuna.create_study(storage=past, study_name=f"past {number}", sampler=sampler)
        study.optimize(lambda trial, shift=2 + 0.2 * number: objective(trial, shift), n_trials=60)

    malibo = optunahub.load_module(package="samplers/malibo")
    warm = malibo.MaliboSampler.from_studies(past, seed=0, cache=False, progress=False)
    study = optuna.create_study(sampler=warm)
    study.optimize(lambda trial: objective(trial, 2.5), n_trials=15)
    for trial in study.trials:
        trust = trial.user_attrs["malibo:trust"]
        print(f"trial {trial.number:2d}  value {trial.value:8.4f}  trust {trust:.2f}")
    print("best:", study.best_params)


if __name__ == "__main__":
    main()
