"""Whether the results speak for the past or against it, in one word."""

from __future__ import annotations

from typing import Literal

from malibo.errors import InputError

PastVerdict = Literal["helps", "misleads", "open"]

_CLEAR = 3.0  # times the odds before: less than that is next to no evidence
DISTRUST = 0.5  # below this trust the past more likely misleads than helps
_FAIR_TRIAL = 5  # results, from the second on, before which the past is taken at its word
_CLEARLY = 0.25  # trust under which it is not even then


def past_verdict(trust: float, prior: float, results: int | None = None) -> PastVerdict | None:
    """What the results say of the past, by trust in it now and before the first result.

    Trust alone does not tell: it starts at what was believed beforehand. The results speak by how
    they changed the odds, which is the Bayes factor: "helps" above 3. It "misleads" below 1/3, if
    suggestions no longer go by what the past expects, which depends on the number of ``results``
    (``distrusted``; None: many). Else it is "open". None for a prior of 0 or 1, which no result
    can change: then they have no say.
    """
    for name, value in (("trust", trust), ("prior", prior)):
        if not 0 <= value <= 1:
            raise InputError(f"{name} must be a number from 0 to 1, got {value!r}.")
    if prior in (0, 1):
        return None
    now, before = trust * (1 - prior), prior * (1 - trust)
    if now > _CLEAR * before:
        return "helps"
    misled = before > _CLEAR * now and distrusted(trust, prior, results)
    return "misleads" if misled else "open"


def distrusted(trust: float, prior: float, results: int | None = None) -> bool:
    """Whether suggestions do without the past: it more likely misleads than helps.

    After two to four results a past that was trusted beforehand is taken at its word unless it
    clearly misleads: so few judge badly.
    """
    return trust < (_CLEARLY if fair_trial(prior, results) else DISTRUST)


def fair_trial(prior: float, results: int | None) -> bool:
    """Whether a past that was trusted beforehand has had too few results to be judged by them."""
    return results is not None and 1 < results < _FAIR_TRIAL and prior >= DISTRUST
