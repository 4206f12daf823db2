"""Spaces from and to ConfigSpace (extra ``configspace``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from malibo.errors import SpaceError
from malibo.extras import require
from malibo.space.parameter import plain_scalar
from malibo.space.parameters import (
    Categorical,
    Fixed,
    Float,
    Int,
    Ordinal,
    Parameter,
    Value,
    parameter_from_dict,
)

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

_LISTED = 1000  # an inequality on a parent is written out as at most so many values


def from_configspace(space: ConfigurationSpace) -> dict[str, Parameter]:
    """A parameter for each hyperparameter, with its conditions.

    Distributions other than uniform keep their bounds only. What malibo has no place
    for (forbidden clauses, unbounded parameters, conditions joined by "or") is refused.
    """
    require("ConfigSpace", "configspace")
    if space.forbidden_clauses:
        raise SpaceError(
            f"the ConfigurationSpace forbids {space.forbidden_clauses[0]}, and malibo has no"
            " forbidden combinations; use conditions, or report such a trial as failed."
        )
    plain = {name: _plain(hyperparameter) for name, hyperparameter in dict(space).items()}
    for condition in space.conditions:
        child, when = _when(condition)
        for parent, values in when.items():
            before = plain[child].setdefault("when", {}).get(parent, values)
            plain[child]["when"][parent] = [value for value in values if value in before]
    result = {}
    for name, description in plain.items():
        try:
            result[name] = parameter_from_dict(description)
        except SpaceError as error:
            raise SpaceError(f"{name}: {error}") from None
    return result


def _plain(hyperparameter: Any) -> dict[str, Any]:
    """The parameter as ``Parameter.to_dict`` would write it."""
    import ConfigSpace as cs

    if isinstance(hyperparameter, cs.Constant):
        return {"type": "fixed", "value": plain_scalar(hyperparameter.value)}
    default = plain_scalar(hyperparameter.default_value)
    if isinstance(hyperparameter, cs.CategoricalHyperparameter):
        choices = [plain_scalar(choice) for choice in hyperparameter.choices]
        return {"type": "categorical", "choices": choices, "default": default}
    if isinstance(hyperparameter, cs.OrdinalHyperparameter):
        choices = [plain_scalar(choice) for choice in hyperparameter.sequence]
        return {"type": "ordinal", "choices": choices, "default": default}
    low = plain_scalar(getattr(hyperparameter, "lower", None))
    high = plain_scalar(getattr(hyperparameter, "upper", None))
    if low is None or high is None:
        raise SpaceError(f"{hyperparameter.name}: malibo needs bounds, got {hyperparameter}.")
    kind = "int" if isinstance(low, int) else "float"
    log = bool(getattr(hyperparameter, "log", False))
    return {"type": kind, "low": low, "high": high, "log": log, "default": default}


def _when(condition: Any) -> tuple[str, dict[str, list[Value]]]:
    """The child's name and, for each parent, the values that activate it."""
    import ConfigSpace as cs

    if isinstance(condition, cs.AndConjunction):
        when: dict[str, list[Value]] = {}
        for part in condition.components:
            for parent, values in _when(part)[1].items():
                when[parent] = [value for value in values if value in when.get(parent, values)]
        return str(condition.child.name), when
    if isinstance(condition, cs.OrConjunction):
        parts = [_when(part)[1] for part in condition.components]
        if len({tuple(part) for part in parts}) > 1 or len(parts[0]) > 1:
            raise SpaceError(f"malibo has no conditions joined by 'or' over parents: {condition}.")
        parent = next(iter(parts[0]))
        union = [value for part in parts for value in part[parent]]
        return str(condition.child.name), {parent: list(dict.fromkeys(union))}
    if isinstance(condition, cs.EqualsCondition):
        values = [plain_scalar(condition.value)]
    elif isinstance(condition, cs.InCondition):
        values = [plain_scalar(value) for value in condition.values]
    else:
        values = [value for value in _values(condition.parent) if _holds(condition, value)]
    return str(condition.child.name), {str(condition.parent.name): values}


def _values(parent: Any) -> list[Value]:
    """All values of a parent, as far as they can be listed."""
    plain = _plain(parent)
    if plain["type"] == "fixed":
        return [plain["value"]]
    if "choices" in plain:
        return list(plain["choices"])
    if plain["type"] == "int" and plain["high"] - plain["low"] < _LISTED:
        return list(range(plain["low"], plain["high"] + 1))
    raise SpaceError(f"a condition needs a parent with countable values, got {parent}.")


def _holds(condition: Any, value: Value) -> bool:
    return bool(condition.satisfied_by_value({condition.parent.name: value}))


def to_configspace(space: Mapping[str, Parameter]) -> ConfigurationSpace:
    """A ``ConfigurationSpace`` with the same parameters and conditions.

    ConfigSpace has no steps: a stepped parameter becomes an ordinal with its values.
    """
    cs = require("ConfigSpace", "configspace")
    result: ConfigurationSpace = cs.ConfigurationSpace()
    made = {name: _hyperparameter(name, parameter) for name, parameter in space.items()}
    result.add(list(made.values()))
    for name, parameter in space.items():
        parts = []
        for parent, values in parameter.when.items():
            exact = [space[parent].to_value(space[parent].to_code(value)) for value in values]
            parts.append(cs.InCondition(made[name], made[parent], exact))
        if parts:
            result.add(parts[0] if len(parts) == 1 else cs.AndConjunction(*parts))
    return result


def _hyperparameter(name: str, parameter: Parameter) -> Any:
    import ConfigSpace as cs

    if isinstance(parameter, Fixed):
        return cs.Constant(name, parameter.value)
    if isinstance(parameter, Categorical):
        default = parameter.choices[0] if parameter.default is None else parameter.default
        return cs.CategoricalHyperparameter(name, list(parameter.choices), default_value=default)
    if isinstance(parameter, Ordinal):
        return _ordinal(name, list(parameter.choices), parameter.default)
    if isinstance(parameter, Float | Int) and parameter.stepped:
        if parameter.count > _LISTED:
            raise SpaceError(
                f"{name}: ConfigSpace has no steps, and {int(parameter.count)} values are too many"
                " to list; leave the step out."
            )
        values: list[Value] = [parameter.to_value(code) for code in parameter.grid(_LISTED)]
        return _ordinal(name, values, parameter.default)
    assert isinstance(parameter, Float | Int)
    make = (
        cs.UniformFloatHyperparameter
        if isinstance(parameter, Float)
        else cs.UniformIntegerHyperparameter
    )
    return make(
        name, parameter.low, parameter.high, default_value=parameter.default, log=parameter.log
    )


def _ordinal(name: str, values: list[Value], default: Value) -> Any:
    import ConfigSpace as cs

    start = values[0] if default is None else default
    return cs.OrdinalHyperparameter(name, values, default_value=start)
