"""Episodes of MetaBO: past tasks tuned again, over what was observed of them.

Several episodes run side by side. The Gaussian process of each gets one observation a step.
That adds one row to the Cholesky factor L of the observations' covariance, and to L⁻¹K, from
which all predictions follow; nothing is factorised again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from malibo.bench.methods.metabo.prior import Prior
from malibo.bench.methods.past import Observed
from malibo.space.parameters import Array

CANDIDATES = 128  # of an episode, at most
STATISTICS = 4  # numbers that sum up a state for the critic
_EQUAL = 1e-12  # standard deviation below which observations are all the same
_SMALLEST = 1e-12  # variance


@dataclass(frozen=True, eq=False)
class Candidates:
    """What can be chosen in B episodes.

    points   (B, n, D) in the unit cube
    values   (B, n) what will be observed there
    """

    points: Tensor
    values: Tensor

    @classmethod
    def draw(cls, tasks: Sequence[Observed], count: int, rng: np.random.Generator) -> Candidates:
        """Random observations of random tasks; those of a small task come more than once."""
        size = min(CANDIDATES, max(len(values) for _, values in tasks))
        chosen = rng.integers(len(tasks), size=count)
        drawn = [_draw(tasks[number], size, rng) for number in chosen]
        points, values = zip(*drawn, strict=True)
        return cls(torch.as_tensor(np.stack(points)), torch.as_tensor(np.stack(values)))


def _draw(task: Observed, size: int, rng: np.random.Generator) -> tuple[Array, Array]:
    points, values = task
    rows = np.resize(rng.permutation(len(values)), size)
    return points[rows], values[rows]


@dataclass(frozen=True, eq=False)
class State:
    """What is known in B episodes.

    features   (B, n, 2 + D) of each candidate, for the policy
    open       (B, n) whether a candidate was not chosen yet
    summary    (B, STATISTICS) for the critic: time, regret, lowest mean, average deviation
    """

    features: Tensor
    open: Tensor
    summary: Tensor


class Episodes:
    """B episodes after some steps.

    variance   (B, n) of the predictions
    open       (B, n) whether a candidate was not chosen yet
    best       (B,) lowest value observed so far; at the beginning, the mean of all
    """

    def __init__(self, candidates: Candidates, prior: Prior, horizon: int) -> None:
        values = candidates.values
        count, size = values.shape
        self._candidates, self._noise, self._horizon = candidates, prior.noise, horizon
        self._covariance = torch.stack([prior.covariance(own) for own in candidates.points])
        self._explained = values.new_zeros((count, horizon, size))  # L⁻¹K
        self._whitened = values.new_zeros((count, horizon, 2))  # L⁻¹(y, 1)
        self._observed = values.new_zeros((count, 0))
        self.variance = torch.ones_like(values)
        self.open = torch.ones_like(values, dtype=torch.bool)
        self.best = values.mean(dim=1)

    @property
    def step(self) -> int:
        """How many were chosen in each episode."""
        return int(self._observed.shape[1])

    @property
    def regret(self) -> Tensor:
        """(B,) simple regret: the best so far, less the best of all candidates."""
        return self.best - self._candidates.values.min(dim=1).values

    def state(self) -> State:
        """What is known now."""
        mean, sd = self.mean(), self.variance.clamp_min(_SMALLEST).sqrt()
        time = torch.full_like(self.best, self.step / self._horizon)
        numbers = [time, self.regret, mean.min(dim=1).values, sd.mean(dim=1)]
        summary = torch.stack(numbers, dim=1).float()
        return State(features(mean, sd, self._candidates.points), self.open.clone(), summary)

    def mean(self) -> Tensor:
        """(B, n) predictions in the scale in which what was observed is standardised.

        They are linear in the observations: those for (y − m)/s are those for y, less m times
        those for ones, divided by s. Fewer than two different observations have no scale.
        """
        if self.step == 0:
            return torch.zeros_like(self.variance)
        both = self._explained[:, : self.step].mT @ self._whitened[:, : self.step]
        centre = self._observed.mean(dim=1, keepdim=True)
        scale = self._observed.std(dim=1, keepdim=True, unbiased=False)
        mean = (both[..., 0] - centre * both[..., 1]) / scale.clamp_min(_EQUAL)
        return torch.where(scale > _EQUAL, mean, 0.0)

    def choose(self, choice: Tensor) -> None:
        """Observe one candidate in each episode, given by its number (B,)."""
        each, step = torch.arange(len(choice)), self.step
        value = self._candidates.values[each, choice]
        self._condition(choice, value)
        self.open[each, choice] = False
        self.best = torch.minimum(self.best, value) if step else value
        self._observed = torch.cat([self._observed, value[:, None]], dim=1)

    def _condition(self, choice: Tensor, value: Tensor) -> None:
        """Add the row of an observation to L⁻¹K and L⁻¹(y, 1)."""
        each, step = torch.arange(len(choice)), self.step
        before, whitened = self._explained[:, :step], self._whitened[:, :step]
        row = before[each, :, choice]  # of L, up to its diagonal
        diagonal = (self.variance[each, choice] + self._noise).sqrt()[:, None]
        cross = self._covariance[each, choice] - torch.einsum("bs,bsn->bn", row, before)
        both = torch.stack([value, torch.ones_like(value)], dim=1)
        self._explained[:, step] = cross / diagonal
        rest = both - torch.einsum("bs,bsk->bk", row, whitened)
        self._whitened[:, step] = rest / diagonal
        self.variance = self.variance - self._explained[:, step].square()


def features(mean: Tensor, sd: Tensor, points: Tensor) -> Tensor:
    """(…, 2 + D) mean, standard deviation and place of points, in single precision."""
    return torch.cat([mean[..., None], sd[..., None], points], dim=-1).float()
