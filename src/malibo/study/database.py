"""The file of a study: an SQLite database that several processes may use at once.

Every operation opens the file, does one transaction and closes it again. So nothing is held
between two operations, threads and forked processes need no care, and a process that is killed
leaves the file as it was before its last transaction. The journal is SQLite's plain one, not a
write-ahead log: at rest, the one file is all there is.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from copy import copy
from pathlib import Path
from typing import Any

from malibo.errors import InputError
from malibo.files import is_sqlite, part_beside
from malibo.study import table

VERSION = 1
PATIENCE = 120.0  # seconds until another process must have ended its transaction

_SCHEMA = (
    "CREATE TABLE malibo (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE model (content BLOB NOT NULL)",
    table.SCHEMA,
)


class StudyError(InputError):
    """A study file that is foreign, damaged or in use, or a trial that is not there."""


class StudyBusyError(StudyError):
    """Another process did not let go of a study's file in time; nothing was changed."""


class TrialToldError(StudyError):
    """A trial has a result already, which stays."""


class Database:
    """The tables of a study's file.

    malibo   facts by their names, as JSON; "version" is that of this format
    model    one row: the bytes of the model file
    trials   a row each

    path      as it was given, for messages
    file      where it is, also after the process has gone to another folder
    patience  seconds that an operation waits for another process
    """

    def __init__(self, path: Path, patience: float = PATIENCE) -> None:
        self.path = path
        self.file = path.absolute()
        self._patience = patience

    def with_patience(self, seconds: float) -> Database:
        """The same file, for which an operation waits so long."""
        other = copy(self)
        other._patience = seconds
        return other

    @classmethod
    def create(cls, path: Path, facts: Mapping[str, Any], model: bytes) -> Database:
        """A new file, all or nothing; one that is there is not touched."""
        if path.exists():
            raise _exists(path)
        try:
            part = cls(part_beside(path))
        except OSError as error:
            raise StudyError(f"cannot write {path}: {error.strerror}.") from None
        try:
            with part.transaction() as connection:
                for statement in _SCHEMA:
                    connection.execute(statement)
                rows = [(key, json.dumps(value)) for key, value in facts.items()]
                rows.append(("version", json.dumps(VERSION)))
                connection.executemany("INSERT INTO malibo VALUES (?, ?)", rows)
                connection.execute("INSERT INTO model VALUES (?)", (model,))
            _move(part.path, path)
        finally:
            with suppress(FileNotFoundError):
                part.path.unlink()
        return cls(path)

    def facts(self) -> dict[str, Any]:
        """All facts, from a file that is checked to be a whole study of a known version."""
        if not is_database(self.file, self.path):
            raise StudyError(f"{self.path} is not a study of malibo.")
        with self.reading() as connection:
            query = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'malibo'"
            if not connection.execute(query).fetchone()[0]:
                raise StudyError(
                    f"{self.path} is a database, but not a study of malibo; it was left as it is."
                )
            facts = {k: json.loads(v) for k, v in connection.execute("SELECT * FROM malibo")}
            self._check_version(facts.get("version"))
            state = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if state != "ok":
                raise StudyError(f"{self.path} is damaged ({state}); use a copy of it.")
        return facts

    def _check_version(self, version: object) -> None:
        if not isinstance(version, int) or version > VERSION:
            raise StudyError(
                f"{self.path} has format version {version!r}, and this malibo reads up to"
                f" {VERSION}; run: pip install --upgrade malibo"
            )

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Alone against all other processes that write; undone if an error ends it."""
        with self._connected() as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The state of one moment, also while others write."""
        with self._connected() as connection:
            connection.execute("BEGIN")
            yield connection

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """A connection that never makes a file; its errors are told in one line."""
        uri = f"{self.file.as_uri()}?mode=rw"
        try:
            connection = sqlite3.connect(uri, self._patience, uri=True, isolation_level=None)
            with closing(connection):  # what was not committed is undone
                yield connection
        except sqlite3.Error as error:
            kind = StudyBusyError if "locked" in str(error) else StudyError
            raise kind(self._sentence(error)) from None
        except json.JSONDecodeError as error:
            raise StudyError(f"{self.path} is damaged ({error}); use a copy of it.") from None

    def _sentence(self, error: sqlite3.Error) -> str:
        text = str(error)
        if not self.file.exists():
            return f"there is no study {str(self.path)!r}."
        if "locked" in text:
            return (
                f"{self.path} is in use by another process, for too long; try again, or end that"
                " process."
            )
        if "readonly" in text or "unable to open" in text:
            return f"{self.path} cannot be written, or its folder cannot; nothing was changed."
        if "malformed" in text or "not a database" in text or "no such" in text:
            return f"{self.path} is damaged ({text}); use a copy of it."
        return f"{self.path}: {text}; nothing was changed."


def is_database(path: Path, given: Path | None = None) -> bool:
    """Whether a file is an SQLite database, by how it begins; messages name it as given."""
    given = path if given is None else given
    if path.is_dir():
        raise StudyError(f"{str(given)!r} is a directory, not a study.")
    try:
        return is_sqlite(path)
    except FileNotFoundError:
        raise StudyError(f"there is no study {str(given)!r}.") from None
    except OSError as error:
        raise StudyError(f"cannot read {given}: {error.strerror}.") from None


def _exists(path: Path) -> StudyError:
    return StudyError(f"{path} exists already; open it by Study.open, or choose another name.")


def _move(part: Path, path: Path) -> None:
    """Give a file its name, unless another one has it: of two that try, one fails."""
    try:
        os.link(part, path)
    except FileExistsError:
        raise _exists(path) from None
    except OSError:  # no hard links on this disk
        if path.exists():
            raise _exists(path) from None
        os.replace(part, path)
