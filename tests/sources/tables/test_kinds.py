"""Which kind of parameter fits the values of a column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from malibo import Categorical, Float, Int, Ordinal
from malibo.sources.tables.cells import column_of
from malibo.sources.tables.kinds import parameter_of, rounded
from malibo.space import Parameter

RNG = np.random.default_rng(0)


def guessed(values: Any) -> tuple[Parameter, str]:
    column = column_of(pd.Series(values), "c")
    assert column is not None
    return parameter_of(column)


@pytest.mark.parametrize(
    ("values", "parameter", "reason"),
    [
        (["b", "a"] * 3, Categorical(["a", "b"]), "2 choices: 'a', 'b'"),
        ([True, False] * 3, Categorical([False, True]), "2 choices: False, True"),
        (["x", "10", "9", "true", "None"], Categorical([None, True, 9, 10, "x"]), "5 choices"),
        ([3, 1, 2] * 9, Int(1, 3), "3 whole numbers from 1 to 3"),
        ([0, 1] * 9, Int(0, 1), "2 whole numbers from 0 to 1"),
        ([16, 64, 32] * 3, Ordinal([16, 32, 64]), "a grid of 3 numbers: 16, 32, 64"),
        ([0.5, 0.1] * 3, Ordinal([0.1, 0.5]), "a grid of 2 numbers: 0.1, 0.5"),
        ([16, 64, 32] * 2 + [16, 64], Int(16, 64), "3 whole numbers from 16 to 64"),
        (list(range(0, 26, 2)) * 3, Int(0, 24), "13 whole numbers from 0 to 24"),
        (list(range(0, 24, 2)) * 3, Ordinal(range(0, 24, 2)), "a grid of 12 numbers"),
        ([0.013, 0.5, 0.952], Float(0.01, 0.96), "3 values from 0.013 to 0.952"),
        ([0, 2**60], Float(0, 1.2e18), "2 values from 0 to 1.15292e+18"),
    ],
)
def test_values_find_their_kind(values: list[Any], parameter: Parameter, reason: str) -> None:
    found, said = guessed(values)
    assert found == parameter
    assert said.startswith(reason)


def test_numbers_are_on_the_scale_on_which_they_lie_evenly() -> None:
    even = RNG.uniform(1e-5, 1, 200)
    log = 10 ** RNG.uniform(-5, 0, 200)
    assert guessed(log) == (
        Float(1e-5, 1.0, log=True),
        f"200 values from {log.min():.6g} to {log.max():.6g}, log scale",
    )
    assert guessed(even)[0] == Float(0.0, 1.0)
    whole = np.unique(np.rint(10 ** RNG.uniform(0, 4, 200)))
    assert guessed(whole)[0] == Int(int(whole[0]), int(whole[-1]), log=True)


@pytest.mark.parametrize("factor", [1, -1])
def test_less_than_two_decades_or_numbers_up_to_zero_are_on_the_plain_scale(factor: int) -> None:
    narrow = 10 ** np.linspace(0, 1.99, 50)
    wide = 10 ** np.linspace(0, 2, 50)
    assert not getattr(guessed(narrow)[0], "log", None)
    assert getattr(guessed(factor * wide)[0], "log", None) == (factor == 1)
    assert not getattr(guessed([0.0, *wide])[0], "log", None)


def test_a_slip_among_many_numbers_leaves_them_numbers() -> None:
    numbers = [str(n) for n in RNG.uniform(0, 1, 20)]
    assert isinstance(guessed([*numbers, "oops", "None"])[0], Float)
    assert isinstance(guessed([*numbers, "a", "b", "c"])[0], Categorical)
    assert isinstance(guessed(["1", "2", "3", "auto"])[0], Categorical)


def test_a_slip_among_few_different_numbers_is_one_that_is_rare() -> None:
    grid = [20, 40, 60] * 3
    assert guessed([*grid, 20, "RT"])[0] == Ordinal([20, 40, 60])
    assert isinstance(guessed([*grid, "RT"])[0], Categorical)  # 9 numbers
    assert isinstance(guessed([*grid, 20, "RT", "?"])[0], Categorical)  # 10 of 12 are numbers
    assert guessed([*range(0, 20, 2), "RT"])[0] == Int(0, 18)
    choice = [*(str(n / 10) for n in range(1, 11)), "sqrt"] * 9
    assert isinstance(guessed(choice)[0], Categorical)  # as often as each of the numbers
    assert guessed([*choice[:10] * 9, "sqrt"])[0] == Ordinal([n / 10 for n in range(1, 11)])
    assert isinstance(guessed([*[2.5] * 20, "RT"])[0], Categorical)  # else there is no range


@pytest.mark.parametrize(
    ("low", "high", "log", "bounds"),
    [
        (1.3e-5, 0.087, True, (1e-5, 0.09)),
        (1e-5, 1e-1, True, (1e-5, 1e-1)),
        (0.0132, 0.952, False, (0.01, 0.96)),
        (0.5, 0.9, False, (0.5, 0.9)),
        (-3.21, 12.3, False, (-4.0, 13.0)),
        (100.1, 100.2, False, (100.1, 100.2)),
        (-1e308, 1e308, False, (-1e308, 1e308)),
    ],
)
def test_bounds_are_rounded_outward(
    low: float, high: float, log: bool, bounds: tuple[float, float]
) -> None:
    assert rounded(low, high, log) == bounds


@given(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
)
def test_rounded_bounds_hold_what_was_seen_and_little_more(
    one: float, other: float, log: bool
) -> None:
    low, high = sorted((one, other))
    assume(low < high and np.isfinite(high - low))
    assume(not log or (low > 1e-300 and high < 1e300))
    below, above = rounded(low, high, log)
    assert below <= low
    assert high <= above
    if log:
        assert low / below <= 2.0000001
        assert above / high <= 2.0000001
    else:
        assert above - below <= (high - low) * 1.2000001
    Float(below, above, log=log)


def test_a_zero_alone_keeps_numbers_from_the_log_scale_and_it_is_told() -> None:
    numbers = 10 ** np.random.default_rng(0).uniform(-6, -1, 60)
    numbers[::6] = 0
    parameter, reason = guessed(numbers)
    assert isinstance(parameter, Float)
    assert not parameter.log
    assert reason.endswith(
        "; a log scale would fit all but the 0: for one, write a small number in its place"
    )
    for others in (np.linspace(0, 1, 60), np.append(-numbers, numbers), numbers[numbers > 0]):
        assert "all but the 0" not in guessed(others)[1]
