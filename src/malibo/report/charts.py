"""The pictures of the report: trials over time, trust, and a parameter against the value."""

from __future__ import annotations

import math
from typing import Any

from malibo.report.frame import (
    WIDE,
    across_at,
    chart,
    dots_path,
    height_of,
    inset,
    path,
    percent_of,
    stretched,
    trial_axis,
    trial_numbers,
    under,
)
from malibo.report.markup import Markup, joined, tag
from malibo.report.numerals import shown
from malibo.report.scales import Scale, parameter_place, tick_labels, value_scale

Facts = dict[str, Any]

KNOWN = ("past", "meta-model", "process", "booster", "random", "repeat", "own")
_CROWD = 150  # trials beyond which dots are smaller
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
    """Trials as dots by their source, the best so far, and what random search would reach."""
    scale = history_scale(facts, log)
    numbers = [trial["number"] for trial in facts["trials"]]
    across = trial_axis(numbers)
    lines = stretched(
        height,
        _expectation(facts["random_search"], across, scale, height),
        _best_line(facts, across, scale, height),
    )
    dots = [_dot(trial, facts, across, scale, height) for trial in facts["trials"]]
    body = (trial_numbers(numbers, across, height), lines, tag("g", *dots, class_="dots"))
    return chart(height, scale, body)


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


def _dot(trial: Facts, facts: Facts, across: Scale, scale: Scale, height: int) -> Markup | None:
    """A trial; one without a value or far out lies at the bad end of the axis."""
    if trial["status"] in ("running", "waiting"):
        return None
    worst = scale.high if facts["direction"] == "minimize" else scale.low
    value = worst if trial["value"] is None else trial["value"]
    kinds = ["lost"] if trial["value"] is None else [source_class(trial["source"])]
    kinds += ["beyond"] if scale.beyond(value) else []
    return tag(
        "circle",
        cx=percent_of(across_at(across, trial["number"])),
        cy=height_of(scale, value, height),
        r=4.5 if len(facts["trials"]) <= _CROWD else 3,
        class_=" ".join(kinds),
        data_trial=trial["number"],
    )


def trust_chart(facts: Facts, height: int = 160) -> Markup:
    """Trust when each trial was chosen, as dots in the colours of the sources."""
    scale = Scale(0.0, 1.0)
    numbers = [trial["number"] for trial in facts["trials"]]
    across = trial_axis(numbers)
    known = [trial for trial in facts["trials"] if trial["trust"] is not None]
    places = [across_at(across, trial["number"]) for trial in known]
    heights = [height_of(scale, trial["trust"], height) for trial in known]
    line = path(zip([WIDE * place for place in places], heights, strict=True))
    dots = [
        tag("circle", cx=percent_of(place), cy=y, r=4, class_=source_class(trial["source"]))
        for trial, place, y in zip(known, places, heights, strict=True)
    ]
    half = height_of(scale, 0.5, height)
    body = (
        tag("line", x1=0, x2="100%", y1=half, y2=half, class_="threshold"),
        stretched(height, tag("path", d=line, class_="trust-line")),
        dots,
        trial_numbers(numbers, across, height),
    )
    return chart(height, scale, body, ticks=[0.0, 0.5, 1.0])


def source_class(source: str) -> str:
    """The class of a source in the style sheet; any other name is one of one's own."""
    return f"source-{source if source in KNOWN else 'own'}"


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
    return chart(height, scale, body)


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
