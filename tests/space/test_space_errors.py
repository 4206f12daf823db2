"""Spaces that contradict themselves, configurations outside them, malformed JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from malibo.errors import SpaceError
from malibo.space import Categorical, Float, Int, Ordinal, Space


def text(call: Callable[[], object]) -> str:
    with pytest.raises(SpaceError) as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "a space needs at least one parameter, such as lr=Float(1e-5, 1e-1)."),
        ({3: Float(0, 1)}, "a parameter's name must be a text, got 3."),
        ({"": Float(0, 1)}, "a parameter's name must be a text, got ''."),
        (
            {"a": ["x", "y"]},
            "a: a fixed value must be a string, number, boolean or None, got ['x', 'y'].",
        ),
        (
            {"kernel": Ordinal([1, 2]), "b": Int(1, 2, when={"kernal": 1})},
            "b: when names the unknown parameter 'kernal'. Did you mean 'kernel'?",
        ),
        (
            {"a": Float(0, 1), "b": Int(1, 2, when={"a": 0.5})},
            "b: when needs a parent with countable values, and 'a' is continuous;"
            " use Int, Categorical or Ordinal for it.",
        ),
        (
            {"a": Categorical(["x", "y"]), "b": Int(1, 2, when={"a": ["x", "z"]})},
            "b: when 'a': expected one of 'x', 'y', got 'z'.",
        ),
        (
            {"a": Int(1, 2), "b": Int(1, 2, when={"a": 3})},
            "b: when 'a': expected an integer from 1 to 2, got 3.",
        ),
        ({"a": Int(1, 2, when={"a": 1})}, "the when conditions of 'a' form a cycle."),
        (
            {
                "free": Int(1, 2),
                "a": Int(1, 2, when={"c": 1}),
                "b": Int(1, 2, when={"a": 1, "free": 1}),
                "c": Int(1, 2, when={"b": 1}),
            },
            "the when conditions of 'a', 'b', 'c' form a cycle.",
        ),
    ],
)
def test_a_space_that_contradicts_itself(parameters: dict[str, Any], message: str) -> None:
    assert text(lambda: Space(parameters)) == message


def test_a_parameter_given_twice() -> None:
    assert text(lambda: Space({"a": 1, "b": 2}, a=1)) == "parameter 'a' is given twice."


SPACE = Space(
    optimizer=Categorical(["adam", "sgd"]),
    momentum=Float(0, 1, when={"optimizer": "sgd"}),
    layers=Int(1, 8),
    units=Int(1, 99, when={"optimizer": ["adam", "sgd"], "layers": 2}),
    epochs=10,
)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (
            {"optimizer": "adam", "layer": 1},
            "unknown parameter 'layer'; the space has 'optimizer', 'momentum', 'layers', 'units',"
            " 'epochs'. Did you mean 'layers'?",
        ),
        (
            {"optimizer": "adam", "layers": 1, "x": 1, "y": 1},
            "unknown parameter 'x', 'y'; the space has 'optimizer', 'momentum', 'layers', 'units',"
            " 'epochs'.",
        ),
        ({"optimizer": "adam"}, "parameter 'layers' is missing from {'optimizer': 'adam'}."),
        ({"momentum": 0.5}, "parameter 'optimizer' is missing from {'momentum': 0.5}."),
        (
            {"optimizer": "sgd", "layers": 1},
            "parameter 'momentum' is missing from {'optimizer': 'sgd', 'layers': 1}.",
        ),
        (
            {"optimizer": "adam", "layers": 1, "momentum": 0.5},
            "'momentum' is inactive here: it needs optimizer='sgd'; leave it out.",
        ),
        (
            {"optimizer": "adam", "layers": 1, "units": 3},
            "'units' is inactive here: it needs optimizer in ('adam', 'sgd') and layers=2;"
            " leave it out.",
        ),
        (
            {"optimizer": "adam", "layers": 9},
            "parameter 'layers': expected an integer from 1 to 8, got 9.",
        ),
        (
            {"optimizer": "adam", "layers": "1"},
            "parameter 'layers': expected an integer from 1 to 8, got '1' (str).",
        ),
        (
            {"optimizer": "adam", "layers": None},
            "parameter 'layers': expected an integer from 1 to 8, got None (NoneType).",
        ),
        (
            {"optimizer": "Adam", "layers": 1},
            "parameter 'optimizer': expected one of 'adam', 'sgd', got 'Adam'.",
        ),
        (
            {"optimizer": "adam", "layers": 1, "epochs": 20},
            "parameter 'epochs': expected the fixed value 10, got 20.",
        ),
        (["adam", 1], "a configuration must be a dict, got ['adam', 1]."),
    ],
)
def test_a_config_outside_the_space(config: Any, message: str) -> None:
    assert text(lambda: SPACE.codes([config])) == message


def test_a_continuous_space_cannot_be_listed() -> None:
    message = text(lambda: SPACE.enumerate(5))
    assert message == "a space with the continuous 'momentum' cannot be listed."


@pytest.mark.parametrize(
    ("json", "message"),
    [
        ('{"a": {"type": "int", "low": 1,', "not a space in JSON: Expecting property name"),
        ("", "not a space in JSON: Expecting value"),
        ("[1, 2]", "not a space in JSON: expected an object of parameter descriptions."),
        ('{"a": 3}', "not a space in JSON: expected an object of parameter descriptions."),
        ("{}", "a space needs at least one parameter"),
        ('{"a": {"type": "real", "low": 0}}', "a: unknown parameter type 'real'; known: 'float'"),
        ('{"a": {"type": {}}}', "a: unknown parameter type {}; known: 'float'"),
        ('{"a": {"type": "int", "low": 1, "hihg": 2}}', "a: unknown option 'hihg' of a int"),
        ('{"a": {"type": "int", "low": 1}}', "a: incomplete int parameter:"),
        ('{"a": {"type": "int", "low": "1", "high": 2}}', "a: Int: bounds and step must be integ"),
        ('{"a": {"type": "float", "low": 1, "high": Infinity}}', "a: expected a number as bound"),
        ('{"a": {"type": "categorical", "choices": [["x"]]}}', "a: Categorical: a choice must be"),
        ('{"a": {"type": "fixed", "value": 1, "when": {"b": 1}}}', "a: when names the unknown"),
        ('{"a": {"type": "fixed", "value": 1, "when": "b"}}', "a: when must map parent names"),
    ],
)
def test_json_that_is_no_space(json: str, message: str) -> None:
    assert text(lambda: Space.from_json(json)).startswith(message)
