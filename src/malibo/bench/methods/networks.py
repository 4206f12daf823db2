"""Networks that several methods train on the past (torch, double precision)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from torch import Tensor, nn


def perceptron(
    sizes: Sequence[int], activation: Callable[[], nn.Module] = nn.ReLU, dropout: float = 0.0
) -> nn.Sequential:
    """Linear layers from ``sizes[0]`` inputs to ``sizes[-1]`` outputs, activations in between."""
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(sizes[:-1]):
        layers += [nn.Linear(inputs, outputs), activation()]
        layers += [nn.Dropout(dropout)] if dropout else []
    return nn.Sequential(*layers, nn.Linear(sizes[-2], sizes[-1])).double()


class ResidualNetwork(nn.Module):
    """Layers of equal width, each added to what comes into it."""

    def __init__(
        self, inputs: int, units: int, layers: int, activation: Callable[[], nn.Module] = nn.ReLU
    ) -> None:
        super().__init__()
        self.first = nn.Linear(inputs, units).double()
        self.others = nn.ModuleList(nn.Linear(units, units).double() for _ in range(layers - 1))
        self.activation = activation()

    def forward(self, points: Tensor) -> Tensor:
        """Features (…, units) of points (…, inputs)."""
        hidden = self.activation(self.first(points))
        for layer in self.others:
            hidden = hidden + self.activation(layer(hidden))
        return hidden
