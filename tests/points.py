"""All that a model says of points, to compare it."""

from __future__ import annotations

from malibo.metamodel import Points
from malibo.network import Array


def all_of(points: Points) -> tuple[Array, Array, Array, Array]:
    """Unit cube, Φ, m(Φ) and functions, whoever has to be asked for them."""
    return points.unit, points.phi, points.offset, points.functions
