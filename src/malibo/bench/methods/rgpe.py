"""RGPE: an ensemble of the past's Gaussian processes, weighted by how well they rank the target.

After Feurer et al. (2018, 2022). A model counts by how often it misranks the fewest pairs of
target observations, over bootstrap samples of them; the target's own model is judged by
leaving each observation out. A past model is dropped, so that many poor ones cannot outweigh
the target's, with the probability that it does not misrank fewer pairs than the target's.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from malibo.bench.methods.past import observed
from malibo.bench.methods.surrogate import (
    Posterior,
    Surrogate,
    fit_gp,
    one_core,
    standardized,
    with_failures,
)
from malibo.bench.searchspace import SearchSpace
from malibo.history import History
from malibo.space.parameters import Array
from malibo.task import Task

BETA = 9.0  # of the upper confidence bound, as in the paper
FITTED = 128  # observations of a past task to which its hyperparameters are fitted
_LEAST = 3  # target observations from which on models are compared
_SAMPLES = 1000  # of the bootstrap


class Rgpe(Surrogate):
    """Upper confidence bound of the ensemble; past models count the same at the beginning."""

    def __init__(self, space: SearchSpace, history: History, rng: np.random.Generator) -> None:
        super().__init__(space, history, rng)
        with one_core():
            self._past = [fit_task(task, rng) for task in history]

    def next_row(self, rng: np.random.Generator) -> Array:
        """The highest upper confidence bound of the ensemble."""
        models, weights = self._ensemble(rng)

        def score(points: Array) -> Array:
            mean, sd = mixture(models, weights, points)
            return np.asarray(np.sqrt(BETA) * sd - mean)

        return self.highest(score, rng)

    def _ensemble(self, rng: np.random.Generator) -> tuple[list[Posterior], Array]:
        """The models of the past and of the target, and a weight for each."""
        if np.isfinite(self.losses).sum() < _LEAST:
            return self._past, np.full(len(self._past), 1 / len(self._past))
        values = standardized(with_failures(self.losses))
        target = fit_gp(self.points, values, rbf=True)
        predicted = [model.predict(self.points)[0] for model in self._past]
        misranked = [misrankings(mean[None] - mean[:, None], values) for mean in predicted]
        misranked.append(misrankings(held_out_differences(target), values))
        losses = bootstrap_losses(misranked, rng)
        return [*self._past, target], rank_weights(losses, rng)


def fit_task(task: Task, rng: np.random.Generator) -> Posterior:
    """The model of a past task; some of its observations are enough for its hyperparameters."""
    points, values = observed(task, rng)
    return fit_gp(points, values, rbf=True, fitted=FITTED)


def mixture(models: Sequence[Posterior], weights: Array, points: Array) -> tuple[Array, Array]:
    """Mean Σwμ and standard deviation √Σw²σ² of the ensemble."""
    mean, variance = np.zeros(len(points)), np.zeros(len(points))
    for model, weight in zip(models, weights, strict=True):
        if weight > 0:
            its_mean, its_sd = model.predict(points)
            mean += weight * its_mean
            variance += (weight * its_sd) ** 2
    return mean, np.sqrt(variance)


# -- weights -----------------------------------------------------------------------------------


def misrankings(differences: Array, values: Array) -> Array:
    """(n, n) 1 for each pair whose predicted order is not the observed one.

    differences   (n, n) prediction for the column less the prediction for the row
    values        (n,) observed; pairs of equal ones do not count
    """
    order = np.sign(values[None] - values[:, None])
    return np.asarray((np.sign(differences) != order) & (order != 0), dtype=float)


def held_out_differences(model: Posterior) -> Array:
    """(n, n) row j: predictions without observation j, less the one for j itself.

    Hyperparameters are those of the whole model, so that there is a closed form.
    """
    inverse = torch.cholesky_inverse(model.factor)
    covariance = model.kernel(model.points, model.points, model.lengths)
    weights = model.weights - inverse * (model.weights / inverse.diagonal())[:, None]  # by row
    predicted = (weights @ covariance).numpy()
    return np.asarray(predicted - predicted.diagonal()[:, None])


def bootstrap_losses(misranked: Sequence[Array], rng: np.random.Generator) -> Array:
    """(models, samples) misranked pairs in samples of the observations with replacement."""
    size = len(misranked[0])
    counts = rng.multinomial(size, np.full(size, 1 / size), _SAMPLES).astype(float)
    return np.array([((counts @ pairs) * counts).sum(axis=1) for pairs in misranked])


def rank_weights(losses: Array, rng: np.random.Generator) -> Array:
    """Share of the samples in which a model is the best; the last one is the target's.

    Where the target's is among several best ones the sample counts for it, otherwise they
    share it.
    """
    better = (losses[:-1] < losses[-1]).mean(axis=1)
    dropped = rng.random(len(better)) >= better
    left = losses.copy()
    left[:-1][dropped] = np.inf
    best = left == left.min(axis=0)
    best[:-1, best[-1]] = False
    return np.asarray((best / best.sum(axis=0)).mean(axis=1))
