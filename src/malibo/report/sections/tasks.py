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
_CLEAR, _MAYBE = 0.5, 0.25  # probability of being the nearest from which a task is named
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
        tag("p", _summary(found[0]), class_="large"),
        tag("p", _MEANING, class_="muted"),
        bars_table(titles, rows, "tasks"),
        _show_all(len(found)) if len(found) > _FIRST else None,
    )


def _summary(first: Facts) -> Markup:
    """What the table comes to, and how sure it is; ``first`` is the task with the highest mean."""
    name, sure = tag("strong", first["task"]), percent(first["nearest"])
    if first["nearest"] >= _CLEAR:
        return joined("It is most like ", name, f" ({sure} sure).")
    if first["nearest"] >= _MAYBE:
        return joined("It may be most like ", name, f", which is far from sure ({sure}).")
    return joined("No past task stands out: by now, any of several may be the nearest.")


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
