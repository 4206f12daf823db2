"""The space in which a study is tuned: what the past knew, corrected by what is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from malibo.alignment import changes
from malibo.errors import SpaceError
from malibo.sources.conditions import with_conditions
from malibo.space import Fixed, Parameter, Space, Value

Configs = Sequence[Mapping[str, Any]]


def target_space(
    base: Space | None, asked: Mapping[str, Parameter], whole: Configs
) -> Space | None:
    """The parameters of the objective; None as long as nothing is known of them.

    base    what is known before the study begins
    asked   the parameters that its trials have asked for
    whole   configurations of its completed trials

    A parameter of ``base`` that such a trial could have asked for and did not is left out. So is
    one of which nothing is known but that trials which did not complete had it: in which branch
    it is, they cannot tell, and the completed ones would seem to lack a value.
    """
    known: Mapping[str, Parameter] = base or {}
    told = {name for config in whole for name in config} & set(asked) if whole else set(asked)
    parameters = dict(asked) | {n: p for n, p in known.items() if n not in asked}
    names = [*known, *(name for name in asked if name not in known)]
    found = {
        name: without_condition(parameters[name])
        for name in names
        if name in told
        or (name in known and not any(active(known[name], config) for config in whole))
    }
    while whole and (lost := [n for n in found if n not in told and _lost(known[n], found)]):
        found = {name: parameter for name, parameter in found.items() if name not in lost}
    if not found:
        return None
    inferred = with_conditions(found, whole)
    try:
        return Space(
            {
                name: replace(p, when=_possible(known[name], inferred))
                if _holds(name, known, whole)
                else p
                for name, p in inferred.items()
            }
        )
    except SpaceError:  # a parent is gone, or depends on its child now
        return inferred


def active(parameter: Parameter, config: Mapping[str, Any]) -> bool:
    """Whether a configuration fulfils the condition of a parameter."""
    return all(
        parent in config and config[parent] in values for parent, values in parameter.when.items()
    )


def _lost(parameter: Parameter, others: Mapping[str, Parameter]) -> bool:
    """Whether nothing can activate a parameter any more."""
    return any(
        parent not in others or not any(can_be(others[parent], v) for v in values)
        for parent, values in parameter.when.items()
    )


def _holds(name: str, known: Mapping[str, Parameter], whole: Configs) -> bool:
    """Whether there is a condition known before that agrees with what the trials asked for."""
    conditional = name in known and known[name].when
    return bool(conditional) and all(active(known[name], c) == (name in c) for c in whole)


def _possible(
    parameter: Parameter, others: Mapping[str, Parameter]
) -> dict[str, tuple[Value, ...]]:
    """Its condition, without values that a parent cannot have any more."""

    return {
        parent: tuple(v for v in values if parent not in others or can_be(others[parent], v))
        for parent, values in parameter.when.items()
    }


def can_be(parameter: Parameter, value: Value) -> bool:
    """Whether a value is one of a parameter's, not just near one of them."""
    try:
        parameter.to_code(value)
    except SpaceError:
        return False
    return True


def without_condition(parameter: Parameter) -> Parameter:
    """The same parameter, always active."""
    return replace(parameter, when={}) if parameter.when else parameter


def differences(
    base: Space, asked: Mapping[str, Parameter], config: Mapping[str, Any]
) -> list[str]:
    """How what a trial asked for differs from what was known before, one sentence each."""
    found = []
    for name, parameter in asked.items():
        if name not in base:
            found.append(f"{name!r} is new")
        else:
            past = replace(base[name], when=parameter.when)
            found += [f"{name!r}: {change}" for change in changes(past, parameter)]
    found += [
        f"{name!r} is not asked for"
        for name, parameter in base.items()
        if name not in asked and active(parameter, config) and not isinstance(parameter, Fixed)
    ]
    return found
