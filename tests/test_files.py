"""Files that are written whole, with the permissions of the user."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from contextlib import closing
from pathlib import Path

import pytest

from malibo.errors import InputError, ModelFileError
from malibo.files import check_writable, is_sqlite, part_beside, write_whole

on_unix = pytest.mark.skipif(os.name == "nt", reason="Windows knows no umask")


def test_a_file_is_written_and_an_older_one_replaced(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for content in (b"one", b""):
        write_whole(path, content)
        assert path.read_bytes() == content
    assert os.listdir(tmp_path) == ["file"]


@on_unix
@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_permissions_follow_the_umask(tmp_path: Path, umask: int, mode: int) -> None:
    before = os.umask(umask)
    try:
        write_whole(tmp_path / "file", b"")
        part = part_beside(tmp_path / "other")
    finally:
        os.umask(before)
    for path in (tmp_path / "file", part):
        assert stat.S_IMODE(path.stat().st_mode) == mode


def test_the_umask_is_never_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "umask")
    write_whole(tmp_path / "file", b"content")
    assert (tmp_path / "file").read_bytes() == b"content"


def test_of_several_writers_one_has_the_last_word(tmp_path: Path) -> None:
    path = tmp_path / "file"
    contents = [bytes([letter]) * 100_000 for letter in b"abcd"]
    writers = [threading.Thread(target=write_whole, args=(path, content)) for content in contents]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert path.read_bytes() in contents
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("step", ["replace", "fsync"])
@pytest.mark.parametrize("error", [OSError(28, "No space left"), KeyboardInterrupt()])
def test_a_failed_writing_leaves_the_old_file(
    step: str, error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_text("older")

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(os, step, fail)
    with pytest.raises((InputError, KeyboardInterrupt)):
        write_whole(path, b"new")
    assert path.read_text() == "older"
    assert os.listdir(tmp_path) == ["file"]


def test_the_kind_of_error_is_that_of_the_caller(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"cannot write .*none.m: No such file"):
        write_whole(tmp_path / "none" / "m", b"", ModelFileError)
    with pytest.raises(ModelFileError, match="there is no folder"):
        check_writable(tmp_path / "none" / "m", ModelFileError)


def test_what_is_in_the_way_is_told_before(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place, reason in [
        (".", "it is a folder; name a file in it"),
        ("none/m", "there is no folder"),
        ("file/m", "there is no folder"),
        ("x" * 300, "File name too long"),
    ]:
        with pytest.raises(InputError, match=f"cannot write .*{reason}") as caught:
            check_writable(tmp_path / place)
        assert "\n" not in str(caught.value)
    check_writable(tmp_path / "file")
    check_writable(tmp_path / "new")
    assert os.listdir(tmp_path) == ["file"]


def test_a_folder_without_permission_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(InputError, match="no permission to write in"):
        check_writable(tmp_path / "file")


def test_a_database_is_known_by_how_it_begins(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text("SQLite format 3")
    assert not is_sqlite(path)
    path.unlink()
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE t (x)")
    assert is_sqlite(path)
