"""Which past tasks the new one is like."""

from __future__ import annotations

from typing import Any

from malibo.report.bars import interval_bar
from malibo.report.markup import Markup, joined, tag
from malibo.report.numerals import percent
from malibo.report.scales import Scale
from malibo.report.sections.shared import bars_table, interval, section

Facts = dict[str, Any]

_FIRST = 10  # shown before "show all"
_MEANING = (
    "Likeness is the correlation of what makes each task its own: 1 is the same, 0 is nothing in"
    " common beyond what all tasks share, −1 is the opposite. “Nearest” is the probability that no"
    " other past task is more alike."
)


def tasks_section(facts: Facts) -> Markup | None:
    """Which past tasks the new one is like."""
    title, found = "Which past tasks it resembles", facts["similarities"]
    if facts["best"] is None:
        return None
    if not found:
        why = (
            "The model does not tell its past tasks apart."
            if facts["past"]["tasks"]
            else "There are no past tasks to compare with: the study started cold, or the model of"
            " its past was not given."
        )
        return section(title, tag("p", why))
    scale = Scale(-1.0 if min(item["low"] for item in found) < 0 else 0.0, 1.0)
    rows = [_task_row(item, scale, index) for index, item in enumerate(found)]
    titles = ("Past task", "Likeness", "90 % interval", "Nearest")
    return section(
        title,
        tag("p", _summary(facts), class_="large"),
        tag("p", _MEANING, class_="muted"),
        bars_table(titles, rows, "tasks"),
        _show_all(len(found)) if len(found) > _FIRST else None,
    )


def _summary(facts: Facts) -> Markup:
    """What the table comes to, and how sure it is."""
    task, certainty = facts["most_like"]["task"], facts["most_like"]["certainty"]
    if task is None:
        return joined("By now it is open which past task it is most like.")
    sure = next(item["nearest"] for item in facts["similarities"] if item["task"] == task)
    probably = "" if certainty == "surely" else "probably "
    return joined(f"It is {probably}most like ", tag("strong", task), f" ({percent(sure)} sure).")


def _show_all(number: int) -> Markup:
    more, less = f"Show all {number:,}", f"Show the first {_FIRST}"
    return tag(
        "button",
        more,
        type="button",
        id="all-tasks",
        class_="control",
        aria_expanded="false",
        aria_controls="tasks",
        data_more=more,
        data_less=less,
    )


def _task_row(item: Facts, scale: Scale, index: int) -> Markup:
    return tag(
        "tr",
        tag("th", item["task"], scope="row"),
        tag("td", interval_bar(item["mean"], item["low"], item["high"], scale), class_="bar-cell"),
        tag("td", interval(item["mean"], item["low"], item["high"]), class_="number"),
        tag("td", percent(item["nearest"]), class_="number"),
        class_="further" if index >= _FIRST else None,
    )
