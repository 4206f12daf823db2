"""Options: every wrong one is named, with what was expected and what arrived."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from malibo.config import GAMMA, SuggestConfig, TrainConfig, with_options
from malibo.errors import InputError

NAN, INF = float("nan"), float("inf")
SHARE = "a number between 0 and 1"
UTILITY = "one of 'ei', 'pi'"
COUNT = "a whole number >= 1"
COUNT_OR_NONE = "a whole number >= 1, or None"
FLAG = "True or False"
WEIGHT = "a number >= 0"

Table = list[tuple[str, str, list[Any]]]

BAD_TRAIN: Table = [
    ("recipe", "one of 'fast', 'paper'", ["slow", None, 1, ["fast"]]),
    ("gamma", SHARE, [0, 1, -0.1, 1.5, NAN, INF, "0.3", True, 1j]),
    ("utility", UTILITY, ["EI", "ucb", None]),
    ("hidden_layers", COUNT, [0, -1, 2.0, "4", None, True]),
    ("hidden_units", COUNT, [0, -1, 64.0, "64", None, True]),
    ("features", COUNT, [0, -1, 50.0, "50", None, True]),
    ("mean_layer", FLAG, [0, 1, "no", None]),
    ("task_layer", FLAG, [0, 1, "no", None]),
    ("regularization", WEIGHT, [-0.1, NAN, INF, "0.1", None, True]),
    ("prior_variance", WEIGHT, [-0.1, NAN, INF, "0.1", True]),
    ("background", WEIGHT, [-0.1, NAN, INF, "0.1", True]),
    ("functions", "True, False or None", [0, 1, "no"]),
    ("steps", COUNT_OR_NONE, [0, -5, 1.5, "10", True]),
    ("batch_size", COUNT_OR_NONE, [0, -5, 1.5, "10", True]),
]
BAD_SUGGEST: Table = [
    ("surrogate", "one of 'process', 'classifier'", ["gp", "Process", None, True]),
    ("trust", "a number above 0, at most 1", [0, -0.1, 1.01, NAN, INF, "0.8", None, True]),
    ("gamma", SHARE, [0, 1, NAN, "0.3"]),
    ("utility", UTILITY, ["EI", "ucb"]),
    ("inference", "one of 'laplace', 'variational', 'hmc'", ["mcmc", None]),
    ("explore", "one of 'thompson', 'probit', 'map'", ["greedy", None]),
    ("residual", "one of 'boosting', 'forest', 'mlp', 'none'", ["xgb", None]),
    ("residual_after", "a whole number >= 2", [1, 0, 5.0, "5", None, True]),
    ("random_first", "a whole number >= 0", [-1, 0.5, "1", None, True]),
    ("random_candidates", COUNT_OR_NONE, [0, -1, 10.0, "10", True]),
    ("equal_logits", WEIGHT, [-0.01, NAN, INF, "0", None, True]),
]


def cases(table: Table) -> list[tuple[str, str, Any]]:
    return [(name, expected, value) for name, expected, values in table for value in values]


def check(kind: type[TrainConfig | SuggestConfig], name: str, expected: str, value: Any) -> None:
    with pytest.raises(InputError) as caught:
        kind(**{name: value})
    assert str(caught.value) == f"{name} must be {expected}, got {value!r}."


@pytest.mark.parametrize(("name", "expected", "value"), cases(BAD_TRAIN))
def test_a_wrong_option_of_training_is_named(name: str, expected: str, value: Any) -> None:
    check(TrainConfig, name, expected, value)


@pytest.mark.parametrize(("name", "expected", "value"), cases(BAD_SUGGEST))
def test_a_wrong_option_of_suggesting_is_named(name: str, expected: str, value: Any) -> None:
    check(SuggestConfig, name, expected, value)


@pytest.mark.parametrize(
    ("kind", "table"), [(TrainConfig, BAD_TRAIN), (SuggestConfig, BAD_SUGGEST)]
)
def test_no_option_goes_unchecked(kind: type[TrainConfig | SuggestConfig], table: Table) -> None:
    assert [name for name, _, _ in table] == [field.name for field in dataclasses.fields(kind)]


@pytest.mark.parametrize("name", ["regularization", "prior_variance", "background"])
def test_a_number_too_large_for_a_float_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=f"{name} must be a number >= 0, got 1000"):
        with_options(TrainConfig, None, {name: 10**400})


def test_a_model_of_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="mean_layer and task_layer cannot both be False"):
        TrainConfig(mean_layer=False, task_layer=False)


def test_the_defaults_are_those_of_the_documentation() -> None:
    train, suggest = TrainConfig(), SuggestConfig()
    assert (train.gamma, train.past_gamma, train.target_gamma) == (None, 0.1, 0.2)
    paper = TrainConfig(recipe="paper")
    assert paper.past_gamma == paper.target_gamma == GAMMA == 1 / 3
    given = TrainConfig(gamma=0.25)
    assert given.past_gamma == given.target_gamma == 0.25
    assert train.utility == "ei"
    assert suggest.gamma is None  # as the model was trained
    assert suggest.utility is None
    assert train.features == 50
    assert train.regularization == 0.1
    assert (suggest.inference, suggest.explore) == ("laplace", "thompson")
    assert (suggest.residual, suggest.equal_logits) == ("boosting", 0.02)
    assert (suggest.surrogate, suggest.trust) == ("process", 0.8)
    assert suggest.random_candidates is None


@pytest.mark.parametrize("config", [TrainConfig(), SuggestConfig()])
def test_a_configuration_is_frozen(config: TrainConfig | SuggestConfig) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.gamma = 0.5  # type: ignore[misc]


def test_equal_configurations_have_equal_hashes() -> None:
    assert {TrainConfig(features=4), TrainConfig(features=4)} == {TrainConfig(features=4)}


def test_options_replace_fields_and_leave_the_rest() -> None:
    before = TrainConfig(steps=10)
    after = with_options(TrainConfig, before, {"features": 4, "recipe": "paper"})
    assert after == TrainConfig(recipe="paper", features=4, steps=10)
    assert before == TrainConfig(steps=10)
    assert with_options(SuggestConfig, None, {}) == SuggestConfig()


def test_a_misspelt_option_is_named_with_the_nearest() -> None:
    with pytest.raises(InputError) as caught:
        with_options(SuggestConfig, None, {"random_candidate": 3})
    assert str(caught.value) == (
        "unknown option 'random_candidate'; SuggestConfig has 'surrogate', 'trust', 'gamma',"
        " 'utility', 'inference', 'explore', 'residual', 'residual_after', 'random_first',"
        " 'random_candidates', 'equal_logits'. Did you mean 'random_candidates'?"
    )


def test_a_replaced_option_is_checked() -> None:
    with pytest.raises(InputError, match="steps must be a whole number >= 1, or None, got 0"):
        with_options(TrainConfig, None, {"steps": 0})


def test_float_subclasses_of_numpy_are_numbers() -> None:
    assert TrainConfig(gamma=np.float64(0.2)).gamma == 0.2


def test_a_config_of_another_kind_is_refused() -> None:
    wrong: Any = {"steps": 3}
    with pytest.raises(InputError, match=r"config must be a TrainConfig, got \{'steps': 3\}"):
        with_options(TrainConfig, wrong, {})


def test_numbers_of_numpy_become_those_of_python() -> None:
    config = TrainConfig(hidden_layers=np.int64(3), gamma=np.float32(0.25))  # type: ignore[arg-type]
    assert (type(config.hidden_layers), type(config.gamma)) == (int, float)
    assert config == TrainConfig(hidden_layers=3, gamma=0.25)


# -- the process and the paper's algorithm -------------------------------------------------


def test_the_whole_range_of_trust_is_allowed() -> None:
    for trust in (1e-9, 0.5, 1, 1.0):
        assert SuggestConfig(trust=trust).trust == trust


def test_the_paper_is_the_classifier_without_a_tolerance() -> None:
    expected = SuggestConfig(surrogate="classifier", equal_logits=0.0)
    assert SuggestConfig.paper() == expected
    changed = SuggestConfig.paper(explore="map", equal_logits=0.5)
    assert changed == dataclasses.replace(expected, explore="map", equal_logits=0.5)


def test_the_papers_options_are_checked_as_all_others() -> None:
    with pytest.raises(InputError, match=r"unknown option 'explor'; .* Did you mean 'explore'"):
        SuggestConfig.paper(explor="map")
    with pytest.raises(InputError, match=r"residual must be one of .*, got 'trees'"):
        SuggestConfig.paper(residual="trees")
