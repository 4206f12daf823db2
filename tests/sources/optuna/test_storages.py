"""Storages of Optuna that cannot be read, and are left as they were."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import optuna
import pytest
from optuna.distributions import FloatDistribution
from optuna.storages import InMemoryStorage, RDBStorage
from optuna.trial import create_trial

from malibo import History
from malibo.errors import HistoryError


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(optuna.logging.INFO)


def add(storage: Any, name: str) -> None:
    """Add a study with one result to a storage."""
    study = optuna.create_study(storage=storage, study_name=name)
    study.add_trial(
        create_trial(value=1.0, params={"x": 0.5}, distributions={"x": FloatDistribution(0, 1)})
    )


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_an_empty_storage_is_refused(kind: str, tmp_path: Path) -> None:
    sqlite = f"sqlite:///{tmp_path / 'past.db'}"
    storage = InMemoryStorage() if kind == "memory" else RDBStorage(sqlite)
    message = f"no study with results in the {type(storage).__name__}"
    with pytest.raises(HistoryError, match=message):
        History.from_optuna(storage)


def test_a_missing_file_is_named_and_not_created(tmp_path: Path) -> None:
    path = tmp_path / "past.db"
    for options in ("", "?timeout=5"):
        with pytest.raises(HistoryError, match=rf"there is no file '{path}.*'; a storage is a URL"):
            History.from_optuna(f"sqlite:///{path}{options}")
    with pytest.raises(HistoryError, match="there is no file"):
        History.from_optuna(f"sqlite:///{tmp_path}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["p%20q.db", "q?x.db", "a#b.db", "{c}.db", "plain.db"])
def test_a_path_is_taken_as_it_is(tmp_path: Path, name: str) -> None:
    add(f"sqlite:///{tmp_path / 'made.db'}", "one")
    path = (tmp_path / "made.db").rename(tmp_path / name)
    for source in (path, str(path)):
        assert History.from_optuna(source).names == ("one",)
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_no_address_is_refused_with_an_example() -> None:
    with pytest.raises(HistoryError, match=r"a storage is a URL such as 'sqlite:///past\.db'"):
        History.from_optuna("past.db")


@pytest.mark.parametrize("wrong", [None, 5, ["sqlite:///past.db"]])
def test_what_is_no_storage_is_refused(wrong: Any) -> None:
    with pytest.raises(HistoryError, match=r"a storage is a URL such as .*; got"):
        History.from_optuna(wrong)


def test_a_study_in_place_of_its_storage_is_refused() -> None:
    with pytest.raises(HistoryError, match=r"a storage is a URL .* or a storage object of Optuna"):
        History.from_optuna(optuna.create_study())


def test_an_unknown_study_is_refused_with_the_nearest() -> None:
    storage = InMemoryStorage()
    add(storage, "resnet-2024")
    add(storage, "bert")
    message = (
        r"the InMemoryStorage has no study 'resnet-2025'; it has 'resnet-2024', 'bert'\."
        r" Did you mean 'resnet-2024'\?"
    )
    with pytest.raises(HistoryError, match=message):
        History.from_optuna(storage, ["bert", "resnet-2025"])


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "past.db"
    path.write_text("task,lr,loss\n" * 1000)
    message = r"past\.db' cannot be read: file is not a database"
    with pytest.raises(HistoryError, match=message):
        History.from_optuna(f"sqlite:///{path}")


def changed_database(path: Path, *statements: str) -> str:
    """The address of a database after some statements."""
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return f"sqlite:///{path}"


def test_a_database_of_an_older_optuna_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "past.db"
    add(f"sqlite:///{path}", "one")
    old = changed_database(path, "UPDATE alembic_version SET version_num = 'v2.6.0.a'")
    with pytest.raises(HistoryError, match=r"cannot be read: .*optuna storage upgrade"):
        History.from_optuna(old)


def test_a_database_of_another_program_is_refused(tmp_path: Path) -> None:
    foreign = changed_database(tmp_path / "past.db", "CREATE TABLE studies (title TEXT)")
    with pytest.raises(HistoryError, match=r"'sqlite:///.*past\.db' cannot be read"):
        History.from_optuna(foreign)


@pytest.mark.parametrize("address", ["nonsense://past", "sqlite:/past.db://", "://"])
def test_an_address_without_sense_is_refused(address: str) -> None:
    with pytest.raises(HistoryError, match="cannot be read"):
        History.from_optuna(address)


@pytest.mark.parametrize("statement", ["", "CREATE TABLE other (title TEXT)"])
def test_a_database_without_studies_is_left_as_it_was(statement: str, tmp_path: Path) -> None:
    path = tmp_path / "past.db"
    path.touch()
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()
    before = path.read_bytes()
    with pytest.raises(HistoryError):
        History.from_optuna(f"sqlite:///{path}")
    assert path.read_bytes() == before


def test_a_missing_file_is_not_created_whatever_the_driver(tmp_path: Path) -> None:
    path = tmp_path / "past.db"
    with pytest.raises(HistoryError, match="there is no file"):
        History.from_optuna(f"sqlite+pysqlite:///{path}")
    assert not path.exists()


def test_a_path_in_place_of_an_address_is_not_said_to_be_missing(
    tmp_path: Path,
) -> None:
    path = tmp_path / "past.db"
    path.touch()
    with pytest.raises(HistoryError) as caught:
        History.from_optuna(str(path))
    assert "there is no file" not in str(caught.value)


def test_a_password_is_not_told() -> None:
    with pytest.raises(HistoryError) as caught:
        History.from_optuna("nonsense://me:secret@host/past")
    assert "secret" not in str(caught.value)


# -- files by their paths ------------------------------------------------------------------


def journal(path: Path) -> Path:
    """A journal file with one study."""
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    add(JournalStorage(JournalFileBackend(str(path))), "one")
    return path


@pytest.mark.parametrize("as_text", [True, False])
@pytest.mark.parametrize("kind", ["journal", "sqlite"])
def test_the_path_of_a_file_is_enough_and_the_file_stays_as_it_is(
    tmp_path: Path, as_text: bool, kind: str
) -> None:
    path = tmp_path / "past"  # the name says nothing
    if kind == "journal":
        journal(path)
    else:
        add(f"sqlite:///{path}", "one")
    before = path.read_bytes()
    history = History.from_optuna(str(path) if as_text else path)
    assert history.names == ("one",)
    assert history.losses.tolist() == [1.0]
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("content", ["", "a,b\n1,2\n", '{"a": 1}\n', "[1]\n", "3\n"])
def test_another_file_is_refused_by_its_path(tmp_path: Path, content: str) -> None:
    path = tmp_path / "past"
    path.write_text(content)
    with pytest.raises(HistoryError, match="past' is neither a database nor a journal of Optuna"):
        History.from_optuna(path)
    assert path.read_text() == content


def test_a_missing_path_or_a_folder_is_named_and_not_created(tmp_path: Path) -> None:
    for path in (tmp_path / "past.log", tmp_path):
        with pytest.raises(HistoryError, match=r"there is no file '.*'; a storage is a URL"):
            History.from_optuna(path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("damage", ["broken\n{}\n", '{"op_code": 99, "worker_id": "w"}\n', "{}\n"])
def test_a_damaged_journal_is_refused_in_one_line(tmp_path: Path, damage: str) -> None:
    path = journal(tmp_path / "past.log")
    path.write_text(path.read_text() + damage)
    with pytest.raises(HistoryError, match=r"past\.log' cannot be read as a journal") as caught:
        History.from_optuna(path)
    assert "\n" not in str(caught.value)


def test_an_unknown_study_of_a_file_is_named_with_the_file(tmp_path: Path) -> None:
    path = journal(tmp_path / "past.log")
    with pytest.raises(HistoryError, match=r"past\.log' has no study 'two'; it has 'one'"):
        History.from_optuna(path, ["two"])


def test_a_database_of_another_program_is_refused_by_its_path(tmp_path: Path) -> None:
    changed_database(tmp_path / "past.db", "CREATE TABLE other (title TEXT)")
    with pytest.raises(HistoryError, match="has no study with results: it is not of Optuna"):
        History.from_optuna(tmp_path / "past.db")
