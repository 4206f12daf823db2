"""What a report says, before it is Markdown or HTML: pages of sections of tables and pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

Cells = list[list[str]]  # a header, and lines of as many cells


@dataclass(frozen=True)
class Picture:
    """A figure that was drawn: its name, one line on what it shows, and its file."""

    name: str
    line: str
    path: Path


@dataclass(frozen=True)
class Section:
    """A part of a page, such as a suite.

    notes      paragraphs
    tables     by their captions
    folded     more tables, which a reader has to open
    pictures   below the tables
    """

    title: str
    notes: Sequence[str] = ()
    tables: Mapping[str, Cells] = field(default_factory=dict)
    folded: Mapping[str, Cells] = field(default_factory=dict)
    pictures: Sequence[Picture] = ()


@dataclass(frozen=True)
class Page:
    """A page of the report.

    name       of its file, without the ending
    line       what the index says of it
    commands   that make the results which it shows
    """

    name: str
    title: str
    line: str
    sections: Sequence[Section]
    notes: Sequence[str] = ()
    commands: Sequence[str] = ()


@dataclass(frozen=True)
class Link:
    """A page that somebody wrote by hand, which the index names."""

    file: str
    title: str
    line: str


@dataclass(frozen=True)
class Index:
    """The first page.

    notes      paragraphs on how everything was made
    sections   tables over all suites
    pages      that it leads to
    written    pages written by hand, which come before those
    suites     the page on which each suite is
    """

    notes: Sequence[str]
    sections: Sequence[Section]
    pages: Sequence[Page]
    written: Sequence[Link] = ()
    suites: Mapping[str, str] = field(default_factory=dict)


def sentence(text: str) -> str:
    """With a capital; the rest stays as it is."""
    return text[:1].upper() + text[1:]


def anchor(title: str) -> str:
    """Of a heading, as GitHub and MkDocs make it."""
    kept = "".join(letter for letter in title.lower() if letter.isalnum() or letter in "_- ")
    return kept.strip().replace(" ", "-")
