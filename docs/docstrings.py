"""Makes the columns of malibo's docstrings into lists, for the reference pages.

In the source an attribute or option stands in a column, and what it means beside it:

    seed         with the same seed come the same suggestions,
                 after a restart as well

Markdown would run the lines together. Here they become a definition list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import griffe

_ENTRY = re.compile(r"^(?P<term>\S+(?: \S+)*) {2,}(?P<text>\S.*)$")
_NAMES = re.compile(r"^[a-z_]+(?:, [a-z_]+)+$")  # names alone, their meaning on the next line
_INDENTED = re.compile(r"^ {4,}(?P<text>\S.*)$")


class AlignedColumns(griffe.Extension):
    """Rewrites docstrings when griffe has read an object."""

    def on_instance(self, *, node: Any, obj: griffe.Object, **_: Any) -> None:
        """Called once for each module, class, function and attribute."""
        if obj.docstring is not None:
            obj.docstring.value = with_lists(obj.docstring.value)


def with_lists(text: str) -> str:
    """The text with aligned columns as definition lists."""
    return "\n".join(_rewritten(_joined(text.splitlines())))


def _joined(lines: list[str]) -> list[str]:
    """The lines, with names that fill a line and the meaning below them in one."""
    joined: list[str] = []
    for line in lines:
        if joined and _NAMES.match(joined[-1]) and (meaning := _INDENTED.match(line)):
            joined[-1] += f"  {meaning['text']}"
        else:
            joined.append(line)
    return joined


def _rewritten(lines: list[str]) -> Iterator[str]:
    column = 0  # where the meanings begin; 0 outside a list
    for line in lines:
        if entry := _entry(line, column):
            term, meaning = entry
            column = column or len(line) - len(meaning)
            yield from ("", f"`{term}`", f":   {meaning}")
        elif column and (more := _INDENTED.match(line)):
            yield f"    {more['text']}"
        else:
            column = 0
            yield line


def _entry(line: str, column: int) -> tuple[str, str] | None:
    """A term and its meaning; a term as long as its column has one space after it."""
    if found := _ENTRY.match(line):
        return found["term"], found["text"]
    if 0 < column < len(line) and line[:1].strip() and line[column - 1] == " ":
        return line[:column].rstrip(), line[column:]
    return None
