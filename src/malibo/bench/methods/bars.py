"""Bars: a distribution over intervals of standardised values (torch).

The Riemann distribution of PFNs (Müller et al., 2022): the density is constant within an
interval, and beyond the outermost borders it falls off. It does so exponentially here, not
as half of a normal: values far out are then no harder to learn from than others. Borders are
dense around zero and get wider outwards (the hyperbolic sine of an even grid).
"""

from __future__ import annotations

import numpy as np
import torch
from scipy.stats import t as student
from torch import Tensor

BARS = 100  # between the outermost borders
OUTERMOST = 5.0  # borders, in standard deviations
TAIL = 1.0  # mean distance of values beyond the outermost border from it
LOGITS = BARS + 2  # of the lower tail, of the bars, of the upper tail
OUTPUTS = LOGITS + 2  # of a network: corrections of the logits, slope and curvature

_LIMIT = torch.asinh(torch.tensor(OUTERMOST, dtype=torch.float64))
BORDERS = torch.sinh(_LIMIT * torch.linspace(-1, 1, BARS + 1, dtype=torch.float64))
WIDTHS = BORDERS.diff()
_MIDDLES = torch.cat([BORDERS[:1] - TAIL, (BORDERS[:-1] + BORDERS[1:]) / 2, BORDERS[-1:] + TAIL])
FREEDOM = 4.0  # of Student's t, about as which values are distributed before anything is known


def prior_outputs() -> Tensor:
    """(OUTPUTS,) a distribution that a network may begin with."""
    below = [0, *student.cdf(BORDERS.numpy(), FREEDOM), 1]
    return torch.as_tensor(np.append(np.log(np.diff(below)), [0, 0]), dtype=torch.float32)


def logits_of(outputs: Tensor) -> Tensor:
    """Logits (…, LOGITS) of a network's outputs (…, OUTPUTS).

    The logarithm of a normal density is a parabola. So a network that gives slope and curvature
    can predict one by two numbers, and has to learn only by how much the bars differ from it.
    """
    middles = _MIDDLES.to(outputs.dtype)
    slope, curvature = outputs[..., -2:-1], outputs[..., -1:]
    return outputs[..., :-2] + slope * middles - curvature * middles.square()


def log_density(logits: Tensor, values: Tensor) -> Tensor:
    """(…) log density at values (…), given logits (…, LOGITS)."""
    index = torch.searchsorted(BORDERS.to(values.dtype), values.contiguous())
    chosen = logits.log_softmax(dim=-1).gather(-1, index[..., None])[..., 0]
    ends = torch.full((1,), TAIL, dtype=WIDTHS.dtype)
    widths = torch.cat([ends, WIDTHS, ends]).to(values.dtype)
    beyond = (values.abs() - OUTERMOST).clamp_min(0) / TAIL
    return chosen - widths[index].log() - beyond


def expected_improvement(logits: Tensor, incumbent: float) -> Tensor:
    """(n,) E[max(incumbent − y, 0)], given logits (n, LOGITS); in double precision."""
    return logits.double().softmax(dim=-1) @ improvements(incumbent)


def improvements(incumbent: float) -> Tensor:
    """(LOGITS,) E[max(incumbent − y, 0)] for y of the lower tail, of each bar, of the upper."""
    best = torch.tensor(incumbent, dtype=torch.float64)
    lower, upper = BORDERS[:-1], BORDERS[1:]
    reached = best.clamp(lower, upper)  # of a bar that holds the incumbent, the part below it
    within = (best - (lower + reached) / 2) * (reached - lower) / WIDTHS
    below = _exponential(best - BORDERS[0])
    above = (best - BORDERS[-1]).clamp_min(0)
    above = above - TAIL * (1 - (-above / TAIL).exp())
    return torch.cat([below[None], within, above[None]])


def _exponential(room: Tensor) -> Tensor:
    """E[max(room + e, 0)] for e of the exponential distribution with mean TAIL."""
    return torch.where(room >= 0, room + TAIL, TAIL * (room.clamp_max(0) / TAIL).exp())
