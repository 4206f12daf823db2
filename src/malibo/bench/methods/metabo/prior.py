"""The Gaussian process of MetaBO: estimated on the past once, and the same for every task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from malibo.bench.methods.past import Observed
from malibo.bench.methods.surrogate import Posterior, cholesky, fit_gp, matern
from malibo.space.parameters import Array

_TASKS, _SIZE = 8, 256  # past tasks that are fitted, and observations of each


@dataclass(frozen=True, eq=False)
class Prior:
    """A Gaussian process before it has seen anything: mean 0, variance 1, Matérn 5/2.

    lengths   (D,) length scales
    noise     variance of the noise of observations
    """

    lengths: Tensor
    noise: float

    @classmethod
    def estimate(cls, tasks: Sequence[Observed], rng: np.random.Generator) -> Prior:
        """The geometric means of the hyperparameters that fit some of the past tasks best."""
        chosen = rng.permutation(len(tasks))[:_TASKS]
        fitted = [fit_gp(*(part[:_SIZE] for part in tasks[number])) for number in chosen]
        lengths = torch.stack([model.lengths for model in fitted])
        noises = torch.stack([noise_of(model) for model in fitted])
        return cls(lengths.log().mean(dim=0).exp(), float(noises.log().mean().exp()))

    def covariance(self, points: Tensor) -> Tensor:
        """(n, n) of the function at points (n, D), without noise."""
        return matern(points, points, self.lengths)

    def condition(self, points: Array, values: Array) -> Posterior:
        """What it is after it has seen values (n,) at points (n, D); n may be 0."""
        seen = torch.as_tensor(points)
        noise = self.noise * torch.eye(len(seen), dtype=torch.float64)
        factor = cholesky(self.covariance(seen) + noise)
        weights = torch.cholesky_solve(torch.as_tensor(values)[:, None], factor)[:, 0]
        return Posterior(matern, self.lengths, seen, factor, weights, constant=0.0)


def noise_of(model: Posterior) -> Tensor:
    """Variance of the noise: by what the first observation varies beyond the prior's 1."""
    return model.factor[0, 0].square() - 1
