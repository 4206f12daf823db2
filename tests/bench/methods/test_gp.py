"""The Gaussian process without a past."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

from malibo import Float, History, Space, Task
from malibo.bench.methods.gp import GaussianProcess
from malibo.bench.methods.optimizer import RANDOM_FIRST
from malibo.bench.searchspace import SearchSpace

SPACE = Space(a=Float(0, 1), b=Float(0, 1))
PAST = History([Task("past", SPACE, SPACE.sample(np.random.default_rng(0), 3), np.arange(3.0))])


def optimizer() -> GaussianProcess:
    return GaussianProcess(SearchSpace(SPACE), PAST, np.random.default_rng(0))


def test_it_finds_the_optimum_of_a_smooth_function_within_few_steps() -> None:
    found = optimizer()
    for _ in range(RANDOM_FIRST + 8):
        config = found.ask()
        found.tell(config, (config["a"] - 0.3) ** 2 + (config["b"] - 0.8) ** 2)
    assert found.losses.min() < found.losses[:RANDOM_FIRST].min() / 30
    assert found.losses.min() < 1e-4


def test_it_begins_at_random_and_stays_so_while_all_trials_fail() -> None:
    found = optimizer()
    asked = []
    for _ in range(RANDOM_FIRST + 2):
        config = found.ask()
        asked.append((config["a"], config["b"]))
        found.tell(config, None)
    assert len(set(asked)) == len(asked)


def test_it_keeps_away_from_where_trials_fail() -> None:
    found = optimizer()
    for _ in range(RANDOM_FIRST + 10):
        config = found.ask()
        found.tell(config, config["b"] if config["a"] > 0.4 else None)
    assert np.isfinite(found.losses[-5:]).sum() >= 3
