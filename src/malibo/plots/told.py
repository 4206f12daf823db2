"""What an optimizer was told, as the models see it."""

from __future__ import annotations

from malibo.errors import InputError
from malibo.observations import Observations
from malibo.optimizer import Malibo


def told(optimizer: Malibo) -> Observations:
    """All results in the order in which they came in, and what is pending."""
    if not isinstance(optimizer, Malibo):
        raise InputError(f"expected a malibo.Malibo, got {type(optimizer).__name__}.")
    return optimizer.observations


def first(known: Observations, count: int) -> Observations:
    """The state after so many results; what was pending in between is not known any more."""
    if count == len(known.losses):
        return known
    return Observations(known.codes[:count], known.losses[:count], known.pending[:0])
