"""Pages as Markdown, for GitHub and for the site."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from malibo.bench.report.ahead import CAPTION
from malibo.bench.report.content import Cells, Index, Page, Picture, Section, anchor, sentence

COMMENT = (
    "<!-- Made by `malibo bench report` out of the runs of `malibo bench all`. What is changed here"
    " by hand is lost. -->"
)
MADE_BY = "By these commands; `malibo bench all` makes all runs that are published with malibo."


def index_text(index: Index) -> str:
    """The first page."""
    lines = [COMMENT, "", "# Results", "", *(f"- {note}" for note in index.notes), ""]
    lines += ["## Pages", ""]
    lines += [f"- [{link.title}]({link.file}): {link.line}" for link in index.written]
    lines += [f"- [{page.title}]({page.name}.md): {page.line}" for page in index.pages]
    lines.append("")
    for section in index.sections:
        lines += _section(_with_links(section, index.suites))
    return _joined(lines)


def page_text(page: Page) -> str:
    """Any other page."""
    lines = [COMMENT, "", f"# {page.title}", ""]
    for note in page.notes:
        lines += [note, ""]
    for section in page.sections:
        lines += _section(section)
    if page.commands:
        lines += ["## How the runs were made", "", MADE_BY, ""]
        lines += _folded("Commands", ["```", *page.commands, "```"])
    return _joined(lines)


def _with_links(section: Section, suites: Mapping[str, str]) -> Section:
    """Names of suites in the first column lead to where they are."""
    if CAPTION not in section.tables:
        return section
    header, *lines = section.tables[CAPTION]
    linked = [[f"[{suite}]({suites[suite]}.md#{anchor(suite)})", *cells] for suite, *cells in lines]
    return Section(section.title, section.notes, {CAPTION: [header, *linked]})


def _section(section: Section) -> Iterator[str]:
    yield from (f"## {section.title}", "")
    for note in section.notes:
        yield from (note, "")
    for caption, cells in section.tables.items():
        yield from _table(caption, cells)
    if section.folded:
        inside = [
            line for caption, cells in section.folded.items() for line in _table(caption, cells)
        ]
        yield from _folded(sentence(" and ".join(section.folded)), inside)
    for picture in section.pictures:
        yield from _picture(picture)


def _table(caption: str, cells: Cells) -> list[str]:
    header, *body = cells
    return [
        f"{sentence(caption)}:",
        "",
        _line(header),
        "|---" * len(header) + "|",
        *map(_line, body),
        "",
    ]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _folded(summary: str, lines: Sequence[str]) -> list[str]:
    """Lines that a reader has to open; ``markdown`` is for the site."""
    opened = f'<details markdown="1"><summary>{summary}</summary>'
    return [opened, "", *lines, *([] if lines[-1:] == [""] else [""]), "</details>", ""]


def _picture(picture: Picture) -> tuple[str, ...]:
    shown = f"![{picture.line}]({picture.path.name})"
    return (f"{sentence(picture.line)} (`{picture.name}`):", "", shown, "")


def _joined(lines: Sequence[str]) -> str:
    return "\n".join(lines).rstrip("\n") + "\n"
