"""Spaces by example: the unit cube, conditions, listing, text."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from malibo.space import Categorical, Fixed, Float, Int, Ordinal, Space

NAN = np.nan


@pytest.fixture
def space() -> Space:
    """An optimiser, what only sgd has, what only a nesterov sgd has, and a fixed value."""
    return Space(
        damping=Float(0, 2, when={"nesterov": True}),
        optimizer=Categorical(["adam", "sgd", "lamb"]),
        nesterov=Ordinal([False, True], when={"optimizer": ["sgd", "lamb"]}),
        lr=Float(1e-4, 1e-2, log=True),
        epochs=10,
    )


def test_configs_and_codes_by_hand(space: Space) -> None:
    configs = [
        {"optimizer": "adam", "lr": 1e-3, "epochs": 10},
        {"optimizer": "lamb", "nesterov": True, "damping": 0.5, "lr": 1e-4, "epochs": 10},
    ]
    codes = [[NAN, 0, NAN, 1e-3, 0], [0.5, 2, 1, 1e-4, 0]]
    assert_array_equal(space.codes(configs), codes)
    assert space.configs(np.array(codes)) == configs


def test_a_fixed_value_may_be_left_out(space: Space) -> None:
    codes = space.codes([{"optimizer": "adam", "lr": 1e-3}])
    assert space.configs(codes) == [{"optimizer": "adam", "lr": 1e-3, "epochs": 10}]


def test_an_inactive_parameter_may_be_none(space: Space) -> None:
    config = {"optimizer": "adam", "lr": 1e-3, "nesterov": None, "damping": None}
    assert_array_equal(space.codes([config]), [[NAN, 0, NAN, 1e-3, 0]])


def test_unit_columns_by_hand(space: Space) -> None:
    assert space.columns == (
        "damping",
        "damping active",
        "optimizer='adam'",
        "optimizer='sgd'",
        "optimizer='lamb'",
        "nesterov",
        "nesterov active",
        "lr",
    )
    assert space.dimension == 8
    codes = np.array([[NAN, 0, NAN, 1e-3, 0], [0.5, 2, 1, 1e-4, 0]])
    unit = [[0.5, 0, 1, 0, 0, 0.5, 0, 0.5], [0.25, 1, 0, 0, 1, 1, 1, 0]]
    assert_allclose(space.encode(codes), unit, atol=1e-12)


def test_an_inactive_categorical_has_no_hot_column() -> None:
    space = Space(a=Int(0, 1), b=Categorical(["x", "y"], when={"a": 1}), c=Fixed(3, when={"a": 1}))
    assert space.columns == ("a", "b='x'", "b='y'", "b active", "c active")
    assert space.owners.tolist() == [0, 1, 1, 1, 2]
    codes = space.codes([{"a": 0}, {"a": 1, "b": "y"}])
    assert space.encode(codes).tolist() == [[0, 0, 0, 0, 0], [1, 0, 1, 1, 1]]
    assert space.configs(codes) == [{"a": 0}, {"a": 1, "b": "y", "c": 3}]


def test_the_activity_column_does_not_overrule_the_parents(space: Space) -> None:
    unit = np.array([[0.5, 1, 1, 0, 0, 1, 1, 0.5]])
    assert_allclose(space.decode(unit), [[NAN, 0, NAN, 1e-3, 0]])


def test_a_parameter_with_two_parents_needs_both() -> None:
    space = Space(a=Int(0, 1), b=Int(0, 1), c=Int(5, 6, when={"a": 1, "b": [1]}))
    codes = space.complete(np.array([[0, 0, 5], [0, 1, 5], [1, 0, 5], [1, 1, 5]]))
    assert_array_equal(codes[:, 2], [NAN, NAN, NAN, 5])


def test_conditions_on_stepped_numbers_hold_despite_rounding() -> None:
    space = Space(a=Float(0, 1, step=0.1), b=Int(1, 2, when={"a": 0.3}))
    assert space.codes([{"a": 0.1 * 3, "b": 2}]).tolist() == [[0.1 * 3, 2]]
    assert space.unknown(np.array([[0.1 * 3, NAN]])).tolist() == [True]


def test_without_a_generator_unknown_cells_and_what_depends_on_them_stay(space: Space) -> None:
    codes = np.array([[1.0, 1, NAN, 1e-3, 0], [1.0, 0, 1, 1e-3, 0]])
    done = space.complete(codes)
    assert_array_equal(done, [[1.0, 1, NAN, 1e-3, 0], [NAN, 0, NAN, 1e-3, 0]])
    assert space.unknown(done).tolist() == [True, False]
    assert codes[1, 0] == 1.0  # the argument is not changed


def test_an_unknown_parent_keeps_no_child_that_another_parent_switches_off() -> None:
    space = Space(a=Int(0, 1), b=Int(0, 1), c=Int(5, 6, when={"a": 1, "b": 1}))
    done = space.complete(np.array([[NAN, 0, 5], [NAN, 1, 5]]))
    assert_array_equal(done, [[NAN, 0, NAN], [NAN, 1, 5]])


def test_with_a_generator_the_unknown_are_drawn_parents_first(space: Space) -> None:
    codes = np.tile([1.5, 1, NAN, 1e-3, NAN], (200, 1))
    whole = space.complete(codes, np.random.default_rng(0))
    assert set(whole[:, 2]) == {0.0, 1.0}
    assert_array_equal(whole[:, 0], np.where(whole[:, 2] == 1, 1.5, NAN))
    assert (whole[:, 4] == 0).all()


def test_sampling_gives_every_branch(space: Space) -> None:
    codes = space.sample(np.random.default_rng(0), 3000)
    assert np.isnan(codes[:, 2]).mean() == pytest.approx(1 / 3, abs=0.05)
    assert np.isnan(codes[:, 0]).mean() == pytest.approx(2 / 3, abs=0.05)


def test_empty_arrays_keep_their_shape(space: Space) -> None:
    codes = space.codes([])
    assert codes.shape == (0, 5)
    assert space.encode(codes).shape == (0, 8)
    assert space.decode(np.empty((0, 8))).shape == (0, 5)
    assert space.configs(codes) == []
    assert space.sample(np.random.default_rng(0), 0).shape == (0, 5)


def test_enumerate_goes_through_the_branches() -> None:
    space = Space(kernel=Categorical(["rbf", "poly"]), degree=Int(2, 4, when={"kernel": "poly"}))
    assert space.countable
    assert space.configs(space.enumerate(10)) == [
        {"kernel": "rbf"},
        {"kernel": "poly", "degree": 2},
        {"kernel": "poly", "degree": 3},
        {"kernel": "poly", "degree": 4},
    ]
    assert len(space.enumerate(2)) == 2


def test_enumerate_of_a_huge_space_stops_at_the_limit() -> None:
    space = Space({f"p{i}": Int(1, 10**6) for i in range(50)})
    rows = space.enumerate(7)
    assert rows.shape == (7, 50)
    assert rows[:, -1].tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert (rows[:, :-1] == 1).all()


def test_a_space_is_a_mapping_in_the_order_given(space: Space) -> None:
    assert space.names == ("damping", "optimizer", "nesterov", "lr", "epochs")
    assert list(space) == list(space.names)
    assert len(space) == 5
    assert space["epochs"] == Fixed(10)
    assert "momentum" not in space
    assert not space.countable


def test_names_that_are_no_identifiers_go_into_a_dict() -> None:
    space = Space({"learning-rate": Float(0, 1)}, layers=Int(1, 8))
    assert space.names == ("learning-rate", "layers")


def test_equality_and_hash_regard_parameters_and_order() -> None:
    one = Space(a=Float(0, 1), b=2)
    assert one == Space(a=Float(0.0, 1.0), b=Fixed(2.0))
    assert hash(one) == hash(Space(a=Float(0.0, 1.0), b=Fixed(2.0)))
    assert one != Space(b=2, a=Float(0, 1))
    assert one != Space(a=Float(0, 2), b=2)
    assert one != {"a": Float(0, 1), "b": Fixed(2)}


def test_repr_is_a_line_for_each_parameter() -> None:
    space = Space(a=Int(1, 3), b=Categorical(["x", None], when={"a": 2}), c="t")
    assert repr(space) == (
        "Space(\n"
        "  a=Int(low=1, high=3, log=False, step=1),\n"
        "  b=Categorical(choices=['x', None], when={'a': [2]}),\n"
        "  c=Fixed(value='t'),\n"
        ")"
    )


def test_json_by_hand() -> None:
    text = Space(a=Ordinal([1, 2], default=2), b=None).to_json()
    assert text == (
        '{"a": {"type": "ordinal", "choices": [1, 2], "default": 2},'
        ' "b": {"type": "fixed", "value": null}}'
    )
    assert Space.from_json(text) == Space(a=Ordinal([1, 2], default=2), b=None)


def test_differences_are_one_sentence_each() -> None:
    mine = Space(a=Int(1, 3), b=Float(0, 1), c=1)
    theirs = Space(a=Int(1, 4, default=2), b=Float(0, 1), d=1)
    assert mine.differences(theirs) == [
        "'c' is missing",
        "'d' is additional",
        "'a': high is 4, not 3",
        "'a': default is 2, not None",
    ]
    assert mine.differences(mine) == []


def test_another_type_is_the_only_difference_told() -> None:
    mine, theirs = Space(a=Int(1, 3)), Space(a=Categorical(["x"]))
    assert mine.differences(theirs) == ["'a': type is 'categorical', not 'int'"]


def test_another_order_is_a_difference() -> None:
    assert Space(a=1, b=2).differences(Space(b=2, a=1)) == ["the order is 'b', 'a', not 'a', 'b'"]


def test_each_column_of_the_unit_cube_belongs_to_a_parameter() -> None:
    space = Space(
        kind=Categorical(["a", "b", "c"]),
        rate=Float(0, 1, when={"kind": "a"}),
        size=3,
        z=Float(0, 1),
    )
    assert space.owners.tolist() == [0, 0, 0, 1, 1, 3]
    assert len(space.owners) == space.dimension


def test_what_depends_on_something_unknown_is_unknown_too() -> None:
    space = Space(a=Int(0, 1), b=Int(0, 1, when={"a": 1}), c=Int(0, 1, when={"b": 1}))
    codes = np.array([[0, NAN, NAN], [1, NAN, NAN], [NAN, NAN, NAN], [1, 0, NAN], [1, 1, NAN]])
    assert space.unknown_cells(codes).tolist() == [
        [False, False, False],
        [False, True, True],
        [True, True, True],
        [False, False, False],
        [False, False, True],
    ]
    assert space.unknown(codes).tolist() == [False, True, True, False, True]
