"""Past runs as columns: several tasks, seen from the space of the new one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from malibo.alignment import filled, joint_space, lacks, repairs, translate, union_space
from malibo.errors import HistoryError, listing, plural
from malibo.space import Space
from malibo.space.parameters import Array
from malibo.task import Direction, Task, sign

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, init=False)
class History:
    """Past tasks, seen from the space of the new one.

    ``space`` is the target's; without it, it is the union of the tasks' spaces. Histories
    are joined by their tasks: ``History([*one, *other])``.
    """

    tasks: Sequence[Task]
    space: Space

    def __init__(self, tasks: Sequence[Task], space: Space | None = None) -> None:
        object.__setattr__(self, "tasks", _checked(tasks))
        if not isinstance(space, Space | None):
            raise HistoryError(f"space must be a malibo.Space, got {type(space).__name__}.")
        object.__setattr__(self, "space", union_space(self._spaces) if space is None else space)

    @classmethod
    def from_table(
        cls,
        source: str | PathLike[str] | pd.DataFrame,
        *,
        task: str,
        objective: str,
        direction: Direction = "minimize",
        space: Space | Mapping[str, Any] | str | PathLike[str] | None = None,
        ignore: Sequence[str] = (),
        status: str | None = None,
        statuses: Mapping[str, str] | None = None,
        rename: Mapping[str, str] | None = None,
        where: Mapping[str, Any] | None = None,
        on_error: Literal["raise", "skip"] = "raise",
    ) -> History:
        """From a DataFrame, a CSV or a Parquet file with one row an evaluation (extra ``table``).

        ``task`` and ``objective`` name columns. An empty objective is a failed trial, an
        empty cell of a conditional parameter an inactive one; a task whose column is empty
        throughout lacks that parameter.

        space       a Space, or the JSON file of one; None: guessed from the columns, and
                    ``describe()`` says what was left out; a dict decides on some columns, by a
                    parameter, a fixed value, or None for a column that is no parameter
        ignore      columns that are no parameters
        status      a column that tells finished runs from failed ones, and from those that are
                    still running, which are left out; one called "state" or "status" is found
        statuses    more words for it: ``{"dead": "failed"}``, "finished" or "skip"
        rename      old names of columns to new ones, before anything else
        where       only the rows with these values: ``{"split": "val", "seed": [0, 1]}``
        on_error    "skip" leaves out the rows that cannot be read; ``describe()`` names them
        """
        from malibo.sources.tables import TableOptions, read

        options = TableOptions(
            task=task,
            objective=objective,
            direction=direction,
            space=space,
            ignore=ignore,
            status=status,
            statuses=statuses,
            rename=rename,
            where=where,
            on_error=on_error,
        )
        tasks = read(source, options).tasks
        return cls(tasks, tasks[0].space)

    @classmethod
    def from_optuna(
        cls,
        storage: Any,
        studies: Sequence[str] | None = None,
        *,
        exclude: Sequence[str] = (),
        rename: Mapping[str, str] | None = None,
        space: Space | None = None,
    ) -> History:
        """From the studies of an Optuna storage, or their URL (extra ``optuna``).

        All of them that have one objective, or those named; ``exclude`` leaves some out.
        ``rename`` maps names of parameters in the past to those of today. A failed trial counts
        as "not good", a pruned one by how it compared at its last step with those that were
        completed.
        """
        from malibo.sources.optuna import read_studies

        history = cls(read_studies(storage, studies, exclude=exclude, rename=rename))
        return history if space is None else history.for_space(space)

    @classmethod
    def from_mlflow(
        cls,
        source: str | PathLike[str] | pd.DataFrame,
        *,
        objective: str,
        task: str = "experiment",
        direction: Direction = "minimize",
        metric: Literal["last", "best"] = "last",
        space: Space | Mapping[str, Any] | str | PathLike[str] | None = None,
        rename: Mapping[str, str] | None = None,
        where: Mapping[str, Any] | None = None,
        ignore: Sequence[str] = (),
        on_error: Literal["raise", "skip"] = "raise",
    ) -> History:
        """From runs of MLflow (extra ``mlflow``); nothing is written to where they are kept.

        ``source`` is a tracking folder, an SQLite file or its URL, the address of a server, or
        what ``mlflow.search_runs()`` returns (it has no names of experiments, only their ids).
        ``objective`` is a metric: the last value of each run, or with ``metric="best"`` the best
        one. A task is an experiment, or a value of what ``task`` names: ``"tags.NAME"`` or
        ``"params.NAME"``. ``where`` keeps runs, such as ``{"experiment": ["a", "b"]}`` or
        ``{"tags.split": "test"}``; ``space``, ``rename`` and ``ignore`` are about parameters, as
        in ``from_table``.

        Runs that failed or were killed are failed trials. Unfinished runs, and parents of others
        that lack the metric, are left out. Odd runs, such as finished ones without the metric,
        are refused by their ids, or left out with ``on_error="skip"``.
        """
        from malibo.sources.mlflow import read_runs
        from malibo.sources.tables import TableOptions

        options = TableOptions(
            task=task,
            objective=objective,
            direction=direction,
            space=space,
            rename=rename,
            where=where,
            ignore=ignore,
            on_error=on_error,
        )
        tasks = read_runs(source, options, metric)
        return cls(tasks, tasks[0].space)

    def for_space(self, space: Space) -> History:
        """The same past, seen from another target space."""
        return replace(self, space=space)

    # -- columnar view -----------------------------------------------------------------------

    def __repr__(self) -> str:
        tasks, runs = plural(len(self.tasks), "task"), plural(len(self), "run")
        return f"<History: {tasks}, {runs}; describe() tells more>"

    def __len__(self) -> int:
        """Number of observations."""
        return sum(len(task) for task in self.tasks)

    def __iter__(self) -> Iterator[Task]:
        return iter(self.tasks)

    @property
    def direction(self) -> Direction | None:
        """How the past was told; None if some tasks were minimised and others maximised."""
        directions = {task.direction for task in self.tasks}
        return directions.pop() if len(directions) == 1 else None

    @property
    def names(self) -> tuple[str, ...]:
        """The tasks' names."""
        return tuple(task.name for task in self.tasks)

    @property
    def _spaces(self) -> list[Space]:
        """The distinct spaces of the tasks."""
        distinct: list[Space] = []
        for task in self.tasks:
            if task.space not in distinct:
                distinct.append(task.space)
        return distinct

    @cached_property
    def joint(self) -> Space:
        """The target's space, wide enough for the past: the scale on which models learn."""
        return joint_space(self.space, self._spaces)

    @property
    def codes(self) -> Array:
        """(N, P) all configurations as codes of ``joint``; NaN is inactive or unknown."""
        parts = [translate(t.codes, t.space, self.joint, self.space) for t in self.tasks]
        return np.concatenate(parts)

    @property
    def losses(self) -> Array:
        """(N,) all losses; NaN is a failed trial."""
        return np.concatenate([task.losses for task in self.tasks])

    @property
    def task_index(self) -> NDArray[np.intp]:
        """(N,) number of the task of each observation."""
        return np.repeat(np.arange(len(self.tasks)), [len(task) for task in self.tasks])

    # -- for people --------------------------------------------------------------------------

    @cached_property
    def repairs(self) -> dict[str, list[str]]:
        """Every repair that fits a task to the target's space: sentence to task names."""
        found: dict[str, list[str]] = {}
        for space in self._spaces:
            names = [task.name for task in self.tasks if task.space == space]
            for sentence in repairs(space, self.space):
                found.setdefault(sentence, []).extend(names)
        for task in self.tasks:
            for sentence in (*_empty_columns(task, self.space), *task.notes):
                found.setdefault(sentence, []).append(task.name)
        return found

    def describe(self) -> str:
        """Tasks, sizes, space, and what had to be repaired, as text."""
        failed = sum(task.failed for task in self.tasks)
        lines = [
            f"{plural(len(self.tasks), 'task')}, {plural(len(self), 'observation')}"
            f" ({failed:,} failed), {plural(len(self.space), 'parameter')},"
            f" {self.direction or 'minimize and maximize'}",
            "",
            *_table(self.tasks),
            "",
            repr(self.space),
        ]
        if self.repairs:
            lines += ["", "What was done to fit the past to this space:"]
            for sentence, names in self.repairs.items():
                which = "all tasks" if len(names) == len(self.tasks) else listing(names, 3)
                lines.append(f"- {sentence} ({which})")
        return "\n".join(lines)


def _checked(tasks: object) -> tuple[Task, ...]:
    """The tasks of a history: at least one, and no two of one name."""
    given = tuple(tasks) if isinstance(tasks, Iterable) else (tasks,)
    if wrong := [task for task in given if not isinstance(task, Task)]:
        hint = " Join histories by History([*one, *other])." * isinstance(wrong[0], History)
        raise HistoryError(
            f"a history is made of malibo.Task objects, got {type(wrong[0]).__name__}.{hint}"
        )
    if not given:
        raise HistoryError("the history is empty; give at least one task with past runs.")
    counts = Counter(task.name for task in given)
    if twice := sorted(name for name, count in counts.items() if count > 1):
        raise HistoryError(f"task names must differ, got {listing(twice)} more than once.")
    return given


def _empty_columns(task: Task, target: Space) -> list[str]:
    """A sentence for each parameter of its space of which a task knows no value."""
    return [
        f"{name!r} is empty: {filled(target[name])}"
        for name in task.space
        if name in target and lacks(name, task.codes, task.space)
    ]


def _table(tasks: Sequence[Task], most: int = 20) -> list[str]:
    width = max(4, *(len(task.name) for task in tasks[:most]))
    rows = [f"{'task':{width}}  {'runs':>9}  {'failed':>7}  {'best':>12}  {'median':>12}"]
    for task in tasks[:most]:
        factor = sign(task.direction)
        best, median = factor * np.nanmin(task.losses), factor * np.nanmedian(task.losses)
        note = "  constant: teaches nothing" if _constant(task) else ""
        rows.append(
            f"{task.name:{width}}  {len(task):9,}  {task.failed:7,}"
            f"  {best:12.6g}  {median:12.6g}{note}"
        )
    if len(tasks) > most:
        rows.append(f"and {len(tasks) - most} more")
    return rows


def _constant(task: Task) -> bool:
    return bool(np.nanmin(task.losses) == np.nanmax(task.losses))
