"""Tasks from a DataFrame, or from a CSV or Parquet file (extras ``table`` and ``parquet``)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import NDArray

from malibo.errors import HistoryError, listing, plural
from malibo.sources.tables.cells import Mask, as_floats
from malibo.sources.tables.codes import column_codes, gaps, reason_of
from malibo.sources.tables.commas import why_unclear
from malibo.sources.tables.empty import with_empty_cells
from malibo.sources.tables.frames import Table, opened, renamed
from malibo.sources.tables.given import GivenSpace, needed, read_space
from malibo.sources.tables.guess import Guess, guess_space
from malibo.sources.tables.names import bookkeeping, measurement
from malibo.sources.tables.results import (
    Runs,
    by_status,
    grouped,
    odd_states,
    read_losses,
    short_rows,
    status_column,
    task_numbers,
)
from malibo.sources.tables.rows import FAILED, OddRows, OnError, check_statuses, matching
from malibo.space import Fixed, Float, Int, Parameter, Space
from malibo.space.conditions import condition_text
from malibo.space.parameters import Array
from malibo.task import Direction, Task, sign

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class TableOptions:
    """How a table is read; see ``History.from_table``.

    labels            a name for each row of a DataFrame in messages, in place of its number
    only_parameters   all columns but those named are parameters by where they come from: none
                      is taken for the status, for bookkeeping or for a measurement
    """

    task: str
    objective: str
    direction: Direction = "minimize"
    space: GivenSpace = None
    ignore: Sequence[str] = ()
    status: str | None = None
    statuses: Mapping[str, str] | None = None
    rename: Mapping[str, str] | None = None
    where: Mapping[str, Any] | None = None
    on_error: OnError = "raise"
    labels: Sequence[str] | None = None
    only_parameters: bool = False


@dataclass(frozen=True, eq=False)
class Reading:
    """What was read: the tasks, and the guess if the space was not given."""

    tasks: list[Task]
    guess: Guess | None


def read(source: str | PathLike[str] | pd.DataFrame, options: TableOptions) -> Reading:
    """The tasks in a table, in order of appearance, and how its columns were understood."""
    given = read_space(options.space)
    _check(options, given)
    table, notes = _opened(source, options, given)
    others = {options.task, options.objective, *given, *options.ignore}
    status = options.status
    if status is None and not options.only_parameters:
        status = status_column(table, options.statuses, others)
    table, states = by_status(table, status, options.statuses, notes)
    odd = OddRows(table.label)
    short_rows(table, odd)
    odd_states(table, status, states, odd)
    losses = read_losses(table, options.objective, states == FAILED, odd, notes)
    losses *= sign(options.direction)
    tasks, names = task_numbers(table, options.task, odd)
    if isinstance(given, Space):
        guess, space = None, given
    else:
        aside = {options.task, options.objective, status, *(options.where or ()), *options.ignore}
        columns = [n for n in map(str, table.frame) if n in given or n not in aside]
        guess = _guess(table, columns, Runs(tasks, losses), odd, given, options.only_parameters)
        space, notes = guess.space, notes + _notes(guess)
    blank = _blank(table, space, losses)
    codes = _codes(table, space, tasks, blank, odd, notes)
    kept = _kept(table, odd, blank, options.on_error, notes)
    groups = grouped(tasks, names, kept)
    groups = _with_results(groups, losses, table.name, options.on_error, notes)
    made = [
        Task(name, space, codes[rows], losses[rows], options.direction, tuple(notes))
        for name, rows in groups.items()
    ]
    return Reading(made, guess)


# -- what is asked for ---------------------------------------------------------------------


def _check(options: TableOptions, given: Space | dict[str, Any]) -> None:
    """Refuse options that contradict each other, before anything is read."""
    sign(options.direction)
    check_statuses(options.statuses)
    names = (options.task, options.objective)
    if not all(isinstance(name, str) and name for name in names):
        raise HistoryError("task and objective name one column each, such as task='dataset'.")
    taken = {name for name, parameter in given.items() if parameter is not None}
    if taken & {*names, options.status} or len({*names, options.status}) < 3:
        raise HistoryError("task, objective, status and the parameters must be different columns.")
    if options.on_error not in get_args(OnError):
        raise HistoryError(f"on_error must be 'raise' or 'skip', got {options.on_error!r}.")
    if not isinstance(options.where, Mapping | None):
        raise HistoryError(f"where maps columns to values, got {options.where!r}.")
    if isinstance(options.ignore, str) or not isinstance(options.ignore, Iterable):
        raise HistoryError(f"ignore is a list of columns, got {options.ignore!r}.")
    if both := sorted(taken & set(options.ignore)):
        raise HistoryError(f"{listing(both)} cannot be a parameter and be ignored.")


def _opened(
    source: Any, options: TableOptions, given: Space | dict[str, Any]
) -> tuple[Table, list[str]]:
    """The rows that are asked for, of a table that has all columns it needs; and notes."""
    table = renamed(opened(source, options.labels), options.rename)
    status = [] if options.status is None else [options.status]
    table.need([options.task, options.objective, *status, *needed(given)])
    table.need(options.where or (), "where: ")
    table.need(options.ignore, "ignore: ")
    whole = isinstance(given, Space)
    table.need([c for c in table.frame.columns if c in given or not whole])
    table = table.only(matching(table.frame, options.where or {}))
    _need_clear(table, options, given)
    frame, notes = with_empty_cells(table.frame, given, [options.task])
    frame = _with_infinite(frame, table.frame[options.objective])
    return replace(table, frame=frame), [*table.notes, *notes]


def _with_infinite(frame: pd.DataFrame, objective: pd.Series) -> pd.DataFrame:
    """The table with infinite objectives as they were: they are failures to be told of."""
    infinite = np.isinf(as_floats(objective))
    if not infinite.any():
        return frame
    return frame.assign(**{str(objective.name): frame[objective.name].mask(infinite, objective)})


def _need_clear(table: Table, options: TableOptions, given: Space | dict[str, Any]) -> None:
    """Refuse commas of which nobody knows what they mean, in columns that are used."""
    aside = {options.task, options.status, *(options.where or ()), *options.ignore}
    for column, cell in table.unclear.items():
        if column in given:
            used = isinstance(given[column], Float | Int)
        else:
            named = isinstance(given, Space) or bookkeeping(column) or measurement(column)
            used = column not in aside and not named
        if used or column == options.objective:
            raise HistoryError(f"{table.name}: {why_unclear(column, cell)}")


def _guess(
    table: Table,
    columns: Sequence[str],
    runs: Runs,
    odd: OddRows,
    given: Mapping[str, Any],
    only_parameters: bool,
) -> Guess:
    """The space of some columns, from the rows that are not odd."""
    sound = ~odd.rows(len(table))
    if not np.isfinite(runs.losses[sound]).any():
        raise HistoryError(f"{table.name} has no valid run; {odd.text() or 'all failed'}.")
    frame = table.only(sound).frame[columns]
    return guess_space(frame, Runs(runs.tasks[sound], runs.losses[sound]), given, only_parameters)


def _notes(guess: Guess) -> list[str]:
    """A sentence for each reason for which columns are left out, and on cells that mean None."""
    reasons: dict[str, list[str]] = {}
    for name, reason in guess.left_out.items():
        reasons.setdefault(reason, []).append(name)
    notes = [f"{listing(names, 10)} left out: {reason}" for reason, names in reasons.items()]
    nones = listing(guess.nones, 10)
    return [*notes, f"an empty cell of {nones} is the choice None"] if nones else notes


# -- rows ----------------------------------------------------------------------------------


def _codes(
    table: Table,
    space: Space,
    tasks: NDArray[np.intp],
    blank: Mask,
    odd: OddRows,
    notes: list[str],
) -> Array:
    """The configurations as codes; cells that cannot be read make their rows odd."""
    columns = []
    for name, parameter in space.items():
        codes, wrong = column_codes(table.frame, name, parameter)
        columns.append(codes)
        odd.add(wrong, name, partial(_why_wrong, table.frame, name, parameter))
    codes = space.complete(np.stack(columns, axis=1))
    wrong = odd.rows(len(table)) | blank
    notes += _ignored(table.frame[~wrong], space, codes[~wrong])
    for name, empty in gaps(space, codes, tasks):
        if not (empty & ~wrong).any():
            continue
        odd.add(empty & ~wrong, name, lambda row: "it is empty although the parameter is active")
        odd.hint = (
            f" If an empty cell of {name!r} means something, say what, by space={{{name!r}: ...}}:"
            " a Categorical with the choice None, or a parameter with a condition (when=...)."
        )
    codes[:, _imputed(table.frame, space)] = np.nan  # the history fills them in, and says so
    return codes


def _ignored(frame: pd.DataFrame, space: Space, codes: Array) -> list[str]:
    """A sentence for each parameter that has values where its condition says it has none."""
    notes = []
    for index, (name, parameter) in enumerate(space.items()):
        if parameter.when and name in frame:
            lost = frame[name].notna().to_numpy() & np.isnan(codes[:, index])
            if lost.any():
                count = plural(int(lost.sum()), "value")
                notes.append(
                    f"{count} of {name!r} ignored: it is there when {condition_text(parameter)}"
                )
    return notes


def _why_wrong(frame: pd.DataFrame, name: str, parameter: Parameter, row: int) -> str:
    return reason_of(frame[name].iloc[row], parameter)


def _imputed(frame: pd.DataFrame, space: Space) -> list[bool]:
    """Which parameters have no column."""
    return [
        name not in frame.columns and not isinstance(parameter, Fixed)
        for name, parameter in space.items()
    ]


def _blank(table: Table, space: Space, losses: Array) -> Mask:
    """Failed runs without any parameter: they ended before there was something to learn."""
    columns = [name for name in space if name in table.frame]
    return np.isnan(losses) & table.frame[columns].isna().all(axis=1).to_numpy()


def _kept(
    table: Table, odd: OddRows, blank: Mask, on_error: OnError, notes: list[str]
) -> NDArray[np.intp]:
    """The rows that count; odd ones are refused, or left out with a note."""
    wrong = odd.rows(len(table)) & ~blank
    count = plural(int(wrong.sum()), "row")
    if wrong.any() and on_error == "raise":
        raise HistoryError(
            f"{count} of {table.name} cannot be read: {odd.text()}. Mend the table, ignore the"
            f' column, or leave such rows out: on_error="skip" (--on-error skip).{odd.hint}'
        )
    if wrong.any():
        notes.append(f"{count} left out: {odd.text()}")
    if blank.any():
        notes.append(f"{plural(int(blank.sum()), 'failed run')} without any parameter left out")
    return np.flatnonzero(~wrong & ~blank)


def _with_results(
    groups: dict[str, NDArray[np.intp]],
    losses: Array,
    table: str,
    on_error: OnError,
    notes: list[str],
) -> dict[str, NDArray[np.intp]]:
    """The tasks that have a valid observation; others are refused, or left out with a note."""
    empty = [name for name, rows in groups.items() if not np.isfinite(losses[rows]).any()]
    if len(empty) == len(groups):
        raise HistoryError(f"{table} has no valid run; {'; '.join(notes) or 'all failed'}.")
    if empty and on_error == "raise":
        raise HistoryError(
            f"task {empty[0]!r} has no valid observation among {len(groups[empty[0]])}; leave it"
            ' out: on_error="skip" (--on-error skip).'
        )
    if empty:
        notes.append(f"{plural(len(empty), 'task')} without a valid run left out: {listing(empty)}")
    return {name: rows for name, rows in groups.items() if name not in empty}
