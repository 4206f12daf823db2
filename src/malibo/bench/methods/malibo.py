"""MALIBO and its variants, and its cold start: LFBO and BORE.

Without a past ``Malibo`` is LFBO (Song et al., 2022). BORE (Tiao et al., 2021) is LFBO with the
utility of PI: every good observation counts the same. The two ratios that they learn, of
good ones to all and of good ones to the rest, grow with each other.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from malibo.bench.methods.optimizer import Optimizer
from malibo.bench.searchspace import SearchSpace
from malibo.config import SuggestConfig, TrainConfig
from malibo.history import History
from malibo.optimizer import Malibo
from malibo.training import meta_train


@dataclass(frozen=True)
class Warm:
    """MALIBO with some options."""

    train: TrainConfig = field(default_factory=TrainConfig)
    suggest: SuggestConfig = field(default_factory=SuggestConfig)

    def __call__(self, space: SearchSpace, history: History, rng: np.random.Generator) -> Optimizer:
        """Learn from the past, then tune."""
        seed = int(rng.integers(2**31))
        past = history.for_space(space.space)
        model = meta_train(past, config=self.train, seed=seed, progress=False)
        table = None if space.table is None else space.space.configs(space.table)
        return Malibo(model, candidates=table, seed=seed, config=self.suggest, direction="minimize")


@dataclass(frozen=True)
class Cold:
    """Malibo without a past."""

    suggest: SuggestConfig = field(default_factory=SuggestConfig)

    def __call__(self, space: SearchSpace, history: History, rng: np.random.Generator) -> Optimizer:
        """Tune from scratch."""
        seed = int(rng.integers(2**31))
        table = None if space.table is None else space.space.configs(space.table)
        return Malibo(space=space.space, candidates=table, seed=seed, config=self.suggest)
