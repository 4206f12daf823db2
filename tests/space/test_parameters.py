"""Each kind of parameter: codes, the unit cube, sampling, plain data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from malibo.space import Categorical, Fixed, Float, Int, Ordinal, Parameter
from malibo.space.parameters import Array, parameter_from_dict
from strategies import parameters, repeatable, seeds


def column(*numbers: float) -> Array:
    return np.array(numbers)[:, None]


def unit_of(parameter: Parameter, value: object) -> list[float]:
    """The unit columns of one value."""
    row: list[float] = parameter.to_unit(np.array([parameter.to_code(value)]))[0].tolist()
    return row


def chi_square(codes: Array, expected: dict[float, float]) -> float:
    """Pearson's statistic of observed codes against the probability of each."""
    counts = [(np.sum(codes == code), len(codes) * share) for code, share in expected.items()]
    assert sum(seen for seen, _ in counts) == len(codes)
    return float(sum((seen - mean) ** 2 / mean for seen, mean in counts))


@pytest.mark.parametrize(
    ("parameter", "value", "unit"),
    [
        (Float(-1, 3), 0.0, [0.25]),
        (Float(1e-4, 1e-2, log=True), 1e-3, [0.5]),
        (Float(0, 1, step=0.25), 0.75, [0.75]),
        (Int(1, 9), 3, [0.25]),
        (Int(1, 100, log=True), 10, [0.5]),
        (Int(10, 50, step=20), 30, [0.5]),
        (Categorical(["a", "b", "c"]), "b", [0.0, 1.0, 0.0]),
        (Categorical(["only"]), "only", [1.0]),
        (Ordinal([16, 32, 128]), 32, [0.5]),
        (Ordinal(["only"]), "only", [0.5]),
        (Fixed("same"), "same", []),
    ],
)
def test_unit_columns_of_a_value(parameter: Parameter, value: object, unit: list[float]) -> None:
    assert unit_of(parameter, value) == pytest.approx(unit)
    assert parameter.width == len(unit)


@pytest.mark.parametrize(
    ("parameter", "code"),
    [
        (Float(-1, 3), 1.0),
        (Float(1e-4, 1e-2, log=True), 1e-3),
        (Float(0, 1, step=0.25), 0.5),
        (Int(1, 9), 5),
        (Int(1, 100, log=True), 10),
        (Ordinal([16, 32, 128]), 1),
    ],
)
def test_the_middle_of_the_unit_interval(parameter: Parameter, code: float) -> None:
    assert parameter.from_unit(column(0.5)) == pytest.approx([code])


def test_ends_of_the_unit_interval_are_the_bounds_and_beyond_is_clipped() -> None:
    for parameter in (Float(1e-4, 1e-2, log=True), Float(-1, 3), Int(2, 7), Int(2, 7, log=True)):
        ends = parameter.from_unit(column(-0.5, 0.0, 1.0, 1.5))
        low, high = parameter.low, parameter.high
        assert_allclose(ends, [low, low, high, high], rtol=1e-12)


def test_one_hot_decodes_to_the_largest_column() -> None:
    unit = np.array([[0.2, 0.9, 0.3], [0.0, 0.1, 0.2], [0.0, 0.0, 0.0]])
    assert_array_equal(Categorical(["a", "b", "c"]).from_unit(unit), [1, 2, 0])


def test_neutral_is_the_middle_and_no_choice_for_one_hot() -> None:
    assert Float(0, 1).neutral == Int(0, 1).neutral == Ordinal([1, 2]).neutral == 0.5
    assert Categorical([1, 2]).neutral == 0.0


def test_counts_of_distinct_values() -> None:
    assert Float(0, 1).count == math.inf
    assert Float(0, 1, step=0.1).count == 11
    assert Int(3, 7).count == 5
    assert Int(0, 30, step=10).count == 4
    assert Categorical(["a", "b"]).count == Ordinal(["a", "b"]).count == 2
    assert Fixed(1).count == 1


def test_values_have_the_type_of_their_parameter() -> None:
    assert type(Int(1, 8).to_value(np.float64(3.0))) is int
    assert type(Float(1, 8).to_value(np.float64(3.0))) is float
    assert Categorical([None, True, "x"]).to_value(1.0) is True


@pytest.mark.parametrize(
    ("kind", "given", "plain"),
    [
        (Int, {"low": np.int64(1), "high": np.int8(8)}, {"low": 1, "high": 8}),
        (Float, {"low": np.float32(0.5), "high": np.int64(2)}, {"low": 0.5, "high": 2.0}),
        (Categorical, {"choices": np.array([1, 2])}, {"choices": [1, 2]}),
        (Ordinal, {"choices": [1, 2], "default": np.int64(2)}, {"choices": [1, 2], "default": 2}),
        (Fixed, {"value": np.bool_(True)}, {"value": True}),
        (Fixed, {"value": 1, "when": {"a": np.int64(1)}}, {"value": 1, "when": {"a": 1}}),
    ],
)
def test_numpy_scalars_become_plain_python(
    kind: type[Parameter], given: dict[str, Any], plain: dict[str, Any]
) -> None:
    assert repr(kind(**given)) == repr(kind(**plain))


def test_a_value_a_rounding_error_outside_is_the_bound() -> None:
    assert Float(0, 1).to_code(1 + 1e-12) == 1.0
    assert Float(1e-5, 1e5, log=True).to_code(1e-5 * (1 - 1e-12)) == 1e-5
    assert Float(0, 1, step=0.1).to_code(0.3) == 3 * 0.1


@pytest.mark.parametrize(
    ("parameter", "codes", "inside"),
    [
        (Float(0, 2), [0, 1.3, 2, 2.1, math.nan], [True, True, True, False, False]),
        (Float(0, 1, step=0.5), [0, 0.25, 0.5, 1, 1.5], [True, False, True, True, False]),
        (Float(1e-5, 1e5, log=True), [1e-6, 1e-5, 1e5, 1.1e5], [False, True, True, False]),
        (Int(0, 10**10), [-1, 0, 0.5, 10**10, 10**10 + 1], [False, True, False, True, False]),
        (Ordinal(["a", "b"]), [-1, 0, 0.5, 1, 2], [False, True, False, True, False]),
        (Fixed("a"), [0, 1, math.nan], [True, False, False]),
    ],
)
def test_which_codes_are_contained(
    parameter: Parameter, codes: list[float], inside: list[bool]
) -> None:
    assert parameter.contains(np.array(codes)).tolist() == inside


def test_grid_lists_the_first_codes() -> None:
    assert Int(3, 9, step=2).grid(10).tolist() == [3, 5, 7, 9]
    assert Int(1, 10**9).grid(3).tolist() == [1, 2, 3]
    assert_allclose(Float(0, 1, step=0.25).grid(4), [0, 0.25, 0.5, 0.75])
    assert Categorical(["a", "b", "c"]).grid(2).tolist() == [0, 1]
    assert Fixed(7).grid(5).tolist() == [0]


def test_int_sampling_is_uniform_ends_included() -> None:
    codes = Int(1, 8).sample(np.random.default_rng(0), 20_000)
    assert chi_square(codes, dict.fromkeys(range(1, 9), 1 / 8)) < 29.9  # 1 in 10,000 with 7 df


def test_log_int_sampling_gives_the_ends_their_share() -> None:
    codes = Int(1, 8, log=True).sample(np.random.default_rng(0), 20_000)
    shares = {k: math.log((k + 0.5) / (k - 0.5)) / math.log(8.5 / 0.5) for k in range(1, 9)}
    assert chi_square(codes, {float(k): share for k, share in shares.items()}) < 29.9


def test_stepped_and_listed_sampling_is_uniform() -> None:
    rng = np.random.default_rng(0)
    listed = Categorical(["a", "b", "c", "d"]).sample(rng, 10_000)
    stepped = Float(0, 0.75, step=0.25).sample(rng, 10_000) * 4
    for codes in (listed, stepped):
        assert chi_square(codes, dict.fromkeys(range(4), 1 / 4)) < 21.1  # 1 in 10,000, 3 df


def test_log_float_sampling_is_uniform_in_the_logarithm() -> None:
    codes = Float(1e-4, 1, log=True).sample(np.random.default_rng(0), 10_000)
    decades = np.floor(np.log10(codes))
    assert chi_square(decades, dict.fromkeys(range(-4, 0), 1 / 4)) < 21.1


@repeatable
@given(st.floats(-1e150, 1e150), st.floats(1e-9, 1e9), st.floats(0, 1), st.booleans())
def test_any_float_range_comes_back_from_the_unit_interval(
    low: float, ratio: float, position: float, log: bool
) -> None:
    low = abs(low) + 1e-150 if log else low
    high = low + max(abs(low), 1e-150) * ratio
    assume(high > low)
    parameter = Float(low, high, log=log)
    codes = parameter.from_unit(column(position))
    assert parameter.contains(codes).all()
    again = parameter.from_unit(parameter.to_unit(codes))
    assert_allclose(again, codes, rtol=1e-9, atol=1e-9 * (high - low))


@repeatable
@given(parameters())
def test_plain_data_round_trip(parameter: Parameter) -> None:
    back = parameter_from_dict(parameter.to_dict())
    assert back == parameter
    assert hash(back) == hash(parameter)
    assert repr(back) == repr(parameter)


@repeatable
@given(parameters(), seeds)
def test_every_value_has_its_own_code(parameter: Parameter, seed: int) -> None:
    codes = parameter.sample(np.random.default_rng(seed), 5)
    assert [parameter.to_code(parameter.to_value(code)) for code in codes] == codes.tolist()


def test_plain_data_leaves_out_what_is_not_set() -> None:
    assert Float(0.5, 2).to_dict() == {"type": "float", "low": 0.5, "high": 2.0, "log": False}
    assert Int(1, 5, default=2, when={"a": "x"}).to_dict() == {
        "type": "int",
        "low": 1,
        "high": 5,
        "log": False,
        "step": 1,
        "default": 2,
        "when": {"a": ["x"]},
    }
    assert Fixed(None).to_dict() == {"type": "fixed", "value": None}


def test_equality_is_by_kind_and_options() -> None:
    assert Float(1, 8) == Float(1.0, 8.0)
    assert hash(Float(1, 8)) == hash(Float(1.0, 8.0))
    different: list[Parameter] = [
        Float(1, 8),
        Int(1, 8),
        Float(1, 9),
        Float(1, 8, when={"a": 1}),
        Ordinal([1, 8]),
        Categorical([1, 8]),
        Categorical([8, 1]),
    ]
    assert all(a != b for i, a in enumerate(different) for b in different[:i])


def test_conditions_take_one_value_a_list_or_a_set_in_a_fixed_order() -> None:
    assert Int(1, 2, when={"a": "x"}).when == {"a": ("x",)}
    assert Int(1, 2, when={"a": ["y", "x"]}).when == {"a": ("y", "x")}
    assert Int(1, 2, when={"a": set("dcba")}).when == {"a": ("a", "b", "c", "d")}
    assert Int(1, 2, when={"a": None}).when == {"a": (None,)}
