"""Optuna's own tests for samplers, with a meta-model and without."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from optuna.samplers import BaseSampler
from optuna.testing.pytest_samplers import (
    BasicSamplerTestCase,
    RelativeSamplerTestCase,
    SingleOnlySamplerTestCase,
)

import malibo
from malibo import Categorical, Float, History, Int, MetaModel, Space, Task
from malibo.integrations.optuna import MaliboSampler

pytestmark = pytest.mark.filterwarnings("ignore:the objective differs")


@pytest.fixture(scope="module")
def model() -> MetaModel:
    """Of a past that shares names with the tests of Optuna, and not always kinds."""
    space = Space(x=Float(-1, 1), y=Int(0, 10), category=Categorical(["x", "y"]))
    codes = space.sample(np.random.default_rng(0), 40)
    tasks = [Task(f"task {i}", space, codes, (codes[:, 0] - 0.1 * i) ** 2) for i in range(3)]
    return malibo.meta_train(History(tasks), steps=20, progress=False)


class TestWithoutPast(BasicSamplerTestCase, RelativeSamplerTestCase, SingleOnlySamplerTestCase):
    @pytest.fixture
    def sampler(self) -> Callable[[], BaseSampler]:
        return lambda: MaliboSampler(seed=0)


class TestWithPast(BasicSamplerTestCase, RelativeSamplerTestCase, SingleOnlySamplerTestCase):
    @pytest.fixture
    def sampler(self, model: MetaModel) -> Callable[[], BaseSampler]:
        return lambda: MaliboSampler(model, seed=0)
