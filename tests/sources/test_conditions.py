"""Conditions inferred from which trial had which parameter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from malibo.sources.conditions import with_conditions
from malibo.space import Categorical, Fixed, Float, Int, Parameter, Space, Value
from strategies import changed, choices, floats, ints, repeatable, seeds, stepped_floats, values

Configs = list[dict[str, Any]]
KIND = Categorical(["a", "b", "c"])
X = Float(0, 1)


def inferred(parameters: dict[str, Parameter], configs: Configs) -> dict[str, Any]:
    """The conditions that were found, without the parameters that have none."""
    space = with_conditions(parameters, configs)
    return {name: dict(parameter.when) for name, parameter in space.items() if parameter.when}


def explained(space: Space, configs: Configs) -> bool:
    """Whether the parameters in every configuration are exactly the active ones."""
    codes = space.codes(configs)  # refuses what is missing, and what is there though inactive
    return space.configs(codes) == configs


# -- any objective with branches -----------------------------------------------------------


@st.composite
def branching(draw: st.DrawFn) -> Space:
    """A space in which each parameter depends on no other, or on an earlier categorical one."""
    made: dict[str, Parameter] = {}
    for index in range(draw(st.integers(2, 7))):
        parents = [name for name, p in made.items() if isinstance(p, Categorical)]
        when: dict[str, list[Value]] = {}
        for parent in draw(st.lists(st.sampled_from(parents), max_size=1)) if parents else []:
            known = [made[parent].to_value(code) for code in made[parent].grid(5)]
            when[parent] = draw(st.lists(st.sampled_from(known), min_size=1, unique=True))
        kinds = st.one_of(categoricals, categoricals, choices(), floats(), ints(), stepped_floats())
        made[f"p{index}"] = changed(draw(kinds), when=when)
    return Space(made)


categoricals = st.lists(values, min_size=2, max_size=4, unique=True).map(Categorical)


@repeatable
@given(branching(), st.integers(1, 60), seeds)
def test_the_inferred_space_explains_every_trial(space: Space, count: int, seed: int) -> None:
    configs = space.configs(space.sample(np.random.default_rng(seed), count))
    seen = {name for config in configs for name in config}
    plain = {name: changed(space[name], when={}) for name in space if name in seen}
    assert explained(with_conditions(plain, configs), configs)


@repeatable
@given(branching(), st.integers(1, 60), seeds)
def test_names_kinds_and_order_of_the_parameters_stay(space: Space, count: int, seed: int) -> None:
    configs = space.configs(space.sample(np.random.default_rng(seed), count))
    found = with_conditions(dict(space), configs)
    assert found.names == space.names
    without = [[changed(p, when={}) for p in each.values()] for each in (space, found)]
    assert without[0] == without[1]


# -- what explains -------------------------------------------------------------------------


def test_a_parameter_of_one_branch_is_active_there() -> None:
    configs: Configs = [{"kind": "a", "x": 0.5}, {"kind": "b"}, {"kind": "a", "x": 0.1}]
    assert inferred({"kind": KIND, "x": X}, configs) == {"x": {"kind": ("a",)}}


def test_all_values_that_activate_are_named_in_the_order_of_the_parent() -> None:
    configs: Configs = [{"kind": "c", "x": 0.5}, {"kind": "b"}, {"kind": "a", "x": 0.1}]
    assert inferred({"kind": KIND, "x": X}, configs) == {"x": {"kind": ("a", "c")}}


def test_a_choice_that_never_occurred_activates_nothing() -> None:
    configs: Configs = [{"kind": "a", "x": 0.5}, {"kind": "b"}]
    assert inferred({"kind": KIND, "x": X}, configs) == {"x": {"kind": ("a",)}}


def test_branches_within_branches_are_found() -> None:
    parameters = {"kind": KIND, "sub": Categorical([True, False]), "x": X, "y": X}
    configs: Configs = [
        {"kind": "a", "sub": True, "x": 0.5, "y": 0.1},
        {"kind": "a", "sub": False, "y": 0.2},
        {"kind": "b"},
        {"kind": "c"},
    ]
    assert inferred(parameters, configs) == {
        "sub": {"kind": ("a",)},
        "x": {"sub": (True,)},
        "y": {"kind": ("a",)},
    }


def test_none_and_false_are_choices_like_others() -> None:
    parameters = {"kind": Categorical([None, False, "a"]), "x": X, "y": X}
    configs: Configs = [{"kind": None, "x": 0.5}, {"kind": False, "y": 0.5}, {"kind": "a"}]
    assert inferred(parameters, configs) == {"x": {"kind": (None,)}, "y": {"kind": (False,)}}


def test_the_layers_of_a_network_are_active_as_many_as_there_are() -> None:
    names = [f"units {i}" for i in range(4)]
    parameters: dict[str, Parameter] = {"layers": Int(1, 4), **dict.fromkeys(names, Int(8, 64))}
    configs: Configs = [{"layers": n, **dict.fromkeys(names[:n], 8)} for n in (1, 2, 3, 4)]
    assert inferred(parameters, configs) == {
        "units 1": {"layers": (2, 3, 4)},
        "units 2": {"layers": (3, 4)},
        "units 3": {"layers": (4,)},
    }


def test_a_number_that_never_occurred_goes_with_the_nearest_that_did() -> None:
    configs: Configs = [{"n": 2}, {"n": 4}, {"n": 9, "x": 0.5}, {"n": 8, "x": 0.5}]
    assert inferred({"n": Int(1, 10), "x": X}, configs) == {"x": {"n": (7, 8, 9, 10)}}


def test_numbers_in_steps_keep_their_steps() -> None:
    configs: Configs = [{"n": -4}, {"n": 2, "x": 0.5}]
    assert inferred({"n": Int(-4, 8, step=3), "x": X}, configs) == {"x": {"n": (2, 5, 8)}}


# -- which parent --------------------------------------------------------------------------


def test_a_categorical_parent_comes_before_a_number() -> None:
    parameters = {"n": Int(0, 1), "kind": KIND, "x": X}
    configs: Configs = [{"n": 1, "kind": "a", "x": 0.5}, {"n": 0, "kind": "b"}]
    assert inferred(parameters, configs) == {"x": {"kind": ("a",)}}


def test_of_several_parents_the_one_with_the_fewest_values_is_taken() -> None:
    parameters = {"kind": KIND, "flag": Categorical([True, False]), "x": X}
    configs: Configs = [{"kind": "a", "flag": True, "x": 0.5}, {"kind": "b", "flag": False}]
    assert inferred(parameters, configs) == {"x": {"flag": (True,)}}


def test_a_parent_that_some_of_the_trials_lack_does_not_explain() -> None:
    parameters = {"kind": KIND, "sub": Categorical([1, 2]), "x": X}
    configs: Configs = [
        {"kind": "a", "sub": 1, "x": 0.5},
        {"kind": "b", "x": 0.5},
        {"kind": "a", "sub": 2},
        {"kind": "c"},
    ]
    assert inferred(parameters, configs) == {"sub": {"kind": ("a",)}}


# -- where nothing is to be found ----------------------------------------------------------


@pytest.mark.parametrize(
    "configs",
    [
        [],
        [{"kind": "a", "x": 0.5}, {"kind": "b", "x": 0.7}],  # always there
        [{"kind": "a"}, {"kind": "b"}],  # never
        [{"kind": "a", "x": 0.5}, {"kind": "a"}],  # sometimes, and for another reason
        [{"x": 0.5}, {"kind": "a"}, {"kind": "a", "x": 0.1}],
    ],
)
def test_what_no_parent_explains_has_no_condition(configs: Configs) -> None:
    assert "x" not in inferred({"kind": KIND, "x": X}, configs)


@pytest.mark.parametrize(
    ("parent", "one", "other"),
    [
        (Float(0, 1), 0.1, 0.9),
        (Int(0, 1000), 1, 900),  # tells all trials apart, and nothing
        (Fixed("a"), "a", "a"),
    ],
)
def test_a_number_of_too_many_values_and_a_constant_are_no_parents(
    parent: Parameter, one: Value, other: Value
) -> None:
    configs: Configs = [{"p": one, "x": 0.5}, {"p": other}]
    assert inferred({"p": parent, "x": X}, configs) == {}


def test_a_condition_from_before_is_replaced_by_what_the_trials_say() -> None:
    parameters = {"kind": KIND, "x": Float(0, 1, when={"kind": "b"})}
    configs: Configs = [{"kind": "a", "x": 0.5}, {"kind": "b"}]
    assert inferred(parameters, configs) == {"x": {"kind": ("a",)}}
    assert inferred(parameters, [{"kind": "a", "x": 0.5}]) == {}


def test_the_order_of_the_parameters_does_not_decide_on_conditions() -> None:
    parameters = {"x": Float(0, 1), "kind": Categorical(["a", "b"])}
    found = with_conditions(parameters, [{"x": 0.5, "kind": "a"}, {"kind": "b"}])
    assert found["x"].when == {"kind": ("a",)}


def test_a_number_in_steps_of_a_fraction_is_known_whatever_its_last_digit() -> None:
    parameters = {"d": Float(0, 1, step=0.1), "x": Float(0, 1)}
    configs: list[dict[str, Any]] = [{"d": 0.0}, {"d": 0.3, "x": 0.5}, {"d": 0.7, "x": 0.1}]
    space = with_conditions(parameters, configs)
    assert np.isnan(space.codes(configs)[:, 1]).tolist() == [True, False, False]
