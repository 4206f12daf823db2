"""Different spaces: the target rules, one scale holds for past and target, repairs are told."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from malibo import Categorical, Fixed, Float, History, Int, MetaModel, Ordinal, Space, Task
from malibo.alignment import (
    changes,
    code_or_nan,
    joint_space,
    repairs,
    translate,
    union_space,
)
from malibo.space import Parameter, Value
from strategies import parameters, repeatable, seeds, spaces, values

NAN = np.nan
UNKNOWN = "its value is unknown, drawn uniformly and anew as training goes on"


def joint(target: Parameter | Value, *past: Parameter | Value) -> Parameter:
    """One parameter, widened."""
    return joint_space(Space(a=target), [Space(a=other) for other in past])["a"]


def moved(value: Value, past: Parameter | Value, target: Parameter | Value) -> float:
    """The code that a past value has in the joint space; NaN is unknown."""
    source, goal = Space(a=past), joint_space(Space(a=target), [Space(a=past)])
    return float(translate(source.codes([{"a": value}]), source, goal)[0, 0])


# -- lacking and dropped parameters --------------------------------------------------------


def test_a_lacking_parameter_is_filled_with_its_default() -> None:
    target = Space(a=Int(0, 9), b=Categorical(["x", "y"], default="y"))
    codes = translate(np.array([[3.0], [4.0]]), Space(a=Int(0, 9)), target)
    assert_array_equal(codes, [[3, 1], [4, 1]])
    assert repairs(Space(a=Int(0, 9)), target) == ["'b' is missing: filled with its default 'y'"]


def test_a_lacking_parameter_without_default_is_unknown() -> None:
    target = Space(a=Int(0, 9), b=Float(0, 1))
    codes = translate(np.array([[3.0]]), Space(a=Int(0, 9)), target)
    assert_array_equal(codes, [[3, NAN]])
    assert target.unknown(codes).all()
    assert repairs(Space(a=Int(0, 9)), target) == [f"'b' is missing: {UNKNOWN}"]


def test_a_lacking_fixed_value_is_known() -> None:
    codes = translate(np.array([[3.0]]), Space(a=Int(0, 9)), Space(a=Int(0, 9), b=Fixed(None)))
    assert_array_equal(codes, [[3, 0]])


def test_parameters_of_the_past_alone_are_dropped_and_named_in_their_order() -> None:
    past = Space(z=Int(0, 1), a=Int(0, 9), y=Int(0, 1), b=Int(0, 1))
    assert_array_equal(translate(np.array([[1.0, 5, 0, 1]]), past, Space(a=Int(0, 9))), [[5]])
    dropped = [sentence.split()[0] for sentence in repairs(past, Space(a=Int(0, 9)))]
    assert dropped == ["'z'", "'y'", "'b'"]


# -- ranges --------------------------------------------------------------------------------


def test_changed_ranges_share_one_scale_over_the_union() -> None:
    assert joint(Float(1, 3), Float(0, 2), Float(2, 9)) == Float(0, 9)
    assert joint(Int(1, 3), Int(2, 8, step=3)) == Int(1, 8)
    assert joint(Float(1, 10, log=True), Float(0.1, 2)) == Float(0.1, 10, log=True)
    assert joint(Float(0, 1, step=0.25), Float(0, 2)) == Float(0, 2)


def around(value: int) -> st.SearchStrategy[Float | Int]:
    """Ranges that hold a whole number above 0."""

    def make(kind: type[Float | Int], down: int, up: int, log: bool) -> Float | Int:
        return kind(max(value - down, 1) if log else value - down, value + up, log=log)

    kinds = st.sampled_from([Float, Int])
    return st.builds(make, kinds, st.integers(0, 2000), st.integers(1, 2000), st.booleans())


@repeatable
@given(st.data(), st.integers(1, 1000))
def test_a_value_of_both_has_one_place_on_the_scale(data: st.DataObject, number: int) -> None:
    target, past = data.draw(around(number)), data.draw(around(number))
    value = np.array([[float(number)]])
    history = History([Task("one", Space(a=past), value, np.zeros(1))], Space(a=target))
    learned = history.joint.encode(history.codes)
    suggested = MetaModel(space=history.space, joint=history.joint).points(value).unit
    assert_array_equal(learned, suggested)
    wide = history.joint["a"]
    assert isinstance(wide, Float | Int)
    assert wide.low <= (target.low if wide.log else min(target.low, past.low))
    assert wide.high >= max(target.high, past.high)
    scale = np.log if wide.log else np.positive
    place = (scale(value) - scale(wide.low)) / (scale(wide.high) - scale(wide.low))
    assert_allclose(learned, place, atol=1e-12)


def test_an_integer_and_a_float_meet_by_value() -> None:
    assert joint(Int(1, 8), Float(0.5, 9.2)) == Int(0, 10)
    assert moved(2.5, Float(0.5, 9.2), Int(1, 8)) == 2.5
    assert joint(Float(0, 2), Int(1, 5)) == Float(0, 5)
    assert repairs(Space(a=Float(1, 8)), Space(a=Int(1, 8))) == [
        "'a': float in the past, int now: matched by value"
    ]


def test_values_with_no_place_on_a_logarithmic_scale_move_to_its_end() -> None:
    assert joint(Float(0.1, 1, log=True), Float(-1, 2)) == Float(0.1, 2, log=True)
    assert moved(0, Float(-1, 2), Float(0.1, 1, log=True)) == 0.1
    assert joint(Int(2, 8, log=True), Float(0.5, 4)) == Int(1, 8, log=True)
    assert moved(0.5, Float(0.5, 4), Int(2, 8, log=True)) == 1


def test_a_range_too_wide_for_floats_stays_the_targets() -> None:
    assert joint(Int(1, 8), Fixed(1e300)) == Int(1, 8)
    assert joint(Float(-1e308, 0), Float(0, 1e308)) == Float(-1e308, 0)


# -- choices -------------------------------------------------------------------------------


def test_choices_of_the_past_alone_follow_those_of_the_target() -> None:
    wide = joint(Categorical(["b", "new"]), Categorical(["a", "b"]), Ordinal(["c", "b"]))
    assert wide == Categorical(["b", "new", "a", "c"])
    assert moved("a", Categorical(["a", "b"]), Categorical(["b", "new"])) == 2
    assert moved("b", Categorical(["a", "b"]), Categorical(["b", "new"])) == 0
    found = repairs(Space(a=Categorical(["a", "b"])), Space(a=Categorical(["b", "new"])))
    assert found == ["'a': no past evidence for 'new'", "'a': only the past had 'a'"]


def test_numbers_of_ordinals_are_sorted_in_as_the_target_sorts() -> None:
    assert joint(Ordinal([1, 4]), Ordinal([2, 8])) == Ordinal([1, 2, 4, 8])
    assert joint(Ordinal([4, 1]), Ordinal([2, 8])) == Ordinal([8, 4, 2, 1])
    assert moved(2, Ordinal([2, 8]), Ordinal([1, 4])) == 1


@pytest.mark.parametrize("target", [Ordinal(["low", "high"]), Ordinal([1, 4, 2])])
def test_a_value_with_no_place_among_ordinals_is_unknown(target: Ordinal) -> None:
    assert joint(target, Ordinal(["mid", 3])) == target
    assert np.isnan(moved(3, Ordinal(["mid", 3]), target))


def test_numbers_and_choices_meet_where_they_are_equal() -> None:
    assert moved(32, Int(1, 64), Ordinal([16, 32])) == 1
    assert np.isnan(moved(33, Int(1, 64), Ordinal([16, 32])))
    assert moved(128, Categorical([16, 128]), Int(1, 64)) == 128
    assert joint(Int(1, 64), Categorical([16, 128])) == Int(1, 128)
    assert np.isnan(moved("auto", Categorical([16, "auto"]), Int(1, 64)))


# -- fixed values and conditions -----------------------------------------------------------


def test_what_is_fixed_now_and_varied_before_varies_on_the_joint_scale() -> None:
    assert joint(0.5, Float(0, 1, log=False)) == Float(0, 1, default=0.5)
    assert joint("b", Categorical(["a", "b"])) == Categorical(["a", "b"], default="b")
    assert joint("c", "a") == Categorical(["a", "c"], default="c")
    assert joint(3, 3) == Fixed(3)
    assert joint("x", Float(0, 1)) == Fixed("x")
    assert np.isnan(moved(0.5, Float(0, 1), "x"))


def test_the_order_of_the_past_does_not_decide_what_a_fixed_value_becomes() -> None:
    assert joint(1, 2, Float(0, 3)) == joint(1, Float(0, 3), 2) == Float(0, 3, default=1)


def test_what_varies_now_and_was_fixed_before_is_known() -> None:
    assert joint(Float(0, 1), 5) == Float(0, 5)
    assert moved(0.25, 0.25, Float(0, 1)) == 0.25
    assert moved("b", "b", Categorical(["a", "b"])) == 1


def test_the_conditions_of_the_target_count() -> None:
    past = Space(opt=Categorical(["adam", "sgd"]), m=Float(0, 1))
    target = Space(opt=Categorical(["adam", "sgd"]), m=Float(0, 1, when={"opt": "sgd"}))
    wide = joint_space(target, [past])
    assert wide == target
    codes = wide.complete(translate(np.array([[0, 0.5], [1, 0.5]]), past, wide))
    assert_array_equal(codes, [[0, NAN], [1, 0.5]])
    assert repairs(past, target) == ["'m': the condition differs: the target's counts"]
    back = translate(codes, target, past)
    assert_array_equal(past.unknown(back), [True, False])


@pytest.mark.parametrize("parent", [Float(0, 1, step=0.5), Fixed(0.5)])
def test_a_parent_of_others_stays_countable(parent: Parameter) -> None:
    target = Space(a=parent, b=Float(0, 1, when={"a": 0.5}))
    assert joint_space(target, [Space(a=Float(0, 9))]) == target


# -- any two spaces ------------------------------------------------------------------------


@repeatable
@given(spaces(), spaces(), seeds)
def test_the_joint_space_holds_every_configuration_of_the_target(
    target: Space, past: Space, seed: int
) -> None:
    wide = joint_space(target, [past])
    codes = target.sample(np.random.default_rng(seed), 20)
    there = translate(codes, target, wide)
    assert_array_equal(np.isnan(there), np.isnan(codes))
    assert_allclose(translate(there, wide, target), codes)


@repeatable
@given(spaces(), spaces(), seeds)
def test_any_past_finds_a_place_in_the_cube_of_any_target(
    target: Space, past: Space, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    history = History(
        [Task("one", past, past.sample(rng, 20), np.arange(20, dtype=np.float64))], target
    )
    unit = history.joint.encode(history.joint.complete(history.codes, rng))
    assert ((unit >= 0) & (unit <= 1)).all()
    assert all(f"- {sentence} (all tasks)" in history.describe() for sentence in history.repairs)


# -- union and describe --------------------------------------------------------------------


def test_the_union_has_all_parameters_in_order_of_appearance() -> None:
    one = Space(a=Int(0, 3), b=Categorical(["x"]))
    two = Space(c=Float(0, 1, when={"b": "y"}), b=Categorical(["y", "x"]), a=Int(-2, 1))
    assert union_space([one, two]) == Space(
        a=Int(-2, 3), b=Categorical(["x", "y"]), c=Float(0, 1, when={"b": "y"})
    )


@pytest.mark.parametrize("parent", [Float(0, 1), Categorical(["x", "y"])])
def test_in_a_union_a_condition_on_what_the_parent_is_not_goes(parent: Parameter) -> None:
    past = [Space(a=parent), Space(a=Int(0, 1), b=Int(0, 1, when={"a": 1}))]
    assert union_space(past)["b"] == Int(0, 1)


def test_describe_prints_every_repair_with_its_tasks() -> None:
    target = Space(a=Float(0, 2), b=Int(1, 4, default=2), c=Categorical(["x", "y"]))
    plain, old = Space(a=Float(0, 2), c=Categorical(["x"])), Space(a=Float(1, 3), d=Int(0, 1))
    tasks = [Task(name, plain, np.array([[1.0, 0]]), np.zeros(1)) for name in ("one", "two")]
    tasks.append(Task("three", old, np.array([[3.0, 1]]), np.zeros(1)))
    text = History(tasks, target).describe()
    assert text.partition("What was done to fit the past to this space:\n")[2].splitlines() == [
        "- 'b' is missing: filled with its default 2 (all tasks)",
        "- 'c': no past evidence for 'y' ('one', 'two')",
        "- 'a': range 1.0 to 3.0 in the past, 0.0 to 2.0 now: one scale over both ('three')",
        f"- 'c' is missing: {UNKNOWN} ('three')",
        "- 'd' is dropped: the target has no such parameter ('three')",
    ]


def test_a_value_fixed_to_none_stands_in_for_a_parameter_that_a_task_lacks() -> None:
    target = Space(x=Float(0, 1), depth=None)
    with_it = Task.from_configs(
        "with", Space(x=Float(0, 1), depth=Categorical([None, "a"])), [{"x": 0, "depth": "a"}], [1]
    )
    without = Task.from_configs("without", Space(x=Float(0, 1)), [{"x": 1}], [1])
    history = History([with_it, without], target)
    depth = history.joint["depth"]
    assert [depth.to_value(code) for code in history.codes[:, 1]] == ["a", None]
    assert "'depth' is missing: filled with its fixed value None" in history.describe()


# -- values and changes -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameter", "value", "code"),
    [
        (Float(0, 1), 0.25, 0.25),
        (Float(0, 1), -3, 0),
        (Int(2, 8), 99, 8),
        (Int(2, 8), 5, 5),
        (Float(0, 1), "0.5", NAN),
        (Float(0, 1), None, NAN),
        (Int(0, 8), True, NAN),
        (Categorical(["a", None]), None, 1),
        (Categorical(["a", None]), "b", NAN),
        (Categorical([1, 2]), 2.0, 1),
        (Ordinal([1, 2]), 3, NAN),
        (Fixed("a"), "a", 0),
        (Fixed("a"), "b", NAN),
    ],
)
def test_a_value_has_its_code_the_nearest_or_none(
    parameter: Parameter, value: Value, code: float
) -> None:
    assert_array_equal(code_or_nan(parameter, value), code)


@repeatable
@given(parameters(), seeds)
def test_the_values_of_a_parameter_have_its_codes(parameter: Parameter, seed: int) -> None:
    codes = parameter.sample(np.random.default_rng(seed), 10)
    found = [code_or_nan(parameter, parameter.to_value(code)) for code in codes]
    assert_allclose(found, codes)


@repeatable
@given(parameters(), values)
def test_any_value_has_a_code_within_the_bounds_or_none(parameter: Parameter, value: Value) -> None:
    code = code_or_nan(parameter, value)
    if isinstance(parameter, Float | Int):
        assert np.isnan(code) or parameter.low <= code <= parameter.high
    else:
        assert np.isnan(code) or parameter.contains(np.array([code])).all()


@pytest.mark.parametrize(
    ("past", "target", "told"),
    [
        (Float(0, 1), Float(0, 1), []),
        (Float(0, 1), Float(0, 1, default=0.5), []),
        (
            Float(-1, 1),
            Float(0.5, 2, log=True),
            [
                "range -1.0 to 1.0 in the past, 0.5 to 2.0 now: one scale over both",
                "values at or below 0 have no logarithm: moved to 0.5",
                "log=False in the past: on the target's scale, log=True",
            ],
        ),
        (Int(1, 9), Int(1, 9, step=2), ["step 1 in the past, 2 now"]),
        (Int(1, 9), Float(1, 9), ["int in the past, float now: matched by value"]),
        (
            Categorical(["a", "b"]),
            Ordinal(["b", "c"]),
            [
                "categorical in the past, ordinal now: matched by value",
                "no past evidence for 'c'",
                "only the past had 'a'",
            ],
        ),
        (
            Fixed("a"),
            Categorical(["a", "b"]),
            ["fixed in the past, categorical now: matched by value", "no past evidence for 'b'"],
        ),
        (
            Float(0, 1, when={"k": 1}),
            Float(0, 1),
            ["the condition differs: the target's counts"],
        ),
    ],
)
def test_changes_are_told_one_by_one(past: Parameter, target: Parameter, told: list[str]) -> None:
    assert changes(past, target) == told


@repeatable
@given(parameters())
def test_nothing_changed_where_parameters_are_equal(parameter: Parameter) -> None:
    assert changes(parameter, parameter) == []
