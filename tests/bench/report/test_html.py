"""The report as one file that needs nothing else."""

from __future__ import annotations

import base64
from html.parser import HTMLParser
from pathlib import Path

import pytest

from malibo.bench.report.content import Index, Page, Picture, Section
from malibo.bench.report.html import report_page

CELLS = [["method", "step 1"], ["<b>&", "0.5"]]


class Read(HTMLParser):
    """What a page refers to, what it says, and whether its tags are closed."""

    def __init__(self) -> None:
        super().__init__()
        self.sources: list[str] = []
        self.ids: list[str] = []
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.sources += [value or "" for name, value in attrs if name in ("src", "href")]
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture
def content(tmp_path: Path) -> str:
    path = tmp_path / "fig-x.png"
    path.write_bytes(b"picture")
    picture = Picture("fig-x", "what it shows", path)
    section = Section("Part", ["See [there](README.md)."], {"rank": CELLS}, {"more": CELLS})
    pages = [
        Page("one", "Title", "a line", [section], ["A `note`."], ["malibo bench run <fcnet>"]),
        Page("two", "Other", "line", [Section("Part", pictures=[picture])]),
    ]
    return report_page(Index(["Protocol."], [section], pages))


def test_the_page_says_everything_and_its_tags_are_closed(content: str) -> None:
    read = Read()
    read.feed(content)
    assert read.open == []
    wanted = ("Protocol.", "Title", "a line", "A note.", "See there.", "0.5", "More", "what it")
    for text in (*wanted, "malibo bench run <fcnet>", "<b>&"):
        assert text in read.text
    assert "<b>" not in content


def test_the_page_needs_nothing_else(content: str) -> None:
    for foreign in ("http://", "https://", "<script", "<link", "@import", "url("):
        assert foreign not in content
    read = Read()
    read.feed(content)
    first, second, picture = read.sources
    assert [first, second] == ["#one", "#two"]
    assert picture == f"data:image/png;base64,{base64.b64encode(b'picture').decode()}"


def test_every_place_has_a_name_of_its_own(content: str) -> None:
    read = Read()
    read.feed(content)
    assert {"one", "two", "one-part", "two-part"} <= set(read.ids)
    assert len(set(read.ids)) == len(read.ids)
