"""DRE: an ensemble of networks that learn to rank, from the past and then from the target.

After Khazi, Pineda Arango & Grabocka (2023), "Deep ranking ensembles for hyperparameter
optimization". A network scores a configuration x, given some observations of the task, which
a deep set condenses to a few features beside x. The scores of a list of configurations are to
bring them into the order of their results: the loss is list-wise (ListMLE), and the positions
at the top weigh the most. Ten such networks are trained on random lists, and on random sets of
observations, of one past task after the other. For each suggestion all of them are trained a
bit further on what was told. Then each member ranks the candidates by its scores. Mean and
standard deviation of the ten ranks give the expected improvement of the rank.

As in the paper, as far as it is known here: ten members, layers of 32 units, lists of 100, 20
observations for the deep set, Adam. What differs, mostly to fit two cores:

- One list a member and update, not a batch of them, and far fewer updates, on the past and on
  the target. The learning rate is larger instead: of 0.001, 0.003 and 0.01, the last one ranked
  functions of synthetic families best that were held out. The number of updates on the target
  grows with its observations, up to 50.
- The deep set averages, and the number of its observations varies from none on, because the
  first suggestion is made without any. At a suggestion it sees all that was told.
- Candidates of a local search come a few at a time, so that ranks among themselves would not be
  comparable. A rank is the position among random configurations that stay the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from malibo.bench.methods.past import observed
from malibo.bench.methods.surrogate import (
    Surrogate,
    log_expected_improvement,
    one_core,
    seeded,
    standardized,
    with_failures,
)
from malibo.bench.searchspace import CANDIDATES, SearchSpace
from malibo.history import History
from malibo.space.parameters import Array

MEMBERS = 10
HIDDEN, UNITS, FEATURES = 4, 32, 16  # layers, their units, and outputs of the deep set
LIST, SUPPORT = 100, 20  # configurations that are ranked, and observations that are given
UPDATES, RATE = 3000, 1e-2  # on the past
TARGET_UPDATES, TARGET_RATE = 50, 2e-2  # at most, on what was told, for each suggestion
UPDATES_EACH = 5  # of them for each observation: a pair of results is soon overrated
_CHUNK = 512  # configurations scored at once: what stays in the cache is much faster
_SMALLEST = 1e-3  # standard deviation of a rank

Scored = tuple[Tensor, Tensor]  # points (n, D) of a task, and gains (n,): the more, the better
Layers = list[tuple[Tensor, Tensor]]  # weights (MEMBERS, in, out) and biases (MEMBERS, 1, out)


class RankingEnsemble(Surrogate):
    """Expected improvement of the rank; at the very beginning, the lowest mean rank."""

    def __init__(
        self,
        space: SearchSpace,
        history: History,
        rng: np.random.Generator,
        updates: int = UPDATES,
    ) -> None:
        super().__init__(space, history, rng)
        self._reference = reference_points(space, rng)
        past = [scored(*observed(task, rng)) for task in history]
        with one_core(), seeded(rng):
            self._scorers = Scorers(space.space.dimension)
            train(self._scorers, past, updates, RATE)

    def next_row(self, rng: np.random.Generator) -> Array:
        """The highest expected improvement of the rank over that of what was told."""
        values = standardized(with_failures(self.losses))
        told = scored(self.points, values)
        scorers = self._scorers
        if values.any():  # equal losses have no order
            with seeded(rng):
                scorers = deepcopy(scorers)
                train(scorers, [told], target_updates(len(values)), TARGET_RATE)
        knots = np.sort(member_scores(scorers, self._reference, told), axis=1)

        def rank(points: Array) -> tuple[Array, Array]:
            ranks = ranks_among(knots, member_scores(scorers, points, told))
            return ranks.mean(axis=0), ranks.std(axis=0) + _SMALLEST

        def score(points: Array) -> Array:
            mean, sd = rank(points)
            return -mean if incumbent is None else log_expected_improvement(mean, sd, incumbent)

        incumbent = float(rank(self.points)[0].min()) if len(values) else None
        return self.highest(score, rng)


def reference_points(search: SearchSpace, rng: np.random.Generator) -> Array:
    """Points (n, D) of random configurations, or of all if there are few."""
    rows = rng.permutation(search.candidates(rng, set()))[:CANDIDATES]
    return search.space.encode(rows)


def target_updates(told: int) -> int:
    """How many updates so many observations of the target are worth."""
    return min(TARGET_UPDATES, UPDATES_EACH * told)


def scored(points: Array, losses: Array) -> Scored:
    """Observations as the networks see them, in single precision."""
    return torch.as_tensor(points).float(), -torch.as_tensor(losses).float()


# -- scores and ranks --------------------------------------------------------------------------


def member_scores(scorers: Scorers, points: Array, told: Scored) -> Array:
    """(MEMBERS, n) scores of points (n, D) of the task of which some observations are told."""
    its_points, gains = (tensor.expand(MEMBERS, *tensor.shape) for tensor in told)
    with torch.no_grad():
        features = scorers.features(its_points, gains)
        parts = [
            scorers.scores(chunk.expand(MEMBERS, -1, -1), features)
            for chunk in torch.as_tensor(points).float().split(_CHUNK)
        ]
    return np.asarray(torch.cat(parts, dim=1).numpy())


def ranks_among(knots: Array, scores: Array) -> Array:
    """(MEMBERS, n) positions of scores among the sorted scores (MEMBERS, k) of the reference.

    The best of the reference has rank 1. In between, ranks are interpolated. What scores higher
    than all of the reference by d has the rank exp(−d): these are the odds that the best of the
    reference is better, in the probabilities of orders that the loss maximises.
    """
    ranks = []
    for known, values in zip(knots.astype(float), scores.astype(float), strict=True):
        inside = np.interp(values, known, np.arange(len(known), 0, -1))
        ranks.append(inside - 1 + np.exp(np.minimum(known[-1] - values, 0)))
    return np.array(ranks)


# -- networks ----------------------------------------------------------------------------------


class Scorers:
    """The ensemble. A member's score of a point depends on some observations of the task."""

    def __init__(self, dimension: int) -> None:
        self.each = member_layers(dimension + 1, UNITS, UNITS)
        self.together = member_layers(UNITS, UNITS, FEATURES)
        self.scorer = member_layers(dimension + FEATURES, *[UNITS] * HIDDEN, 1)

    @property
    def parameters(self) -> list[Tensor]:
        """All weights and biases."""
        layers = [*self.each, *self.together, *self.scorer]
        return [tensor for layer in layers for tensor in layer]

    def features(self, points: Tensor, gains: Tensor) -> Tensor:
        """(MEMBERS, 1, FEATURES) of a set of k observations: (MEMBERS, k, D) and (MEMBERS, k).

        Their order has no influence, nor have scale and offset of the gains.
        """
        pairs = torch.cat([points, comparable(gains)[..., None]], dim=2)
        summed = through(self.each, pairs).sum(dim=1, keepdim=True)
        return through(self.together, summed / max(gains.shape[1], 1))

    def scores(self, points: Tensor, features: Tensor) -> Tensor:
        """(MEMBERS, n) of points (MEMBERS, n, D): the higher, the better."""
        repeated = features.expand(-1, points.shape[1], -1)
        return through(self.scorer, torch.cat([points, repeated], dim=2))[..., 0]


def member_layers(*sizes: int) -> Layers:
    """Random layers of each member, of the size that torch gives them."""
    layers = []
    for inputs, outputs in pairwise(sizes):
        shapes = (MEMBERS, inputs, outputs), (MEMBERS, 1, outputs)
        bound = inputs**-0.5
        weight, bias = (torch.empty(shape).uniform_(-bound, bound) for shape in shapes)
        layers.append((weight.requires_grad_(), bias.requires_grad_()))
    return layers


def through(layers: Layers, points: Tensor) -> Tensor:
    """(MEMBERS, n, inputs) to (MEMBERS, n, outputs), all members at once."""
    for weight, bias in layers[:-1]:
        points = torch.baddbmm(bias, points, weight).relu()
    weight, bias = layers[-1]
    return torch.baddbmm(bias, points, weight)


def comparable(gains: Tensor) -> Tensor:
    """Gains (MEMBERS, k) of mean 0 and standard deviation 1; zeros if all are equal."""
    if not gains.numel():
        return gains
    centred = gains - gains.mean(dim=1, keepdim=True)
    scale = centred.square().mean(dim=1, keepdim=True).sqrt()
    return torch.where(scale > 1e-6, centred / scale.clamp_min(1e-6), 0.0)


# -- training ----------------------------------------------------------------------------------


def train(scorers: Scorers, tasks: Sequence[Scored], updates: int, rate: float) -> None:
    """Adam on random lists of random tasks; the learning rate goes down to zero (cosine)."""
    optimizer = torch.optim.Adam(scorers.parameters, lr=rate, fused=True)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, updates)
    for _ in range(updates):
        points, gains = tasks[int(torch.randint(len(tasks), ()))]
        support, query = random_split(len(gains))
        features = scorers.features(points[support], gains[support])
        losses = ranking_losses(scorers.scores(points[query], features), gains[query])
        optimizer.zero_grad()
        losses.sum().backward()
        optimizer.step()
        schedule.step()


def random_split(size: int) -> tuple[Tensor, Tensor]:
    """For each member, which of so many observations are given, and which are to be ranked.

    No more than half of them are given, so that something is left to be ranked. The random
    order also decides between equal results.
    """
    order = torch.rand(MEMBERS, size).argsort(dim=1)
    given = int(torch.randint(min(SUPPORT, size // 2) + 1, ()))
    return order[:, :given], order[:, given : given + LIST]


def ranking_losses(scores: Tensor, gains: Tensor) -> Tensor:
    """(MEMBERS,) −log of the probability of the true order, position by position, weighted.

    The best one is drawn from all with probabilities in proportion to exp(score), the second
    from the rest, and so on. Position j has the weight 1 / log(j + 1).
    """
    ranked = scores.gather(1, gains.argsort(dim=1, descending=True, stable=True))
    rest = ranked.flip(1).logcumsumexp(dim=1).flip(1)
    weights = 1 / torch.arange(2.0, scores.shape[1] + 2).log()
    return ((rest - ranked) * weights).sum(dim=1) / weights.sum()
