"""Runs of MLflow as it keeps them, written without it: a folder and a database."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

STATUSES = {"RUNNING": 1, "SCHEDULED": 2, "FINISHED": 3, "FAILED": 4, "KILLED": 5}

#: The columns that are read, of the tables that MLflow makes.
TABLES = """
    CREATE TABLE experiments (experiment_id INTEGER, name VARCHAR, lifecycle_stage VARCHAR);
    CREATE TABLE runs (run_uuid VARCHAR, name VARCHAR, status VARCHAR, start_time BIGINT,
        lifecycle_stage VARCHAR, experiment_id INTEGER);
    CREATE TABLE params (key VARCHAR, value VARCHAR, run_uuid VARCHAR);
    CREATE TABLE tags (key VARCHAR, value VARCHAR, run_uuid VARCHAR);
    CREATE TABLE metrics
        (key VARCHAR, value FLOAT, timestamp BIGINT, run_uuid VARCHAR, step BIGINT, is_nan BOOLEAN);
    CREATE TABLE latest_metrics
        (key VARCHAR, value FLOAT, timestamp BIGINT, step BIGINT, is_nan BOOLEAN, run_uuid VARCHAR);
"""


@dataclass(frozen=True)
class Example:
    """A run: its metrics are lists of what was logged, step by step."""

    name: str
    params: Mapping[str, str] = field(default_factory=dict)
    metrics: Mapping[str, Sequence[float]] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    status: str = "FINISHED"
    stage: str = "active"


def write_folder(
    folder: Path, experiments: Mapping[str, Sequence[Example]], stage: str = "active"
) -> Path:
    """Experiments in a tracking folder; JSON is YAML too."""
    for number, (name, runs) in enumerate(experiments.items(), 1):
        about = {"experiment_id": str(number), "name": name, "lifecycle_stage": stage}
        _write(folder / str(number) / "meta.yaml", json.dumps(about))
        (folder / str(number) / "models").mkdir()
        for start, run in enumerate(runs):
            _write_run(folder / str(number) / run.name, run, start)
    return folder


def _write_run(folder: Path, run: Example, start: int) -> None:
    about: dict[str, Any] = {"run_id": run.name, "lifecycle_stage": run.stage}
    about |= {"status": STATUSES[run.status], "start_time": start, "end_time": None}
    _write(folder / "meta.yaml", json.dumps(about))
    for name, value in run.params.items():
        _write(folder / "params" / name, value)
    for name, value in run.tags.items():
        _write(folder / "tags" / name, value)
    for name, values in run.metrics.items():
        lines = [f"{1000 + step} {value} {step}\n" for step, value in enumerate(values)]
        _write(folder / "metrics" / name, "".join(lines))


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def write_database(
    path: Path, experiments: Mapping[str, Sequence[Example]], stage: str = "active"
) -> Path:
    """Experiments in a new database."""
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(TABLES)
        for number, (name, runs) in enumerate(experiments.items(), 1):
            database.execute("INSERT INTO experiments VALUES (?, ?, ?)", (number, name, stage))
            for start, run in enumerate(runs):
                row = (run.name, "a name", run.status, start, run.stage, number)
                database.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?)", row)
                _insert_details(database, run)
    return path


def _insert_details(database: sqlite3.Connection, run: Example) -> None:
    for table, values in (("params", run.params), ("tags", run.tags)):
        rows = [(name, value, run.name) for name, value in values.items()]
        database.executemany(f"INSERT INTO {table} VALUES (?, ?, ?)", rows)
    for name, logged in run.metrics.items():
        for step, value in enumerate(logged):
            row = (name, *_stored(value), 1000 + step, step, run.name)
            sql = "(key, value, is_nan, timestamp, step, run_uuid) VALUES (?, ?, ?, ?, ?, ?)"
            database.execute(f"INSERT INTO metrics {sql}", row)
            if step == len(logged) - 1:
                database.execute(f"INSERT INTO latest_metrics {sql}", row)


def _stored(value: float) -> tuple[float, bool]:
    """As MLflow stores a value: an infinite one as the greatest float, NaN as 0 and a mark."""
    if value != value:
        return 0.0, True
    return min(value, 1.7976931348623157e308), False
