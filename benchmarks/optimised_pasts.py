"""Pasts that an optimiser chose: ``python benchmarks/optimised_pasts.py``.

Five past tasks tuned by Optuna's TPE, or at random, and a sixth of the same family: bowls in
the unit cube, their centres between 0.3 and 0.7 in each of D dimensions. A suggestion is
measured by the share of random configurations that are better (0 the best, 0.5 random).
Compared with a model that was trained without a background and without functions, and keeps no
best configurations.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np
import optuna
from numpy.typing import NDArray

from malibo import Float, History, Malibo, MetaModel, Space, Task, meta_train

TRIALS = 10
PASTS = (("tpe", 40), ("tpe", 100), ("tpe", 300), ("random", 40), ("random", 200))
Array = NDArray[np.float64]


def loss(point: Array, center: Array) -> float:
    """A bowl."""
    return float(((point - center) ** 2).sum())


def past_task(name: str, center: Array, sampler: str, runs: int, seed: int) -> Task:
    """One tuning of the past."""
    names = [f"x{i}" for i in range(len(center))]
    kinds = {"tpe": optuna.samplers.TPESampler, "random": optuna.samplers.RandomSampler}
    study = optuna.create_study(sampler=kinds[sampler](seed=seed))
    study.optimize(
        lambda t: loss(np.array([t.suggest_float(n, 0, 1) for n in names]), center), n_trials=runs
    )
    space = Space({n: Float(0, 1) for n in names})
    return Task.from_configs(
        name, space, [t.params for t in study.trials], [t.value for t in study.trials]
    )


def shares(model: MetaModel, center: Array, seed: int) -> list[float]:
    """Of each suggestion, the share of random configurations that are better."""
    random = np.random.default_rng(0).uniform(size=(4000, len(center)))
    better = ((random - center) ** 2).sum(axis=1)
    opt = Malibo(model, seed=seed)
    found = []
    for _ in range(TRIALS):
        config = opt.ask()
        value = loss(np.array(list(config.values())), center)
        opt.tell(config, value)
        found.append(float(np.mean(better < value)))
    return found


def main() -> None:
    """Print a line for each past and way."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--repetitions", type=int, default=10)
    parser.add_argument("--dimensions", type=int, nargs="*", default=[4, 8])
    options = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    print("share of better ones: trial 1, best of 5, best of 10 (mean); trial 2 (median)")
    for dimensions in options.dimensions:
        for sampler, runs in PASTS:
            found: dict[str, list[list[float]]] = {"without": [], "malibo": []}
            for seed in range(options.repetitions):
                rng = np.random.default_rng([dimensions, seed])
                centers = rng.uniform(0.3, 0.7, (6, dimensions))
                past = History(
                    [
                        past_task(f"task {i}", center, sampler, runs, 10 * seed + i)
                        for i, center in enumerate(centers[:5])
                    ]
                )
                plain = meta_train(past, seed=seed, progress=False, background=0.0, functions=False)
                model = meta_train(past, seed=seed, progress=False)
                found["without"].append(shares(replace(plain, best=None), centers[5], seed))
                found["malibo"].append(shares(model, centers[5], seed))
            for name, values in found.items():
                best = np.minimum.accumulate(values, axis=1).mean(axis=0)
                second = np.median(np.array(values)[:, 1])
                print(
                    f"D = {dimensions}, {sampler:6} x {runs:3}, {name:8}"
                    f" {best[0]:.3f} {best[4]:.3f} {best[9]:.3f}; {second:.2f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
