"""Conditions that nobody wrote down, inferred from which trial had which parameter.

An objective that is a program asks for a parameter in one branch and not in another. From
its trials the branches are guessed: a parameter is conditional on an earlier one if the
earlier one's values tell apart the trials that have it from those that do not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from malibo.space import Categorical, Fixed, Int, Parameter, Space, Value

_MOST = 64  # values of a parent: a number with more tells all trials apart, and nothing


def with_conditions(
    parameters: Mapping[str, Parameter], configs: Sequence[Mapping[str, Any]]
) -> Space:
    """The space of the parameters, each active where the configurations had it.

    Where no earlier parameter explains why some lack it, it has no condition.
    """
    found: dict[str, Parameter] = {}
    for name, parameter in parameters.items():
        lacking = [config for config in configs if name not in config]
        having = [config for config in configs if name in config]
        when = _condition(found, having, lacking) if lacking and having else {}
        found[name] = replace(parameter, when=when)
    return Space(found)


def _condition(
    earlier: Mapping[str, Parameter],
    having: Sequence[Mapping[str, Any]],
    lacking: Sequence[Mapping[str, Any]],
) -> dict[str, tuple[Value, ...]]:
    """The parent with the fewest values that explains it, and the values that activate."""
    parents = sorted(
        (name for name, parameter in earlier.items() if _may_be_parent(parameter)),
        key=lambda name: (not isinstance(earlier[name], Categorical), earlier[name].count),
    )
    for parent in parents:
        with_it = {config[parent] for config in having if parent in config}
        without = {config[parent] for config in lacking if parent in config}
        explains = without and not with_it & without
        if explains and all(parent in config for config in having):
            return {parent: _activating(earlier[parent], with_it, without)}
    return {}


def _may_be_parent(parameter: Parameter) -> bool:
    return not isinstance(parameter, Fixed) and 1 < parameter.count <= _MOST


def _activating(parent: Parameter, with_it: set[Value], without: set[Value]) -> tuple[Value, ...]:
    """All values that activate; a number that never occurred goes with the nearest that did."""
    values = [parent.to_value(code) for code in parent.grid(_MOST)]
    if not isinstance(parent, Int):
        return tuple(value for value in values if value in with_it)
    seen = [*with_it, *without]
    return tuple(value for value in values if _nearest(value, seen) in with_it)


def _nearest(value: Any, others: Sequence[Any]) -> Any:
    return min(sorted(others), key=lambda other: abs(other - value))
