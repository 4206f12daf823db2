"""FSBO: a Gaussian process with a deep kernel that is learnt from the past.

After Wistuba and Grabocka (2021). The kernel compares the outputs of a network, and network
and kernel learn the likelihood of past tasks, one task in each update. The values of a batch
are rescaled by random limits l and u, (y − l)/(u − l), so that the model cannot rely on their
scale. The first suggestions are configurations that together have the least regret over the
past tasks. Then, at each step, network and kernel are fine-tuned to the target's results,
from the meta-learnt parameters again each time, and expected improvement picks the next.

Kept from the published method: two hidden layers of ReLU, a Matérn 5/2 kernel, batches of 50
observations, Adam with steps of 1e-3. Where this differs from it:
- Hidden layers have 64 units, not 128, and there are fewer updates, for one core.
- The published one finds the first suggestions by an evolutionary algorithm; here they are
  picked one by one, each the best complement of those before, among the best past
  configurations.
- Limits are drawn between the extremes of a batch, not of all tasks, whose losses may be of
  very different sizes. Past tasks and the target's losses are standardised before.
- Variance, noise and mean take longer steps than the network, so that a few of them suffice.
- A quarter of each past task is held out, and training goes back to where the likelihood of
  that was highest: with few tasks, deep kernels become overconfident.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy

import numpy as np
import torch
from torch import Tensor, nn

from malibo.bench.methods.exact import (
    Conditioned,
    Prediction,
    Schedule,
    in_chunks,
    matern,
    negative_log_likelihood,
    of_observations,
    step,
    train,
)
from malibo.bench.methods.networks import perceptron
from malibo.bench.methods.past import Data, Observed, observed
from malibo.bench.methods.surrogate import (
    Surrogate,
    log_expected_improvement,
    one_core,
    seeded,
    standardized,
    with_failures,
)
from malibo.bench.searchspace import SearchSpace
from malibo.history import History
from malibo.maximize import key
from malibo.space.parameters import Array
from malibo.task import Task

WARM = 5  # first suggestions, as many as the given points of HPO-B
UNITS, OUTPUTS = (64, 64), 16
UPDATES, BATCH, RATE = 2000, 50, 1e-3
FINE = 30  # updates for each suggestion
_KERNEL_RATE = 1e-2  # of variance, noise and mean
_NARROWEST = 0.1  # distance of the limits, as a share of the batch's range
_CANDIDATES, _SEEN = 1000, 256  # past configurations to choose from; of a task's to judge by


class Fsbo(Surrogate):
    """The best few of the past; then expected improvement of the fine-tuned process."""

    def __init__(
        self, space: SearchSpace, history: History, rng: np.random.Generator, updates: int = UPDATES
    ) -> None:
        super().__init__(space, history, rng)
        past = [observed(task, rng) for task in history]
        with one_core(), seeded(rng):
            self._kernel = DeepKernel(space.space.dimension)
            self._kernel.meta_train(past, updates, rng)
            self._warm = self._first_rows(history.tasks, past)

    def _first_rows(self, tasks: Sequence[Task], past: Sequence[Observed]) -> Array:
        """Codes (WARM, P) of the past that together have the least regret over its tasks."""
        codes = promising(tasks, _CANDIDATES)
        points = self.search.space.encode(codes)
        regrets = [predicted_regret(self._kernel, task, points) for task in past]
        return codes[complementary(np.stack(regrets), WARM)]

    def next_row(self, rng: np.random.Generator) -> Array:
        """One of the first, or the highest expected improvement."""
        row = self._warm_row()
        if row is not None:
            return row
        values = standardized(with_failures(self.losses))
        process = Process(fine_tuned(self._kernel, (self.points, values)), (self.points, values))
        incumbent = float(values.min(initial=0.0))

        def score(points: Array) -> Array:
            return log_expected_improvement(*process.predict(points), incumbent)

        return self.highest(score, rng)

    def _warm_row(self) -> Array | None:
        """The first of the first rows that was not tried, until enough trials are done."""
        taken = self.taken
        for row in self._warm if len(self.losses) < WARM else ():
            nearest = self.search.nearest(row, set())
            if nearest is not None and key(nearest) not in taken:
                return nearest
        return None


# -- the kernel ----------------------------------------------------------------------------------


class DeepKernel:
    """Matérn 5/2 of the outputs of a network, and the rest of a Gaussian process."""

    def __init__(self, inputs: int) -> None:
        self.network = perceptron([inputs, *UNITS, OUTPUTS])
        self.rest = nn.Parameter(torch.tensor([0.0, -3.0, 0.0], dtype=torch.float64))

    @property
    def parameters(self) -> list[Tensor]:
        """All that is learnt."""
        return [*self.network.parameters(), self.rest]

    def meta_train(self, past: Sequence[Observed], updates: int, rng: np.random.Generator) -> None:
        """Learn from the past, one task in each update."""
        schedule = Schedule(updates, tasks=1, batch=BATCH)
        train(self.parameters, self.optimizer(), self.loss, past, schedule, rng, rescaled)

    def optimizer(self) -> torch.optim.Optimizer:
        """Adam, with longer steps for all but the network."""
        network = {"params": self.network.parameters(), "lr": RATE}
        rest = {"params": [self.rest], "lr": _KERNEL_RATE}
        return torch.optim.Adam([network, rest], fused=True)

    @property
    def hyperparameters(self) -> tuple[Tensor, Tensor, Tensor]:
        """Variance of the function, of the noise, and the mean."""
        variance, noise, mean = self.rest
        return variance.exp(), noise.exp() + 1e-5, mean

    def covariance(self, points: Tensor, known: Tensor) -> Tensor:
        """(…, n, n) of noisy observations at points (…, n, D)."""
        variance, noise, _ = self.hyperparameters
        outputs = self.network(points)
        return of_observations(variance * matern(outputs, outputs), noise, known)

    def loss(self, data: Data) -> Tensor:
        """−log p(y) of the observations of some tasks, for each of them."""
        centred = (data.values - self.hyperparameters[2]) * data.known
        losses = negative_log_likelihood(self.covariance(data.points, data.known), centred)
        return losses.sum() / data.known.sum()


def rescaled(values: Array, rng: np.random.Generator) -> Array:
    """Values with random limits l and u in their range as the new 0 and 1."""
    low, high = float(values.min()), float(values.max())
    if high - low < 1e-12:
        return values
    first, second = np.sort(rng.uniform(low, high, 2))
    return np.asarray((values - first) / max(second - first, _NARROWEST * (high - low)))


def fine_tuned(kernel: DeepKernel, target: Observed) -> DeepKernel:
    """A copy that knows the target's results better."""
    copy, data = deepcopy(kernel), Data.of([target])
    optimizer = copy.optimizer()
    for _ in range(FINE):
        step(copy.parameters, optimizer, copy.loss(data))
    return copy


class Process:
    """A Gaussian process with a deep kernel, given a task's observations."""

    def __init__(self, kernel: DeepKernel, task: Observed) -> None:
        points, values = (torch.as_tensor(part) for part in task)
        self._kernel = kernel
        with torch.no_grad():
            self._variance, _, self._mean = kernel.hyperparameters
            self._outputs = kernel.network(points)
            covariance = kernel.covariance(points, torch.ones_like(values))
            self._conditioned = Conditioned.on(covariance, values - self._mean)

    def predict(self, points: Array) -> Prediction:
        """Mean and standard deviation of the function, without noise, at points (n, D)."""

        def part(chunk: Tensor) -> tuple[Tensor, Tensor]:
            cross = self._variance * matern(self._outputs, self._kernel.network(chunk))
            mean, sd = self._conditioned.predict(cross, self._variance.expand(len(chunk)))
            return mean + self._mean, sd

        return in_chunks(part, points)


# -- the first suggestions -----------------------------------------------------------------------


def promising(tasks: Sequence[Task], most: int) -> Array:
    """The best configurations (n, P) of each past task, about the same number of each."""
    each = -(-most // len(tasks))
    best = [task.codes[np.argsort(with_failures(task.losses))[:each]] for task in tasks]
    return np.unique(np.concatenate(best), axis=0)


def predicted_regret(kernel: DeepKernel, task: Observed, points: Array) -> Array:
    """What a past task's process predicts at points (n, D), from 0 for the lowest to 1."""
    seen, values = task
    mean, _ = Process(kernel, (seen[:_SEEN], values[:_SEEN])).predict(points)
    span = float(np.ptp(mean))
    return np.asarray((mean - mean.min()) / (span or 1.0))


def complementary(regrets: Array, size: int) -> list[int]:
    """Columns of regrets (T, n) picked one by one for the least sum over tasks of the best."""
    chosen: list[int] = []
    best = np.ones(len(regrets))
    for _ in range(min(size, regrets.shape[1])):
        together = np.minimum(best[:, None], regrets).sum(axis=0)
        together[chosen] = np.inf
        chosen.append(int(np.argmin(together)))
        best = np.minimum(best, regrets[:, chosen[-1]])
    return chosen
