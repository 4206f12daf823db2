"""Tasks from the runs of MLflow (extra ``mlflow``).

A run of MLflow is a row of a table: its parameters, one of its metrics, and the task to which it
belongs. What is peculiar to MLflow is settled here, and the rest is as for any other table.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from malibo.errors import HistoryError, listing, nearest, plural
from malibo.extras import require
from malibo.sources.mlflow.runs import Field, Metric, Run, field_of, having
from malibo.sources.mlflow.stores import name_of, stored_runs
from malibo.sources.tables import Reading, TableOptions
from malibo.sources.tables import read as read_table
from malibo.task import Direction, Task, sign

if TYPE_CHECKING:
    import pandas as pd


def read_runs(
    source: str | PathLike[str] | pd.DataFrame,
    options: TableOptions,
    metric: Literal["last", "best"] = "last",
) -> list[Task]:
    """The tasks alone of what ``read`` gives."""
    return read(source, options, metric).tasks


def read(
    source: str | PathLike[str] | pd.DataFrame,
    options: TableOptions,
    metric: Literal["last", "best"] = "last",
) -> Reading:
    """A task for each experiment, or for each value of a tag or parameter; and the guess.

    The options are those of a table, about runs; its task is "experiment", "tags.NAME" or
    "params.NAME", its objective a metric. A task without any finished run that has the metric
    is left out with a warning.
    """
    require("pandas", "mlflow")
    wanted = _metric(options.objective, metric, options.direction)
    _check_options(options.task, options.where, options.on_error)
    runs = stored_runs(source, wanted)
    if not runs:
        raise HistoryError(f"{name_of(source)} has no runs; there is nothing to learn from.")
    parents = {run.tags.get("mlflow.parentRunId") for run in runs}
    where = (options.where or {}).items()
    of_where = {field_of("where", name, runs): values for name, values in where}
    for one, values in of_where.items():
        runs = having(runs, one, values)
    of_task = field_of("task", options.task, runs)
    _need_metric(runs, wanted, source)
    judged = _judged(runs, parents, of_task, wanted)
    _leave_out_tasks_without_a_value(judged, wanted, source)
    _settle_odd_runs(judged, options.on_error)
    not_tuned = {one.name for one in (of_task, *of_where) if one.kind == "params"}
    found = _read(judged, of_task.column, wanted.column, not_tuned, options)
    return replace(found, tasks=[_with_notes(one, judged) for one in found.tasks])


def _metric(objective: str, metric: str, direction: Direction) -> Metric:
    least = sign(direction) == 1
    if not isinstance(objective, str) or not objective:
        raise HistoryError(f"objective names one metric, such as 'val_loss'; got {objective!r}.")
    if metric not in ("last", "best"):
        raise HistoryError(f"metric must be 'last' or 'best', got {metric!r}.")
    name = objective.removeprefix("metrics.")
    return Metric(name, "last" if metric == "last" else "least" if least else "greatest")


def _check_options(task: object, where: object, on_error: object) -> None:
    if not isinstance(task, str):
        raise HistoryError(
            f"task must be 'experiment', 'tags.NAME' or 'params.NAME', got {task!r}."
        )
    if not isinstance(where, Mapping | None):
        raise HistoryError(f"where must map names to values, got {where!r}.")
    if on_error not in ("raise", "skip"):
        raise HistoryError(f"on_error must be 'raise' or 'skip', got {on_error!r}.")


def _need_metric(runs: Sequence[Run], metric: Metric, source: object) -> None:
    names = sorted({name for run in runs for name in run.metrics})
    if metric.name not in names:
        there = f"there are {listing(names, 20)}" if names else "none was logged"
        raise HistoryError(
            f"no run of {name_of(source)} has a metric {metric.name!r}; {there}."
            f"{nearest(metric.name, names)}"
        )


# -- which runs count ----------------------------------------------------------------------


@dataclass
class _Judged:
    """Runs that count, with their tasks and values; odd ones with the reason; those left out.

    A task is an empty text where it is not known.
    """

    used: list[tuple[str, float, Run]] = field(default_factory=list)
    odd: list[tuple[str, Run, str]] = field(default_factory=list)
    left_out: list[tuple[str, Run, str]] = field(default_factory=list)


def _judged(
    runs: Sequence[Run], parents: Collection[str | None], of_task: Field, metric: Metric
) -> _Judged:
    judged = _Judged()
    for run in runs:
        value = of_task.of(run)
        task = "" if value is None else str(value)
        if run.value is None and run.run_id in parents:
            judged.left_out.append((task, run, f"a parent without {metric.name!r}"))
        elif run.status in ("RUNNING", "SCHEDULED"):
            judged.left_out.append((task, run, "not finished"))
        elif run.status in ("FAILED", "KILLED") and not run.params:
            judged.left_out.append((task, run, "failed without parameters"))
        elif reason := _oddity(run, task, of_task, metric):
            judged.odd.append((task, run, reason))
        else:
            loss = run.value if run.status == "FINISHED" else None
            judged.used.append((task, math.nan if loss is None else loss, run))
    return judged


def _oddity(run: Run, task: str, of_task: Field, metric: Metric) -> str:
    """Why nothing can be made of a run; an empty text if something can."""
    if not task:
        return f"no {of_task.column!r}"
    if run.status not in ("FINISHED", "FAILED", "KILLED"):
        return f"unknown status {run.status!r}"
    if run.status == "FINISHED" and run.value is None:
        return f"finished without {metric.name!r}"
    return "" if run.params else "no parameters"


def _leave_out_tasks_without_a_value(judged: _Judged, metric: Metric, source: object) -> None:
    valued = {task for task, value, _ in judged.used if math.isfinite(value)}
    if not valued:
        raise HistoryError(
            f"{name_of(source)} has no finished run with a value of {metric.name!r}, a task and"
            " parameters; there is nothing to learn from."
        )
    others = {task for task, *_ in (*judged.used, *judged.odd)} - valued - {""}
    if others:
        warnings.warn(
            f"no finished run has a value of {metric.name!r} in {listing(sorted(others), 20)}."
            " They are left out.",
            stacklevel=5,
        )
    judged.used = [one for one in judged.used if one[0] in valued]
    judged.odd = [one for one in judged.odd if one[0] not in others]


def _settle_odd_runs(judged: _Judged, on_error: str) -> None:
    if not judged.odd:
        return
    reasons = [f"{run.run_id}: {reason}" for _, run, reason in judged.odd]
    rest = len(reasons) - 5
    first = "; ".join(reasons[:5]) + (f"; and {rest} more" if rest > 0 else "")
    if on_error == "raise":
        raise HistoryError(
            f"{plural(len(reasons), 'run')} cannot be read: {first}. Mend them, or leave them out:"
            ' on_error="skip" (--on-error skip).'
        )
    judged.left_out += judged.odd


# -- the table -----------------------------------------------------------------------------


def _read(
    judged: _Judged, task: str, objective: str, not_tuned: Collection[str], options: TableOptions
) -> Reading:
    """A row for each run that counts: its parameters as the texts they are, its task and value."""
    pandas = require("pandas", "table")
    names = sorted({name for *_, run in judged.used for name in run.params} - set(not_tuned))
    columns: dict[str, list[Any]] = {
        name: [run.params.get(name) for *_, run in judged.used] for name in names
    }
    task, objective = _unlike(task, names), _unlike(objective, names)
    columns[task] = [name for name, *_ in judged.used]
    columns[objective] = [value for _, value, _ in judged.used]
    of_table = replace(
        options,
        task=task,
        objective=objective,
        where=None,
        labels=[f"run {run.run_id}" for *_, run in judged.used],
        only_parameters=True,
    )
    return read_table(pandas.DataFrame(columns), of_table)


def _unlike(name: str, names: Collection[str]) -> str:
    """The name, or a longer one if a parameter is called so."""
    while name in names:
        name = f"{name} of the run"
    return name


def _with_notes(task: Task, judged: _Judged) -> Task:
    """The task with what there is to say of its runs, and of those that belong to none."""
    reasons: dict[str, list[str]] = {}
    for name, run, reason in judged.left_out:
        if name in (task.name, ""):
            reasons.setdefault(reason, []).append(run.run_id)
    notes = [
        f"{plural(len(run_ids), 'run')} left out, {reason}: {listing(run_ids, 3)}"
        for reason, run_ids in reasons.items()
    ]
    return replace(task, notes=(*task.notes, *notes))
