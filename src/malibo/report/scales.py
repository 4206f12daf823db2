"""From values to places on an axis, and the numbers that are written beside it."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from malibo.plots.values import fence
from malibo.report.numerals import short

Array = NDArray[np.float64]

_MARGIN = 0.05  # of the range, beyond the first and the last value
_ROOM = 0.5  # of the range, by which numbers that are also shown may make it longer
_PART = 32  # differences and multiples of such parts of a number do not overflow
_LARGEST, _LOG_ENDS = sys.float_info.max, (-744.0, 709.78)  # what floats can hold


@dataclass(frozen=True)
class Scale:
    """An axis from ``low`` to ``high``, in the logarithm if ``log``."""

    low: float
    high: float
    log: bool = False

    def place(self, value: float) -> float:
        """Where a value lies, from 0 at ``low`` to 1 at ``high``; what lies beyond at the end."""
        low, high, at = (_level(number, self.log) for number in (self.low, self.high, value))
        share = (at - low) / (high - low) if high > low else 0.5
        return min(max(share, 0.0), 1.0)

    def beyond(self, value: float) -> bool:
        """Whether a value lies outside."""
        return not self.low <= value <= self.high

    def ticks(self, most: int = 6) -> list[float]:
        """Round numbers on the axis; on a logarithmic one powers of ten, if there are two."""
        if self.log:
            powers = range(math.ceil(math.log10(self.low)), math.floor(math.log10(self.high)) + 1)
            if len(powers) >= 2:
                return [10.0**power for power in powers[:: math.ceil(len(powers) / most)]]
        return _round_numbers(self.low, self.high, most)


def value_scale(
    values: Iterable[float], log: bool, worse: int, also: Iterable[float] = ()
) -> Scale:
    """An axis for objective values with a margin.

    Values far out on the bad side (``worse`` is 1 if greater is worse, else −1) would press all
    others flat, and are left beyond the end. ``also`` are numbers that are shown as well, if
    they are not far out.
    """
    levels = np.array([_level(value, log) for value in values])
    inside = levels[worse * levels <= fence(worse * levels)]
    others = np.array([_level(value, log) for value in also])
    wide = np.concatenate([inside, _near(others, inside)])
    return _with_margin(float(wide.min()), float(wide.max()), log)


def parameter_place(parameter: Mapping[str, Any], value: Any) -> float | None:
    """Where a value lies in the range of its parameter, 0 to 1; None if it is none of its values.

    Choices lie side by side in their order.
    """
    if "choices" in parameter:
        choices = parameter["choices"]
        if value not in choices:
            return None
        return (list(choices).index(value) + 0.5) / len(choices)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return Scale(parameter["low"], parameter["high"], parameter["log"]).place(value)


def tick_labels(ticks: Sequence[float]) -> list[str]:
    """The numbers as text, with as few digits as name them exactly."""
    for digits in range(2, 15):
        labels = [short(tick, digits) for tick in ticks]
        if all(math.isclose(float(a), b) for a, b in zip(labels, ticks, strict=True)):
            return labels
    return [short(tick, 15) for tick in ticks]


def _level(value: float, log: bool) -> float:
    """A value on its axis: its logarithm, or a part of it."""
    if not log:
        return value / _PART
    return math.log(value) if value > 0 else -math.inf


def _near(others: Array, inside: Array) -> Array:
    """Those of the others that make the range of the inner ones only somewhat longer."""
    low, high = float(inside.min()), float(inside.max())
    room = _ROOM * (high - low)
    near: Array = others[(others >= low - room) & (others <= high + room)]
    return near


def _with_margin(low: float, high: float, log: bool) -> Scale:
    if high > low:
        room = _MARGIN * (high - low)
    else:  # a constant is drawn in the middle
        room = math.log(2) if log else 0.1 * abs(low) or 1 / _PART
    if log:
        first, last = _LOG_ENDS
        return Scale(math.exp(max(low - room, first)), math.exp(min(high + room, last)), log=True)
    limit = _LARGEST / _PART
    return Scale(_PART * max(low - room, -limit), _PART * min(high + room, limit))


def _round_numbers(low: float, high: float, most: int) -> list[float]:
    """At most so many multiples of 1, 2 or 5 times a power of ten."""
    span = high / most - low / most
    if span <= 0:
        return []
    power = 10.0 ** math.floor(math.log10(span))
    step = next((power * m for m in (1, 2, 5) if power * m >= span * (1 - 1e-9)), 10 * power)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [number * step for number in range(first, last + 1)]
