"""What many tests share: a small tuning problem, its past, and a model trained on it."""

from __future__ import annotations

import math
import signal
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import malibo
from malibo import Categorical, Float, History, Int, MetaModel, Space, Task

# A shell's background jobs ignore Ctrl-C, and so would all that tests start from there.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

Objective = Callable[[Mapping[str, Any]], float]


@pytest.fixture(scope="session")
def tuning_space() -> Space:
    """Every kind of parameter that a network's tuning has, one of them conditional."""
    return Space(
        lr=Float(1e-4, 1e-1, log=True),
        layers=Int(1, 4),
        optimizer=Categorical(["adam", "sgd"]),
        momentum=Float(0, 0.9, when={"optimizer": "sgd"}),
        epochs=10,
    )


@pytest.fixture(scope="session")
def objective() -> Objective:
    """The loss of the new task; the best learning rate is about 0.003."""
    return lambda config: _loss(config, 0.0)


def _loss(config: Mapping[str, Any], shift: float) -> float:
    distance = math.log10(config["lr"]) + 2.5 + shift
    choice = 0.3 if config["optimizer"] == "adam" else config["momentum"] ** 2
    return float(distance**2 + 0.1 * config["layers"] + choice)


@pytest.fixture(scope="session")
def past(tuning_space: Space) -> History:
    """Three tasks of 40 runs, one of which failed in each."""
    rng = np.random.default_rng(0)
    tasks = []
    for shift in (-0.3, 0.0, 0.3):
        configs = tuning_space.configs(tuning_space.sample(rng, 40))
        losses = [None, *(_loss(config, shift) for config in configs[1:])]
        tasks.append(Task.from_configs(f"task {shift}", tuning_space, configs, losses))
    return History(tasks)


@pytest.fixture(scope="session")
def model(past: History) -> MetaModel:
    """Trained in a moment: enough to know where the good ones are."""
    return malibo.meta_train(past, steps=100, progress=False)
