"""What random search would have come to, by the model's own estimate."""

from __future__ import annotations

from typing import Any

from malibo.report.markup import Markup, joined, tag
from malibo.report.numerals import MANY, count, rounded, short
from malibo.report.sections.shared import section

Facts = dict[str, Any]

_DOUBT = (
    "This is an estimate: nobody ran random search here. The model draws functions that the task"
    " may be, given the results so far, and searches them at random. In brackets is the range for"
    " 80 % of them. Checked against true random searches it proved too narrow, and held the truth"
    " in about two of three cases: read all this as an order of magnitude. Nothing is said of"
    " numbers beyond the runs that a past task, or this one, has had. “Hardly” is said"
    " where, by the lowest number in brackets, fewer than 1 in 20 random searches of this length"
    " would be as good."
)
_LUCK = 0.05  # chance of a random search below which a result is not put down to luck


def random_search_section(facts: Facts) -> Markup | None:
    """What random search would reach in as many trials, and how many it would need."""
    random = facts["random_search"]
    if random is None:
        return None
    trials = ended(facts)
    low, median, high = (short(random[end][trials - 1], 3) for end in ("low", "median", "high"))
    return section(
        "Beside random search",
        tag(
            "p",
            "Random search would probably have reached ",
            tag("strong", median),
            f" ({low} to {high}) in as many trials as were run here, {trials:,}; this study has ",
            tag("strong", short(facts["best"]["value"], 3)),
            ". ",
            _needed(random, trials),
            class_="large",
        ),
        tag("p", _DOUBT, class_="muted"),
    )


def ended(facts: Facts) -> int:
    """How many trials were run, to whatever end.

    All of them count, not only those up to the best one: that it came when it came is known only
    in hindsight, and by chance random search has its best early, too.
    """
    return sum(facts["counts"][status] for status in ("finished", "failed", "pruned"))


def _needed(random: Facts, trials: int) -> Markup:
    """Trials for a value as good, beside those that were run."""
    reach = random["reach"]
    low, median, high = (random["needed"][end] for end in ("low", "median", "high"))
    within = median is not None and median <= min(reach, MANY)
    ends = count(low, reach), count(high, reach)
    span = f" ({ends[0]} to {ends[1]})" if ends[0] != ends[1] else ""
    noun = "trial" if within and rounded(median) == 1 else "trials"
    return joined(
        f"For a value as good as that it would need {'about ' if within else ''}"
        f"{count(median, reach)} {noun}{span}; {_luck(low, median, reach, trials)}."
    )


def _luck(low: float | None, median: float | None, reach: float, trials: int) -> str:
    """Whether that says something for the study; it does only if luck hardly explains it."""
    if median is not None and median <= trials:
        return f"that is no more than the {trials:,} here"
    hardly = _chance(trials, reach if low is None else min(low, reach)) < _LUCK
    return f"even with luck, {trials:,} hardly do" if hardly else f"with luck, {trials:,} may do"


def _chance(trials: int, even: float) -> float:
    """That a random search of so many trials is as good, from the number with an even chance.

    To need more than that number is no sign of skill: half of all random searches seem to, for
    each has a best value. So it is the chance that counts.
    """
    return float(1 - 0.5 ** (trials / max(even, 1.0)))
