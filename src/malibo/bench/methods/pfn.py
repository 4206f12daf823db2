"""PFNs4BO: a network that was fitted to a prior over functions, in place of a Gaussian process.

After Müller et al. (2023). A transformer is trained on data sets drawn from a prior. Given the
trials so far it then predicts, in one pass and without any fit, the distribution of the loss
anywhere: the posterior under that prior, approximately. The next configuration is the one with
the highest expected improvement, in closed form from the bars of that distribution. Losses are
made more normal before (Yeo and Johnson's power transformation), as in the paper. There is no
past in it: it is a baseline without transfer.

The published network is used where the package ``pfns4bo`` and its weights are installed
(``published_pfn``); that branch was not run with the published weights. Otherwise it is a small
network of ours (``prior_fitted``, ``pfn_training``); ``which`` says which one it is here. Ours
differs from the published one:

- 4 layers of 64 units, trained on 128,000 data sets in ten minutes on one core, in place of
  12 layers of 512 units and millions of data sets on GPUs
- a prior of Gaussian processes of its own (``function_prior``) in place of HEBO's
- attention by distance, and the number of trials as an input: both make it learn far faster
- 100 bars, corrections of a normal distribution, in place of 1,000 free ones (``bars``)
- it predicts the function, not another noisy value of it
- spaces of up to 40 columns, one for each choice; wider ones are projected onto 40 (of the
  published one: 18)

So it is weaker than what was published, and weaker than a fitted Gaussian process. In nats of
log density a new value, mean over 300 functions of its own prior with 5, 20, 50 values seen:

- the exact process, which knows the hyperparameters, is ahead of it by 0.7, 0.7, 0.6 in 2
  columns, by 0.6, 0.9, 1.0 in 6 columns and by 0.4, 0.6, 0.8 in 18
- N(0, 1), which knows nothing, is behind it by 1.4, 1.9, 2.2; by 0.7, 1.1, 1.4; by 0.7, 0.8, 0.9
- a process that is fitted (``fit_gp``, 30 functions) is behind it by 0.2, 0.4, 0.3 with 5
  values, and ahead by 0.3, 0.5, 0.2 with 20 and by 0.6, 1.0, 0.7 with 50

Of tables of more than 6,000 rows only some are scored: random ones, and the nearest to the
best one. The search begins at random, until two losses differ.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.stats import yeojohnson, yeojohnson_normmax
from torch import Tensor

from malibo.bench.methods.bars import expected_improvement
from malibo.bench.methods.function_prior import MOST_COLUMNS
from malibo.bench.methods.pfn_training import UPDATES, Training, trained
from malibo.bench.methods.prior_fitted import PriorFittedNetwork, standard_inputs
from malibo.bench.methods.published_pfn import PublishedPfn, weights, which
from malibo.bench.methods.surrogate import (
    Score,
    Surrogate,
    one_core,
    seeded,
    standardized,
    with_failures,
)
from malibo.bench.searchspace import SearchSpace
from malibo.history import History
from malibo.space.parameters import Array

__all__ = ["Pfn", "which"]

AT_RANDOM, NEAREST = 5000, 1000  # rows of a large table that are scored
POWERS = (-2.0, 4.0)  # limits of the power transformation
CHUNK = 500  # points that are scored at once


class Network(Protocol):
    """What scores points, ours or the published one.

    columns   of the widest points that it can read
    score     the expected improvement at points, given points that were tried and their losses
    """

    columns: int

    def score(self, seen: Array, losses: Array) -> Callable[[Array], Array]: ...


class Pfn(Surrogate):
    """Expected improvement of the network's prediction; it begins at random."""

    def __init__(
        self,
        space: SearchSpace,
        history: History,
        rng: np.random.Generator,
        updates: int = UPDATES,
    ) -> None:
        super().__init__(space, history, rng)
        self._network = load(updates)

    def next_row(self, rng: np.random.Generator) -> Array:
        """The highest expected improvement, as soon as two losses differ."""
        losses = with_failures(self.losses)
        if len(np.unique(losses)) < 2:
            return self.random_row(rng)
        most = self._network.columns
        score = self._network.score(narrowed(self.points, most), losses)
        best = self.points[np.argmin(losses)]

        def of_some(points: Array) -> Array:
            scores = np.full(len(points), -np.inf)
            rows = scored_rows(points, best, rng)
            scores[rows] = score(narrowed(points[rows], most))
            return scores

        with seeded(rng):
            return self.highest(of_some, rng)


def load(updates: int) -> Network:
    """The published network where it is installed, or else ours."""
    path = weights()
    with one_core():
        return OwnPfn(trained(Training(updates))) if path is None else PublishedPfn(path)


def scored_rows(points: Array, best: Array, rng: np.random.Generator) -> NDArray[np.intp]:
    """Indices of the points that are scored: of many, those next to the best and random ones."""
    if len(points) <= AT_RANDOM + NEAREST:
        return np.arange(len(points))
    distance = np.abs(points - best).sum(axis=1)
    near = np.argpartition(distance, NEAREST)[:NEAREST]
    return np.union1d(near, rng.choice(len(points), AT_RANDOM, replace=False))


def narrowed(points: Array, most: int) -> Array:
    """Points (n, D), or their projection onto a random subspace if they have too many columns.

    It depends on D only. Distances are about the same in the subspace, up to a factor.
    """
    columns = points.shape[1]
    if columns <= most:
        return points
    normal = np.random.default_rng(columns).standard_normal((columns, most))
    directions = np.linalg.qr(normal)[0]
    return np.asarray(np.clip(0.5 + (points - 0.5) @ directions, 0, 1))


class OwnPfn:
    """A prior-fitted network of malibo's own."""

    columns = MOST_COLUMNS

    def __init__(self, network: PriorFittedNetwork) -> None:
        self.network = network

    def score(self, seen: Array, losses: Array) -> Score:
        """The expected improvement at points of the unit cube, given points with their losses."""
        values = normalized(losses)
        with torch.no_grad():
            told = torch.as_tensor(values, dtype=torch.float32)[None]
            memories = self.network.remember(_inputs(seen), told)

        def improvement(points: Array) -> Array:
            with torch.no_grad():
                logits = self.network.predict(_inputs(points), memories)[0]
            return np.asarray(expected_improvement(logits, float(values.min())))

        return lambda points: np.concatenate(
            [improvement(points[at : at + CHUNK]) for at in range(0, len(points), CHUNK)]
        )


def normalized(losses: Array) -> Array:
    """Losses of mean 0 and deviation 1, after the power that makes them the most normal."""
    values = standardized(losses)
    power = float(np.clip(yeojohnson_normmax(values), *POWERS))
    return standardized(yeojohnson(values, power))


def _inputs(points: Array) -> Tensor:
    """Points (n, D) as the network reads them: (1, n, MOST_COLUMNS)."""
    n, columns = points.shape
    padded = np.zeros((1, n, MOST_COLUMNS), dtype=np.float32)
    padded[0, :, :columns] = points
    return standard_inputs(torch.as_tensor(padded), torch.tensor(columns))
