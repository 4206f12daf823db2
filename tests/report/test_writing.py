"""The file of a report: whole or not at all, and never over something else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from malibo.errors import InputError
from malibo.report import write_report
from malibo.report.writing import check_output

PAGE = "<!doctype html>\n<p>ü</p>\n"


def test_a_page_is_written_and_its_size_told(tmp_path: Path) -> None:
    size = write_report(PAGE, tmp_path / "r.html")
    assert (tmp_path / "r.html").read_bytes() == PAGE.encode()
    assert size == len(PAGE.encode())
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]


def test_a_page_replaces_an_older_one(tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    path.write_text("<!DOCTYPE HTML><p>old")
    write_report(PAGE, path)
    assert path.read_text(encoding="utf-8") == PAGE


def test_an_empty_file_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "r.html").touch()
    write_report(PAGE, tmp_path / "r.html")
    assert (tmp_path / "r.html").stat().st_size > 0


@pytest.mark.parametrize("content", [b"SQLite format 3\x00...", b"a,b\n1,2\n", b"\xff\x00"])
def test_any_other_file_stays_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "study.db"
    path.write_bytes(content)
    with pytest.raises(InputError, match="is no HTML page, so it is left as it is"):
        write_report(PAGE, path)
    assert path.read_bytes() == content


def test_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder; name a file"):
        check_output(tmp_path)
    with pytest.raises(InputError, match="there is no folder"):
        check_output(tmp_path / "no" / "r.html")


def test_an_older_page_survives_when_writing_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "r.html"
    write_report(PAGE, path)

    def broken(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(InputError, match=r"cannot write .*r.html: No space left on device"):
        write_report("<!doctype html>new", path)
    assert path.read_text(encoding="utf-8") == PAGE
    assert [found.name for found in tmp_path.iterdir()] == ["r.html"]
