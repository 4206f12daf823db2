"""Placeholders become values, word by word, and nothing else is changed."""

from __future__ import annotations

import argparse
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from malibo import Categorical, Float, Int, Space
from malibo.tune import Command, CommandError

SPACE = Space(
    {"weight-decay": Float(-1, 1)},
    lr=Float(1e-6, 1, log=True),
    layers=Int(1, 4),
    optimizer=Categorical(["adam", "sgd", None, True]),
    momentum=Float(0, 1, when={"optimizer": "sgd"}),
    epochs=10,
)
ADAM = {"weight-decay": -1e-05, "lr": 1e-05, "layers": 2, "optimizer": "adam", "epochs": 10}
SGD = {**ADAM, "optimizer": "sgd", "momentum": 0.1 + 0.2}


def filled(*words: str, config: dict[str, Any] = SGD) -> list[str]:
    return Command(words, SPACE).arguments(config, 7, "/logs/0007.result")


def test_values_are_written_so_that_no_digit_is_lost() -> None:
    words = ("run", "{lr}", "{layers}", "{momentum}", "{optimizer}", "{epochs}", "{weight-decay}")
    expected = ["run", "1e-05", "2", "0.30000000000000004", "sgd", "10", "-1e-05"]
    assert filled(*words) == expected


def test_values_that_are_no_numbers_are_written_as_python_does() -> None:
    assert filled("x", "{optimizer}", config={**ADAM, "optimizer": None}) == ["x", "None"]
    assert filled("x", "{optimizer}", config={**ADAM, "optimizer": True}) == ["x", "True"]


def test_the_trial_the_result_and_the_whole_configuration() -> None:
    words = filled("run", "out/{trial}-{layers}.log", "{result}", "{config}")
    assert words[:3] == ["run", "out/7-2.log", "/logs/0007.result"]
    assert json.loads(words[3]) == SGD


def test_braces_are_doubled_to_stay() -> None:
    assert filled("awk", "{{print $1}}", "{{{lr}}}", "}}{{") == [
        "awk",
        "{print $1}",
        "{1e-05}",
        "}{",
    ]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["x", "--momentum", "{momentum}", "--lr", "{lr}"], ["x", "--lr", "1e-05"]),
        (["x", "-m", "{momentum}"], ["x"]),
        (["x", "--verbose", "--momentum={momentum}"], ["x", "--verbose"]),
        (["x", "--multirun", "opt.momentum={momentum}"], ["x", "--multirun"]),
        (["x", "--pair", "{lr},{momentum}"], ["x"]),
        (["x", "plain", "{momentum}", "end"], ["x", "plain", "end"]),
        (["x", "--lr={lr}", "{momentum}"], ["x", "--lr=1e-05"]),
        (["x", "--lr", "{lr}", "{momentum}"], ["x", "--lr", "1e-05"]),
        (["x", "--", "{momentum}"], ["x", "--"]),
        (["x", "-1", "{momentum}"], ["x", "-1"]),
        (["x", "--a", "{momentum}", "{momentum}"], ["x"]),
    ],
)
def test_an_inactive_parameter_goes_with_its_flag(words: list[str], expected: list[str]) -> None:
    assert filled(*words, config=ADAM) == expected
    assert len(filled(*words)) == len(words)


def test_all_arguments_are_read_back_by_argparse() -> None:
    parser = argparse.ArgumentParser()
    for name in SPACE:
        parser.add_argument(f"--{name}")
    words = filled("train", "{args}", "end", config=SGD)
    assert (words[0], words[-1]) == ("train", "end")
    found = vars(parser.parse_args(words[1:-1]))
    assert found == {name.replace("-", "_"): str(value) for name, value in SGD.items()}
    assert "--momentum" not in filled("train", "{args}", config=ADAM)


def test_all_arguments_must_be_a_word_of_their_own() -> None:
    with pytest.raises(CommandError, match=r"\{args\} stands for several words"):
        Command(["train", "--all={args}"], SPACE)


def test_an_unknown_placeholder_names_the_nearest() -> None:
    with pytest.raises(
        CommandError, match=r"unknown placeholder \{momentun\} in '-m=\{momentun\}'"
    ):
        Command(["x", "-m={momentun}"], SPACE)
    with pytest.raises(CommandError, match="Did you mean 'momentum'") as error:
        Command(["x", "{momentun}"], SPACE)
    assert "{{ and }}" in str(error.value)


@pytest.mark.parametrize("word", ["{lr", "lr}", "a{", "{{}", "{lr}}"])
def test_a_brace_alone_is_refused(word: str) -> None:
    with pytest.raises(CommandError, match="a brace stands alone"):
        Command(["x", word], SPACE)


def test_there_must_be_a_command() -> None:
    with pytest.raises(CommandError, match="there is no command; give it after --"):
        Command([], SPACE)


@pytest.mark.parametrize(
    ("words", "unused"),
    [
        (["x"], ["weight-decay", "lr", "layers", "optimizer", "momentum"]),
        (["x", "{lr}", "a{layers}", "{optimizer}{momentum}"], ["weight-decay"]),
        (["x", "{config}"], []),
        (["x", "{args}"], []),
        (["x", "{trial}", "{{config}}"], ["weight-decay", "lr", "layers", "optimizer", "momentum"]),
    ],
)
def test_parameters_that_are_not_handed_over_are_known(words: list[str], unused: list[str]) -> None:
    assert Command(words, SPACE).unused == unused


def test_a_parameter_s_own_name_goes_first() -> None:
    space = Space(config=Int(1, 9), args=Int(1, 9), x=Int(1, 9))
    command = Command(["run", "--c={config}", "a{args}"], space)
    assert command.arguments({"config": 3, "args": 4, "x": 5}, 0, "") == ["run", "--c=3", "a4"]
    assert command.unused == ["x"]


@given(st.lists(st.text(), min_size=1))
def test_any_text_passes_once_its_braces_are_doubled(words: list[str]) -> None:
    doubled = [word.replace("{", "{{").replace("}", "}}") for word in words]
    assert filled(*doubled) == words


@given(st.floats(1e-6, 1), st.integers(1, 4))
def test_numbers_come_back_exactly(lr: float, layers: int) -> None:
    words = filled("x", "{lr}", "{layers}", config={**ADAM, "lr": lr, "layers": layers})
    assert (float(words[1]), int(words[2])) == (lr, layers)
