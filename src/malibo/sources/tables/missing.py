"""Parameters that are empty here and there: off by a condition, None by choice, or forgotten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from malibo.sources.conditions import Seen, condition, may_be_parent
from malibo.sources.tables.cells import Column, Mask
from malibo.sources.tables.kinds import categorical
from malibo.sources.tables.results import Runs
from malibo.space import Categorical, Int, Ordinal, Parameter
from malibo.space.conditions import condition_text

_MOSTLY = 0.5  # of the cells empty for no reason: it is not kept
_SLIPS = 0.05  # of the rows may speak against a condition, and fewer speak for no choice
_PARENT = 12  # different values of a parent for which slips are looked for
_ENOUGH = 3  # empty cells for each value that turns a parameter off: fewer are an accident
_CHOICES = 12  # different whole numbers at most, if an empty cell among them is to be a choice


@dataclass(frozen=True)
class Explained:
    """What became of a parameter.

    parameter   None if it is left out
    reason      the sentence on it
    none        whether an empty cell is the choice None now
    """

    parameter: Parameter | None
    reason: str
    none: bool = False


def explained(
    parameters: Mapping[str, Parameter],
    reasons: Mapping[str, str],
    columns: Mapping[str, Column],
    runs: Runs,
    given: Mapping[str, Any],
) -> dict[str, Explained]:
    """Each parameter with what explains its empty cells.

    They are looked at in order of emptiness, and one that is settled may explain the next.
    """
    shares = {name: empty_share(column, runs) for name, column in columns.items()}
    partly = [name for name, share in shares.items() if share > 0 and not parameters[name].when]
    found = {name: Explained(parameters[name], reasons.get(name, "")) for name in parameters}
    parents = {
        name: Seen.of(parameters[name], columns[name].values, columns[name].which)
        for name in columns
        if name not in partly and may_be_parent(parameters[name])
    }
    many = {name: columns[name] for name in parents}
    for name in sorted(partly, key=lambda name: shares[name]):
        column, before = columns[name], found[name]
        rows = with_task(column, runs) & np.isfinite(runs.losses)
        when = _condition(column, parents, many, rows)
        found[name] = _settled(column, before, when, rows, name in given)
        after = found[name].parameter
        if after is not None and may_be_parent(after):
            many[name] = with_none(column) if found[name].none else column
            parents[name] = Seen.of(after, many[name].values, many[name].which)
    return found


def constant(column: Column) -> bool:
    """Whether all cells that are not empty say the same."""
    return len(column.values) == 1 or (len(column.distinct) == 1 and not column.others)


def with_none(column: Column) -> Column:
    """The column with the value None in its empty cells."""
    values = [*column.values, None]
    return replace(
        column, which=np.where(column.there, column.which, len(values) - 1), values=values
    )


def with_task(column: Column, runs: Runs) -> Mask:
    """The rows of the tasks that have the column at all."""
    has = np.bincount(runs.tasks[column.there], minlength=runs.tasks.max() + 1) > 0
    return np.asarray(has[runs.tasks])


def empty_share(column: Column, runs: Runs) -> float:
    """How many of the cells are empty, in the tasks that have the column."""
    return float(1 - column.there[with_task(column, runs)].mean()) if column.there.any() else 0.0


# -- one parameter -------------------------------------------------------------------------


def _settled(
    column: Column, before: Explained, when: Mapping[str, Any], rows: Mask, given: bool
) -> Explained:
    """What becomes of a parameter, for which a condition was found or not."""
    parameter, reason = before.parameter, before.reason
    assert parameter is not None
    always = f"always {column.values[0]!r}"
    if when:
        there = f"there when {condition_text(replace(parameter, when=when))}"
        if constant(column) and not given:
            return Explained(None, f"{always}; {there}")
        return Explained(replace(parameter, when=when), f"{reason}; {there}")
    if given:
        return before
    if _none_is_a_choice(column, parameter, rows):
        return Explained(*_with_choice_none(column), none=True)
    if constant(column):
        return Explained(None, f"{always}, or empty")
    share = 1 - column.there[rows].mean()
    if share > _MOSTLY:
        said = f"empty in {share:.0%} of the rows, and no other column explains where"
        return Explained(None, said)
    return before


def _with_choice_none(column: Column) -> tuple[Parameter, str]:
    parameter, reason = categorical(with_none(column))
    return parameter, f"{reason}; an empty cell is the choice None, as nothing else explains it"


def _none_is_a_choice(column: Column, parameter: Parameter, rows: Mask) -> bool:
    """Whether cells of few different values are empty too often for an accident."""
    there, empty = int((rows & column.there).sum()), int((rows & ~column.there).sum())
    least = max(_ENOUGH, _SLIPS * rows.sum())
    few = len(column.values) <= _CHOICES and there >= _ENOUGH * len(column.values)
    listed = isinstance(parameter, Categorical | Ordinal) or (isinstance(parameter, Int) and few)
    return listed and None not in column.values and min(there, empty) >= least


# -- conditions ----------------------------------------------------------------------------


def _condition(
    column: Column, parents: Mapping[str, Seen], columns: Mapping[str, Column], rows: Mask
) -> dict[str, Any]:
    """The condition under which a column has values, bar a few slips; empty if there is none."""
    if (rows & ~column.there).sum() < _ENOUGH:
        return {}
    slips = _exceptions(column, list(columns.values()), rows)
    return condition(column.there, parents, rows & ~slips, least=_ENOUGH)


def _exceptions(column: Column, parents: Sequence[Column], rows: Mask) -> Mask:
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
