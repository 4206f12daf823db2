"""Contradictory parameters and wrong values: the message says what was expected."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from malibo.errors import InputError, MaliboError, SpaceError
from malibo.space import Categorical, Fixed, Float, Int, Ordinal, Parameter
from malibo.space.parameters import parameter_from_dict


def text(call: Callable[[], object]) -> str:
    with pytest.raises(SpaceError) as caught:
        call()
    return str(caught.value)


def test_a_space_error_is_an_input_error_and_a_value_error() -> None:
    for kind in (SpaceError, InputError, MaliboError, ValueError):
        with pytest.raises(kind, match="low must be below high"):
            Float(2, 1)


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        (Float, {"low": 2, "high": 1}, "Float: low must be below high, got low=2, high=1."),
        (Int, {"low": 3, "high": 3}, "A single value is a fixed one: write the value in place"),
        (Float, {"low": 0, "high": 1, "log": True}, "log=True needs low above 0, got low=0."),
        (Int, {"low": -1, "high": 1, "log": True}, "Int: log=True needs low above 0, got low=-1."),
        (Float, {"low": 1, "high": 2, "log": "no"}, "Float: log must be True or False, got 'no'."),
        (Float, {"low": "0", "high": 1}, "expected a number as bound of Float, got '0' (str)."),
        (Float, {"low": False, "high": 1}, "a number as bound of Float, got False (bool)."),
        (Float, {"low": 0, "high": math.inf}, "expected a number as bound of Float, got inf."),
        (Float, {"low": math.nan, "high": 1}, "expected a number as bound of Float, got nan."),
        (Float, {"low": -1e308, "high": 1e308}, "range from -1e+308 to 1e+308 is too wide"),
        (Float, {"low": 0, "high": 1, "step": 0}, "Float: step must be above 0"),
        (Float, {"low": 0, "high": 1, "step": "a"}, "expected a number as step of Float, got 'a'"),
        (Int, {"low": 1, "high": 3, "step": 5}, "Int: step must be above 0 and at most high - low"),
        (Int, {"low": 1, "high": 8, "step": 3}, "Int: high=8 is no whole number of steps of 3"),
        (Int, {"low": 1, "high": 8, "step": 3}, "above low=1; use high=7."),
        (Int, {"low": 1, "high": 9, "step": 2, "log": True}, "log=True and step=2 contradict"),
        (Float, {"low": 1, "high": 9, "step": 1, "log": True}, "log=True and step=1.0 contradict"),
        (Int, {"low": 0.5, "high": 3}, "bounds and step must be integers, got 0.5; use Float"),
        (Int, {"low": 1, "high": 3, "step": None}, "bounds and step must be integers, got None"),
        (Int, {"low": True, "high": 3}, "bounds and step must be integers, got True"),
        (Int, {"low": 0, "high": 2**53 + 1}, "Int: 9007199254740993 is beyond 2**53; use Float"),
        (Int, {"low": -(2**53), "high": 2**53}, "Int: 18014398509481984 is beyond 2**53"),
        (Int, {"low": 0, "high": 2**53, "step": 10**400}, "expected a number as step of Int"),
        (Int, {"low": 1, "high": 3, "default": 4}, "default: expected an integer from 1 to 3"),
        (Float, {"low": 1, "high": 3, "default": "x"}, "default: expected a number from 1.0 to"),
        (Categorical, {"choices": []}, "Categorical: choices is empty; give at least one."),
        (Categorical, {"choices": "abc"}, "Categorical: choices must be a list, got 'abc'."),
        (Categorical, {"choices": 3}, "Categorical: choices must be a list, got 3."),
        (Ordinal, {"choices": {"a"}}, "Ordinal: choices must be a list, got {'a'}."),
        (Ordinal, {"choices": {"a": 1}}, "Ordinal: choices must be a list, got {'a': 1}."),
        (Categorical, {"choices": ["a", "b", "a"]}, "Categorical: duplicate choices 'a' (1, 1.0"),
        (Ordinal, {"choices": [1, True]}, "Ordinal: duplicate choices 1 (1, 1.0 and True count"),
        (Categorical, {"choices": [[1], 2]}, "must be a string, number, boolean or None, got [1]."),
        (Categorical, {"choices": [math.nan]}, "a string, number, boolean or None, got nan."),
        (Categorical, {"choices": ["a"], "default": "b"}, "default: expected one of 'a', got 'b'."),
        (Categorical, {"choices": ["a"], "default": ["a"]}, "expected one of 'a', got ['a']."),
        (Fixed, {"value": [1]}, "a fixed value must be a string, number, boolean or None, got [1]"),
        (Fixed, {"value": math.nan}, "must be a string, number, boolean or None, got nan."),
        (Fixed, {"value": 1, "when": ["a"]}, "when must map parent names to values, such as"),
        (Fixed, {"value": 1, "when": {"a": []}}, "when: no value of 'a' is given; name at least"),
    ],
)
def test_contradictory_options(
    kind: type[Parameter], options: dict[str, Any], message: str
) -> None:
    assert message in text(lambda: kind(**options))


@pytest.mark.parametrize(
    ("parameter", "value", "message"),
    [
        (Float(0, 1), 1.5, "expected a number from 0.0 to 1.0, got 1.5."),
        (Float(0, 1), "0.5", "expected a number from 0.0 to 1.0, got '0.5' (str)."),
        (Float(0, 1), None, "expected a number from 0.0 to 1.0, got None (NoneType)."),
        (Float(0, 1), True, "expected a number from 0.0 to 1.0, got True (bool)."),
        (Float(0, 1), math.nan, "expected a number from 0.0 to 1.0, got nan."),
        (Float(0, 1), 10**400, "expected a number from 0.0 to 1.0, got 1000"),
        (Float(1e-5, 1e5, log=True), -1e-5, "expected a number from 1e-05 to 100000.0, got -1e"),
        (Float(1e-5, 1e5, log=True), 1e-9, "expected a number from 1e-05 to 100000.0, got 1e-09."),
        (Float(0, 4, step=1), 0.5, "expected a number from 0.0 to 4.0 in steps of 1.0, got 0.5."),
        (Int(1, 8), 9, "expected an integer from 1 to 8, got 9."),
        (Int(1, 8), 2.5, "expected an integer from 1 to 8, got 2.5."),
        (Int(1, 8), "3", "expected an integer from 1 to 8, got '3' (str)."),
        (Int(0, 10**10), -3, "expected an integer from 0 to 10000000000, got -3."),
        (Int(0, 10**10), 0.5, "expected an integer from 0 to 10000000000, got 0.5."),
        (Int(0, 9, step=3), 4, "expected an integer from 0 to 9 in steps of 3, got 4."),
        (Categorical(["a", "b"]), "c", "expected one of 'a', 'b', got 'c'."),
        (Ordinal([1, 2]), ["a"], "expected one of 1, 2, got ['a']."),
        (Categorical(range(12)), 12, "expected one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more"),
        (Fixed("a"), "b", "expected the fixed value 'a', got 'b'."),
        (Fixed(1), np.array([1, 2]), "expected the fixed value 1, got array([1, 2])."),
    ],
)
def test_a_value_outside_the_parameter(parameter: Parameter, value: object, message: str) -> None:
    assert text(lambda: parameter.to_code(value)).startswith(message)


@pytest.mark.parametrize(
    ("plain", "message"),
    [
        ({"type": "flaot"}, "unknown parameter type 'flaot'; known: 'float', 'int', 'categorical'"),
        ({"type": ["int"]}, "unknown parameter type ['int']; known:"),
        ({"low": 1}, "unknown parameter type None; known:"),
        ({"type": "float", "lo": 0, "high": 1}, "unknown option 'lo' of a float parameter."),
        ({"type": "float", "low": 0}, "incomplete float parameter:"),
    ],
)
def test_plain_data_that_is_no_parameter(plain: dict[str, Any], message: str) -> None:
    assert text(lambda: parameter_from_dict(plain)).startswith(message)


def test_the_missing_option_is_named() -> None:
    message = text(lambda: parameter_from_dict({"type": "float", "low": 0}))
    assert "'high'" in message


def test_a_misspelt_keyword_is_named() -> None:
    options: dict[str, Any] = {"logg": True}
    with pytest.raises(TypeError, match=re.escape("unexpected keyword argument 'logg'")):
        Float(0, 1, **options)
