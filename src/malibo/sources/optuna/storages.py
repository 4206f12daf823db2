"""Storages of Optuna, opened for reading: nothing is made where nothing is."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from malibo.errors import HistoryError
from malibo.files import is_sqlite

if TYPE_CHECKING:
    from optuna.storages import BaseStorage

_EXPECTED = (
    "a storage is a URL such as 'sqlite:///past.db' (with a fourth slash for an absolute path), the"
    " path of an SQLite or journal file, or a storage object of Optuna"
)


def opened(storage: str | PathLike[str] | BaseStorage) -> BaseStorage:
    """The storage behind a URL or path, if there is one; a storage object as it is."""
    import optuna

    if isinstance(storage, optuna.storages.BaseStorage):
        return storage
    if not isinstance(storage, str | PathLike):
        raise HistoryError(f"{_EXPECTED}; got {storage!r}.")
    text = os.fspath(storage)
    if "://" not in text or isinstance(storage, PathLike):
        return _opened_file(Path(text))
    errors: tuple[type[Exception], ...] = (*storage_errors(), ValueError)
    try:
        if (path := _sqlite_file(text)) is not None:
            _check_sqlite(path)
        return optuna.storages.RDBStorage(text)
    except HistoryError:
        raise
    except errors as error:
        raise unreadable(storage, error) from error


def is_journal(path: str | PathLike[str]) -> bool:
    """Whether a file is a journal of Optuna: operations in JSON, one a line."""
    with open(path, "rb") as file:
        first = file.readline(2**16)
    try:
        operation = json.loads(first)
    except ValueError:
        return False
    return isinstance(operation, dict) and "op_code" in operation


def tables_of(path: str | PathLike[str]) -> set[str]:
    """The names of the tables in a database of SQLite, which is read and not changed."""
    address = f"{Path(path).absolute().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True)) as database:
            found = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            return {str(name) for (name,) in found}
    except sqlite3.Error as error:
        raise HistoryError(f"{str(path)!r} cannot be read: {error}.") from None


# -- files ---------------------------------------------------------------------------------


def _opened_file(path: Path) -> BaseStorage:
    """The storage in a file, by what the file holds."""
    if not path.is_file():
        raise HistoryError(f"there is no file {str(path)!r}; {_EXPECTED}.")
    try:
        if is_sqlite(path):
            return _opened_sqlite(path)
        if is_journal(path):
            return _opened_journal(path)
    except OSError as error:
        raise HistoryError(f"{str(path)!r} cannot be read: {error.strerror}.") from None
    raise HistoryError(f"{str(path)!r} is neither a database nor a journal of Optuna; {_EXPECTED}.")


def _opened_sqlite(path: Path) -> BaseStorage:
    """A database by its path: in a URL, some letters of a name would mean something else."""
    import optuna

    _check_sqlite(path)
    address = f"{path.absolute().as_uri()}?mode=rw"

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(address, uri=True, check_same_thread=False)

    try:
        return optuna.storages.RDBStorage("sqlite:///path", engine_kwargs={"creator": connect})
    except storage_errors() as error:
        raise unreadable(path, error) from error


def _opened_journal(path: Path) -> BaseStorage:
    """A journal, read whole; a lock is only taken by who writes."""
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    try:
        return JournalStorage(JournalFileBackend(str(path)))
    except Exception as error:  # a damaged operation may raise anything while it is replayed
        reason = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        raise HistoryError(
            f"{str(path)!r} cannot be read as a journal of Optuna: {reason}."
        ) from None


def _sqlite_file(url: str) -> Path | None:
    """The file of an SQLite URL, whatever the driver; None for other databases."""
    from sqlalchemy.engine import make_url

    parsed = make_url(url)
    local = parsed.get_backend_name() == "sqlite" and parsed.database not in (None, ":memory:")
    if not local or str(parsed.database).startswith("file:"):
        return None
    return Path(str(parsed.database))


def _check_sqlite(path: Path) -> None:
    """Refuse a file in which Optuna would make its tables first."""
    if not path.is_file():
        raise HistoryError(f"there is no file {str(path)!r}; {_EXPECTED}.")
    if "studies" not in tables_of(path):
        raise HistoryError(f"{str(path)!r} has no study with results: it is not of Optuna.")


def storage_errors() -> tuple[type[Exception], ...]:
    """What Optuna and its databases raise when they cannot be read."""
    import optuna
    from sqlalchemy.exc import SQLAlchemyError

    return SQLAlchemyError, optuna.exceptions.OptunaError, RuntimeError, ImportError


def unreadable(storage: object, error: Exception) -> HistoryError:
    """The error for a storage that cannot be read."""
    first = str(error).strip().splitlines()[:1]
    return HistoryError(f"{name_of(storage)} cannot be read: {' '.join(first)}")


def name_of(storage: object) -> str:
    """A storage in messages; passwords are not told."""
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    if isinstance(storage, PathLike) or (isinstance(storage, str) and "://" not in storage):
        return repr(os.fspath(storage))
    if not isinstance(storage, str):
        return f"the {type(storage).__name__}"
    try:
        return repr(make_url(storage).render_as_string(hide_password=True))
    except ArgumentError:
        return "the storage"
