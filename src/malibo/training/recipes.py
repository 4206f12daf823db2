"""How the weights are optimised: the recipes ``fast`` and ``paper``."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from malibo.config import TrainConfig
from malibo.network import Array32
from malibo.training.backprop import Gradient
from malibo.training.loss import EMBEDDINGS

HIDDEN = "hidden.weight"


@dataclass(frozen=True)
class Recipe:
    """The numbers that fix a training run.

    steps       at most so many gradient steps
    batch       observations in a step
    epoch       steps in a pass over the data
    interval    steps between two looks at the validation loss
    patience    stop after so many looks without a better one
    variance    weight of the mean of ‖Φ‖² in the loss
    background  random configurations in a step, beside the observations
    """

    name: str
    steps: int
    batch: int
    epoch: int
    interval: int
    patience: int
    variance: float
    background: int

    def rate(self, step: int) -> float:
        """Learning rate of a step: exponential decay, or one cycle of a cosine."""
        if self.name == "paper":
            return 1e-3 * 0.999 ** (step // self.epoch)
        warm = max(1, self.steps // 10)
        if step < warm:
            return _PEAK * (0.04 + 0.48 * (1 - math.cos(math.pi * step / warm)))
        return _PEAK * 0.5 * (1 + math.cos(math.pi * (step - warm) / max(1, self.steps - warm)))


_PEAK = 0.04
_FEW = 4096  # below so many observations "fast" takes smaller batches: as good, and sooner done
_EMBEDDING_RATE = 2.0  # of the embeddings, relative to the rest ("fast")
# a s + b s³ + c s⁵ is nearest to 1 for every s from 0.02 to 1, and the second polynomial for what
# the first leaves of these: the best that two can do, 0.49 to 1.51 (Amsel et al., 2025)
TOWARDS_ONE = ((7.711, -22.1138, 16.2488), (3.2153, -2.4112, 0.5013))
_SPAN = 1 / 9  # share of the steps so far, the last ones, over which weights are averaged ("fast")


def recipe_for(config: TrainConfig, observations: int, gaps: float = 0.0) -> Recipe:
    """The recipe's numbers for a history of so many training observations.

    ``gaps`` is the share of random configurations that should stand in for those nobody tried.
    """
    variance, background = config.prior_variance, config.background
    if config.recipe == "paper":
        batch = min(config.batch_size or 256, observations)
        epoch = -(-observations // batch)
        steps = config.steps or 2048 * epoch
        extra = round((background or 0.0) * batch)
        return Recipe("paper", steps, batch, epoch, min(epoch, steps), 100, variance or 0.0, extra)
    batch = min(config.batch_size or (256 if observations < _FEW else 512), observations)
    epoch = -(-observations // batch)
    steps = config.steps or min(max(20 * epoch, 300), 4000)
    interval = max(1, min(steps // 40, 50))
    variance = 0.01 if variance is None else variance
    extra = round((gaps if background is None else background) * batch)
    return Recipe("fast", steps, batch, epoch, interval, steps // interval, variance, extra)


class Optimizer:
    """Adam on all weights; in the recipe ``fast`` Muon on the residual layers, and averages.

    The weights live in one flat array, of which ``weights`` are named views, those that Muon
    moves last: a step of Adam is a few operations on one vector.
    """

    def __init__(self, weights: dict[str, Array32], recipe: Recipe) -> None:
        self.recipe, self.step_number = recipe, 0
        fast = recipe.name == "fast"
        self._by_adam = [name for name in weights if not (fast and name == HIDDEN)]
        names = [*self._by_adam, HIDDEN] if fast else self._by_adam
        self._shapes = {name: weights[name].shape for name in names}
        self._flat = np.concatenate([weights[name].ravel() for name in names])
        self._average = self._flat.copy() if fast else self._flat
        self.weights = self._named(self._flat)
        self._muon = Muon(self.weights[HIDDEN]) if fast else None
        rates = {EMBEDDINGS: _EMBEDDING_RATE} if fast else {}
        self._rates = np.concatenate(
            [np.full(weights[n].size, rates.get(n, 1.0), self._flat.dtype) for n in self._by_adam]
        )
        self._first, self._second = np.zeros_like(self._rates), np.zeros_like(self._rates)

    def _named(self, flat: Array32) -> dict[str, Array32]:
        """The weights in a flat array, as views of it."""
        ends = np.cumsum([math.prod(shape) for shape in self._shapes.values()])
        parts = np.split(flat, ends[:-1])
        names = zip(self._shapes.items(), parts, strict=True)
        return {name: part.reshape(shape) for (name, shape), part in names}

    def step(self, gradient: Gradient) -> None:
        """One step down the gradient, in place."""
        rate = self.recipe.rate(self.step_number)
        self.step_number += 1
        flat = np.concatenate([gradient[name].ravel() for name in self._by_adam])
        self._first += 0.1 * (flat - self._first)
        self._second += 0.001 * (flat**2 - self._second)
        scale = np.sqrt(self._second / (1 - 0.999**self.step_number)) + 1e-8
        move = (rate / (1 - 0.9**self.step_number)) * self._rates * self._first / scale
        self._flat[: len(move)] -= move
        if self._muon is not None:
            self._muon.step(gradient[HIDDEN], rate)
            newest = 1 / (_SPAN * (self.step_number - 1) + 1)
            self._average += newest * (self._flat - self._average)

    def average(self) -> dict[str, Array32]:
        """A copy of the weights to judge and to keep: in the recipe ``fast`` a mean of the last.

        At a high rate the weights jump about where the loss is low, each step after the few
        observations of its batch; their mean is nearer to the middle than any of them.
        """
        return self._named(self._average.copy())


class Muon:
    """Momentum, orthogonalised: every direction of a matrix moves at the same speed.

    K. Jordan, 2024. ``weight`` is a stack (layers, H, H), changed in place.
    """

    def __init__(self, weight: Array32) -> None:
        self.weight, self._momentum = weight, np.zeros_like(weight)

    def step(self, gradient: Array32, rate: float) -> None:
        """One step with Nesterov momentum 0.9."""
        self._momentum += 0.1 * (gradient - self._momentum)
        self.weight -= rate * orthogonalized(0.9 * self._momentum + 0.1 * gradient)


def orthogonalized(matrices: Array32) -> Array32:
    """Each matrix U·S·Vᵀ of a stack with its singular values S brought near 1.

    They must not exceed 1 at the start, and the smaller they are the longer it takes. Of their
    bounds (ΣS²)^½ and (ΣS⁴)^¼ the second is less than half the first if the 64 are alike, and
    the first iteration needs the matrix for it anyway.
    """
    x = matrices / (np.sqrt(_sum_of_squares(matrices)) + 1e-8)
    for iteration, (a, b, c) in enumerate(TOWARDS_ONE):
        gram = x @ x.transpose(0, 2, 1)
        if iteration == 0:
            bound = np.sqrt(_sum_of_squares(gram)) + 1e-8
            x /= np.sqrt(bound)
            gram /= bound
        # x ← a x + b x xᵀ x + c (x xᵀ)² x, without room for more
        square = (c * gram) @ gram
        gram *= b
        gram += square
        step = gram @ x
        x *= a
        x += step
    return np.asarray(x)


def _sum_of_squares(matrices: NDArray[Any]) -> NDArray[Any]:
    """(layers, 1, 1) of the entries of each matrix."""
    return np.asarray(np.sum(matrices**2, axis=(1, 2), keepdims=True))
