"""One scale for tasks whose spaces differ.

The target's space rules. Past and target meet in a joint space: the target's parameters
and conditions, with ranges and choices wide enough for all. The models see the joint
space; suggestions stay in the target's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeGuard

import numpy as np

from malibo.errors import SpaceError, listing
from malibo.space import Categorical, Fixed, Float, Int, Ordinal, Parameter, Space, Value
from malibo.space.parameters import Array

_Range = Float | Int
_Listed = Categorical | Ordinal | Fixed


def joint_space(target: Space, past: Iterable[Space]) -> Space:
    """The target's space, widened until it holds the values of every past one."""
    return Space(_widened(dict(target.items()), list(past)))


def union_space(spaces: Sequence[Space]) -> Space:
    """A target for when none is given: all parameters of all spaces, in order of appearance."""
    parameters: dict[str, Parameter] = {}
    for space in spaces:
        for name, parameter in space.items():
            parameters.setdefault(name, parameter)
    widened = _widened(parameters, spaces)
    for name, parameter in parameters.items():
        if isinstance(parameter, Fixed) and not isinstance(widened[name], Fixed):
            widened[name] = replace(widened[name], default=None)  # which nobody has declared
    return Space({name: _with_valid_condition(p, widened) for name, p in widened.items()})


def _with_valid_condition(parameter: Parameter, parameters: Mapping[str, Parameter]) -> Parameter:
    """The parameter, without a condition on values that its parents do not have."""
    for parent, values in parameter.when.items():
        known = parent in parameters and math.isfinite(parameters[parent].count)
        if not known or any(math.isnan(code_or_nan(parameters[parent], v)) for v in values):
            return replace(parameter, when={})
    return parameter


def translate(codes: Array, source: Space, joint: Space, target: Space | None = None) -> Array:
    """Codes of one space as codes of another: by name, and by value where codes differ.

    A parameter that the source lacks gets the value that ``target`` fixes it to, or its
    declared default, else NaN: unknown. NaN too is a value that cannot be expressed.
    """
    result = np.full((len(codes), len(joint)), np.nan)
    for index, (name, parameter) in enumerate(joint.items()):
        if not lacks(name, codes, source):
            column = codes[:, source.names.index(name)]
            result[:, index] = _recode(column, source[name], parameter)
            continue
        stands_in = parameter if target is None else target[name]
        if isinstance(stands_in, Fixed):
            result[:, index] = parameter.to_code(stands_in.value)
        elif (default := getattr(stands_in, "default", None)) is not None:
            result[:, index] = parameter.to_code(default)
    return result


def lacks(name: str, codes: Array, source: Space) -> bool:
    """Whether a task knows nothing of a parameter: none such, or empty wherever it is active."""
    if name not in source:
        return True
    column = codes[:, source.names.index(name)]
    return bool(np.isnan(column).all() and source.active(name, codes).any())


def repairs(source: Space, target: Space) -> list[str]:
    """What ``translate`` does to a task with the space ``source``, one sentence each."""
    found = []
    for name, parameter in target.items():
        if name not in source:
            found.append(f"{name!r} is missing: {filled(parameter)}")
        elif source[name] != parameter:
            found += [f"{name!r}: {change}" for change in changes(source[name], parameter)]
    found += [
        f"{name!r} is dropped: the target has no such parameter"
        for name in source
        if name not in target
    ]
    return found


def filled(parameter: Parameter) -> str:
    """What stands in for a parameter that a task lacks."""
    if isinstance(parameter, Fixed):
        return f"filled with its fixed value {parameter.value!r}"
    default = getattr(parameter, "default", None)
    if default is not None:
        return f"filled with its default {default!r}"
    return "its value is unknown, drawn uniformly and anew as training goes on"


def changes(past: Parameter, target: Parameter) -> list[str]:
    """What differs between a parameter of the past and that of the target, one sentence each."""
    found = []
    if past.kind != target.kind:
        found.append(f"{past.kind} in the past, {target.kind} now: matched by value")
    if isinstance(past, _Range) and isinstance(target, _Range):
        if (past.low, past.high) != (target.low, target.high):
            found.append(
                f"range {past.low!r} to {past.high!r} in the past, {target.low!r} to"
                f" {target.high!r} now: one scale over both"
            )
        if target.log and past.low <= 0:
            found.append(f"values at or below 0 have no logarithm: moved to {target.low!r}")
        if past.log != target.log:
            found.append(f"log={past.log} in the past: on the target's scale, log={target.log}")
        if past.step != target.step and past.kind == target.kind:
            found.append(f"step {past.step} in the past, {target.step} now")
    elif isinstance(past, _Listed) and isinstance(target, _Listed):
        before, now = _values(past), _values(target)
        if new := [value for value in now if value not in before]:
            found.append(f"no past evidence for {listing(new)}")
        if old := [value for value in before if value not in now]:
            found.append(f"only the past had {listing(old)}")
    if past.when != target.when:
        found.append("the condition differs: the target's counts")
    return found


# -- widening one parameter ----------------------------------------------------------------


def _widened(parameters: dict[str, Parameter], past: Sequence[Space]) -> dict[str, Parameter]:
    """The parameters with room for the values of all spaces; parents of others stay countable."""
    parents = {parent for parameter in parameters.values() for parent in parameter.when}
    widened = {}
    for name, mine in parameters.items():
        others = [space[name] for space in past if name in space]
        others.sort(key=lambda other: not isinstance(other, _Range))  # a range holds the most
        for theirs in others:
            wider = _widen(mine, theirs) if theirs != mine else mine
            if name not in parents or math.isfinite(wider.count):
                mine = wider
        widened[name] = mine
    return widened


def _values(parameter: Parameter) -> tuple[Value, ...]:
    """The listed values of a categorical, ordinal or fixed parameter."""
    assert isinstance(parameter, _Listed)
    return parameter.listed


def _is_number(value: Value) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _bounds(parameter: Parameter) -> tuple[float, float] | None:
    """Smallest and largest number of a parameter, or None if it has other values."""
    if isinstance(parameter, _Range):
        return parameter.low, parameter.high
    numbers = [float(v) for v in _values(parameter) if _is_number(v)]
    if len(numbers) < len(_values(parameter)):
        return None
    return min(numbers), max(numbers)


def _widen(mine: Parameter, theirs: Parameter) -> Parameter:
    """``mine`` with room for the values of ``theirs``, where that is possible."""
    if isinstance(mine, Fixed):
        return _widen_fixed(mine, theirs)
    if isinstance(mine, _Range):
        return _widen_range(mine, theirs)
    if isinstance(theirs, _Range):
        return mine
    known = _values(mine)
    new = [value for value in _values(theirs) if value not in known]
    if isinstance(mine, Ordinal):
        return _widen_ordinal(mine, new)
    return replace(mine, choices=(*known, *new)) if new else mine


def _widen_range(mine: Float | Int, theirs: Parameter) -> Parameter:
    bounds = _bounds(theirs)
    if bounds is None:
        return mine
    low, high = min(mine.low, bounds[0]), max(mine.high, bounds[1])
    if mine.log and low <= 0:  # no place on a logarithmic scale: such values move to the end
        low = mine.low
    try:
        if isinstance(mine, Float):
            return replace(mine, low=low, high=high, step=None)
        low = max(math.floor(low), 1) if mine.log else math.floor(low)
        return replace(mine, low=low, high=math.ceil(high), step=1)
    except SpaceError:  # too wide for floats: here, too, they move to the end
        return mine


def _widen_ordinal(mine: Ordinal, new: list[Value]) -> Ordinal:
    """New values find their place only among sorted numbers; others stay unknown."""
    known = [value for value in mine.choices if _is_number(value)]
    numbers = [value for value in new if _is_number(value)]
    if not new or len(known) < len(mine.choices) or len(numbers) < len(new):
        return mine
    for descending in (False, True):
        if known == sorted(known, reverse=descending):
            return replace(mine, choices=tuple(sorted([*known, *numbers], reverse=descending)))
    return mine


def _widen_fixed(mine: Fixed, theirs: Parameter) -> Parameter:
    """A value fixed now that varied in the past: it varies in the joint space."""
    if isinstance(theirs, Fixed) and theirs.value == mine.value:
        return mine
    as_parameter = theirs if not isinstance(theirs, Fixed) else Categorical(_values(theirs))
    widened = _widen(as_parameter, mine)
    try:
        widened.to_code(mine.value)
    except SpaceError:
        return mine
    return replace(widened, when=mine.when, default=mine.value)


# -- recoding one column -------------------------------------------------------------------


def _recode(codes: Array, source: Parameter, target: Parameter) -> Array:
    """A column of codes by value; NaN stays NaN, and stands for what cannot be expressed."""
    if isinstance(source, _Range) and isinstance(target, _Range):
        return np.clip(codes, target.low, target.high)
    if isinstance(source, _Range):
        return _match(codes, target)
    table = np.array([code_or_nan(target, value) for value in _values(source)])
    result = np.full(len(codes), np.nan)
    known = np.isfinite(codes)
    result[known] = table[codes[known].astype(int)]
    return result


def _match(numbers: Array, target: Parameter) -> Array:
    """Numbers to the choices that equal them."""
    result = np.full(len(numbers), np.nan)
    for code, value in enumerate(_values(target)):
        if _is_number(value):
            result[numbers == value] = code
    return result


def code_or_nan(parameter: Parameter, value: Value) -> float:
    """The code of a value: of the nearest one for a number out of range; NaN if there is none."""
    try:
        if isinstance(parameter, Float | Int) and _is_number(value):
            return float(parameter.snapped(np.array([value], dtype=float))[0])
        return parameter.to_code(value)
    except SpaceError:
        return math.nan


def codes_or_nan(parameter: Parameter, values: Sequence[Value]) -> Array:
    """The codes of many values."""
    numbers = all(type(value) is float or type(value) is int for value in values)
    if isinstance(parameter, Float | Int) and numbers:
        return parameter.snapped(np.array(values, dtype=float))
    return np.array([code_or_nan(parameter, value) for value in values], dtype=float)
