"""The best configuration, and where its values lie."""

from __future__ import annotations

from typing import Any

from malibo.report.bars import range_bar
from malibo.report.markup import Markup, tag
from malibo.report.numerals import shown
from malibo.report.sections.shared import section

Facts = dict[str, Any]


def best_section(facts: Facts) -> Markup | None:
    """The best configuration, and where its values lie."""
    if facts["best"] is None:
        return None
    config = facts["best"]["config"]
    known = {parameter["name"]: parameter for parameter in facts["parameters"]}
    rows = [_best_row(parameter, config) for parameter in facts["parameters"]]
    rows += [
        tag("tr", tag("th", name, scope="row"), tag("td", shown(value)), tag("td"))
        for name, value in config.items()
        if name not in known
    ]
    titles = [tag("th", title, scope="col") for title in ("Parameter", "Value", "In its range")]
    return section(
        "Best configuration",
        tag(
            "div",
            tag("button", "Copy as JSON", type="button", id="copy"),
            tag("span", "", id="copied", role="status", class_="muted"),
            class_="controls",
        ),
        tag("table", tag("thead", tag("tr", *titles)), tag("tbody", *rows), class_="best-config"),
    )


def _best_row(parameter: Facts, config: Facts) -> Markup:
    name = tag("th", parameter["name"], scope="row")
    if parameter["name"] not in config:
        return tag("tr", name, tag("td", "inactive"), tag("td"), class_="inactive")
    value = config[parameter["name"]]
    if parameter["kind"] == "fixed":
        return tag("tr", name, tag("td", shown(value)), tag("td", tag("small", "fixed")))
    where = tag("td", range_bar(parameter, value), _ends(parameter))
    return tag("tr", name, tag("td", shown(value), class_="value"), where)


def _ends(parameter: Facts) -> Markup:
    """What the ends of the small bar stand for."""
    if parameter["kind"] == "categorical":
        text = tag("span", f"one of {len(parameter['choices'])}")
        return tag("small", text, class_="ends")
    ordered = parameter.get("choices") or [parameter["low"], parameter["high"]]
    middle = tag("span", "logarithmic", class_="middle") if parameter.get("log") else None
    ends = tag("span", shown(ordered[0])), middle, tag("span", shown(ordered[-1]))
    return tag("small", *ends, class_="ends")
