"""What a source of past runs is: looked up in the file itself, not in its name."""

from __future__ import annotations

import re
from pathlib import Path

from malibo.errors import HistoryError, listing
from malibo.files import is_sqlite
from malibo.sources.optuna.storages import is_journal, tables_of

#: The tables by which a database is known.
_TABLES = {
    "study": {"malibo"},
    "optuna": {"studies", "trials"},
    "mlflow": {"experiments", "runs"},
}


def kind_of(source: str) -> str:
    """What a source is: "table", "optuna", "mlflow" or "study" (of malibo)."""
    if re.match(r"mlflow:|https?://|file:|databricks(?:$|://)", source):
        return "mlflow"
    if source.startswith("sqlite:///") and Path(source.removeprefix("sqlite:///")).is_file():
        return _database_kind(source.removeprefix("sqlite:///"))
    if "://" in source:
        return "optuna"
    path = Path(source)
    try:
        if not path.exists():
            raise HistoryError(f"there is no file or folder {source!r}.")
        if path.is_dir():
            return "mlflow"
        if is_sqlite(path):
            return _database_kind(source)
        return "optuna" if is_journal(path) else "table"
    except OSError as error:
        raise HistoryError(f"{source!r} cannot be read: {error.strerror}.") from None


def _database_kind(path: str) -> str:
    """Whose database an SQLite file is, by its tables."""
    tables = tables_of(path)
    for kind, needed in _TABLES.items():
        if needed <= tables:
            return kind
    raise HistoryError(
        f"{path!r} is a database, but neither of Optuna nor of MLflow nor a study of malibo; it has"
        f" the tables {listing(sorted(tables), 10) or 'none'}."
    )
