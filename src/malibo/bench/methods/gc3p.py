"""GC3P: a Gaussian copula process with a prior that is learned from the past.

After Salinas et al. (2020). Losses are mapped to Gaussian quantiles, which are comparable
between tasks. A network learns their mean μ(x) and standard deviation σ(x) over all past
tasks. The first suggestions are Thompson samples of it; then a Gaussian process models what
it misses on the target, (z − μ)/σ.
"""

from __future__ import annotations

import numpy as np
import torch
from scipy.stats import norm, rankdata
from torch import Tensor, nn

from malibo.bench.methods.networks import perceptron
from malibo.bench.methods.surrogate import (
    Surrogate,
    fit_gp,
    log_expected_improvement,
    one_core,
    seeded,
    with_failures,
)
from malibo.bench.searchspace import SearchSpace
from malibo.history import History
from malibo.space.parameters import Array

THOMPSON = 5  # suggestions of the network alone, as in the paper
LAYERS, UNITS, DROPOUT = 3, 50, 0.1
_STAGES = ((1e-2, 1000), (1e-3, 1000), (1e-4, 500))  # learning rates of Adam, and updates
_BATCH = 128
_SMALLEST = 1e-3  # standard deviation


class Gc3p(Surrogate):
    """Thompson samples of the prior, then expected improvement of the copula process."""

    def __init__(self, space: SearchSpace, history: History, rng: np.random.Generator) -> None:
        super().__init__(space, history, rng)
        points = np.concatenate([task.space.encode(task.codes) for task in history])
        quantiles = np.concatenate([to_quantiles(with_failures(task.losses)) for task in history])
        with one_core():
            self._prior = Prior(points, quantiles, rng)

    def next_row(self, rng: np.random.Generator) -> Array:
        """A Thompson sample, or the highest expected improvement of the quantile."""
        if len(self.losses) < THOMPSON or np.isfinite(self.losses).sum() < 2:
            return self._thompson_row(rng)
        quantiles = to_quantiles(with_failures(self.losses))
        mean, sd = self._prior.predict(self.points)
        process = fit_gp(self.points, (quantiles - mean) / sd)
        incumbent = float(quantiles.min())

        def score(points: Array) -> Array:
            mean, sd = self._prior.predict(points)
            shift, spread = process.predict(points)
            return log_expected_improvement(mean + sd * shift, sd * spread, incumbent)

        return self.highest(score, rng)

    def _thompson_row(self, rng: np.random.Generator) -> Array:
        """The candidate with the lowest quantile in one draw for each."""
        candidates = self.search.candidates(rng, self.taken)
        mean, sd = self._prior.predict(self.search.space.encode(candidates))
        return np.asarray(candidates[np.argmin(rng.normal(mean, sd))])


def to_quantiles(losses: Array) -> Array:
    """Losses as quantiles of N(0, 1) of the same rank; equal ones get the mean of their ranks.

    The outermost are cut off where the empirical distribution says little (winsorised).
    """
    size = len(losses)
    cut = 1 / (4 * size**0.25 * np.sqrt(np.pi * np.log(max(size, 2))))
    share = (rankdata(losses) - 0.5) / size
    return np.asarray(norm.ppf(np.clip(share, cut, 1 - cut)))


class Prior:
    """A network of mean and standard deviation of the quantiles at any point."""

    def __init__(self, points: Array, quantiles: Array, rng: np.random.Generator) -> None:
        with seeded(rng):
            self._network = perceptron([points.shape[1], *[UNITS] * LAYERS, 2], dropout=DROPOUT)
            train(self._network, torch.as_tensor(points), torch.as_tensor(quantiles))

    def predict(self, points: Array) -> tuple[Array, Array]:
        """Mean and standard deviation at points (n, D)."""
        with torch.no_grad():
            mean, sd = split(self._network(torch.as_tensor(points)))
        return mean.numpy(), sd.numpy()


def split(outputs: Tensor) -> tuple[Tensor, Tensor]:
    """The two outputs as mean and standard deviation."""
    return outputs[:, 0], nn.functional.softplus(outputs[:, 1]) + _SMALLEST


def train(network: nn.Sequential, points: Tensor, quantiles: Tensor) -> None:
    """Maximise the Gaussian likelihood by Adam, with smaller and smaller steps."""
    network.train()
    for rate, updates in _STAGES:
        optimizer = torch.optim.Adam(network.parameters(), lr=rate, fused=True)
        for _ in range(updates):
            rows = torch.randint(len(points), (_BATCH,))
            mean, sd = split(network(points[rows]))
            loss = (((quantiles[rows] - mean) / sd) ** 2 / 2 + sd.log()).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    network.eval()
