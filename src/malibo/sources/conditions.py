"""Conditions that nobody wrote down, inferred from which trial had which parameter.

An objective that is a program asks for a parameter in one branch and not in another. From
its trials the branches are guessed: a parameter is conditional on another one if the other
one's values tell apart the trials that have it from those that do not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from malibo.alignment import code_or_nan
from malibo.space import Categorical, Fixed, Parameter, Space, Value

_MOST = 64  # values of a parent: a number with more tells all trials apart, and nothing


def with_conditions(
    parameters: Mapping[str, Parameter], configs: Sequence[Mapping[str, Any]]
) -> Space:
    """The space of the parameters, each active where the configurations had it.

    Where no other parameter explains why some lack it, it has no condition. A parent is there
    wherever its child is, so parents are looked for among those that occur at least as often.
    """
    often = {name: sum(name in config for config in configs) for name in parameters}
    found: dict[str, Parameter] = {}
    for name in sorted(parameters, key=lambda name: -often[name]):
        partly = 0 < often[name] < len(configs)
        when = _condition(name, found, configs) if partly else {}
        found[name] = replace(parameters[name], when=when)
    return Space({name: found[name] for name in parameters})


def _condition(
    name: str, others: Mapping[str, Parameter], configs: Sequence[Mapping[str, Any]]
) -> dict[str, tuple[Value, ...]]:
    """The parent with the fewest values that explains a parameter, and the values that activate."""
    parents = sorted(
        (other for other, parameter in others.items() if _may_be_parent(parameter)),
        key=lambda other: (not isinstance(others[other], Categorical), others[other].count),
    )
    for parent in parents:
        parameter = others[parent]
        if not all(parent in config for config in configs if name in config):
            continue
        pairs = {(config[parent], name in config) for config in configs if parent in config}
        codes = {(code_or_nan(parameter, value), there) for value, there in pairs}
        if _explains(parameter, codes, len(configs)):
            return {parent: _activating(parameter, dict(codes))}
    return {}


def _may_be_parent(parameter: Parameter) -> bool:
    return not isinstance(parameter, Fixed) and 1 < parameter.count <= _MOST


def _explains(parent: Parameter, codes: set[tuple[float, bool]], trials: int) -> bool:
    """Whether each value goes with the child's presence or with its absence, not by chance alone.

    Of numbers it must be those above or below one of them, or between two if values came twice.
    """
    distinct = {code for code, _ in codes}
    if len(distinct) < len(codes) or len({there for _, there in codes}) < 2:
        return False
    if isinstance(parent, Categorical):
        return True
    ordered = [there for _, there in sorted(codes)]
    changes = sum(a != b for a, b in pairwise(ordered))
    return changes == 1 or (changes == 2 and trials >= 2 * len(distinct))


def _activating(parent: Parameter, there: Mapping[float, bool]) -> tuple[Value, ...]:
    """All values that activate; a number that never occurred goes with the nearest that did."""
    grid = parent.grid(_MOST)
    if isinstance(parent, Categorical):
        return tuple(parent.to_value(code) for code in grid if there.get(float(code)))
    seen = np.array(sorted(there))
    nearest = [float(seen[np.argmin(np.abs(seen - code))]) for code in grid]
    return tuple(
        parent.to_value(code) for code, near in zip(grid, nearest, strict=True) if there[near]
    )
