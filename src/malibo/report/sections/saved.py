"""How many trials were saved, by the model's own estimate."""

from __future__ import annotations

from typing import Any

from malibo.errors import plural
from malibo.report.markup import Markup, tag
from malibo.report.numerals import MANY, count
from malibo.report.sections.shared import section

Facts = dict[str, Any]


def saved_section(facts: Facts) -> Markup | None:
    """How long random search would need, by the model's own estimate."""
    if facts["random_search"] is None:
        return None
    needed, place = facts["random_search"]["needed"], facts["best"]["place"]
    median = needed["median"]
    about = "" if median is None or median > MANY else "about "
    low, high = count(needed["low"]), count(needed["high"])
    span = f" ({low} to {high})" if low != high else ""
    brackets = "; in brackets is the range for 80 % of the drawn functions"
    return section(
        "Trials saved",
        tag(
            "p",
            "Random search would need ",
            tag("strong", f"{about}{count(median)} {_trials(median)}"),
            f"{span} to find a value as good as the best one here, which was reached"
            f" after {plural(place, 'trial')}. {_gain(needed, place)}",
            class_="large",
        ),
        tag(
            "p",
            "This is an estimate: nobody ran random search here. The model draws functions that"
            " the task may be, given the results so far, and searches them at random. It counts the"
            f" trials for an even chance{brackets if span else ''}.",
            class_="muted",
        ),
    )


def _trials(number: float | None) -> str:
    return "trial" if number is not None and round(number) == 1 else "trials"


def _gain(needed: Facts, place: int) -> str:
    """What that comes to, beside the trials that the study took; honest if it is nothing."""
    median, low = needed["median"], needed["low"]
    if median is None or median > MANY:
        return f"That is a gain of more than {MANY - place:,} trials." if place < MANY else ""
    gain = round(median) - place
    if gain <= 0:
        return "That is no gain: random search does about as well here."
    doubt = ", though there may be none" if low is not None and low <= place else ""
    return f"That is a gain of about {plural(gain, 'trial')}{doubt}."
