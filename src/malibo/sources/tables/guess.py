"""Which columns of a table are parameters, and of what kind: a guess that gives its reasons.

It looks at the names and at the values. What it leaves out, it names; what it takes, it shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from malibo.errors import HistoryError, SpaceError
from malibo.sources.conditions import with_conditions
from malibo.sources.tables.cells import Column, column_of
from malibo.sources.tables.kinds import parameter_of
from malibo.sources.tables.names import bookkeeping, measurement
from malibo.sources.tables.patterns import no_parameter
from malibo.space import Fixed, Float, Int, Parameter, Space, Value
from malibo.space.conditions import condition_text
from malibo.space.parameter import is_plain
from malibo.space.parameters import Array

if TYPE_CHECKING:
    import pandas as pd

_MOSTLY = 0.5  # of the cells empty for no reason: it is not kept
_SLIPS = 0.05  # of the rows may speak against a condition
_PARENT = 12  # different values of a parent for which slips are looked for
_LISTED = 64  # values of a parent at most
_FEW = 2  # empty cells, below which a condition would be read out of an accident


@dataclass(frozen=True, eq=False)
class Guess:
    """A space, and the reasons for it.

    reasons   a sentence for each column that was looked at, in the order of the table
    """

    space: Space
    reasons: Mapping[str, str] = field(default_factory=dict)

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


@dataclass(frozen=True, eq=False)
class Runs:
    """What is known of the rows besides their columns.

    tasks    (n,) number of the task of each row
    losses   (n,) NaN where the trial failed
    """

    tasks: NDArray[np.intp]
    losses: Array


def guess_space(frame: pd.DataFrame, runs: Runs, given: Mapping[str, Any]) -> Guess:
    """The space of the columns of a table that seem to be parameters.

    ``given`` decides on some of them: a parameter, a fixed value, or None for no parameter.
    """
    columns: dict[str, Column] = {}
    parameters: dict[str, Parameter] = {}
    reasons: dict[str, str] = {}
    for name in frame.columns:
        if name in given and given[name] is None:
            reasons[name] = "not wanted"
            continue
        column = column_of(frame[name], name)
        found = _given(given[name]) if name in given else _judged(name, column, runs)
        if isinstance(found, str):
            reasons[name] = found
        else:
            parameters[name], reasons[name] = found
            if column is not None:
                columns[name] = _as_read(column, parameters[name])
    parameters |= {n: _given(p)[0] for n, p in given.items() if n not in frame and p is not None}
    _need_some(parameters, reasons)
    return _with_conditions(parameters, reasons, columns, runs, given)


def _given(parameter: Parameter | Value) -> tuple[Parameter, str]:
    known = isinstance(parameter, Parameter)
    return (parameter if known else Fixed(parameter)), "as given"  # type: ignore[return-value,arg-type]


def _judged(name: str, column: Column | None, runs: Runs) -> tuple[Parameter, str] | str:
    """A parameter and what speaks for it, or why the column is none."""
    if reason := bookkeeping(name):
        return reason
    if column is None:
        return "its cells are lists or other things that cannot be compared"
    if not len(column.values):
        return "it is empty"
    if len(column.values) == 1 or (len(column.distinct) == 1 and not column.others):
        return f"always {column.values[0]!r}"
    reason = no_parameter(column, runs.tasks, runs.losses)
    if not reason and len(column.distinct):
        reason = measurement(name)
    if not reason and not all(map(is_plain, column.others)):
        reason = "its cells are neither numbers nor texts"
    try:
        return reason or parameter_of(column)
    except SpaceError as error:  # numbers too far apart, for example
        return str(error).rstrip(".")


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


# -- conditions ----------------------------------------------------------------------------


def _with_conditions(
    parameters: dict[str, Parameter],
    reasons: dict[str, str],
    columns: Mapping[str, Column],
    runs: Runs,
    given: Mapping[str, Any],
) -> Guess:
    """Each parameter that is empty here and there with the condition that explains it.

    One that stays unexplained and is mostly empty is left out.
    """
    shares = {name: _empty_share(column, runs) for name, column in columns.items()}
    partly = [name for name, share in shares.items() if share > 0 and not parameters[name].when]
    known = {name: parameter for name, parameter in parameters.items() if name not in partly}
    listed = [name for name in columns if name in partly or parameters[name].count <= _LISTED]
    configs = _configs([columns[name] for name in listed], len(runs.tasks)) if partly else []
    for name in sorted(partly, key=lambda name: shares[name]):
        column = columns[name]
        rows = _with_task(column, runs) & np.isfinite(runs.losses)
        when: Mapping[str, Any] = {}
        if (rows & ~column.there).sum() >= _FEW:
            parents = [columns[parent] for parent in known if parent in columns]
            rows &= ~_exceptions(column, parents, rows)
            some = [configs[row] for row in np.flatnonzero(rows)]
            when = with_conditions({**known, name: parameters[name]}, some)[name].when
        if when:
            known[name] = replace(parameters[name], when=when)
            reasons[name] += f"; there when {condition_text(known[name])}"
        elif shares[name] > _MOSTLY and name not in given:
            reasons[name] = (
                f"empty in {shares[name]:.0%} of the rows, and no other column explains where"
            )
        else:
            known[name] = parameters[name]
    _need_some(known, {name: why for name, why in reasons.items() if name not in known})
    return Guess(Space({name: known[name] for name in parameters if name in known}), reasons)


def _exceptions(
    column: Column, parents: Sequence[Column], rows: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """The few rows that speak against the parent by which the rest is explained best.

    A cell that was forgotten shall not hide a condition; if more than a few rows would have to
    be set aside, none is.
    """
    best, fewest = np.zeros(len(rows), dtype=bool), _SLIPS * rows.sum() + 1
    for parent in parents:
        if not 1 < len(parent.values) <= _PARENT:
            continue
        there, which = column.there[rows], parent.which[rows] + 1
        count = np.bincount(which, minlength=len(parent.values) + 1)
        with_it = np.bincount(which, weights=there, minlength=len(parent.values) + 1)
        usual = with_it > count / 2
        slips = rows & (column.there != usual[parent.which + 1])
        if slips.sum() < fewest and usual[count > 0].any() and not usual[count > 0].all():
            best, fewest = slips, slips.sum()
    return best


def _with_task(column: Column, runs: Runs) -> NDArray[np.bool_]:
    """The rows of the tasks that have the column at all."""
    has = np.bincount(runs.tasks[column.there], minlength=runs.tasks.max() + 1) > 0
    return np.asarray(has[runs.tasks])


def _empty_share(column: Column, runs: Runs) -> float:
    """How many of the cells are empty, in the tasks that have the column."""
    return float(1 - column.there[_with_task(column, runs)].mean()) if column.there.any() else 0.0


def _configs(columns: Sequence[Column], count: int) -> list[dict[str, Any]]:
    """A dict for each row, without the empty cells."""
    configs: list[dict[str, Any]] = [{} for _ in range(count)]
    for column in columns:
        for config, which in zip(configs, column.which.tolist(), strict=True):
            if which >= 0:
                config[column.name] = column.values[which]
    return configs
