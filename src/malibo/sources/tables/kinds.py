"""The kind of parameter that fits the values of a column.

texts, True, False, None      Categorical
few numbers, each often       Ordinal: a grid
whole numbers                 Int, from the smallest to the greatest
other numbers                 Float, its bounds rounded outward (see ``rounded``)

Numbers are on the log scale if all are above 0, the greatest is at least 100 times the
smallest, and they lie more evenly there than on the plain one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from malibo.errors import listing, plural
from malibo.sources.tables.cells import Column, is_number
from malibo.space import Categorical, Float, Int, Ordinal, Parameter
from malibo.space.parameters import Array

_GRID, _OFTEN = 12, 3  # at most so many different numbers, each on average so often
_DECADES = 2
_EXACT = 2**53
_ODD = 0.1  # of the cells, or of the different ones, in a column of numbers may be of another kind
_ENOUGH = 10  # cells that are numbers, from which on others among them may be odd


def parameter_of(column: Column) -> tuple[Parameter, str]:
    """A parameter that has the values of a column, and a sentence on what they are like."""
    numbers = column.distinct
    if column.others and not _mostly_numbers(column):
        return categorical(column)
    often = int(np.isfinite(column.numbers).sum()) / len(numbers)
    if len(numbers) <= _GRID and often >= _OFTEN and _is_grid(numbers):
        return _ordinal(numbers)
    return _range(column.numbers[np.isfinite(column.numbers)], numbers)


def _mostly_numbers(column: Column) -> bool:
    """Whether cells of another kind are slips in a column of numbers; "None" is an empty cell.

    They are if numbers are too many for choices, or if nine cells of ten are numbers. On a grid
    a choice comes about as often as each number does, and a slip does not.
    """
    distinct = len(column.distinct)
    slips = [value for value in column.others if value is not None]
    if distinct > _GRID and len(slips) <= _ODD * distinct:
        return True
    numbers = int(np.isfinite(column.numbers).sum())
    counts = np.bincount(column.which[column.there], minlength=len(column.values))
    odd = [int(counts[i]) for i, value in enumerate(column.values) if _is_slip(value)]
    if distinct < 2 or numbers < _ENOUGH or sum(odd) > _ODD * (numbers + sum(odd)):
        return False
    often = numbers / distinct
    return often < _OFTEN or max(odd, default=0) * _OFTEN <= often


def _is_slip(value: Any) -> bool:
    return value is not None and not is_number(value)


def categorical(column: Column) -> tuple[Parameter, str]:
    """The values of a column as choices, and a sentence on them."""
    choices = sorted(column.values, key=_natural)
    return Categorical(choices), f"{plural(len(choices), 'choice')}: {listing(choices)}"


def _natural(value: Any) -> tuple[int, float, str]:
    """None, truth values and numbers by size, then texts in order of the alphabet."""
    if value is None or isinstance(value, bool):
        return (0, -1.0 if value is None else float(value), "")
    return (1, float(value), "") if is_number(value) else (2, 0.0, str(value))


def _is_grid(numbers: Array) -> bool:
    """Whether numbers are more than whole ones in a row, of which a range has all."""
    return not (_whole(numbers) and bool((np.diff(numbers) == 1).all()))


def _whole(numbers: Array) -> bool:
    return bool((numbers == np.rint(numbers)).all() and np.abs(numbers).max() <= _EXACT)


def _ordinal(numbers: Array) -> tuple[Parameter, str]:
    choices = [int(n) for n in numbers] if _whole(numbers) else numbers.tolist()
    return Ordinal(choices), f"a grid of {plural(len(choices), 'number')}: {listing(choices, 12)}"


def _range(numbers: Array, distinct: Array) -> tuple[Parameter, str]:
    low, high = float(distinct[0]), float(distinct[-1])
    log = _evenly_in_logarithm(numbers)
    scale = ", log scale" if log else _but_for_zero(numbers)
    if _whole(distinct):
        said = f"{len(distinct):,} whole numbers from {int(low):,} to {int(high):,}{scale}"
        return Int(int(low), int(high), log=log), said
    said = f"{len(distinct):,} values from {low:.6g} to {high:.6g}{scale}"
    low, high = rounded(low, high, log)
    return Float(low, high, log=log), said


def _evenly_in_logarithm(numbers: Array) -> bool:
    """Whether numbers lie more evenly on the log scale: by their distance to a uniform spread."""
    low, high = numbers.min(), numbers.max()
    if low <= 0 or math.log10(high) - math.log10(low) < _DECADES:
        return False
    return _distance(np.log(numbers)) < _distance(numbers)


def _but_for_zero(numbers: Array) -> str:
    """What to do about a 0 that alone keeps numbers from the log scale; empty if none does."""
    others = numbers[numbers != 0]
    if len(others) in (0, len(numbers)) or not _evenly_in_logarithm(others):
        return ""
    return "; a log scale would fit all but the 0: for one, write a small number in its place"


def _distance(numbers: Array) -> float:
    """Kolmogorov's distance between numbers and the uniform distribution over their range."""
    ordered = np.sort(numbers)
    expected = (ordered - ordered[0]) / (ordered[-1] - ordered[0])
    steps = np.arange(len(ordered) + 1) / len(ordered)
    return float(max(np.abs(expected - steps[1:]).max(), np.abs(expected - steps[:-1]).max()))


def rounded(low: float, high: float, log: bool) -> tuple[float, float]:
    """Bounds of a Float around what was observed.

    On the log scale outward to one significant digit: 1.3e-05 to 0.087 becomes 1e-05 to 0.09.
    Else outward to a hundredth of the power of ten above the range: 0.0132 to 0.952 becomes
    0.01 to 0.96.
    """
    if not math.isfinite(high - low):
        return low, high
    units = [10.0 ** math.floor(math.log10(x)) for x in ((low, high) if log else (high - low,))]
    below, above = (units[0], units[-1]) if log else (units[0] / 10, units[0] / 10)
    wide = _multiple(math.floor, low, below), _multiple(math.ceil, high, above)
    fits = all(map(math.isfinite, wide)) and wide[0] <= low and wide[1] >= high
    return wide if fits and (wide[0] > 0 or not log) else (low, high)


def _multiple(direction: Any, number: float, unit: float) -> float:
    """The next multiple of a unit, without the dust of floating point."""
    if unit == 0 or not math.isfinite(number / unit):
        return number
    count = round(number / unit, 6)
    return float(f"{direction(count) * unit:.12g}")
