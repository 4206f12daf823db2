"""Conditions that nobody wrote down, inferred from which trial had which parameter.

An objective that is a program asks for a parameter in one branch and not in another. From
its trials the branches are guessed: a parameter is conditional on another one if the other
one's values tell apart the trials that have it from those that do not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from malibo.alignment import codes_or_nan
from malibo.space import Categorical, Fixed, Parameter, Space, Value
from malibo.space.parameters import Array

_MOST = 64  # values of a parent: a number with more tells all trials apart, and nothing
_MAINLY = 0.75  # of the trials without a parameter must be of values that turned it off often


def with_conditions(
    parameters: Mapping[str, Parameter], configs: Sequence[Mapping[str, Any]]
) -> Space:
    """The space of the parameters, each active where the configurations had it.

    Where no other parameter explains why some lack it, it has no condition. A parent is there
    wherever its child is, so parents are looked for among those that occur at least as often.
    """
    there = {
        name: np.array([name in config for config in configs], dtype=bool) for name in parameters
    }
    found: dict[str, Parameter] = {}
    parents: dict[str, Seen] = {}
    for name in sorted(parameters, key=lambda name: -there[name].sum()):
        partly = 0 < there[name].sum() < len(configs)
        when = condition(there[name], parents) if partly else {}
        found[name] = replace(parameters[name], when=when)
        if may_be_parent(found[name]):
            values = [config[name] for config in configs if name in config]
            which = np.where(there[name], np.cumsum(there[name]) - 1, -1)
            parents[name] = Seen.of(found[name], values, which)
    return Space({name: found[name] for name in parameters})


@dataclass(frozen=True, eq=False)
class Seen:
    """A parameter, and which of its values each of n trials had.

    which   (n,) number of the trial's value; −1 where it had none
    codes   the codes of the different values, sorted
    """

    parameter: Parameter
    which: NDArray[np.intp]
    codes: Array

    @classmethod
    def of(cls, parameter: Parameter, values: Sequence[Value], which: NDArray[np.intp]) -> Seen:
        """From some values, and the number of each trial's; equal ones are merged."""
        codes, numbers = np.unique(codes_or_nan(parameter, values), return_inverse=True)
        return cls(parameter, np.append(numbers, -1)[which], codes)


def may_be_parent(parameter: Parameter) -> bool:
    """Whether other parameters may depend on it: it has several values, and not too many."""
    return not isinstance(parameter, Fixed) and 1 < parameter.count <= _MOST


def condition(
    there: NDArray[np.bool_],
    parents: Mapping[str, Seen],
    rows: NDArray[np.bool_] | None = None,
    least: int = 1,
) -> dict[str, tuple[Value, ...]]:
    """The parent with the fewest values that explains a parameter, and the values that activate.

    there   (n,) which trials had the parameter
    rows    (n,) the trials that count; None for all
    least   trials that make a value that turns it off count; most are to be of such values
    """
    there = there if rows is None else there[rows]

    def simple(name: str) -> tuple[bool, float]:
        parameter = parents[name].parameter
        return not isinstance(parameter, Categorical), parameter.count

    for name in sorted(parents, key=simple):
        seen = parents[name]
        which = seen.which if rows is None else seen.which[rows]
        if (which[there] < 0).any():
            continue
        count = np.bincount(which[which >= 0], minlength=len(seen.codes))
        with_it = np.bincount(which[there], minlength=len(seen.codes))
        if _explains(seen.parameter, count, with_it, len(there), least):
            known = count > 0
            active = dict(zip(seen.codes[known].tolist(), with_it[known] > 0, strict=True))
            return {name: _activating(seen.parameter, active)}
    return {}


def _explains(
    parent: Parameter,
    count: NDArray[np.intp],
    with_it: NDArray[np.intp],
    trials: int,
    least: int,
) -> bool:
    """Whether each value goes with the child's presence or with its absence, not by chance alone.

    Of numbers it must be those above or below one of them, or between two if values came twice.
    """
    count, with_it = count[count > 0], with_it[count > 0]
    off = with_it == 0
    if not off.any() or off.all() or (with_it[~off] < count[~off]).any():
        return False
    if isinstance(parent, Categorical):
        often = count[off & (count >= least)]
        return bool(often.sum() >= _MAINLY * count[off].sum())
    changes = int((np.diff(off.astype(int)) != 0).sum())
    one_side = changes == 1 or (changes == 2 and trials >= 2 * len(count))
    return one_side and bool(count[off].sum() >= least)


def _activating(parent: Parameter, there: Mapping[float, bool]) -> tuple[Value, ...]:
    """All values that activate; a number that never occurred goes with the nearest that did."""
    grid = parent.grid(_MOST)
    if isinstance(parent, Categorical):
        return tuple(parent.to_value(code) for code in grid if there.get(float(code)))
    seen = np.array([code for code in there if not np.isnan(code)])
    nearest = [float(seen[np.argmin(np.abs(seen - code))]) for code in grid]
    return tuple(
        parent.to_value(code) for code, near in zip(grid, nearest, strict=True) if there[near]
    )
