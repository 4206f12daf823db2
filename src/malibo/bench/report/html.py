"""The whole report as one HTML file that needs nothing else: pictures are inside."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from html import escape

from malibo.bench.report.content import Cells, Index, Page, Picture, Section, anchor, sentence


def report_page(index: Index) -> str:
    """The index and all pages below each other."""
    body = ["<h1>malibo bench</h1>", *(f"<p>{_prose(note)}</p>" for note in index.notes)]
    links = (
        f'<li><a href="#{page.name}">{escape(page.title)}</a>: {escape(page.line)}</li>'
        for page in index.pages
    )
    body += ["<ul>", *links, "</ul>"]
    for section in index.sections:
        body += _section(section, "index")
    for page in index.pages:
        body += _page(page)
    return _FRAME.replace("BODY", "\n".join(body))


def _page(page: Page) -> Iterator[str]:
    yield f'<h1 id="{page.name}">{escape(page.title)}</h1>'
    for note in page.notes:
        yield f"<p>{_prose(note)}</p>"
    for section in page.sections:
        yield from _section(section, page.name)
    if page.commands:
        lines = escape("\n".join(page.commands))
        yield f"<details><summary>How the runs were made</summary><pre>{lines}</pre></details>"


def _section(section: Section, page: str) -> Iterator[str]:
    yield f'<h2 id="{page}-{anchor(section.title)}">{escape(section.title)}</h2>'
    for note in section.notes:
        yield f"<p>{_prose(note)}</p>"
    for caption, cells in section.tables.items():
        yield f"<h3>{escape(sentence(caption))}</h3>"
        yield _table(cells)
    for caption, cells in section.folded.items():
        opened = f"<details><summary>{escape(sentence(caption))}</summary>"
        yield f"{opened}{_table(cells)}</details>"
    yield from map(_picture, section.pictures)


def _prose(note: str) -> str:
    """A paragraph without the marks of Markdown: no links to other files, and plain code."""
    return escape(re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", note).replace("`", ""))


def _table(cells: Cells) -> str:
    header, *lines = ([escape(cell) for cell in line] for line in cells)
    head = "".join(f"<th>{cell}</th>" for cell in header)
    rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in line)}</tr>" for line in lines)
    return f"<div><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"


def _picture(picture: Picture) -> str:
    data = base64.b64encode(picture.path.read_bytes()).decode()
    line = escape(picture.line)
    return (
        f'<figure><img alt="{line}" src="data:image/png;base64,{data}">'
        f"<figcaption><code>{escape(picture.name)}</code>: {line}</figcaption></figure>"
    )


_FRAME = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>malibo bench</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem; padding: 0 1rem;
  color: #222; background: #fff; }
h1 { margin-top: 3rem; }
div { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.85rem; white-space: nowrap; }
th, td { padding: 0.2rem 0.7rem; text-align: right; border-bottom: 1px solid #ddd; }
th:first-child, td:first-child { text-align: left; }
pre { background: #f5f5f5; padding: 0.7rem; overflow-x: auto; font-size: 0.8rem; }
summary { cursor: pointer; }
figure { margin: 2rem 0; }
img { max-width: 100%; height: auto; }
figcaption { color: #555; font-size: 0.9rem; }
</style></head><body>
BODY
</body></html>
"""
