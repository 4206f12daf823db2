"""Numbers, durations and values as people read them."""

from __future__ import annotations

import math
from typing import Any

MANY = 1000  # trials; what is more is told as "more than 1,000"


def short(value: float | None, digits: int = 5) -> str:
    """A number with so many digits that count: 0.3, 12,346 without comma, 1.2e-7."""
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if value == 0:
        return "0"
    exponent = int(f"{abs(value):.{digits - 1}e}".partition("e")[2])
    if -4 <= exponent < max(digits, 6):
        text = f"{value:.{max(0, digits - 1 - exponent)}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    mantissa = f"{value:.{digits - 1}e}".partition("e")[0]
    return f"{mantissa.rstrip('0').rstrip('.') if '.' in mantissa else mantissa}e{exponent}"


def shown(value: Any) -> str:
    """A value of a parameter; texts as they are, floats with few digits."""
    if isinstance(value, bool) or value is None:
        return str(value)
    return short(value, 4) if isinstance(value, float) else str(value)


def rounded(trials: float) -> int:
    """An estimated number of trials, of which one digit counts: 7, 30, 400."""
    whole = round(trials)
    return round(whole, 1 - len(str(whole)))


def count(trials: float | None, reach: float = MANY) -> str:
    """An estimated number of trials, as far as it can be told: 30, 400, "more than 1,000"."""
    most = min(reach, MANY)
    if trials is None or trials > most:
        return f"more than {rounded(most):,}"
    return f"{rounded(trials):,}"


def percent(share: float) -> str:
    """A share between 0 and 1; "<1 %" where there is something and it rounds to nothing."""
    rounded = round(100 * share)
    return "<1 %" if rounded == 0 and share > 0 else f"{rounded} %"


def probability(number: float | None) -> str:
    """0.83; never quite 0 or 1 unless it is."""
    if number is None:
        return "–"
    text = f"{number:.2f}"
    if text == "1.00" and number < 1:
        return "over 0.99"
    return "under 0.01" if text == "0.00" and number > 0 else text


def duration(seconds: float | None) -> str:
    """12 ms, 3.4 s, 5 min 12 s, 2 h 13 min, 3 d 4 h."""
    if seconds is None:
        return "–"
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s".replace(".0 s", " s")
    whole = round(seconds)
    for size, name, smaller, part in (
        (86400, "d", 3600, "h"),
        (3600, "h", 60, "min"),
        (60, "min", 1, "s"),
    ):
        if whole >= size:
            rest = whole % size // smaller
            return f"{whole // size} {name}" + (f" {rest} {part}" if rest else "")
    raise AssertionError("a duration of a minute or more has minutes")
