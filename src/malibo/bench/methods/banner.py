"""BaNNER: a mean and features that tasks share, a linear regression and a residual for each task.

After Berkenkamp et al. (2021). A network learns a mean m(x) and features φ(x) from all past
tasks. A task is m(x) + w·φ(x) + g(x) + noise: w has the prior N(0, 1), and g is a Gaussian
process for what the network has not learnt. All of it together is one Gaussian process, whose
expected improvement picks the next configuration. Network, sizes and acquisition are those
that the paper of MALIBO used: three residual layers of 32 units, 16 features.

Where this differs from the published method:
- The published one learns a point estimate of w for each past task, and a regulariser keeps
  their distribution near the prior. Here w is integrated out. The regulariser is the distance
  of the first two moments of w over the tasks of an update from those of the prior: without
  it, m(x) drifts away from the average of the tasks.
- A quarter of each past task is held out, and training goes back to where it was most likely:
  with few tasks, networks become overconfident.
- The target's losses are standardised by those that were seen. That is another scale than
  that of a whole task, so scale and offset of what the network says are fitted as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from scipy.optimize import minimize
from torch import Tensor, nn

from malibo.bench.methods.exact import (
    Conditioned,
    Prediction,
    Regression,
    Schedule,
    in_chunks,
    matern,
    negative_log_likelihood,
    of_observations,
    train,
)
from malibo.bench.methods.networks import ResidualNetwork
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
from malibo.space.parameters import Array

LAYERS, UNITS, FEATURES = 3, 32, 16
UPDATES = 1500
REGULARISER = 0.01  # beside the loss of one observation
OFFSET = 1.0  # standard deviation of the target's offset, in units of its scale
_TASKS, _BATCH, _RATE = 8, 64, 3e-3  # of an update: tasks, observations of each, Adam's step
_REFINE = 25  # iterations of L-BFGS for each suggestion
_VARIANCE, _NOISE, _SCALE = np.log(0.1), -4.0, 0.0  # modes of the logarithms
_FARTHEST = 6.0  # from those
_LEAST_NOISE = 1e-5

Vector = np.ndarray[tuple[int], np.dtype[np.float64]]


class Banner(Surrogate):
    """Expected improvement; the lowest meta-learned mean comes first."""

    def __init__(
        self, space: SearchSpace, history: History, rng: np.random.Generator, updates: int = UPDATES
    ) -> None:
        super().__init__(space, history, rng)
        past = [observed(task, rng) for task in history]
        with one_core(), seeded(rng):
            self._shared = Shared(space.space.dimension)
            self._shared.meta_train(past, updates, rng)

    def next_row(self, rng: np.random.Generator) -> Array:
        """The highest expected improvement; without any result, the lowest mean."""
        process = self._process()

        def score(points: Array) -> Array:
            mean, sd = process.predict(points)
            if len(self.losses) == 0:
                return -mean
            return log_expected_improvement(mean, sd, incumbent)

        incumbent = float(process.values.min()) if len(self.losses) else 0.0
        return self.highest(score, rng)

    def _process(self) -> Process:
        """The model of the target.

        Fewer than two different losses have no scale: they count with what was predicted.
        """
        with torch.no_grad():
            inputs = self._shared.inputs(torch.as_tensor(self.points))
        values = torch.as_tensor(standardized(with_failures(self.losses)))
        if values.any():
            return Process(self._shared, inputs, values, fit(inputs, values))
        modes = Hyperparameters.modes(self.search.space.dimension)
        return Process(self._shared, inputs, inputs.mean, modes)


# -- what tasks share ----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Inputs:
    """Points (…, D) and what the network says of them: mean (…) and features (…, FEATURES)."""

    points: Tensor
    mean: Tensor
    features: Tensor


class Shared:
    """The network of mean and features, and the noise of the past."""

    def __init__(self, inputs: int) -> None:
        body = ResidualNetwork(inputs, UNITS, LAYERS, nn.SiLU)
        self.network = nn.Sequential(body, nn.Linear(UNITS, 1 + FEATURES).double())
        self.log_noise = nn.Parameter(torch.tensor(-2.0, dtype=torch.float64))

    def meta_train(self, past: Sequence[Observed], updates: int, rng: np.random.Generator) -> None:
        """Learn from the past, some tasks in each update."""
        parameters = [*self.network.parameters(), self.log_noise]
        optimizer = torch.optim.Adam(parameters, lr=_RATE, fused=True)
        train(parameters, optimizer, self.loss, past, Schedule(updates, _TASKS, _BATCH), rng)

    def inputs(self, points: Tensor) -> Inputs:
        """What the network says of points."""
        outputs = self.network(points)
        return Inputs(points, outputs[..., 0], outputs[..., 1:])

    def loss(self, data: Data) -> Tensor:
        """−log p(y) of the past's observations, for each of them, and the regulariser."""
        said, known = self.inputs(data.points), data.known
        noise = self.log_noise.exp() + _LEAST_NOISE
        left = (data.values - said.mean) * known
        regression = Regression(left, said.features * known[..., None], known, noise)
        return regression.losses().sum() / known.sum() + REGULARISER * regression.distance()


# -- the target ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Hyperparameters:
    """Of the target's process, as one vector of logarithms with normal priors of deviation 1.

    The vector has the D length scales of the residual, its variance, the variance of the
    noise, and the scale of what the network says. Length scales grow with the dimension, as
    in the priors of Hvarfner et al. (2024), and have a deviation of √3.
    """

    vector: Tensor

    @classmethod
    def modes(cls, dimension: int) -> Hyperparameters:
        """The most likely ones before anything is seen."""
        lengths = np.full(dimension, np.sqrt(2) + np.log(dimension) / 2)
        return cls(torch.as_tensor([*lengths, _VARIANCE, _NOISE, _SCALE], dtype=torch.float64))

    @property
    def lengths(self) -> Tensor:
        """Length scales of the residual."""
        return self.vector[:-3].exp()

    @property
    def others(self) -> tuple[Tensor, Tensor, Tensor]:
        """Variance of the residual, of the noise, and the scale."""
        variance, noise, scale = self.vector[-3:].exp()
        return variance, noise + _LEAST_NOISE, scale

    def penalty(self) -> Tensor:
        """−log of the prior density, up to a constant."""
        deviations = self.vector - self.modes(len(self.vector) - 3).vector
        return deviations[:-3].square().sum() / 6 + deviations[-3:].square().sum() / 2


class Process:
    """A Gaussian process of the network's outputs and a residual, given the target's results.

    With the scale s its mean is s·m(x), its covariance s²·(φ(x)·φ(x') + OFFSET²) + v·k(x, x').
    """

    def __init__(
        self, shared: Shared, inputs: Inputs, values: Tensor, hyperparameters: Hyperparameters
    ) -> None:
        self.values = values
        self._shared, self._inputs, self._hyperparameters = shared, inputs, hyperparameters
        mean, covariance = prior(inputs, hyperparameters)
        self._conditioned = Conditioned.on(covariance, values - mean)

    def predict(self, points: Array) -> Prediction:
        """Mean and standard deviation of the function, without noise, at points (n, D)."""
        variance, _, scale = self._hyperparameters.others

        def part(chunk: Tensor) -> tuple[Tensor, Tensor]:
            new = self._shared.inputs(chunk)
            cross = covariances(self._inputs, new, self._hyperparameters)
            before = scale**2 * (new.features.square().sum(dim=1) + OFFSET**2) + variance
            mean, sd = self._conditioned.predict(cross, before)
            return mean + scale * new.mean, sd

        return in_chunks(part, points)


def fit(inputs: Inputs, values: Tensor) -> Hyperparameters:
    """Those of the highest density, by L-BFGS from the modes."""

    def loss(vector: Vector) -> tuple[float, Array]:
        leaf = torch.tensor(vector, requires_grad=True)
        result = density_loss(inputs, values, Hyperparameters(leaf))
        (gradient,) = torch.autograd.grad(result, leaf)
        return result.item(), gradient.numpy()

    begin = Hyperparameters.modes(inputs.points.shape[1]).vector.numpy()
    bounds = [(mode - _FARTHEST, mode + _FARTHEST) for mode in begin]
    found = minimize(
        loss, begin, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": _REFINE}
    )
    return Hyperparameters(torch.as_tensor(found.x))


def covariances(first: Inputs, second: Inputs, hyperparameters: Hyperparameters) -> Tensor:
    """(n, m) of the function at two sets of points."""
    variance, _, scale = hyperparameters.others
    lengths = hyperparameters.lengths
    residual = matern(first.points / lengths, second.points / lengths)
    return scale**2 * (first.features @ second.features.T + OFFSET**2) + variance * residual


def prior(inputs: Inputs, hyperparameters: Hyperparameters) -> tuple[Tensor, Tensor]:
    """Mean (n,) and covariance (n, n) of noisy observations."""
    _, noise, scale = hyperparameters.others
    known = torch.ones_like(inputs.mean)
    covariance = covariances(inputs, inputs, hyperparameters)
    return scale * inputs.mean, of_observations(covariance, noise, known)


def density_loss(inputs: Inputs, values: Tensor, hyperparameters: Hyperparameters) -> Tensor:
    """−log of the marginal likelihood times the prior density of the hyperparameters."""
    mean, covariance = prior(inputs, hyperparameters)
    return negative_log_likelihood(covariance, values - mean) + hyperparameters.penalty()
