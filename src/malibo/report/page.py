"""The report as one HTML page that needs nothing else: no network, no fonts, no other files."""

from __future__ import annotations

import base64
import hashlib
import math
from importlib.resources import files
from typing import Any

from malibo.report.markup import Markup, joined, script_data, tag
from malibo.report.sections import SECTIONS
from malibo.report.sections.trials import column_names

Facts = dict[str, Any]

GENERATOR = tag("meta", name="generator", content="malibo")  # by which a report is known again


def report_page(facts: Facts) -> str:
    """The whole page."""
    style, script = (_packaged(name) for name in ("report.css", "report.js"))
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        GENERATOR,
        tag("title", f"{facts['name']} · malibo"),
        tag("style", Markup(style)),
    )
    body = tag(
        "body",
        tag("main", *[section(facts) for section in SECTIONS]),
        _footer(),
        script_data(_data(facts), "data"),
        tag("script", Markup(script)),
    )
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def _packaged(name: str) -> str:
    return files("malibo.report").joinpath(name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Nothing may be loaded, and nothing may run but the page's own style and script."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}';"
        " base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _data(facts: Facts) -> Facts:
    """What the script needs: the configuration to copy, and all trials in full."""
    names = column_names(facts)
    best = facts["best"] or {"number": None, "config": {}}
    return {
        "best": {name: _finite(value) for name, value in best["config"].items()},
        "best_number": best["number"],
        "names": names,
        "trials": [_line(trial, names) for trial in facts["trials"]],
    }


def _line(trial: Facts, names: list[str]) -> list[Any]:
    """A trial as a line of the table; a parameter that is inactive is null."""
    config = {name: _written(value) for name, value in trial["config"].items()}
    return [
        *(trial[key] for key in ("number", "status", "value", "source", "trust")),
        _seconds(trial),
        *(config.get(name) for name in names),
        trial["note"],
    ]


def _written(value: Any) -> Any:
    """A value that is active as number or text; ``None`` is a text, unlike nothing at all."""
    return str(value) if value is None or isinstance(value, bool) else _finite(value)


def _finite(value: Any) -> Any:
    """What JSON knows: infinite numbers as texts."""
    return value if not isinstance(value, float) or math.isfinite(value) else str(value)


def _seconds(trial: Facts) -> float | None:
    if trial["started"] is None or trial["ended"] is None:
        return None
    return round(float(max(0.0, trial["ended"] - trial["started"])), 3)


def _footer() -> Markup:
    return tag(
        "footer",
        joined(
            "Made by malibo. Everything on this page is in this file; nothing is loaded from"
            " elsewhere."
        ),
    )
