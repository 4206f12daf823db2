"""Numbers as people read them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from malibo.report.numerals import count, duration, percent, probability, short, shown
from strategies import repeatable


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.1 + 0.2, "0.3"),
        (0.0, "0"),
        (-0.5, "-0.5"),
        (100.0, "100"),
        (12345.678, "12346"),
        (99999.96, "100000"),
        (999999.9, "1e6"),
        (1234567.0, "1.2346e6"),
        (1e-5, "1e-5"),
        (0.000123456, "0.00012346"),
        (5e-324, "4.9407e-324"),
        (1.7976931348623157e308, "1.7977e308"),
        (None, "–"),
        (math.nan, "–"),
        (math.inf, "∞"),
        (-math.inf, "-∞"),
    ],
)
def test_numbers_are_short(number: float | None, text: str) -> None:
    assert short(number) == text


@repeatable
@given(st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False), st.integers(2, 8))
def test_short_numbers_are_near_what_they_stand_for(number: float, digits: int) -> None:
    text = short(number, digits)
    if abs(number) < 1e308:  # beyond, rounding up gives no float
        assert float(text) == pytest.approx(number, rel=10.0 ** (1 - digits))
    assert len(text) <= digits + 8


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "True"),
        (None, "None"),
        (3, "3"),
        (0.12345678, "0.1235"),
        ("a", "a"),
        (10**12, "1" + "0" * 12),
    ],
)
def test_values_of_parameters(value: object, text: str) -> None:
    assert shown(value) == text


@pytest.mark.parametrize(
    ("trials", "text"),
    [
        (1.0, "1"),
        (9.4, "9"),
        (33.6, "30"),
        (366.0, "400"),
        (960.0, "1,000"),
        (1000.0, "1,000"),
        (1001.0, "more than 1,000"),
        (None, "more than 1,000"),
    ],
)
def test_estimated_numbers_of_trials_have_one_digit(trials: float | None, text: str) -> None:
    assert count(trials) == text


@pytest.mark.parametrize(
    ("share", "text"), [(0.0, "0 %"), (0.001, "<1 %"), (0.126, "13 %"), (1.0, "100 %")]
)
def test_percents(share: float, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0.00"),
        (0.004, "under 0.01"),
        (0.836, "0.84"),
        (0.999, "over 0.99"),
        (1.0, "1.00"),
        (None, "–"),
    ],
)
def test_probabilities_are_never_sure_by_rounding(number: float | None, text: str) -> None:
    assert probability(number) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "–"),
        (0.012, "12 ms"),
        (3.0, "3 s"),
        (3.44, "3.4 s"),
        (59.96, "1 min"),
        (312.0, "5 min 12 s"),
        (3599.6, "1 h"),
        (7980.0, "2 h 13 min"),
        (90000.0, "1 d 1 h"),
    ],
)
def test_durations(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text
