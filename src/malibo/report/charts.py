"""The pictures of the report: trials over time, trust, and a parameter against the value."""

from __future__ import annotations

import math
from typing import Any

from malibo.errors import plural
from malibo.report.frame import (
    WIDE,
    across_at,
    chart,
    dots_path,
    height_of,
    inset,
    path,
    stretched,
    trial_axis,
    trial_numbers,
    under,
)
from malibo.report.marks import LOST, source_class, trial_mark
from malibo.report.markup import Markup, joined, tag
from malibo.report.numerals import probability, short, shown
from malibo.report.scales import Scale, parameter_place, tick_labels, value_scale

Facts = dict[str, Any]

_CROWD = 150  # trials beyond which marks are smaller
_LABELS, _LETTERS = 6, 44  # names of choices under an axis, and their letters together


# -- trials over time ----------------------------------------------------------------------


def history_scale(facts: Facts, log: bool) -> Scale:
    """The axis of the values of all trials."""
    random = facts["random_search"] or {"low": [], "high": []}
    also = [value for value in (*random["low"], *random["high"]) if value > 0 or not log]
    worse = 1 if facts["direction"] == "minimize" else -1
    return value_scale(_values(facts), log, worse, also)


def can_be_log(facts: Facts) -> bool:
    """Whether all values have a logarithm, and there are several."""
    values = _values(facts)
    return len(set(values)) > 1 and min(values) > 0


def _values(facts: Facts) -> list[float]:
    return [trial["value"] for trial in facts["trials"] if trial["value"] is not None]


def history_chart(facts: Facts, log: bool, height: int = 300) -> Markup:
    """Trials as marks by their source, the best so far, and what random search would reach."""
    scale = history_scale(facts, log)
    numbers = [trial["number"] for trial in facts["trials"]]
    across = trial_axis(numbers)
    lines = stretched(
        height,
        _expectation(facts["random_search"], across, scale, height),
        _best_line(facts, across, scale, height),
    )
    marks = [_mark(trial, facts, across, scale, height) for trial in facts["trials"]]
    kind = "marks crowd" if len(facts["trials"]) > _CROWD else "marks"
    body = (trial_numbers(numbers, across, height), lines, tag("g", *marks, class_=kind))
    return chart(height, scale, body, _history_label(facts))


def _history_label(facts: Facts) -> str:
    values, best = _values(facts), facts["best"]
    first = next(trial for trial in facts["trials"] if trial["value"] is not None)
    return (
        f"Values of {plural(len(values), 'trial')}, from {short(min(values))} to"
        f" {short(max(values))}. The first is {short(first['value'])}, the best"
        f" {short(best['value'])} in trial {best['number']}."
    )


def _expectation(random: Facts | None, across: Scale, scale: Scale, height: int) -> Markup | None:
    if random is None:
        return None
    columns = [across_at(across, number) * WIDE for number in range(len(random["median"]))]
    low, median, high = (
        [
            (x, height_of(scale, value, height))
            for x, value in zip(columns, random[end], strict=True)
        ]
        for end in ("low", "median", "high")
    )
    band = tag("path", d=path([*high, *reversed(low)]) + "Z", class_="band")
    return tag("g", band, tag("path", d=path(median), class_="expected"), class_="expectation")


def _best_line(facts: Facts, across: Scale, scale: Scale, height: int) -> Markup:
    """A stair of the best value so far, up to the last trial."""
    better = min if facts["direction"] == "minimize" else max
    points: list[tuple[float, float]] = []
    best: float | None = None
    for trial in sorted(facts["trials"], key=lambda trial: trial["number"]):
        x = across_at(across, trial["number"]) * WIDE
        if best is not None:
            points.append((x, height_of(scale, best, height)))
        if trial["value"] is not None:
            best = trial["value"] if best is None else better(best, trial["value"])
            points.append((x, height_of(scale, best, height)))
    return tag("path", d=path(points), class_="best-line")


def _mark(trial: Facts, facts: Facts, across: Scale, scale: Scale, height: int) -> Markup | None:
    """A trial; one without a value or far out lies at the bad end of the axis."""
    if trial["status"] in ("running", "waiting"):
        return None
    worst = scale.high if facts["direction"] == "minimize" else scale.low
    value = worst if trial["value"] is None else trial["value"]
    source = None if trial["value"] is None else trial["source"]
    kinds = [LOST if source is None else source_class(source)]
    kinds += ["beyond"] if scale.beyond(value) else []
    place = across_at(across, trial["number"]), height_of(scale, value, height)
    return trial_mark(*place, " ".join(kinds), source, trial["number"])


def trust_chart(facts: Facts, height: int = 160) -> Markup:
    """Trust when each trial was chosen, with the marks of the sources."""
    scale = Scale(0.0, 1.0)
    numbers = [trial["number"] for trial in facts["trials"]]
    across = trial_axis(numbers)
    known = [trial for trial in facts["trials"] if trial["trust"] is not None]
    places = [across_at(across, trial["number"]) for trial in known]
    heights = [height_of(scale, trial["trust"], height) for trial in known]
    line = path(zip([WIDE * place for place in places], heights, strict=True))
    marks = [
        trial_mark(place, y, source_class(trial["source"]), trial["source"])
        for trial, place, y in zip(known, places, heights, strict=True)
    ]
    half = height_of(scale, 0.5, height)
    body = (
        tag("line", x1=0, x2="100%", y1=half, y2=half, class_="threshold"),
        stretched(height, tag("path", d=line, class_="trust-line")),
        tag("g", *marks, class_="marks crowd" if len(known) > _CROWD else "marks"),
        trial_numbers(numbers, across, height),
    )
    return chart(height, scale, body, _trust_label(known), ticks=[0.0, 0.5, 1.0])


def _trust_label(known: list[Facts]) -> str:
    trust = [trial["trust"] for trial in known]
    ends = f"{probability(trust[0])} at the first, {probability(trust[-1])} at the last"
    span = f"between {probability(min(trust))} and {probability(max(trust))}"
    return f"Trust in the past at {plural(len(trust), 'trial')}: {ends}, always {span}."


# -- a parameter against the value ---------------------------------------------------------


def scatter_chart(facts: Facts, parameter: Facts, height: int = 240) -> Markup:
    """The value of each trial by the value of a parameter."""
    scale = history_scale(facts | {"random_search": None}, log=False)
    points: list[tuple[float, float]] = []
    best: list[tuple[float, float]] = []
    for trial in facts["trials"]:
        if trial["value"] is None or parameter["name"] not in trial["config"]:
            continue
        x = parameter_place(parameter, trial["config"][parameter["name"]])
        if x is not None:
            chosen = best if trial["number"] == facts["best"]["number"] else points
            chosen.append((inset(x) * WIDE, height_of(scale, trial["value"], height)))
    body = (
        _parameter_axis(parameter, height),
        stretched(
            height,
            tag("path", d=dots_path(points), class_="scatter"),
            tag("path", d=dots_path(best), class_="scatter scatter-best"),
        ),
    )
    return chart(height, scale, body, _scatter_label(facts, parameter, len(points) + len(best)))


def _scatter_label(facts: Facts, parameter: Facts, number: int) -> str:
    name, config = parameter["name"], facts["best"]["config"]
    at = f"is at {shown(config[name])}" if name in config else "has none"
    return f"Value by {name} of {plural(number, 'trial')}; the best trial {at}."


def _parameter_axis(parameter: Facts, height: int) -> Markup:
    if "choices" in parameter:
        places = _choice_labels(parameter["choices"])
    else:
        scale = Scale(parameter["low"], parameter["high"], parameter["log"])
        ticks = scale.ticks(5)
        places = list(zip(map(scale.place, ticks), tick_labels(ticks), strict=True))
    return joined(*[under(inset(place), label, height) for place, label in places])


def _choice_labels(choices: list[Any]) -> list[tuple[float, str]]:
    """Places and names of choices; not all if there are many, and none too long for a phone."""
    every = math.ceil(len(choices) / _LABELS)
    shown_ones = list(enumerate(choices))[::every]
    longest = max(_LETTERS // len(shown_ones), 3)
    return [((i + 0.5) / len(choices), _cut(shown(choice), longest)) for i, choice in shown_ones]


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
