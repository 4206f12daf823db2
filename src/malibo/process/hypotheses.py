"""What may hold of a new task: a grid of hypotheses, and their weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Hypothesis:
    """Numbers of the process that are not integrated.

    past     a, what the meta-model explains, in standard deviations; 0: nothing at all
    own      variance of the task's own part r
    length   over which r varies, as a share of the diagonal of the unit cube
    noise    variance of ε
    """

    past: float
    own: float
    length: float
    noise: float


_LENGTHS = (0.2, 0.5, 1.2)
NOISES = (1e-7, 1e-4, 1e-2, 1e-1)
_INFORMED = [Hypothesis(*h) for h in product((0.3, 0.7, 1.5), (0.1, 0.5), _LENGTHS, NOISES)]
_UNINFORMED = [Hypothesis(*h) for h in product((0.0,), (1.0,), _LENGTHS, NOISES)]
# the noise runs fastest: malibo.process.regression relies on that
GRID: tuple[Hypothesis, ...] = (*_INFORMED, *_UNINFORMED)


def weights(log_evidence: Array, trust: float, grid: Sequence[Hypothesis] = GRID) -> Array:
    """Probabilities of the hypotheses; before any evidence the informed ones sum to ``trust``."""
    log_weight = _log_prior(trust, grid) + log_evidence
    weight = np.exp(log_weight - log_weight.max())
    return np.asarray(weight / weight.sum())


def total(log_evidence: Array, trust: float, grid: Sequence[Hypothesis] = GRID) -> float:
    """ln of the evidence averaged over the hypotheses."""
    log_weight = _log_prior(trust, grid) + log_evidence
    top = log_weight.max()
    return float(top + np.log(np.exp(log_weight - top).sum()))


def _log_prior(trust: float, grid: Sequence[Hypothesis]) -> Array:
    informed = np.array([h.past > 0 for h in grid])
    with np.errstate(divide="ignore"):  # a trust of 1 leaves nothing to the others
        prior = np.where(
            informed, np.log(trust / informed.sum()), np.log((1 - trust) / (~informed).sum())
        )
    return np.asarray(prior)
