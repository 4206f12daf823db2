"""What may hold of a new task: a grid of hypotheses, and their weights."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from malibo.kernels import matern

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Hypothesis:
    """Numbers of the process that are not integrated.

    past       a, what the past explains, in standard deviations; 0: nothing at all
    own        variance of the task's own part r
    length     over which r varies, as a share of the diagonal of the unit cube
    noise      variance of ε
    voice      number of the voice of the past that is heard (malibo.process.regression)
    doubting   what matters is believed of the past, not whether it is good or bad: what it expects
               counts by a factor b ~ N(0, 1) in place of 1
    """

    past: float
    own: float
    length: float
    noise: float
    voice: int = 0
    doubting: bool = False


class Grid(tuple[Hypothesis, ...]):
    """Hypotheses, and as arrays what tells them apart."""

    @cached_property
    def voices(self) -> NDArray[np.intp]:
        """(n,) number of the voice that each hears; −1 without a past."""
        return np.array([h.voice if h.past > 0 else -1 for h in self])

    @cached_property
    def doubting(self) -> NDArray[np.bool_]:
        """(n,) whether it doubts the past."""
        return np.array([h.doubting for h in self])


_LENGTHS = (0.2, 0.5, 1.2)
NOISES = (1e-7, 1e-2, 1e-1)
_PASTS = (0.3, 0.7, 1.5), (0.7, 1.5)  # of the network, and of the functions
_OWNS = (0.1, 0.5)
_DOUBT = 1 / 16  # times trust · (1 − trust) is left to those that doubt the past: 0.01 of 0.8


@cache
def grid(voices: int) -> Grid:
    """The hypotheses about a task whose past has so many voices.

    The noise runs fastest, and what believes the past is followed by its doubting twins:
    malibo.process.regression relies on that.
    """
    informed = [
        Hypothesis(past, own, length, noise, voice, doubting)
        for voice in range(voices)
        for past, own, length, doubting, noise in product(
            _PASTS[voice], _OWNS, _LENGTHS, (False, True), NOISES
        )
    ]
    without = [Hypothesis(0.0, 1.0, *rest) for rest in product(_LENGTHS, NOISES)]
    return Grid([*informed, *without])


@cache
def alone() -> Grid:
    """Hypotheses without a past for the time when it is not trusted, in the same order.

    Those of the grid have a variance of 1 at each point, by which the past is judged; of these
    r varies by 1 over the space, whatever its length.
    """
    return Grid(
        Hypothesis(0.0, _variance(length), length, noise)
        for length, noise in product(_LENGTHS, NOISES)
    )


def _variance(length: float) -> float:
    """Variance of r at each point, if E[(r(x) − r(x'))²]/2 is 1 for x, x' drawn from the space.

    They are taken to be as far apart as they are in the mean of squares: 1/√6 of the diagonal.
    """
    apart = np.array([1 / math.sqrt(6)])
    return float(1 / (1 - matern(apart, length)[0]))


def log_weights(log_evidence: Array, trust: float, grid: Grid) -> Array:
    """ln of prior times evidence: the probabilities of the hypotheses before they sum to 1.

    Before any evidence those that believe the past, and half of those that doubt it, sum to
    ``trust``: as far as they know, what it expects has the right sign with a probability of ½.
    """
    return _log_prior(trust, grid) + log_evidence


def weights(log_weight: Array) -> Array:
    """Probabilities that sum to 1."""
    weight = np.exp(log_weight - log_weight.max())
    return np.asarray(weight / weight.sum())


def total(log_weight: Array) -> float:
    """ln of the evidence averaged over the hypotheses."""
    top = log_weight.max()
    return float(top + np.log(np.exp(log_weight - top).sum()))


def _log_prior(trust: float, grid: Grid) -> Array:
    """Without a past there is nothing to trust, whatever was said; voices share evenly.

    Either each voice has both believing and doubting hypotheses, or none of them doubts.
    """
    voices, doubting = grid.voices, grid.doubting
    heard = np.unique(voices[voices >= 0])
    doubt = _DOUBT * trust * (1 - trust) if doubting.any() else 0.0
    prior = np.zeros(len(grid))
    for voice in heard:
        for share, those in ((trust - doubt / 2, ~doubting), (doubt, doubting)):
            rows = (voices == voice) & those
            prior[rows] = share / len(heard) / max(rows.sum(), 1)  # without doubting ones: no share
    prior[voices < 0] = (1 - trust - doubt / 2 if len(heard) else 1.0) / (voices < 0).sum()
    with np.errstate(divide="ignore"):  # a trust of 1 leaves nothing to the others
        return np.asarray(np.log(prior))
