"""What the methods with a surrogate share: Gaussian processes, improvement and its search.

Predictions of a Gaussian process are plain matrix algebra on its Cholesky factor: that is fast
for thousands of candidates, and can be kept.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from scipy.special import erfcx
from scipy.stats import norm
from torch import Tensor

from malibo.bench.methods import likelihood
from malibo.bench.methods.likelihood import Hyperparameters
from malibo.bench.methods.optimizer import Told
from malibo.bench.searchspace import SearchSpace
from malibo.maximize import Taken, best, key
from malibo.space import Config
from malibo.space.parameters import Array
from malibo.threads import one_thread

Score = Callable[[Array], Array]  # of n configurations; the highest is tried next

_STARTS = 5  # candidates from which the search goes on
_CHANGES = 20  # neighbours of each of them in a round
_WIDTHS = tuple(np.geomspace(0.2, 0.002, 10))  # of the steps in the unit cube, by round
_JITTER = (0.0, 1e-8, 1e-6, 1e-4, 1e-2)  # added to the diagonal until it can be factorised


@contextmanager
def one_core() -> Iterator[None]:
    """One thread for torch and BLAS, and no advice from the libraries on the data."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with one_thread(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        torch.set_num_threads(threads)


@contextmanager
def seeded(rng: np.random.Generator) -> Iterator[None]:
    """The global generator of torch, seeded by another one and put back in the end."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(rng.integers(2**63)))
        yield


# -- losses ------------------------------------------------------------------------------------


def with_failures(losses: Array) -> Array:
    """Losses with the worst one in place of those of failed trials (NaN).

    So a model learns to keep away from where trials fail, and its scale is not disturbed.
    """
    if np.isnan(losses).all():
        return np.zeros_like(losses)
    return np.where(np.isnan(losses), np.nanmax(losses), losses)


def standardized(values: Array) -> Array:
    """Values of mean 0 and standard deviation 1; zeros if all are equal."""
    if len(values) == 0:
        return values
    centred = values / (np.abs(values).max() or 1.0)  # squares of very large ones are infinite
    centred = centred - centred.mean()
    scale = centred.std()
    return np.asarray(centred / scale if scale > 1e-12 else np.zeros_like(centred))


# -- Gaussian processes ------------------------------------------------------------------------


def squared_exponential(points: Tensor, others: Tensor, lengths: Tensor) -> Tensor:
    """Covariances (n, m) of unit variance: exp(−d²/2)."""
    return squared_distance(points / lengths, others / lengths).mul_(-0.5).exp_()


def matern(points: Tensor, others: Tensor, lengths: Tensor) -> Tensor:
    """Covariances (n, m) of unit variance: (1 + √5·d + 5/3·d²)·exp(−√5·d)."""
    square = squared_distance(points / lengths, others / lengths)
    scaled = (5 * square).sqrt_()
    return (1 + scaled + square.mul_(5 / 3)) * scaled.neg().exp_()


def squared_distance(points: Tensor, others: Tensor) -> Tensor:
    """(n, m) from the scalar products."""
    norms = points.square().sum(dim=1)[:, None] + others.square().sum(dim=1)
    return torch.addmm(norms, points, others.T, alpha=-2).clamp_min_(0)


@dataclass(frozen=True, eq=False)
class Posterior:
    """A Gaussian process that has seen data; its prior variance is 1.

    kernel    covariances of two sets of points, given the length scales (D,)
    points    (n, D) what it has seen
    factor    (n, n) Cholesky factor of the covariance of the observations
    weights   (n,) that covariance, inverted, times the centred observations
    constant  the mean function
    """

    kernel: Callable[[Tensor, Tensor, Tensor], Tensor]
    lengths: Tensor
    points: Tensor
    factor: Tensor
    weights: Tensor
    constant: float

    @classmethod
    def of(cls, known: Hyperparameters, points: Array, values: Array, rbf: bool) -> Posterior:
        """Points (n, D) and values (n,) seen with some hyperparameters."""
        kernel = squared_exponential if rbf else matern
        seen, lengths = torch.as_tensor(points), torch.as_tensor(known.lengths)
        noise = known.noise * torch.eye(len(points), dtype=torch.float64)
        factor = cholesky(kernel(seen, seen, lengths) + noise)
        centred = torch.as_tensor(values - known.constant)[:, None]
        weights = torch.cholesky_solve(centred, factor)[:, 0]
        return cls(kernel, lengths, seen, factor, weights, known.constant)

    def predict(self, points: Array) -> tuple[Array, Array]:
        """Mean and standard deviation of the function, without noise, at points (n, D)."""
        cross = self.kernel(self.points, torch.as_tensor(points), self.lengths)
        mean = cross.T @ self.weights + self.constant
        explained = torch.linalg.solve_triangular(self.factor, cross, upper=False)
        variance = 1 - explained.square_().sum(dim=0)
        return mean.numpy(), variance.clamp_min_(1e-12).sqrt_().numpy()


def cholesky(covariance: Tensor) -> Tensor:
    """The lower factor, with as little added to the diagonal as is needed."""
    unit = torch.eye(len(covariance), dtype=covariance.dtype)
    factor = unit
    for jitter in _JITTER:
        factor, failed = torch.linalg.cholesky_ex(covariance + jitter * unit)
        if not failed:
            break
    return factor


def fit_gp(points: Array, values: Array, rbf: bool = False, fitted: int | None = None) -> Posterior:
    """A Gaussian process with one length scale a column: Matérn 5/2, or squared exponential.

    Values (n,) are to be standardised. Hyperparameters can be fitted to the first few
    observations only; all of them are seen in any case.
    """
    kernel = likelihood.squared_exponential if rbf else likelihood.matern
    known = likelihood.fit(points[:fitted], values[:fitted], kernel)
    return Posterior.of(known, points, values, rbf)


# -- expected improvement ----------------------------------------------------------------------


def log_expected_improvement(mean: Array, sd: Array, incumbent: float) -> Array:
    """log E[max(incumbent − y, 0)] for y of N(mean, sd²), also where it is very small."""
    u = (incumbent - mean) / sd
    near = np.maximum(u, -1.0)
    logs = np.log(norm.pdf(near) + near * norm.cdf(near))
    low = np.minimum(u, -1.0)
    ratio = np.sqrt(np.pi / 2) * erfcx(-low / np.sqrt(2))  # Φ/φ, Mills' ratio
    tail = np.where(low > -1e4, 1 + np.maximum(low, -1e4) * ratio, low**-2.0)  # its limit
    return np.asarray(np.log(sd) + np.where(u > -1, logs, norm.logpdf(low) + np.log(tail)))


# -- search ------------------------------------------------------------------------------------


class Surrogate(Told, ABC):
    """An optimizer that looks for the highest value of an acquisition function."""

    def ask(self) -> Config:
        """The next configuration."""
        with one_core():
            return self.config(self.next_row(self.rng()))

    @abstractmethod
    def next_row(self, rng: np.random.Generator) -> Array:
        """Codes (P,) of the next configuration."""

    def random_row(self, rng: np.random.Generator) -> Array:
        """Any fresh configuration."""
        return np.asarray(rng.choice(self.search.candidates(rng, self.taken)))

    @property
    def points(self) -> Array:
        """(N, D) what was told, in the unit cube."""
        return self.search.space.encode(self.codes)

    def highest(self, score: Score, rng: np.random.Generator) -> Array:
        """Codes (P,) of the configuration with the highest score of points that was found.

        It is the best of the candidates or, where all of the space can be evaluated, what a
        local search finds from the best few of them and from the best told so far.
        """

        def of_codes(codes: Array) -> Array:
            return score(self.search.space.encode(codes))

        taken = self.taken
        rows = self.search.candidates(rng, taken)
        scores = of_codes(rows)
        if self.search.table is None:
            told = self.codes[np.argsort(self.losses)[:1]]
            rows, scores = climb(self.search, of_codes, (rows, scores), told, taken, rng)
        return best(scores, rows, taken, rng)


def climb(
    search: SearchSpace,
    score: Score,
    found: tuple[Array, Array],
    others: Array,
    taken: Taken,
    rng: np.random.Generator,
) -> tuple[Array, Array]:
    """The best few of all configurations on the way up, and their scores.

    It begins at the best of the configurations and scores found, and at some others (k, P).
    Steps get smaller from round to round.
    """
    rows, scores = _first(*found)
    for width in _WIDTHS:
        around = np.repeat(np.concatenate([rows, others]), _CHANGES, axis=0)
        near = search.space.neighbours(around, rng, width)
        near = near[[key(row) not in taken for row in near]]
        if len(near):
            scores = np.concatenate([scores, score(near)])
            rows, scores = _first(np.concatenate([rows, near]), scores)
    return rows, scores


def _first(rows: Array, scores: Array) -> tuple[Array, Array]:
    """The best few distinct rows."""
    kept: dict[bytes, int] = {}
    for index in np.argsort(-scores, kind="stable"):
        kept.setdefault(key(rows[index]), int(index))
        if len(kept) == _STARTS:
            break
    chosen = list(kept.values())
    return rows[chosen], scores[chosen]
