"""Where the configurations came from, and how the trust in the past went."""

from __future__ import annotations

from typing import Any

from malibo.report.charts import trust_chart
from malibo.report.marks import swatch
from malibo.report.markup import Markup, joined, tag
from malibo.report.numerals import percent, probability
from malibo.report.sections.shared import section

Facts = dict[str, Any]


def sources_section(facts: Facts) -> Markup:
    """Counts for each source, and trust over the trials."""
    total = facts["counts"]["all"]
    titles = [tag("th", "Source", scope="col")]
    titles += [tag("th", title, scope="col", class_="number") for title in ("Trials", "Share")]
    rows = [_row(item, total) for item in facts["sources"]]
    return section(
        "Where suggestions came from",
        tag("table", tag("thead", tag("tr", *titles)), tag("tbody", *rows), class_="sources"),
        _trust(facts),
    )


def _row(item: Facts, total: int) -> Markup:
    return tag(
        "tr",
        tag(
            "th", swatch(item["source"]), item["source"], tag("small", item["meaning"]), scope="row"
        ),
        tag("td", f"{item['count']:,}", class_="number"),
        tag("td", percent(item["count"] / total), class_="number"),
    )


def _trust(facts: Facts) -> Markup:
    recorded = [trial["trust"] for trial in facts["trials"] if trial["trust"] is not None]
    if facts["past"]["word"] == "none" or not recorded:
        return tag("p", "Trust in a past plays no part here.", class_="muted after")
    first, now = probability(recorded[0]), probability(facts["past"]["trust"])
    return joined(
        tag("h3", "Trust in the past"),
        tag(
            "p",
            f"It was {first} at first and is {now} now. Trust is the probability, given the"
            " results up to each trial, that the past helps. Under ½ (after two to four results"
            " under ¼) malibo believes it less and less, and goes by the results of the new task.",
            class_="muted",
        ),
        tag(
            "figure",
            tag("p", "trust when the trial was chosen", class_="axis-title"),
            trust_chart(facts),
            tag("p", "trial", class_="axis-title under"),
        ),
    )
