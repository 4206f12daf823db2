"""The table of trials: every statement on it, within a transaction of ``database``."""

from __future__ import annotations

import json
import math
import sqlite3
import time
from collections.abc import Mapping
from typing import Any

from malibo.study.trial import Trial

SCHEMA = """
CREATE TABLE trials (
    number INTEGER PRIMARY KEY,
    config TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('running', 'waiting', 'finished', 'failed')),
    value REAL,
    source TEXT,
    trust REAL,
    started REAL,
    ended REAL,
    note TEXT NOT NULL DEFAULT '',
    owner TEXT,
    seen REAL
)
"""
_SELECT = (
    "SELECT number, config, status, value, source, trust, started, ended, note, owner, seen"
    " FROM trials"
)


def trials(connection: sqlite3.Connection) -> list[Trial]:
    """All trials, by number."""
    return [*map(_from_row, connection.execute(f"{_SELECT} ORDER BY number"))]


def trial(connection: sqlite3.Connection, number: int) -> Trial:
    """One that is known to be there."""
    return _from_row(connection.execute(f"{_SELECT} WHERE number = ?", (number,)).fetchone())


def _from_row(row: tuple[Any, ...]) -> Trial:
    number, config, *rest = row
    return Trial(number, json.loads(config), *rest)


def insert(
    connection: sqlite3.Connection,
    config: Mapping[str, Any],
    source: str | None = None,
    trust: float | None = None,
    owner: str | None = None,
) -> int:
    """A new trial that runs from now on; its number."""
    query = "SELECT coalesce(max(number) + 1, 0) FROM trials"
    number: int = connection.execute(query).fetchone()[0]
    connection.execute(
        "INSERT INTO trials (number, config, status, source, trust) VALUES (?, ?, 'waiting', ?, ?)",
        (number, json.dumps(config), source, trust),
    )
    start(connection, number, owner)
    return number


def start(connection: sqlite3.Connection, number: int, owner: str | None) -> None:
    """A trial runs from now on."""
    now = time.time()
    connection.execute(
        "UPDATE trials SET status = 'running', started = ?, owner = ?, seen = ? WHERE number = ?",
        (now, owner, now, number),
    )


def finish(connection: sqlite3.Connection, number: int, value: float, note: str) -> None:
    """A trial is over; NaN if it failed. Without a note, an earlier one stays."""
    status, result = ("failed", None) if math.isnan(value) else ("finished", value)
    connection.execute(
        "UPDATE trials SET status = ?, value = ?, ended = ?, note = coalesce(nullif(?, ''), note)"
        " WHERE number = ?",
        (status, result, time.time(), note, number),
    )


def give_back(connection: sqlite3.Connection, number: int) -> None:
    """A trial waits, as if it had not run."""
    connection.execute(
        "UPDATE trials SET status = 'waiting', started = NULL, ended = NULL, note = '',"
        " owner = NULL, seen = NULL WHERE number = ?",
        (number,),
    )


def saw(connection: sqlite3.Connection, owner: str) -> None:
    """An owner was seen at work on its trials."""
    connection.execute(
        "UPDATE trials SET seen = ? WHERE owner = ? AND status = 'running'", (time.time(), owner)
    )
