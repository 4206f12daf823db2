"""The file of a report: whole or not at all, and never over something else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from malibo.errors import InputError
from malibo.report import write_report
from malibo.report.page import GENERATOR
from malibo.report.writing import check_output

PAGE = f"<!doctype html>\n<html><head>{GENERATOR}</head><p>ü</p>\n"


def test_a_page_is_written_and_its_size_told(tmp_path: Path) -> None:
    size = write_report(PAGE, tmp_path / "r.html")
    assert (tmp_path / "r.html").read_bytes() == PAGE.encode()
    assert size == len(PAGE.encode())
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]


def test_a_page_replaces_an_older_one(tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    write_report(f"{PAGE}<p>old", path)
    write_report(PAGE, path)
    assert path.read_text(encoding="utf-8") == PAGE


def test_a_whole_report_is_known_again(tmp_path: Path, page: str) -> None:
    path = tmp_path / "r.html"
    for _ in range(2):
        write_report(page, path)
    assert path.read_text(encoding="utf-8") == page


def test_an_empty_file_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "r.html").touch()
    write_report(PAGE, tmp_path / "r.html")
    assert (tmp_path / "r.html").stat().st_size > 0


@pytest.mark.parametrize(
    "content",
    [
        b"SQLite format 3\x00...",
        b"a,b\n1,2\n",
        b"\xff\x00",
        b"<!doctype html>\n<p>somebody else's work",
        b"<!doctype html>" + b" " * 5000 + GENERATOR.encode(),
    ],
)
def test_any_other_file_stays_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "study.db"
    path.write_bytes(content)
    with pytest.raises(InputError, match="is no report of malibo, so it is left as it is"):
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
        write_report(f"{PAGE}new", path)
    assert path.read_text(encoding="utf-8") == PAGE
    assert [found.name for found in tmp_path.iterdir()] == ["r.html"]
