"""Runs of MLflow in its files: a tracking folder, or an SQLite database.

They are read as they are, without MLflow: it makes tables in a database that has none, refuses
databases of other versions, and from version 3.17 on folders altogether. Nothing is written.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from malibo.errors import HistoryError
from malibo.extras import require
from malibo.sources.mlflow.runs import Metric, Point, Run

# -- a folder ------------------------------------------------------------------------------


def folder_runs(folder: Path, metric: Metric) -> Iterator[Run]:
    """Of a folder of experiments, or of one experiment: each run is a folder of small files."""
    require("yaml", "mlflow")
    one = (folder / "meta.yaml").is_file()
    experiments = [folder] if one else _with_meta(folder)
    if not experiments:
        raise HistoryError(
            f"{str(folder)!r} is no tracking folder of MLflow: no experiment with a meta.yaml is in"
            f" it.{_elsewhere(folder)}"
        )
    for experiment in experiments:
        about = _meta(experiment)
        if about.get("lifecycle_stage") == "deleted":
            continue
        for run in _with_meta(experiment):
            yield from _folder_run(run, str(about.get("name", experiment.name)), metric)


def _folder_run(folder: Path, experiment: str, metric: Metric) -> Iterator[Run]:
    about = _meta(folder)
    if "status" not in about or about.get("lifecycle_stage") == "deleted":
        return
    statuses = {1: "RUNNING", 2: "SCHEDULED", 3: "FINISHED", 4: "FAILED", 5: "KILLED"}
    metrics = _files(folder / "metrics")
    yield Run(
        folder.name,
        experiment,
        statuses.get(about["status"], str(about["status"])),
        about.get("start_time") or 0,
        {name: _text(file) for name, file in _files(folder / "params").items()},
        {name: _text(file) for name, file in _files(folder / "tags").items()},
        list(metrics),
        metric.value(_points(metrics[metric.name])) if metric.name in metrics else None,
    )


def _with_meta(folder: Path) -> list[Path]:
    """The folders in a folder that say what they are, the trash excepted."""
    return sorted(file.parent for file in folder.glob("[!.]*/meta.yaml"))


def _meta(folder: Path) -> dict[str, Any]:
    yaml = require("yaml", "mlflow")
    file = folder / "meta.yaml"
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the first is ten times as fast
    try:
        found = yaml.load(_text(file), Loader=loader)
    except yaml.YAMLError:
        found = None
    if not isinstance(found, dict):
        raise HistoryError(f"{str(file)!r} is damaged; mend it, or move its folder elsewhere.")
    return found


def _files(folder: Path) -> dict[str, Path]:
    """Files by their names, which may have slashes in them."""
    found = [Path(parent, name) for parent, _, names in os.walk(folder) for name in names]
    return {file.relative_to(folder).as_posix(): file for file in sorted(found)}


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise HistoryError(f"{str(file)!r} cannot be read: {error}.") from None


def _points(file: Path) -> list[Point]:
    """Lines of time, value and step; the first versions wrote no step."""
    try:
        parts = [line.split() for line in _text(file).splitlines() if line.strip()]
        points = [(int(part[2]) if part[2:] else 0, int(part[0]), float(part[1])) for part in parts]
    except (ValueError, IndexError):
        points = []
    if not points:
        raise HistoryError(
            f"{str(file)!r} is damaged: each line should have a time, a value and a step."
        )
    return points


def _elsewhere(folder: Path) -> str:
    """Where the runs may be, if they are near."""
    for database in (folder / "mlflow.db", folder.parent / "mlflow.db"):
        if database.is_file():
            return f" Recent versions of MLflow keep runs in a database: give {str(database)!r}."
    inner = folder / "mlruns"
    return f" Did you mean {str(inner)!r}?" if inner.is_dir() else ""


# -- an SQLite file ------------------------------------------------------------------------


def database_runs(path: Path, metric: Metric) -> Iterator[Run]:
    """Of the tables that MLflow has in a file; they have not changed since version 1.4."""
    address = f"{path.absolute().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True)) as database:
            yield from _selected_runs(database, metric)
    except sqlite3.Error as error:
        raise HistoryError(
            f"{str(path)!r} cannot be read as a database of MLflow: {error}."
        ) from None


def _selected_runs(database: sqlite3.Connection, metric: Metric) -> Iterator[Run]:
    table = "latest_metrics" if metric.pick == "last" else "metrics"
    params = _grouped(database, "SELECT run_uuid, key, value FROM params ORDER BY key")
    tags = _grouped(database, "SELECT run_uuid, key, value FROM tags ORDER BY key")
    metrics = _grouped(database, "SELECT run_uuid, key, 0 FROM latest_metrics ORDER BY key")
    points: dict[str, list[Point]] = {}
    logged = f"SELECT run_uuid, step, timestamp, value, is_nan FROM {table} WHERE key = ?"
    for run, step, time, value, is_nan in database.execute(logged, (metric.name,)):
        number = float("nan") if is_nan else value
        points.setdefault(run, []).append((step, time, number))
    for run, experiment, status, started in database.execute(
        "SELECT run_uuid, experiments.name, status, start_time FROM runs JOIN experiments"
        " USING (experiment_id) WHERE runs.lifecycle_stage = 'active'"
        " AND experiments.lifecycle_stage = 'active'"
    ):
        value = metric.value(points[run]) if run in points else None
        yield Run(
            run,
            experiment,
            status,
            started or 0,
            params.get(run, {}),
            tags.get(run, {}),
            list(metrics.get(run, ())),
            value,
        )


def _grouped(database: sqlite3.Connection, query: str) -> dict[str, dict[str, Any]]:
    """Rows of run, name and value as a dict for each run."""
    found: dict[str, dict[str, Any]] = {}
    for run, name, value in database.execute(query):
        found.setdefault(run, {})[name] = value
    return found
