"""Which columns of a table are parameters, and of what kind: a guess that gives its reasons.

It looks at the names and at the values. What it leaves out, it names; what it takes, it shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from malibo.errors import HistoryError, SpaceError
from malibo.sources.tables.cells import Column, column_of
from malibo.sources.tables.kinds import categorical, parameter_of
from malibo.sources.tables.missing import constant, empty_share, explained, with_none
from malibo.sources.tables.names import bookkeeping, measurement, no_choice
from malibo.sources.tables.patterns import no_parameter
from malibo.sources.tables.results import Runs
from malibo.space import Fixed, Float, Int, Parameter, Space, Value
from malibo.space.parameter import is_plain

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Guess:
    """A space, and the reasons for it.

    reasons   a sentence for each column that was looked at, in the order of the table
    nones     parameters to which an empty cell is the choice None
    """

    space: Space
    reasons: Mapping[str, str] = field(default_factory=dict)
    nones: Sequence[str] = ()

    @property
    def left_out(self) -> dict[str, str]:
        """Columns that are no parameters, and why."""
        return {name: why for name, why in self.reasons.items() if name not in self.space}

    def text(self) -> str:
        """Parameters and what was left out, a line each."""
        width = max(len(name) for name in (*self.space, *self.reasons))
        kept = [
            f"  {name:{width}}  {self.space[name].kind:11}  {self.reasons.get(name, 'as given')}"
            for name in self.space
        ]
        out = [f"  {name:{width}}  {why}" for name, why in self.left_out.items()]
        return "\n".join(["Parameters:", *kept, *(["Left out:", *out] if out else [])])


def guess_space(
    frame: pd.DataFrame, runs: Runs, given: Mapping[str, Any], only_parameters: bool = False
) -> Guess:
    """The space of the columns of a table that seem to be parameters.

    ``given`` decides on some of them: a parameter, a fixed value, or None for no parameter.
    With ``only_parameters`` they are called so where they come from: neither a name nor a
    likeness to the objective speaks against one.
    """
    columns: dict[str, Column] = {}
    parameters: dict[str, Parameter] = {}
    reasons: dict[str, str] = {}
    for name in frame.columns:
        if name in given and given[name] is None:
            reasons[name] = "not wanted"
            continue
        column = column_of(frame[name], name)
        found = (
            _given(given[name]) if name in given else _judged(name, column, runs, only_parameters)
        )
        if isinstance(found, str):
            reasons[name] = found
        else:
            parameters[name], reasons[name] = found
            if column is not None:
                columns[name] = _as_read(column, parameters[name])
    parameters |= {n: _given(p)[0] for n, p in given.items() if n not in frame and p is not None}
    _need_some(parameters, reasons)
    settled = explained(parameters, reasons, columns, runs, given)
    reasons |= {name: settled[name].reason for name in reasons if name in settled}
    known = {n: one.parameter for n, one in settled.items() if one.parameter is not None}
    _need_some(known, {name: why for name, why in reasons.items() if name not in known})
    return Guess(Space(known), reasons, [name for name, one in settled.items() if one.none])


def _given(parameter: Parameter | Value) -> tuple[Parameter, str]:
    return parameter if isinstance(parameter, Parameter) else Fixed(parameter), "as given"


def _judged(
    name: str, column: Column | None, runs: Runs, only_parameters: bool
) -> tuple[Parameter, str] | str:
    """A parameter and what speaks for it, or why the column is none."""
    if reason := no_choice(name) if only_parameters else bookkeeping(name):
        return reason
    if column is None:
        return "its cells are lists or other things that cannot be compared"
    if not len(column.values):
        return "it is empty"
    measured = measurement(name) if len(column.distinct) and not only_parameters else ""
    if constant(column):
        return measured or _constant(column, runs)
    losses = None if only_parameters else runs.losses
    reason = no_parameter(column, runs.tasks, losses) or measured
    if not reason and not all(map(is_plain, column.others)):
        reason = "its cells are neither numbers nor texts"
    try:
        return reason or parameter_of(column)
    except SpaceError as error:  # numbers too far apart, for example
        return str(error).rstrip(".")


def _constant(column: Column, runs: Runs) -> tuple[Parameter, str] | str:
    """A single value: nothing to learn, unless an empty cell is another one."""
    value = column.values[0]
    if value is None or not is_plain(value) or not empty_share(column, runs):
        return f"always {value!r}"
    return categorical(with_none(column))


def _as_read(column: Column, parameter: Parameter) -> Column:
    """The column as a parameter sees it: to a number "None" is an empty cell."""
    if not isinstance(parameter, Float | Int) or None not in column.values:
        return column
    none = column.values.index(None)
    return replace(column, which=np.where(column.which == none, -1, column.which))


def _need_some(parameters: Mapping[str, Parameter], reasons: Mapping[str, str]) -> None:
    if all(isinstance(parameter, Fixed) for parameter in parameters.values()):
        said = "; ".join(f"{name!r}: {why}" for name, why in reasons.items())
        raise HistoryError(
            "no column seems to be a parameter"
            f" ({said or 'there are no other columns'}); say which are, by space=..."
        )
