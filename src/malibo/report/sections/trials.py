"""The table of all trials, which the page's script sorts, filters and saves."""

from __future__ import annotations

from typing import Any

from malibo.report.marks import swatch
from malibo.report.markup import Markup, tag
from malibo.report.numerals import duration, probability, short, shown

Facts = dict[str, Any]

_LONGEST = 300  # letters of a note on the page; the CSV file has them all
_FIXED = ("trial", "status", "value", "source", "trust", "time")


def column_names(facts: Facts) -> list[str]:
    """The parameters that have a column: those of the space, then others that trials had."""
    names = [parameter["name"] for parameter in facts["parameters"]]
    others = {name: None for trial in facts["trials"] for name in trial["config"]}
    return names + [name for name in others if name not in names]


def trials_section(facts: Facts) -> Markup:
    """All trials, with controls above."""
    names = column_names(facts)
    notes = any(trial["note"] for trial in facts["trials"])
    titles = [*_FIXED, *names, *(["note"] if notes else [])]
    head = tag("tr", *[_title(index, title) for index, title in enumerate(titles)])
    rows = [_row(trial, names, notes, facts) for trial in facts["trials"]]
    table = tag(
        "table",
        tag("caption", "All trials; the titles of the columns sort.", class_="hidden"),
        tag("thead", head),
        tag("tbody", *rows),
        id="trials",
    )
    return tag(
        "section",
        tag("h2", "All trials", id="all-trials"),
        _controls(facts),
        tag("div", table, class_="wide", tabindex=0, role="region", aria_labelledby="all-trials"),
    )


def _title(index: int, title: str) -> Markup:
    """A column's title as a button; the arrow shows the order."""
    arrow = tag("span", class_="arrow", aria_hidden="true")
    button = tag("button", title, arrow, type="button", data_column=index)
    order = "ascending" if index == 0 else None
    kind = "number" if title in ("trial", "value", "trust", "time") and index < 6 else None
    return tag("th", button, scope="col", aria_sort=order, class_=kind)


def _row(trial: Facts, names: list[str], notes: bool, facts: Facts) -> Markup:
    best = facts["best"] is not None and trial["number"] == facts["best"]["number"]
    config = trial["config"]
    cells = [
        tag("th", str(trial["number"]), scope="row", class_="number"),
        tag("td", trial["status"], class_=f"status-{trial['status']}"),
        tag("td", short(trial["value"]), class_="number"),
        tag("td", swatch(trial["source"]), trial["source"]),
        tag("td", probability(trial["trust"]), class_="number"),
        tag("td", _time(trial), class_="number"),
        *[_cell(config.get(name), name in config) for name in names],
    ]
    if notes:
        cells.append(tag("td", tag("div", _cut(trial["note"])), class_="note"))
    return tag("tr", *cells, class_="best" if best else None, data_trial=trial["number"])


def _cell(value: Any, active: bool) -> Markup:
    if not active:
        return tag("td", "–", class_="inactive")
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return tag("td", shown(value), class_="number" if number else "text")


def _time(trial: Facts) -> str:
    if trial["started"] is None or trial["ended"] is None:
        return "–"
    return duration(max(0.0, trial["ended"] - trial["started"]))


def _cut(note: str) -> str:
    return note if len(note) <= _LONGEST else f"{note[:_LONGEST]}…"


def _controls(facts: Facts) -> Markup:
    statuses = sorted({trial["status"] for trial in facts["trials"]})
    sources = [item["source"] for item in facts["sources"]]
    return tag(
        "div",
        _choice("filter-status", "Status", statuses),
        _choice("filter-source", "Source", sources),
        tag("button", "Download CSV", type="button", id="download"),
        tag("span", "", id="shown", role="status", class_="muted"),
        class_="controls",
    )


def _choice(identifier: str, label: str, values: list[str]) -> Markup:
    options = [tag("option", "all", value="")] + [tag("option", v, value=v) for v in values]
    select = tag("select", *options, id=identifier)
    return tag("label", label, " ", select, for_=identifier)
