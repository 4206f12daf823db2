"""Spaces from and to ConfigSpace."""

from __future__ import annotations

from typing import Any

import ConfigSpace as cs
import numpy as np
import pytest
from hypothesis import given

from malibo.errors import SpaceError
from malibo.space import Categorical, Fixed, Float, Int, Ordinal, Parameter, Space
from strategies import changed, repeatable, seeds, spaces


def returned(parameter: Parameter, back: Parameter) -> Parameter:
    """What ConfigSpace makes of a parameter: steps are ordinals, and all have a default."""
    if isinstance(parameter, Fixed):
        return parameter
    if isinstance(parameter, Float | Int):
        if not parameter.stepped:
            added = getattr(back, "default", None)
            assert added is not None
            return parameter if parameter.default is not None else changed(parameter, default=added)
        listed = [parameter.to_value(code) for code in parameter.grid(1000)]
        first = listed[0] if parameter.default is None else parameter.default
        return Ordinal(listed, default=first, when=parameter.when)
    assert isinstance(parameter, Categorical | Ordinal)
    default = parameter.choices[0] if parameter.default is None else parameter.default
    return changed(parameter, default=default)


def of_parent(condition: Any, parent: Any = None) -> Space:
    """A space whose ``b`` depends on ``a`` by the condition made of both."""
    child = cs.UniformFloatHyperparameter("b", 0, 1)
    parent = parent or cs.UniformIntegerHyperparameter("a", 1, 5)
    space = cs.ConfigurationSpace()
    space.add(parent, child)
    space.add(condition(child, parent))
    return Space.from_configspace(space)


@repeatable
@given(spaces())
def test_round_trip_with_nested_conditions(space: Space) -> None:
    back = Space.from_configspace(space.to_configspace())
    assert dict(back) == {name: returned(space[name], back[name]) for name in space}


@repeatable
@given(spaces(), seeds)
def test_configspace_accepts_the_configurations_drawn_here(space: Space, seed: int) -> None:
    other = space.to_configspace()
    for config in space.configs(space.sample(np.random.default_rng(seed), 5)):
        accepted = cs.Configuration(other, values=config)
        accepted.check_valid_configuration()
        assert set(accepted) == set(config)


def test_parameters_by_hand() -> None:
    other = cs.ConfigurationSpace()
    other.add(
        cs.UniformFloatHyperparameter("lr", 1e-5, 1e-1, log=True, default_value=1e-3),
        cs.UniformIntegerHyperparameter("layers", 1, 8, default_value=3),
        cs.CategoricalHyperparameter("optimizer", ["adam", "sgd"], default_value="sgd"),
        cs.OrdinalHyperparameter("size", [16, 32, 128], default_value=32),
        cs.Constant("epochs", 10),
    )
    assert dict(Space.from_configspace(other)) == {
        "lr": Float(1e-5, 1e-1, log=True, default=1e-3),
        "layers": Int(1, 8, default=3),
        "optimizer": Categorical(["adam", "sgd"], default="sgd"),
        "size": Ordinal([16, 32, 128], default=32),
        "epochs": Fixed(10),
    }


def test_other_distributions_keep_their_bounds() -> None:
    other = cs.ConfigurationSpace()
    other.add(
        cs.NormalFloatHyperparameter("x", mu=0, sigma=1, lower=-2, upper=2),
        cs.BetaIntegerHyperparameter("n", alpha=2, beta=2, lower=1, upper=9, default_value=4),
    )
    assert dict(Space.from_configspace(other)) == {
        "x": Float(-2, 2, default=0),
        "n": Int(1, 9, default=4),
    }


@pytest.mark.parametrize(
    ("condition", "values"),
    [
        (lambda b, a: cs.EqualsCondition(b, a, 3), (3,)),
        (lambda b, a: cs.NotEqualsCondition(b, a, 3), (1, 2, 4, 5)),
        (lambda b, a: cs.LessThanCondition(b, a, 3), (1, 2)),
        (lambda b, a: cs.GreaterThanCondition(b, a, 3), (4, 5)),
        (lambda b, a: cs.InCondition(b, a, [5, 1]), (5, 1)),
        (
            lambda b, a: cs.AndConjunction(
                cs.GreaterThanCondition(b, a, 1), cs.LessThanCondition(b, a, 4)
            ),
            (2, 3),
        ),
        (
            lambda b, a: cs.OrConjunction(
                cs.EqualsCondition(b, a, 4), cs.LessThanCondition(b, a, 2)
            ),
            (4, 1),
        ),
    ],
)
def test_conditions_are_written_out_as_values(condition: Any, values: tuple[int, ...]) -> None:
    assert of_parent(condition)["b"].when == {"a": values}


def test_an_inequality_on_an_ordinal_goes_by_its_order() -> None:
    sizes = cs.OrdinalHyperparameter("a", ["small", "medium", "large"])
    space = of_parent(lambda b, a: cs.GreaterThanCondition(b, a, "small"), sizes)
    assert space["b"].when == {"a": ("medium", "large")}


def test_a_listed_value_of_a_wide_parent_is_kept() -> None:
    wide = cs.UniformIntegerHyperparameter("a", 1, 10**6)
    assert of_parent(lambda b, a: cs.EqualsCondition(b, a, 7), wide)["b"].when == {"a": (7,)}


def test_a_whole_step_of_a_float_is_a_step() -> None:
    back = Space.from_configspace(Space(a=Float(0, 3, step=1)).to_configspace())
    assert back == Space(a=Ordinal([0.0, 1.0, 2.0, 3.0], default=0.0))


def test_a_condition_on_a_rounded_step_names_the_exact_value() -> None:
    space = Space(a=Float(0, 1, step=0.1), b=Int(1, 2, when={"a": 0.3}))
    assert Space.from_configspace(space.to_configspace())["b"].when == {"a": (0.1 * 3,)}


@pytest.mark.parametrize(
    ("condition", "parent", "message"),
    [
        (
            lambda b, a: cs.LessThanCondition(b, a, 7),
            cs.UniformIntegerHyperparameter("a", 1, 10**6),
            "a condition needs a parent with countable values, got a,",
        ),
        (
            lambda b, a: cs.GreaterThanCondition(b, a, 0.5),
            cs.UniformFloatHyperparameter("a", 0, 1),
            "a condition needs a parent with countable values, got a,",
        ),
        (
            lambda b, a: cs.AndConjunction(
                cs.LessThanCondition(b, a, 2), cs.GreaterThanCondition(b, a, 3)
            ),
            None,
            "b: when: no value of 'a' is given; name at least one.",
        ),
    ],
)
def test_conditions_without_a_list_of_values(condition: Any, parent: Any, message: str) -> None:
    with pytest.raises(SpaceError) as caught:
        of_parent(condition, parent)
    assert str(caught.value).startswith(message)


def test_or_over_two_parents_is_refused() -> None:
    other = cs.ConfigurationSpace({"a": (1, 5), "b": (1, 5), "c": (0.0, 1.0)})
    first, second = (cs.EqualsCondition(other["c"], other[name], 2) for name in "ab")
    other.add(cs.OrConjunction(first, second))
    with pytest.raises(SpaceError, match="malibo has no conditions joined by 'or' over parents"):
        Space.from_configspace(other)


def test_forbidden_clauses_are_refused() -> None:
    other = cs.ConfigurationSpace({"a": (1, 5)})
    other.add(cs.ForbiddenEqualsClause(other["a"], 2))
    with pytest.raises(SpaceError, match=r"forbids .*a == 2.*report such a trial as failed\.$"):
        Space.from_configspace(other)


def test_too_many_steps_are_refused() -> None:
    expected = "^a: ConfigSpace has no steps, and 1001 values are too many to list"
    with pytest.raises(SpaceError, match=expected):
        Space(a=Int(0, 2000, step=2)).to_configspace()
