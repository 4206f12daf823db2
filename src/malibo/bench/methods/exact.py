"""Exact Gaussian likelihoods, and networks trained on the past by them: for BaNNER and FSBO.

All of it is torch in double precision. Covariances are plain functions that autograd can
follow; those of ``surrogate`` overwrite their intermediate results to be fast.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from malibo.bench.methods.past import Data, Observed, keep
from malibo.bench.methods.surrogate import cholesky
from malibo.space.parameters import Array

_CHUNK = 4096  # points that are predicted at a time: their covariances stay in the cache
_CLIP = 10.0  # largest norm of a gradient
_ROUNDING = 1e-9  # share by which variances grow so that there is a Cholesky factor
_JUDGEMENTS = 25  # how often training is judged

Prediction = tuple[Array, Array]  # mean and standard deviation at some points
Loss = Callable[[Data], Tensor]  # a number for the observations of some tasks
Change = Callable[[Array, np.random.Generator], Array]  # of a task's values

# -- Gaussian processes ------------------------------------------------------------------------


def matern(points: Tensor, others: Tensor) -> Tensor:
    """Matérn 5/2 covariances (…, n, m) of unit variance and unit length scale."""
    norms = points.square().sum(dim=-1)[..., :, None] + others.square().sum(dim=-1)[..., None, :]
    square = (norms - 2 * points @ others.mT).clamp_min(1e-12)  # the root has a slope at 0
    scaled = (5 * square).sqrt()
    return (1 + scaled + 5 / 3 * square) * (-scaled).exp()


def of_observations(covariance: Tensor, noise: Tensor, known: Tensor) -> Tensor:
    """The covariance (…, n, n) of noisy observations; what is not known has 1 and no relations."""
    both = known[..., :, None] * known[..., None, :]
    return covariance * both + torch.diag_embed(noise * known + 1 - known)


def negative_log_likelihood(covariance: Tensor, centred: Tensor) -> Tensor:
    """(…,) −log N(centred; 0, covariance), up to a constant; zeros with variance 1 add nothing."""
    rounding = _ROUNDING * covariance.diagonal(dim1=-2, dim2=-1)  # of large numbers
    factor = torch.linalg.cholesky(covariance + torch.diag_embed(rounding))
    whitened = torch.linalg.solve_triangular(factor, centred[..., None], upper=False)
    determinant = factor.diagonal(dim1=-2, dim2=-1).log().sum(dim=-1)
    return 0.5 * whitened.square().sum(dim=(-2, -1)) + determinant


@dataclass(frozen=True, eq=False)
class Conditioned:
    """A Gaussian process of mean 0 that has seen n observations.

    factor    (n, n) Cholesky factor of their covariance
    weights   (n,) that covariance, inverted, times the observations
    """

    factor: Tensor
    weights: Tensor

    @classmethod
    def on(cls, covariance: Tensor, centred: Tensor) -> Conditioned:
        """Condition on observations (n,) with that covariance."""
        factor = cholesky(covariance)
        return cls(factor, torch.cholesky_solve(centred[:, None], factor)[:, 0])

    def predict(self, cross: Tensor, prior: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and standard deviation where covariances (n, m) and variances (m,) are given."""
        explained = torch.linalg.solve_triangular(self.factor, cross, upper=False)
        variance = prior - explained.square().sum(dim=0)
        return cross.T @ self.weights, variance.clamp_min(1e-12).sqrt()


def in_chunks(predict: Callable[[Tensor], tuple[Tensor, Tensor]], points: Array) -> Prediction:
    """Predict at many points (n, D), a part of them at a time, without gradients."""
    with torch.no_grad():
        parts = [predict(part) for part in torch.as_tensor(points).split(_CHUNK)]
    means, sds = zip(*parts, strict=True)
    return torch.cat(means).numpy(), torch.cat(sds).numpy()


# -- linear regression -------------------------------------------------------------------------


class Regression:
    """Bayesian linear regressions y = φ·w + ε of T tasks, with w of N(0, 1) and ε of N(0, noise).

    mean     (T, F) of the weights w given the observations
    factor   (T, F, F) Cholesky factor of A = 1 + ΦᵀΦ/noise; their covariance is A⁻¹
    """

    def __init__(self, values: Tensor, features: Tensor, known: Tensor, noise: Tensor) -> None:
        self._values, self._known, self._noise = values, known, noise
        self._target = features.mT @ values[..., None] / noise
        self._unit = torch.eye(features.shape[-1], dtype=torch.float64)
        self.factor = torch.linalg.cholesky(self._unit + features.mT @ features / noise)
        self.mean = torch.cholesky_solve(self._target, self.factor)[..., 0]

    def losses(self) -> Tensor:
        """(T,) −log p(y) of each task, the weights integrated out, up to a constant."""
        explained = (self._target[..., 0] * self.mean).sum(dim=1)
        misfit = self._values.square().sum(dim=1) / self._noise - explained
        determinant = 2 * self.factor.diagonal(dim1=1, dim2=2).log().sum(dim=1)
        return 0.5 * (misfit + determinant + self._known.sum(dim=1) * self._noise.log())

    def distance(self) -> Tensor:
        """How far the weights of all tasks together are from N(0, 1), by their two moments."""
        covariance = torch.cholesky_inverse(self.factor)
        second = (self.mean[..., :, None] * self.mean[..., None, :] + covariance).mean(dim=0)
        return self.mean.mean(dim=0).square().sum() + (second - self._unit).square().sum()


# -- training on the past ----------------------------------------------------------------------


@dataclass(frozen=True)
class Schedule:
    """How many updates to do, and of how many tasks with how many observations each."""

    updates: int
    tasks: int
    batch: int


def train(
    parameters: Sequence[Tensor],
    optimizer: torch.optim.Optimizer,
    loss: Loss,
    past: Sequence[Observed],
    schedule: Schedule,
    rng: np.random.Generator,
    change: Change | None = None,
) -> None:
    """Minimise a loss over random parts of random tasks, whose values may be changed first.

    A quarter of each task is held out. In the end the parameters are what they were when the
    loss of that was lowest: with few tasks, networks soon know them by heart.
    """
    kept = [keep(points, values) for points, values in past]
    held_out = Data.of([left_out(points, values) for points, values in past])
    every = max(1, schedule.updates // _JUDGEMENTS)
    best = (_judge(loss, held_out), _copies(parameters))
    for update in range(1, schedule.updates + 1):
        step(parameters, optimizer, loss(draw(kept, schedule, rng, change)))
        if update % every == 0 and (judged := _judge(loss, held_out)) < best[0]:
            best = (judged, _copies(parameters))
    with torch.no_grad():
        for parameter, value in zip(parameters, best[1], strict=True):
            parameter.copy_(value)


def step(parameters: Sequence[Tensor], optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
    """One update of the parameters, with a gradient that is not too long."""
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(parameters, _CLIP)
    optimizer.step()


def draw(
    past: Sequence[Observed],
    schedule: Schedule,
    rng: np.random.Generator,
    change: Change | None = None,
) -> Data:
    """Some observations of some tasks."""
    parts = []
    for number in rng.permutation(len(past))[: schedule.tasks]:
        points, values = past[number]
        rows = rng.permutation(len(values))[: schedule.batch]
        chosen = values[rows] if change is None else change(values[rows], rng)
        parts.append((points[rows], chosen))
    return Data.of(parts)


def left_out(points: Array, values: Array) -> Observed:
    """What is held out of a task; of one that is too small for that, all of it."""
    size = len(keep(points, values)[1]) % len(values)
    return points[size:], values[size:]


def _copies(parameters: Sequence[Tensor]) -> list[Tensor]:
    return [parameter.detach().clone() for parameter in parameters]


def _judge(loss: Loss, data: Data) -> float:
    """The loss of what is held out; infinite where it has no value."""
    with torch.no_grad():
        value = float(loss(data))
    return value if np.isfinite(value) else np.inf
