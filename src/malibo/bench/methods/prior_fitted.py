"""A prior-fitted network: the distribution of new values given seen ones, in one pass (torch)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from malibo.bench.methods.bars import OUTPUTS, logits_of, prior_outputs
from malibo.bench.methods.function_prior import MOST_COLUMNS

WIDTHS = (0.1, 2.0)  # of the heads in the beginning; two points are about √2 apart
LEARNED = 0.3  # of the usual weights: of queries, keys and outputs in the beginning


@dataclass(frozen=True)
class Size:
    """Of a network."""

    units: int = 64
    layers: int = 4
    heads: int = 8
    hidden: int = 128


@dataclass(frozen=True, eq=False)
class Memory:
    """What a layer keeps of the rows seen: keys and values (b, heads, n, …)."""

    keys: Tensor
    values: Tensor


class PriorFittedNetwork(nn.Module):
    """A transformer over rows: those seen attend to each other, new ones to those seen."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Linear(MOST_COLUMNS + 3, size.hidden), nn.ReLU(), nn.Linear(size.hidden, size.units)
        )
        self.layers = nn.ModuleList(Layer(size) for _ in range(size.layers))
        self.decoder = nn.Sequential(
            nn.LayerNorm(size.units),
            nn.Linear(size.units, size.hidden),
            nn.ReLU(),
            nn.Linear(size.hidden, OUTPUTS),
        )
        with torch.no_grad():  # it begins with about the same prediction everywhere
            self.decoder[-1].weight.mul_(LEARNED)
            self.decoder[-1].bias.copy_(prior_outputs())

    def forward(self, seen: Tensor, values: Tensor, new: Tensor) -> Tensor:
        """Logits (b, m, LOGITS) at new inputs (b, m, MOST_COLUMNS), given seen ones (b, n, …)."""
        return self.predict(new, self.remember(seen, values))

    def remember(self, seen: Tensor, values: Tensor) -> list[Memory]:
        """What each layer is to know of the seen rows with their values (b, n)."""
        rows = self._encode(seen, values, known=1, number=values.shape[1])
        memories = []
        for layer in self.layers:
            memories.append(layer.remember(rows, seen))
            rows = layer(rows, seen, memories[-1])
        return memories

    def predict(self, new: Tensor, memories: list[Memory]) -> Tensor:
        """Logits (b, m, LOGITS) at new inputs."""
        number = memories[0].keys.shape[2]
        rows = self._encode(new, torch.zeros_like(new[..., 0]), known=0, number=number)
        for layer, memory in zip(self.layers, memories, strict=True):
            rows = layer(rows, new, memory)
        return logits_of(self.decoder(rows))

    def _encode(self, inputs: Tensor, values: Tensor, known: float, number: int) -> Tensor:
        """Rows (b, n, units). They tell how many were seen: attention, a mean, cannot count."""
        constants = (torch.full_like(values, each) for each in (known, math.log(number)))
        rows: Tensor = self.encoder(torch.cat([inputs, torch.stack([values, *constants], -1)], -1))
        return rows


class Layer(nn.Module):
    """Attention by distance, then a perceptron; each is added to its input.

    A head's weights are exp(−|q − k|²/2). Queries and keys are what is learned of a row, added
    to its place: a linear map of the point. So a head is a smoother over near rows from the
    beginning. A plain transformer with its scalar products learns that too, but it takes longer.
    """

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.heads = size.heads
        self.before = nn.LayerNorm(size.units)
        self.place = nn.Linear(MOST_COLUMNS, size.units, bias=False)
        self.query = nn.Linear(size.units, size.units)
        self.key = nn.Linear(size.units, size.units)
        self.value = nn.Linear(size.units, size.units)
        self.out = nn.Linear(size.units, size.units)
        self.perceptron = nn.Sequential(
            nn.LayerNorm(size.units),
            nn.Linear(size.units, size.hidden),
            nn.ReLU(),
            nn.Linear(size.hidden, size.units),
        )
        self._begin_as_smoother()

    def _begin_as_smoother(self) -> None:
        """Each head with a width of its own; queries and keys of equal rows are equal."""
        units = self.place.out_features // self.heads
        widths = torch.logspace(*(math.log10(width) for width in WIDTHS), self.heads)
        spread = 1 / (widths * math.sqrt(units))
        with torch.no_grad():
            self.place.weight.normal_().mul_(spread.repeat_interleave(units)[:, None])
            self.query.weight.mul_(LEARNED)
            self.key.weight.copy_(self.query.weight)
            self.key.bias.copy_(self.query.bias)

    def remember(self, rows: Tensor, inputs: Tensor) -> Memory:
        """Keys and values of rows (b, n, units) at inputs (b, n, MOST_COLUMNS)."""
        normal = self.before(rows)
        keys = self._split(self.key(normal) + self.place(inputs))
        return Memory(keys, self._split(self.value(normal)))

    def forward(self, rows: Tensor, inputs: Tensor, memory: Memory) -> Tensor:
        """Rows (b, m, units) after they have looked at what was seen."""
        queries = self._split(self.query(self.before(rows)) + self.place(inputs))
        lengths = memory.keys.square().sum(dim=-1)[..., None, :]
        weights = (queries @ memory.keys.transpose(-1, -2) - lengths / 2).softmax(dim=-1)
        found = (weights @ memory.values).transpose(1, 2).flatten(2)
        rows = rows + self.out(found)
        return rows + self.perceptron(rows)

    def _split(self, rows: Tensor) -> Tensor:
        """(b, n, units) as (b, heads, n, units of a head)."""
        return rows.unflatten(-1, (self.heads, -1)).transpose(1, 2)


def standard_inputs(points: Tensor, columns: Tensor) -> Tensor:
    """Points (…, MOST_COLUMNS) of the unit cube as the network reads them.

    They have mean 0, and the fewer columns count the larger they are: distances between points
    do not depend on their number. Published PFNs scale by 1/D for that; the square root fits to
    length scales that grow with √D.

    columns   how many of the last dimension count, to be broadcast; the others become zero
    """
    counting = torch.arange(MOST_COLUMNS) < columns
    return (points - 0.5) * (12 / columns).sqrt() * counting
