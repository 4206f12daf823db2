"""Training of the prior-fitted network: once for all tasks, then kept in the user's cache."""

from __future__ import annotations

import hashlib
import math
from dataclasses import asdict, dataclass, field
from types import ModuleType

import numpy as np
import torch
from torch import Generator, nn
from torch.optim import Optimizer
from tqdm import tqdm

from malibo.bench.methods import bars, function_prior, prior_fitted
from malibo.bench.methods.function_prior import DataSets
from malibo.bench.methods.prior_fitted import PriorFittedNetwork, Size, standard_inputs
from malibo.bench.methods.surrogate import one_core, seeded
from malibo.bench.problems import cache

VERSION = 1  # to be raised when the code of the prior, of the network or of training changes
UPDATES = 8000  # ten minutes on one core
WORTH_KEEPING = 500  # updates; shorter trainings are repeated and leave nothing behind


@dataclass(frozen=True)
class Training:
    """All that a trained network depends on.

    data_sets     of an update
    seen          rows with values: from the fewest to the most, as often few as many
    new           rows to be predicted
    rate          of Adam: it rises over ``warm_up`` updates and then falls to 0 as a cosine
    clip          largest norm of a gradient
    """

    updates: int = UPDATES
    data_sets: int = 16
    seen: tuple[int, int] = (2, 100)
    new: int = 32
    rate: float = 2e-3
    warm_up: int = 100
    clip: float = 1.0
    seed: int = 0
    size: Size = field(default_factory=Size)

    def digest(self) -> str:
        """The same for two trainings that give the same network."""
        prior = [constants(module) for module in (function_prior, bars, prior_fitted)]
        text = repr((VERSION, sorted(asdict(self).items()), prior))
        return hashlib.sha256(text.encode()).hexdigest()


def constants(module: ModuleType) -> list[tuple[str, object]]:
    """The numbers at the top of a module, with their names."""
    named = sorted(vars(module).items())
    return [
        (name, value)
        for name, value in named
        if name.isupper() and isinstance(value, int | float | tuple)
    ]


def trained(training: Training) -> PriorFittedNetwork:
    """The network: out of the cache, or trained now."""
    digest = training.digest()
    if training.updates < WORTH_KEEPING:
        columns = _train_columns(training)
    else:
        name = f"pfn-{digest[:16]}"
        columns = cache.columns(name, digest, lambda: _train_columns(training))
    network = PriorFittedNetwork(training.size)
    network.load_state_dict({name: torch.as_tensor(column) for name, column in columns.items()})
    network.eval()
    return network


def _train_columns(training: Training) -> cache.Columns:
    """A network trained now, as arrays by name."""
    network = initial(training)
    train(network, training)
    return {name: weight.numpy() for name, weight in network.state_dict().items()}


def initial(training: Training) -> PriorFittedNetwork:
    """The network before training."""
    with seeded(np.random.default_rng(training.seed)):
        return PriorFittedNetwork(training.size)


def train(network: PriorFittedNetwork, training: Training) -> list[float]:
    """Train by AdamW, on new data sets all the time; gives the loss of each update."""
    random = Generator().manual_seed(training.seed)
    optimizer = torch.optim.AdamW(network.parameters(), lr=training.rate)
    title = "training a prior-fitted network"
    losses: list[float] = []
    with one_core(), tqdm(total=training.updates, desc=title, unit="update", disable=None) as bar:
        for update in range(training.updates):
            optimizer.param_groups[0]["lr"] = rate(update, training)
            losses.append(step(network, optimizer, training, random))
            bar.update()
            bar.set_postfix(loss=f"{np.mean(losses[-100:]):.2f}", refresh=False)
    return losses


def step(
    network: PriorFittedNetwork, optimizer: Optimizer, training: Training, random: Generator
) -> float:
    """One update; gives its loss."""
    loss = batch_loss(network, *draw_batch(training, random))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(network.parameters(), training.clip)
    optimizer.step()
    return float(loss)


def rate(update: int, training: Training) -> float:
    """The learning rate of an update."""
    rising = min(1.0, (update + 1) / training.warm_up)
    return training.rate * rising * (1 + math.cos(math.pi * update / training.updates)) / 2


def draw_batch(training: Training, random: Generator) -> tuple[DataSets, int]:
    """Data sets of an update, and how many of their rows are seen."""
    fewest, most = training.seen
    share = float(torch.rand(1, generator=random))
    seen = min(most, int(fewest * ((most + 1) / fewest) ** share))
    return function_prior.draw(training.data_sets, seen, seen + training.new, random), seen


def batch_loss(network: PriorFittedNetwork, drawn: DataSets, seen: int) -> torch.Tensor:
    """The mean negative log density of the values that are not seen."""
    inputs = standard_inputs(drawn.points, drawn.functions.columns[:, None, None])
    logits = network(inputs[:, :seen], drawn.values[:, :seen], inputs[:, seen:])
    return -bars.log_density(logits, drawn.values[:, seen:]).mean()
