"""Spaces from and to Optuna distributions."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from hypothesis import given
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from malibo.errors import SpaceError
from malibo.space import Categorical, Fixed, Float, Int, Ordinal, Parameter, Space
from strategies import changed, repeatable, spaces


def returned(parameter: Parameter) -> Parameter:
    """What Optuna keeps of a parameter: no default, no order, no choice of one."""
    if isinstance(parameter, Categorical | Ordinal):
        only, *more = parameter.choices
        return Categorical(parameter.choices) if more else Fixed(only)
    return parameter if isinstance(parameter, Fixed) else changed(parameter, default=None)


@repeatable
@given(spaces(conditional=False))
def test_round_trip(space: Space) -> None:
    back = Space.from_optuna(space.to_optuna())
    expected = Space({name: returned(parameter) for name, parameter in space.items()})
    assert back == expected
    assert repr(back) == repr(expected)


@pytest.mark.parametrize(
    ("distribution", "parameter"),
    [
        (FloatDistribution(1e-5, 1e-1, log=True), Float(1e-5, 1e-1, log=True)),
        (FloatDistribution(0, 1, step=0.25), Float(0, 1, step=0.25)),
        (IntDistribution(1, 64, log=True), Int(1, 64, log=True)),
        (IntDistribution(2, 10, step=4), Int(2, 10, step=4)),
        (CategoricalDistribution(("adam", None, 3)), Categorical(["adam", None, 3])),
    ],
)
def test_distributions_and_parameters_by_hand(
    distribution: BaseDistribution, parameter: Parameter
) -> None:
    assert Space.from_optuna({"x": distribution}) == Space(x=parameter)
    assert Space(x=parameter).to_optuna() == {"x": distribution}


@pytest.mark.parametrize(
    ("distribution", "value"),
    [
        (FloatDistribution(0.5, 0.5), 0.5),
        (IntDistribution(3, 3), 3),
        (CategoricalDistribution(("a",)), "a"),
    ],
)
def test_a_single_value_becomes_a_fixed_one(distribution: BaseDistribution, value: object) -> None:
    back = Space.from_optuna({"x": distribution})["x"]
    assert isinstance(back, Fixed)
    assert repr(back.value) == repr(value)


def test_ordinal_and_fixed_become_categorical() -> None:
    distributions = Space(size=Ordinal([16, 32]), epochs=10).to_optuna()
    assert distributions == {
        "size": CategoricalDistribution((16, 32)),
        "epochs": CategoricalDistribution((10,)),
    }


def test_conditions_are_left_to_the_objective() -> None:
    space = Space(a=Int(1, 2), b=Float(0, 1, when={"a": 2}))
    assert space.to_optuna() == {"a": IntDistribution(1, 2), "b": FloatDistribution(0, 1)}


def test_a_choice_without_plain_value_names_the_parameter() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Optuna warns of such choices itself
        pairs: list[Any] = [("a", "b"), "c"]
        distribution = CategoricalDistribution(pairs)
    with pytest.raises(SpaceError, match=r"^shape: Categorical: a choice must be .* got \('a'"):
        Space.from_optuna({"shape": distribution})


def test_an_unknown_distribution_names_the_parameter() -> None:
    class Odd(BaseDistribution):
        def to_internal_repr(self, param_value_in_external_repr: object) -> float:
            return 0.0

        def single(self) -> bool:
            return False

        def _contains(self, param_value_in_internal_repr: float) -> bool:
            return True

    expected = "^x: expected a Float, Int or Categorical distribution of Optuna, got "
    with pytest.raises(SpaceError, match=expected):
        Space.from_optuna({"x": Odd()})
