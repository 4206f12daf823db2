"""The file of a study: whole or not at all, never another's, usable after a kill."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from malibo import Float, Space
from malibo.config import SuggestConfig
from malibo.study import Study, StudyBusyError, StudyError, database

SPACE = Space(x=Float(0, 1))
FAST = SuggestConfig(residual="none", random_candidates=16)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A study with one trial told and one running."""
    study = Study.create(tmp_path / "tuning.db", space=SPACE, seed=0, config=FAST)
    study.ask(2)
    study.tell(0, 0.5)
    return study.path


def test_a_file_that_exists_is_not_touched(path: Path, tmp_path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(StudyError, match=r"tuning\.db exists already; open it by Study\.open"):
        Study.create(path, space=SPACE)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_of_two_that_create_at_once_one_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.db"
    real = os.link

    def slower(source: Path, target: Path) -> None:
        monkeypatch.setattr(os, "link", real)
        Study.create(path, space=SPACE, name="faster")
        real(source, target)

    monkeypatch.setattr(os, "link", slower)
    with pytest.raises(StudyError, match="exists already"):
        Study.create(path, space=SPACE, name="slower")
    assert Study.open(path).name == "faster"
    assert list(tmp_path.iterdir()) == [path]


def test_a_disk_without_hard_links_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(source: Path, target: Path) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", refuse)
    Study.create(tmp_path / "a.db", space=SPACE, name="here")
    assert Study.open(tmp_path / "a.db").name == "here"
    assert [found.name for found in tmp_path.iterdir()] == ["a.db"]


def test_others_may_read_what_the_user_s_mask_allows(path: Path) -> None:
    mask = os.umask(0)
    os.umask(mask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~mask


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"cannot write .*a\.db: No such file or directory"):
        Study.create(tmp_path / "missing" / "a.db", space=SPACE)


def test_nothing_is_made_by_opening(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"there is no study '.*a\.db'"):
        Study.open(tmp_path / "a.db")
    with pytest.raises(StudyError, match="is a directory, not a study"):
        Study.open(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"SQLite", b"lr,loss\n0.1,0.2\n", bytes(5000)])
def test_a_file_of_another_kind_is_not_touched(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "runs.db"
    path.write_bytes(content)
    with pytest.raises(StudyError, match=r"runs\.db is not a study of malibo"):
        Study.open(path)
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_a_database_of_another_kind_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "optuna.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE trials (number INTEGER)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StudyError, match="is a database, but not a study of malibo; it was left"):
        Study.open(path)
    assert path.read_bytes() == before


def set_fact(path: Path, key: str, value: str) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE malibo SET value = ? WHERE key = ?", (value, key))
    connection.close()


@pytest.mark.parametrize("version", ["2", "null", '"1"'])
def test_a_newer_format_is_refused(path: Path, version: str) -> None:
    set_fact(path, "version", version)
    with pytest.raises(StudyError, match=r"format version .*up to 1; run: pip install --upgrade"):
        Study.open(path)


def test_facts_that_make_no_sense_are_one_line(path: Path) -> None:
    set_fact(path, "config", '{"no": "such"}')
    with pytest.raises(StudyError, match="its facts cannot be understood") as error:
        Study.open(path)
    assert "\n" not in str(error.value)
    set_fact(path, "config", "{")
    with pytest.raises(StudyError, match="is damaged"):
        Study.open(path)


def test_a_truncated_file_is_damaged(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(StudyError, match=r"tuning\.db is damaged") as error:
        Study.open(path)
    assert "\n" not in str(error.value)


def test_overwritten_pages_are_damaged(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(StudyError, match=r"tuning\.db is damaged"):
        Study.open(path)


def test_a_damaged_model_is_one_line(path: Path) -> None:
    study = Study.open(path)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE model SET content = ?", (b"nonsense{",))
    connection.close()
    with pytest.raises(StudyError, match=r"tuning\.db cannot be used: its model is damaged"):
        study.ask()
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM model")
    connection.close()
    with pytest.raises(StudyError, match="its model is missing"):
        study.ask()


def test_a_file_that_vanished_is_not_made_again(path: Path) -> None:
    study = Study.open(path)
    path.unlink()
    with pytest.raises(StudyError, match="there is no study"):
        study.tell(1, 0.5)
    assert not path.exists()


def test_a_lock_that_lasts_is_named(path: Path) -> None:
    study = Study.open(path).with_patience(0.01)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StudyBusyError, match=r"in use by another process.*try again"):
        study.tell(1, 0.5)
    assert [trial.status for trial in study.trials] == ["finished", "running"]  # can be read
    other.close()
    study.tell(1, 0.5)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the rights bind no root")
def test_a_file_that_cannot_be_written_can_be_read(path: Path) -> None:
    path.chmod(0o444)
    study = Study.open(path)
    assert len(study.trials) == 2
    with pytest.raises(StudyError, match=r"cannot be written, .*nothing was changed"):
        study.tell(1, 0.5)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("attempt to write a readonly database", "cannot be written, or its folder cannot"),
        ("unable to open database file", "cannot be written, or its folder cannot"),
        ("database disk image is malformed", "is damaged"),
        ("database or disk is full", "tuning.db: database or disk is full; nothing was changed"),
    ],
)
def test_what_sqlite_says_is_put_into_one_line(path: Path, text: str, sentence: str) -> None:
    def fail() -> None:
        with database.Database(path).transaction():
            raise sqlite3.OperationalError(text)

    with pytest.raises(StudyError) as error:
        fail()
    assert sentence in str(error.value)


def test_errors_of_others_are_not_blamed_on_the_file(path: Path) -> None:
    def fail() -> None:
        with database.Database(path).reading():
            raise ValueError("a mistake of ours")

    with pytest.raises(ValueError, match="a mistake of ours") as error:
        fail()
    assert not isinstance(error.value, StudyError)


def test_an_error_within_a_transaction_undoes_it(path: Path) -> None:
    def fail() -> None:
        with database.Database(path).transaction() as connection:
            connection.execute("DELETE FROM trials")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert len(Study.open(path).trials) == 2


KILLED = """
import os, signal, sys
from pathlib import Path
from malibo.study.database import Database
with Database(Path(sys.argv[1])).transaction() as connection:
    connection.execute("PRAGMA cache_size = 1")
    connection.execute("UPDATE trials SET value = 7, status = 'finished'")
    for number in range(100, 600):  # more than the cache holds, so that some is written
        row = (number, "x" * 100)
        values = "VALUES (?, ?, 'running')"
        connection.execute(f"INSERT INTO trials (number, config, status) {values}", row)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_a_process_killed_while_it_writes_leaves_the_file_as_it_was(path: Path) -> None:
    before = Study.open(path).trials
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert path.with_name("tuning.db-journal").exists()  # it was in the middle
    study = Study.open(path)
    assert study.trials == before
    study.tell(1, 0.25)
    assert study.ask()[0].number == 2
