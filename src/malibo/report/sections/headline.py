"""The headline: name, best value and what the past was worth."""

from __future__ import annotations

from typing import Any

from malibo.errors import plural
from malibo.report.markup import Markup, tag
from malibo.report.numerals import duration, short

Facts = dict[str, Any]


def headline(facts: Facts) -> Markup:
    """Name, best value and what the past was worth."""
    figures = [
        *_best_figures(facts),
        _figure("Trials", f"{facts['counts']['all']:,}", _states(facts["counts"])),
        _figure("Time", duration(facts["seconds"]), _time_note(facts["seconds"])),
    ]
    return tag(
        "header",
        tag("p", "Tuning report", class_="eyebrow"),
        tag("h1", facts["name"]),
        tag("dl", *figures, class_="figures"),
        _verdict(facts),
    )


def _best_figures(facts: Facts) -> list[Markup]:
    best = facts["best"]
    if best is None:
        return []
    goal = "lowest" if facts["direction"] == "minimize" else "highest"
    order = f"after {best['place']:,} of {plural(facts['counts']['all'], 'trial')}"
    return [
        _figure("Best value", short(best["value"], 6), f"the {goal} so far"),
        _figure("Found in", f"trial {best['number']}", order),
    ]


def _figure(title: str, figure: str, note: str) -> Markup:
    return tag("div", tag("dt", title), tag("dd", figure, tag("small", note)))


def _time_note(seconds: float | None) -> str:
    return "not recorded" if seconds is None else "first start to last end"


def _states(counts: Facts) -> str:
    """How many of each state there are, where there are any."""
    return ", ".join(f"{n:,} {state}" for state, n in counts.items() if n and state != "all")


def _verdict(facts: Facts) -> Markup:
    if facts["best"] is None:
        notes = [trial["note"] for trial in facts["trials"] if trial["note"]]
        last = f" The last one says: {notes[-1]}" if notes else ""
        return tag("p", "No trial has succeeded yet.", last, class_="verdict failed note")
    past = facts["past"]
    tasks = plural(past["tasks"], "past task")
    basis = f" Learned from {tasks}." if past["tasks"] else ""
    return tag("p", past["verdict"], basis, class_=f"verdict {past['word']}")
