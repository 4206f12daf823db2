"""Tunings for the tests of the report: small, with every status and source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from malibo.metamodel import MetaModel
from malibo.observations import Observations
from malibo.report import Trial, Tuning
from malibo.task import Direction, sign

NASTY = "<script>alert(1)</script>\"'&\u2028<!--"

ADAM = {"lr": 0.1 + 0.2 - 0.29, "layers": 2, "optimizer": "adam", "epochs": 10}
SGD = {"lr": 0.003, "layers": 1, "optimizer": "sgd", "momentum": 0.5, "epochs": 10}


def tuning_of(
    model: MetaModel, trials: list[Trial], name: str = "new", direction: Direction = "minimize"
) -> Tuning:
    """A tuning with these trials; those with a value or failed are observed."""
    ended = [trial for trial in trials if trial.status in ("finished", "failed")]
    losses = [np.nan if t.value is None else sign(direction) * t.value for t in ended]
    codes = model.space.codes([trial.config for trial in ended])
    nothing = np.empty((0, len(model.space)))
    observed = Observations(codes, np.array(losses, dtype=float), nothing)
    return Tuning(name, direction, model.space, model, trials, observed)


def five_trials() -> list[Trial]:
    """Finished (twice), failed, finished and best, running."""
    return [
        Trial(0, ADAM, "finished", 0.75, "past", 0.8, 100.0, 160.0),
        Trial(1, {**ADAM, "layers": 3}, "finished", 0.5, "meta-model", 0.85, 160.0, 161.5),
        Trial(2, {**ADAM, "layers": 4}, "failed", None, "process", 0.4, 170.0, 171.0, "no memory"),
        Trial(3, SGD, "finished", 0.25, "meta-model", 0.9, 180.0, 3880.0),
        Trial(4, {**SGD, "layers": 2}, "running", None, "random", None, 3880.0),
    ]


def many_trials(model: MetaModel, number: int) -> list[Trial]:
    """Random configurations with a smooth value, every seventh failed."""
    rng = np.random.default_rng(0)
    configs = model.space.configs(model.space.sample(rng, number))
    sources = ("past", "meta-model", "process", "booster", "random")
    return [
        Trial(i, config, "failed", None, sources[i % 5], 0.5, float(i), i + 0.5, "exit code 1")
        if i % 7 == 6
        else Trial(i, config, "finished", _value(config), sources[i % 5], 0.5, float(i), i + 0.5)
        for i, config in enumerate(configs)
    ]


def _value(config: Mapping[str, Any]) -> float:
    return float(0.1 * config["layers"] + abs(np.log10(config["lr"]) + 2.5))
