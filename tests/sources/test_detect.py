"""What a source is, by its content."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from malibo.errors import HistoryError
from malibo.sources.detect import kind_of


def database(path: Path, *tables: str) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        for table in tables:
            connection.execute(f"CREATE TABLE {table} (name TEXT)")
        connection.commit()
    return path


@pytest.mark.parametrize(
    ("tables", "kind"),
    [
        (("studies", "trials"), "optuna"),
        (("experiments", "runs"), "mlflow"),
        (("malibo", "trials"), "study"),
    ],
)
def test_a_database_is_known_by_its_tables(
    tmp_path: Path, tables: tuple[str, ...], kind: str
) -> None:
    path = database(tmp_path / "past.csv", *tables)
    assert kind_of(str(path)) == kind
    assert kind_of(f"sqlite:///{path}") == kind


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("postgresql://host/past", "optuna"),
        ("sqlite:///none.db", "optuna"),
        ("http://localhost:5000", "mlflow"),
        ("https://host", "mlflow"),
        ("mlflow:mlruns", "mlflow"),
        ("file:///mlruns", "mlflow"),
        ("databricks", "mlflow"),
        ("databricks://profile", "mlflow"),
    ],
)
def test_an_address_is_known_by_its_scheme(address: str, kind: str) -> None:
    assert kind_of(address) == kind


def test_files_and_folders(tmp_path: Path) -> None:
    table, log = tmp_path / "past.db", tmp_path / "past.csv"
    table.write_text("task,loss\na,1\n")
    log.write_text('{"op_code": 0, "worker_id": "w"}\n')
    assert kind_of(str(table)) == "table"
    assert kind_of(str(log)) == "optuna"
    assert kind_of(str(tmp_path)) == "mlflow"


def test_a_file_may_be_called_like_a_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("databricks_runs.csv").write_text("task,loss\na,1\n")
    assert kind_of("databricks_runs.csv") == "table"


def test_a_name_that_is_too_long_is_told_in_one_line() -> None:
    with pytest.raises(HistoryError, match="cannot be read: File name too long"):
        kind_of("x" * 300)


def test_what_is_nothing_of_this_is_refused(tmp_path: Path) -> None:
    with pytest.raises(HistoryError, match="there is no file or folder 'none'"):
        kind_of("none")
    foreign = database(tmp_path / "foreign.db", "cats", "dogs")
    message = r"foreign\.db' is a database, but neither of Optuna .*the tables 'cats', 'dogs'"
    with pytest.raises(HistoryError, match=message):
        kind_of(str(foreign))
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(foreign.read_bytes()[:200])
    with pytest.raises(HistoryError, match=r"damaged\.db' cannot be read: "):
        kind_of(str(damaged))
