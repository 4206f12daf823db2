"""Whether the results speak for the past or against it, in one word."""

from __future__ import annotations

from typing import Literal

from malibo.errors import InputError

PastVerdict = Literal["helps", "misleads", "open"]

_CLEAR = 3.0  # times the odds before: less than that is next to no evidence
DISTRUST = 0.5  # below this trust the past more likely misleads than helps


def past_verdict(trust: float, prior: float) -> PastVerdict | None:
    """What the results say of the past, by trust in it now and before the first result.

    Trust alone does not tell: it starts at what was believed beforehand. The results speak by how
    they changed the odds, which is the Bayes factor: "helps" above 3. It "misleads" below 1/3, if
    trust is under 1/2 too, where suggestions no longer go by what the past expects (after two to
    four results they do so down to 1/4: Process.distrusted). Else it is "open". None for a prior
    of 0 or 1, which no result can change: then they have no say.
    """
    for name, value in (("trust", trust), ("prior", prior)):
        if not 0 <= value <= 1:
            raise InputError(f"{name} must be a number from 0 to 1, got {value!r}.")
    if prior in (0, 1):
        return None
    now, before = trust * (1 - prior), prior * (1 - trust)
    if now > _CLEAR * before:
        return "helps"
    return "misleads" if before > _CLEAR * now and trust < DISTRUST else "open"
