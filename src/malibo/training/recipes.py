"""How the weights are optimised: the recipes ``fast`` and ``paper``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import jax
import optax
from optax import contrib

from malibo.config import TrainConfig

EMBEDDINGS = "tasks"  # the name of the task embeddings among the weights


@dataclass(frozen=True)
class Recipe:
    """Numbers that fix a training run: hashable, so that equal runs share one compilation.

    steps       at most so many gradient steps
    batch       observations in a step
    interval    steps between two looks at the validation loss
    patience    stop after so many looks without a better one
    variance    weight of the mean of ‖Φ‖² in the loss
    """

    name: str
    steps: int
    batch: int
    epoch: int
    interval: int
    patience: int
    variance: float


def recipe_for(config: TrainConfig, observations: int) -> Recipe:
    """The recipe's numbers for a history of so many training observations."""
    variance = config.prior_variance
    if config.recipe == "paper":
        batch = min(config.batch_size or 256, observations)
        epoch = -(-observations // batch)
        steps = config.steps or 2048 * epoch
        return Recipe("paper", steps, batch, epoch, min(epoch, steps), 100, variance or 0.0)
    batch = min(config.batch_size or 512, observations)
    epoch = -(-observations // batch)
    steps = config.steps or min(max(20 * epoch, 600), 4000)
    interval = max(1, min(steps // 40, 50))
    variance = 0.01 if variance is None else variance
    return Recipe("fast", steps, batch, epoch, interval, steps // interval, variance)


@lru_cache(maxsize=16)
def optimizer(recipe: Recipe) -> optax.GradientTransformation:
    """The gradient transformation of a recipe."""
    if recipe.name == "paper":
        decay = optax.exponential_decay(1e-3, recipe.epoch, 0.999, staircase=True)
        return optax.adam(decay)
    return optax.partition(
        {
            "hidden": contrib.muon(_one_cycle(recipe, 0.02), muon_weight_dimension_numbers=_stack),
            "embeddings": optax.adam(_one_cycle(recipe, 0.04)),
            "rest": optax.adam(_one_cycle(recipe, 0.02)),
        },
        lambda weights: {name: _group(name) for name in weights},
    )


def _one_cycle(recipe: Recipe, peak: float) -> optax.Schedule:
    return optax.cosine_onecycle_schedule(recipe.steps, peak, pct_start=0.1)


def _group(name: str) -> str:
    return {"hidden.weight": "hidden", EMBEDDINGS: "embeddings"}.get(name, "rest")


def _stack(weights: Any) -> Any:
    """Muon takes each matrix of the stack (layers, H, H) for itself."""
    axes = contrib.MuonDimensionNumbers(reduction_axis=1, output_axis=2)
    return jax.tree.map(lambda _: axes, weights)
