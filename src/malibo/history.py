"""Past runs: validated, frozen and columnar.

A Task is one tuning of the past; a History is several, seen from the space of the new
task. Losses are minimised; a task remembers if its values were told to be maximised.
"""

from __future__ import annotations

import math
import numbers
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from malibo.alignment import filled, joint_space, lacks, repairs, translate, union_space
from malibo.errors import HistoryError, InputError, listing, plural
from malibo.space import Space
from malibo.space.parameters import Array

if TYPE_CHECKING:
    import pandas as pd

Direction = Literal["minimize", "maximize"]


def sign(direction: str) -> int:
    """1 for "minimize", −1 for "maximize"; anything else is refused."""
    signs = {"minimize": 1, "maximize": -1}
    if not isinstance(direction, str) or direction not in signs:
        raise InputError(f"direction must be 'minimize' or 'maximize', got {direction!r}.")
    return signs[direction]


def read_loss(loss: object) -> float:
    """What a user gives as loss, as a float; NaN for a failed trial (None, NaN, infinite)."""
    if loss is None:
        return math.nan
    number = loss.item() if isinstance(loss, np.ndarray) and loss.size == 1 else loss
    if isinstance(number, bool | np.bool_) or not isinstance(number, numbers.Real):
        raise InputError(
            f"loss must be a number, or None for a failed trial; got {loss!r}"
            f" ({type(loss).__name__})."
        )
    try:
        value = float(number)
    except OverflowError:  # an integer beyond all floats
        return math.nan
    return value if math.isfinite(value) else math.nan


@dataclass(frozen=True, eq=False)
class Task:
    """The observations of one past tuning.

    codes       (n, P) configurations as codes of ``space``; NaN is inactive or unknown
    losses      (n,) to be minimised, whatever the direction; NaN is a failed trial
    direction   "maximize" if the losses are scores with the sign turned
    notes       sentences for ``History.describe`` on how the source was read
    """

    name: str
    space: Space
    codes: Array
    losses: Array
    direction: Direction = "minimize"
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise HistoryError(f"a task's name must be a text, got {self.name!r}.")
        if not isinstance(self.space, Space):
            raise HistoryError(f"task {self.name!r}: space must be a malibo.Space.")
        sign(self.direction)
        codes, losses = _frozen(self.codes, 2), _frozen(self.losses, 1, np.nan)
        object.__setattr__(self, "codes", codes)
        object.__setattr__(self, "losses", losses)
        if codes.shape != (len(losses), len(self.space)):
            raise HistoryError(
                f"task {self.name!r}: expected {len(losses)} rows (one a loss) and"
                f" {len(self.space)} columns (one a parameter), got codes of shape {codes.shape}."
            )
        for index, (name, parameter) in enumerate(self.space.items()):
            wrong = ~(np.isnan(codes[:, index]) | parameter.contains(codes[:, index]))
            if wrong.any():
                row = int(np.argmax(wrong))
                raise HistoryError(
                    f"task {self.name!r}: {name!r} is out of its space in {wrong.sum()} rows,"
                    f" first in row {row} with code {codes[row, index]!r}."
                )
        if not np.isfinite(losses).any():
            raise HistoryError(
                f"task {self.name!r} has no valid observation among {len(losses)}; leave it out."
            )

    @classmethod
    def from_configs(
        cls,
        name: str,
        space: Space,
        configs: Sequence[Mapping[str, Any]],
        losses: Iterable[float | None],
        direction: Direction = "minimize",
    ) -> Task:
        """A task from dicts and their losses (None or NaN for a failed trial).

        With ``direction="maximize"`` they are scores, and the greatest is the best.
        """
        if not isinstance(losses, Iterable):
            raise HistoryError(f"task {name!r}: losses must be a list, got {losses!r}.")
        values = []
        for row, loss in enumerate(losses):
            try:
                values.append(sign(direction) * read_loss(loss))
            except InputError as error:
                raise HistoryError(f"task {name!r}, row {row}: {error}") from None
        return cls(name, space, space.codes(configs), np.array(values), direction)

    def __repr__(self) -> str:
        runs, parameters = plural(len(self), "run"), plural(len(self.space), "parameter")
        return f"<Task {self.name!r}: {runs}, {parameters}>"

    def __len__(self) -> int:
        return len(self.losses)

    @property
    def failed(self) -> int:
        """Number of observations without a value."""
        return int(np.isnan(self.losses).sum())


def _frozen(values: ArrayLike, dimensions: int, infinite: float = np.inf) -> Array:
    """A read-only copy as floats, with another number in place of infinities."""
    try:
        array = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise HistoryError(
            "codes and losses must be numbers; Task.from_configs takes dicts, None and scores."
        ) from None
    if array.ndim != dimensions:
        raise HistoryError(f"expected an array of {dimensions} dimensions, got {array.ndim}.")
    array[np.isinf(array)] = infinite
    array.setflags(write=False)
    return array


@dataclass(frozen=True, eq=False)
class History:
    """Past tasks, seen from the space of the new one.

    ``space`` is the target's; without it, it is the union of the tasks' spaces. Histories
    are joined by their tasks: ``History([*one, *other])``.
    """

    tasks: Sequence[Task]
    space: Space = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        tasks = tuple(self.tasks) if isinstance(self.tasks, Iterable) else (self.tasks,)
        if wrong := [task for task in tasks if not isinstance(task, Task)]:
            hint = " Join histories by History([*one, *other])." * isinstance(wrong[0], History)
            raise HistoryError(
                f"a history is made of malibo.Task objects, got {type(wrong[0]).__name__}.{hint}"
            )
        if not isinstance(self.space, Space | None):
            raise HistoryError(f"space must be a malibo.Space, got {type(self.space).__name__}.")
        if not tasks:
            raise HistoryError("the history is empty; give at least one task with past runs.")
        counts = Counter(task.name for task in tasks)
        if twice := sorted(name for name, count in counts.items() if count > 1):
            raise HistoryError(f"task names must differ, got {listing(twice)} more than once.")
        object.__setattr__(self, "tasks", tasks)
        if self.space is None:
            object.__setattr__(self, "space", union_space(self._spaces))

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
