"""The ``when`` conditions between parameters."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from malibo.errors import SpaceError, listing, nearest
from malibo.space.parameter import Parameter


def condition_text(parameter: Parameter) -> str:
    """``"optimizer='sgd' and layers in (2, 3)"``."""
    parts = [
        f"{parent}={values[0]!r}" if len(values) == 1 else f"{parent} in {values!r}"
        for parent, values in parameter.when.items()
    ]
    return " and ".join(parts)


def parents_first(parameters: Mapping[str, Parameter]) -> list[str]:
    """Names with every parent before its children; errors for unknown parents and cycles."""
    for name, parameter in parameters.items():
        for parent in parameter.when:
            if parent not in parameters:
                raise SpaceError(
                    f"{name}: when names the unknown parameter {parent!r}."
                    f"{nearest(parent, parameters)}"
                )
            if not np.isfinite(parameters[parent].count):
                raise SpaceError(
                    f"{name}: when needs a parent with countable values, and {parent!r} is"
                    " continuous; use Int, Categorical or Ordinal for it."
                )
    order: list[str] = []
    waiting = list(parameters)
    while waiting:
        ready = [name for name in waiting if all(p in order for p in parameters[name].when)]
        if not ready:
            raise SpaceError(f"the when conditions of {listing(waiting)} form a cycle.")
        order += ready
        waiting = [name for name in waiting if name not in ready]
    return order
