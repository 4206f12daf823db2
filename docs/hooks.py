"""What MkDocs fills in while it builds: the command line's help, and the changelog."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from malibo.cli import main

ROOT = Path(__file__).parent.parent
WIDTH = 78  # of help texts, in characters


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """A page's text with what is generated in place of its marker."""
    for source, marker, generate in GENERATED:
        if page.file.src_uri == source:
            if marker not in markdown:
                raise ValueError(f"{source} has no line {marker!r} to be filled in")
            markdown = markdown.replace(marker, generate())
    return markdown


def command_line() -> str:
    """Every command with its help, as Markdown."""
    return "\n\n".join(_section(path, help_text) for path, help_text in help_texts())


def help_texts() -> Iterator[tuple[str, str]]:
    """``("malibo bench run", its help)`` for every command, groups before what is in them."""
    yield from _walk("malibo", main, None)


def _walk(
    name: str, command: click.Command, parent: click.Context | None
) -> Iterator[tuple[str, str]]:
    context = click.Context(
        command,
        info_name=name,
        parent=parent,
        terminal_width=WIDTH,
        **command.context_settings,
    )
    yield context.command_path, command.get_help(context)
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            if found is not None and not found.hidden:
                yield from _walk(child, found, context)


def _section(path: str, help_text: str) -> str:
    level = "##" if path.count(" ") <= 1 else "###"
    return f"{level} {path}\n\n```text\n{help_text}\n```"


def changelog() -> str:
    """CHANGELOG.md without its title, its links as seen from the documentation."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    _, _, body = text.partition("\n")
    return body.replace("](docs/", "](")


#: Pages, the line in them that is replaced, and what replaces it.
GENERATED: list[tuple[str, str, Callable[[], str]]] = [
    ("reference/command-line.md", "<!-- help texts -->", command_line),
    ("changelog.md", "<!-- changelog -->", changelog),
]
