"""All trials over time."""

from __future__ import annotations

from typing import Any

from malibo.errors import plural
from malibo.report.charts import can_be_log, history_chart, history_scale
from malibo.report.marks import swatch
from malibo.report.markup import Markup, tag
from malibo.report.sections.shared import section

Facts = dict[str, Any]

_RANDOM = "random search: estimated median and 80 % band, which proved too narrow"


def history_section(facts: Facts) -> Markup | None:
    """All trials over time."""
    if facts["best"] is None:
        return None
    log = can_be_log(facts)
    lower = "lower" if facts["direction"] == "minimize" else "higher"
    views = [tag("div", history_chart(facts, log=False), data_scale="linear")]
    if log:
        views.append(tag("div", history_chart(facts, log=True), data_scale="log", hidden=True))
    controls = [
        _check("log-scale", "Logarithmic scale") if log else None,
        _check("show-random", "Random search (estimate)", checked=True),
    ]
    how = f"History of {plural(facts['counts']['all'], 'trial')}; the arrow keys go through them"
    plots = tag("div", *views, id="history-plots", tabindex=0, role="group", aria_label=how)
    return section(
        "History",
        tag("div", *controls, class_="controls"),
        tag(
            "figure",
            tag("p", f"value ({lower} is better)", class_="axis-title"),
            plots,
            tag("p", "trial", class_="axis-title under"),
            _legend(facts),
            _far_out(facts),
            id="history",
        ),
        tag("div", id="chosen", class_="chosen", role="status"),
    )


def _check(identifier: str, label: str, checked: bool = False) -> Markup:
    box = tag("input", type="checkbox", id=identifier, checked=checked)
    return tag("label", box, " ", label, for_=identifier)


def _legend(facts: Facts) -> Markup:
    items = [_key(swatch(item["source"]), item["source"]) for item in facts["sources"]]
    if facts["counts"]["failed"] + facts["counts"]["pruned"]:
        items.append(_key(swatch(None), "failed or pruned"))
    items.append(_key(tag("i", class_="stroke best-key"), "best so far"))
    stroke = tag("i", class_="stroke random-key")
    return tag("ul", *items, _key(stroke, _RANDOM, "expectation"), class_="legend")


def _far_out(facts: Facts) -> Markup | None:
    """A word on values that would press all others flat."""
    scale = history_scale(facts, log=False)
    values = [trial["value"] for trial in facts["trials"] if trial["value"] is not None]
    number = sum(scale.beyond(value) for value in values)
    if not number:
        return None
    are = "lies" if number == 1 else "lie"
    text = f"{plural(number, 'trial')} {are} far beyond the others, and pale at the edge."
    return tag("p", text, class_="axis-title")


def _key(mark: Markup, label: str, group: str | None = None) -> Markup:
    return tag("li", mark, label, class_=group)
