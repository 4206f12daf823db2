"""HTML and SVG as text. Whatever is not ``Markup`` is escaped, so nothing can be forgotten."""

from __future__ import annotations

import html
import json
import re
from typing import Any

_VOID = {"circle", "input", "line", "meta", "path", "rect"}
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


class Markup(str):
    """Text that is HTML or SVG already, and is put into others as it is."""

    __slots__ = ()


def tag(name: str, /, *children: object, **attributes: object) -> Markup:
    """An element; ``class_`` and ``aria_label`` stand for ``class`` and ``aria-label``.

    An attribute that is None or False is left out, one that is True has no value.
    """
    opening = f"<{name}{''.join(_attribute(key, value) for key, value in attributes.items())}"
    if name in _VOID:
        return Markup(f"{opening}/>")
    return Markup(f"{opening}>{joined(*children)}</{name}>")


def joined(*children: object) -> Markup:
    """One after the other; lists are taken apart, None is left out."""
    return Markup("".join(_child(child) for child in children))


def escaped(text: object) -> Markup:
    """Any text as HTML that shows it; what HTML cannot hold becomes a replacement character."""
    return Markup(html.escape(_CONTROL.sub("\ufffd", str(text)), quote=True))


def script_data(data: Any, identifier: str) -> Markup:
    """JSON for the page's script; no text in it can end the element or begin a comment."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return tag("script", Markup(text), type="application/json", id=identifier)


def _child(child: object) -> str:
    if child is None:
        return ""
    if isinstance(child, list | tuple):
        return joined(*child)
    return child if isinstance(child, Markup) else escaped(child)


def _attribute(key: str, value: object) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    if value is True:
        return f" {name}"
    if isinstance(value, float):
        value = f"{value:.1f}".removesuffix(".0")
    return f' {name}="{escaped(value)}"'
