"""Which parameters matter, and how each goes with the value."""

from __future__ import annotations

from typing import Any

from malibo.report.bars import interval_bar
from malibo.report.charts import scatter_chart
from malibo.report.markup import Markup, joined, tag
from malibo.report.scales import Scale
from malibo.report.sections.shared import bars_table, interval, section

Facts = dict[str, Any]


def parameters_section(facts: Facts) -> Markup | None:
    """Which parameters matter, and how each goes with the value."""
    found = facts["importances"]
    if facts["best"] is None or not found:
        return None
    rows = [
        tag(
            "tr",
            tag("th", item["name"], scope="row"),
            tag("td", interval_bar(item["share"], item["low"], item["high"], Scale(0.0, 1.0))),
            tag("td", interval(item["share"], item["low"], item["high"]), class_="number"),
        )
        for item in found
    ]
    return section(
        "Which parameters matter",
        tag(
            "p",
            "How much of the differences in score is left when all other parameters are known and"
            " only this one is not, as the model believes by now. The score is the value with bad"
            " ones drawn together and failed trials as the worst. Where parameters work together,"
            " the shares sum to more than 1.",
            class_="muted",
        ),
        bars_table(("Parameter", "Share", "90 % interval"), rows, "importances"),
        _scatters(facts),
    )


def _scatters(facts: Facts) -> Markup:
    """One picture for each parameter; the script shows the one that is chosen."""
    known = {parameter["name"]: parameter for parameter in facts["parameters"]}
    names = [item["name"] for item in facts["importances"]]
    options = [tag("option", name, value=index) for index, name in enumerate(names)]
    label = tag("label", "Value by ", tag("select", *options, id="parameter"), for_="parameter")
    views = [
        tag(
            "div",
            scatter_chart(facts, known[name]),
            tag("p", name, class_="axis-title under"),
            data_parameter=index,
            hidden=index > 0,
        )
        for index, name in enumerate(names)
    ]
    return joined(
        tag("div", label, class_="controls"),
        tag("figure", tag("p", "value", class_="axis-title"), *views, id="scatters"),
    )
