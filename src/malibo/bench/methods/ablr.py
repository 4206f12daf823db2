"""ABLR: Bayesian linear regression for each task on features that tasks share.

After Perrone et al. (2018). The features are the last layer of a network. Its weights, and the
two precisions of each task, maximise the marginal likelihood of all tasks together.

With few past tasks the network can learn their observations by heart: the marginal likelihood
still grows when predictions are already wrong and far too certain. So a quarter of the past
is held out, and training goes back to where that was predicted best. Of very many past tasks
64 are taken, at random.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from scipy.optimize import minimize
from torch import Tensor

from malibo.bench.methods.past import Data, Observed, keep, observed
from malibo.bench.methods.surrogate import (
    Surrogate,
    log_expected_improvement,
    one_core,
    standardized,
    with_failures,
)
from malibo.bench.searchspace import SearchSpace
from malibo.history import History
from malibo.space.parameters import Array
from malibo.task import Task

UNITS = 50  # of each of the two layers, as in the paper
_TRAIN, _REFINE = 300, 10  # iterations of L-BFGS on the past, and for each suggestion
MOST_TASKS = 64  # of the past: all of it is learnt from again at each step
_JUDGED = 5  # iterations from one look at what was held out to the next
_ALPHA = (-7.0, 7.0)  # bounds of the logarithms of the weights' precision
_BETA = (-2.0, 11.0)  # and of the observations'

Vector = np.ndarray[tuple[int], np.dtype[np.float64]]


class Ablr(Surrogate):
    """Expected improvement; the average of the past's regressions until there are two results."""

    def __init__(self, space: SearchSpace, history: History, rng: np.random.Generator) -> None:
        super().__init__(space, history, rng)
        self._past = [observed(task, rng) for task in some(history.tasks, rng)]
        self._kept = [keep(points, values) for points, values in self._past]
        with one_core():
            start = initial(len(self._past), space.space.dimension, rng)
            self._trained = self._fit(start, [], _TRAIN)
            self._heads = Heads.of(self._trained, Data.of(self._past))

    def _fit(self, vector: Array, target: list[Observed], iterations: int) -> Array:
        """Learn from the past that is not held out, and from the target, if there is one.

        It ends where the likelihood of what was held out and of the target is highest: that
        of everything, less that of the part of the past from which it learns.
        """
        everything, seen = Data.of([*self._past, *target]), Data.of([*self._kept, *target])

        def judge(values: Tensor) -> float:
            learnt = task_losses(values, seen)[: len(self._past)].sum()
            return float(task_losses(values, everything).sum() - learnt)

        return fit(vector, seen, iterations, judge)

    def next_row(self, rng: np.random.Generator) -> Array:
        """The highest expected improvement; at the very beginning, the lowest mean."""
        values = standardized(with_failures(self.losses))
        if not values.any():  # fewer than two different losses have no scale
            return self._first_row(rng)
        target = (self.points, values)
        refined = self._fit(with_task(self._trained, len(self._past)), [target], _REFINE)
        heads = Heads.of(refined, Data.of([*self._past, target]))
        incumbent = float(values.min())

        def score(points: Array) -> Array:
            mean, sd = heads.predict(points, [-1])
            return log_expected_improvement(mean[0], sd[0], incumbent)

        return self.highest(score, rng)

    def _first_row(self, rng: np.random.Generator) -> Array:
        """Average the past's predictions; what was told counts with what it was predicted."""
        tasks = list(range(len(self._past)))

        def average(points: Array) -> tuple[Array, Array]:
            mean, sd = self._heads.predict(points, tasks)
            variance = (sd**2).mean(axis=0) + mean.var(axis=0)
            return mean.mean(axis=0), np.sqrt(variance)

        def score(points: Array) -> Array:
            mean, sd = average(points)
            return -mean if incumbent is None else log_expected_improvement(mean, sd, incumbent)

        incumbent = float(average(self.points)[0].min()) if len(self.losses) else None
        return self.highest(score, rng)


def some(tasks: Sequence[Task], rng: np.random.Generator) -> list[Task]:
    """All tasks, or as many as are affordable, at random."""
    if len(tasks) <= MOST_TASKS:
        return list(tasks)
    return [tasks[number] for number in rng.permutation(len(tasks))[:MOST_TASKS]]


# -- parameters: one vector of the network's weights, then log α and log β of each task ----------


def initial(tasks: int, width: int, rng: np.random.Generator) -> Array:
    """Random weights of the size that suits tanh (Glorot), α = 1 and β = 10."""
    parts = []
    for inputs in (width, UNITS):
        spread = np.sqrt(2 / (inputs + UNITS))
        parts += [spread * rng.standard_normal(inputs * UNITS), np.zeros(UNITS)]
    return np.concatenate([*parts, np.zeros(tasks), np.full(tasks, np.log(10))])


def with_task(vector: Array, tasks: int) -> Array:
    """Parameters with one more task, whose precisions are the mean of the others'."""
    network, alpha, beta = np.split(vector, [len(vector) - 2 * tasks, len(vector) - tasks])
    return np.concatenate([network, alpha, [alpha.mean()], beta, [beta.mean()]])


def features(vector: Tensor, points: Tensor) -> Tensor:
    """(..., n, D) to (..., n, UNITS): two layers of tanh."""
    width = points.shape[-1]
    sizes = [width * UNITS, UNITS, UNITS * UNITS, UNITS]
    first, first_bias, second, second_bias = torch.split(vector[: sum(sizes)], sizes)
    hidden = torch.tanh(points @ first.view(width, UNITS) + first_bias)
    return torch.tanh(hidden @ second.view(UNITS, UNITS) + second_bias)


def precisions(vector: Tensor, tasks: int) -> tuple[Tensor, Tensor]:
    """α and β of each task."""
    both = vector[-2 * tasks :].exp()
    return both[:tasks], both[tasks:]


# -- Bayesian linear regression ------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Heads:
    """The regressions of all tasks: y = φ(x)·w + ε with w of N(0, 1/α) and ε of N(0, 1/β).

    factor   (T, UNITS, UNITS) Cholesky factor of A = 1 + β/α·ΦᵀΦ; cov(w) is (αA)⁻¹
    target   (T, UNITS) Φᵀy; the mean of w is β/α·A⁻¹Φᵀy
    """

    vector: Tensor
    alpha: Tensor
    beta: Tensor
    factor: Tensor
    target: Tensor

    @classmethod
    def of(cls, vector: Array | Tensor, data: Data) -> Heads:
        """Condition all tasks on their observations."""
        parameters = torch.as_tensor(vector)
        alpha, beta = precisions(parameters, len(data.values))
        phi = features(parameters, data.points) * data.known[..., None]
        unit = torch.eye(UNITS, dtype=torch.float64)
        gram = unit + (beta / alpha)[:, None, None] * (phi.mT @ phi)
        target = (phi.mT @ data.values[..., None])[..., 0]
        return cls(parameters, alpha, beta, torch.linalg.cholesky(gram), target)

    def predict(self, points: Array, tasks: list[int]) -> tuple[Array, Array]:
        """Means and standard deviations (tasks, n) of the function at points (n, D)."""
        phi = features(self.vector, torch.as_tensor(points)).T
        factor, scale = self.factor[tasks], (self.beta / self.alpha)[tasks]
        whole = torch.cholesky_solve(self.target[tasks][..., None], factor)[..., 0]
        mean = (scale[:, None] * whole) @ phi
        left = torch.linalg.solve_triangular(factor, phi.expand(len(tasks), -1, -1), upper=False)
        variance = left.square().sum(dim=1) / self.alpha[tasks][:, None]
        return mean.numpy(), variance.clamp_min(1e-12).sqrt().numpy()


def task_losses(vector: Tensor, data: Data) -> Tensor:
    """(T,) −log p(y) of the observations of each task, the weights w integrated out."""
    heads = Heads.of(vector, data)
    left = torch.linalg.solve_triangular(heads.factor, heads.target[..., None], upper=False)
    explained = heads.beta / heads.alpha * left.square().sum(dim=(1, 2))
    misfit = heads.beta * (data.values.square().sum(dim=1) - explained)
    determinant = 2 * heads.factor.diagonal(dim1=1, dim2=2).log().sum(dim=1)
    constants = data.known.sum(dim=1) * (np.log(2 * np.pi) - heads.beta.log())
    return 0.5 * (misfit + determinant + constants)


def fit(vector: Array, data: Data, iterations: int, judge: Callable[[Tensor], float]) -> Array:
    """The best parameters, as judged, on the way of some iterations of L-BFGS."""
    tasks, observations = len(data.values), float(data.known.sum())
    best, done = (judge(torch.as_tensor(vector)), vector), 0

    def loss(values: Vector) -> tuple[float, Array]:
        leaf = torch.tensor(values, requires_grad=True)
        result = task_losses(leaf, data).sum() / observations
        (gradient,) = torch.autograd.grad(result, leaf)
        return result.item(), gradient.numpy()

    def compare(xk: Vector) -> None:  # the name tells scipy what to pass
        nonlocal best, done
        done += 1
        if done % _JUDGED:
            return
        judged = judge(torch.as_tensor(xk))
        if judged < best[0]:
            best = (judged, xk.copy())

    minimize(
        loss,
        vector,
        jac=True,
        method="L-BFGS-B",
        bounds=[(None, None)] * (len(vector) - 2 * tasks) + [_ALPHA] * tasks + [_BETA] * tasks,
        callback=compare,
        options={"maxiter": iterations, "maxcor": 20, "ftol": 1e-9, "gtol": 1e-7},
    )
    return best[1]
