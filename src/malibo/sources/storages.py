"""Storages of Optuna, opened for reading: nothing is made where nothing is."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from malibo.errors import HistoryError

if TYPE_CHECKING:
    from optuna.storages import BaseStorage

_EXPECTED = (
    "a storage is a URL such as 'sqlite:///past.db' (with a fourth slash for an absolute path), or"
    " a storage object of Optuna"
)


def opened(storage: str | BaseStorage) -> BaseStorage:
    """The storage behind a URL, if there is one; a storage object as it is."""
    import optuna

    if isinstance(storage, optuna.storages.BaseStorage):
        return storage
    if not isinstance(storage, str) or "://" not in storage:
        raise HistoryError(f"{_EXPECTED}; got {storage!r}.")
    errors: tuple[type[Exception], ...] = (*storage_errors(), ValueError)
    try:
        if (path := _sqlite_file(storage)) is not None:
            _check_sqlite(path)
        return optuna.storages.RDBStorage(storage)
    except HistoryError:
        raise
    except errors as error:
        raise unreadable(storage, error) from error


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
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
        try:
            tables = database.execute("SELECT name FROM sqlite_master WHERE name = 'studies'")
            found = tables.fetchall()
        except sqlite3.DatabaseError as error:
            raise HistoryError(f"{str(path)!r} cannot be read: {error}.") from None
    if not found:
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

    if not isinstance(storage, str):
        return f"the {type(storage).__name__}"
    try:
        return repr(make_url(storage).render_as_string(hide_password=True))
    except ArgumentError:
        return "the storage"
