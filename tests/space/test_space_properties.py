"""Facts that hold for every space: round trips, the unit cube, listing, completion."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal

from malibo.space import Config, Space
from malibo.space.parameters import Array
from strategies import countable_parameters, repeatable, seeds, spaces


def drawn(space: Space, seed: int, n: int = 8) -> Array:
    return space.sample(np.random.default_rng(seed), n)


def small_spaces() -> st.SearchStrategy[Space]:
    return spaces(countable_parameters(most=4), most=4)


def as_set(configs: list[Config]) -> set[frozenset[tuple[str, Any]]]:
    return {frozenset(config.items()) for config in configs}


@repeatable
@given(spaces(), seeds)
def test_sampled_codes_survive_the_way_over_configs(space: Space, seed: int) -> None:
    codes = drawn(space, seed)
    assert codes.shape == (8, len(space))
    assert_array_equal(space.codes(space.configs(codes)), codes)


@repeatable
@given(spaces(), seeds)
def test_sampled_codes_are_contained_and_none_is_unknown(space: Space, seed: int) -> None:
    codes = drawn(space, seed)
    assert not space.unknown(codes).any()
    for index, parameter in enumerate(space.values()):
        active = ~np.isnan(codes[:, index])
        assert parameter.contains(codes[active, index]).all()


@repeatable
@given(spaces(), seeds)
def test_the_same_seed_gives_the_same_sample(space: Space, seed: int) -> None:
    assert_array_equal(drawn(space, seed), drawn(space, seed))


@repeatable
@given(spaces(), seeds)
def test_encoding_stays_in_the_unit_cube_and_decodes_back(space: Space, seed: int) -> None:
    codes = drawn(space, seed)
    unit = space.encode(codes)
    assert unit.shape == (8, space.dimension)
    assert ((unit >= 0) & (unit <= 1)).all()
    assert_allclose(space.decode(unit), codes, rtol=1e-9, atol=1e-9, equal_nan=True)


@repeatable
@given(spaces(), seeds)
def test_activity_columns_tell_which_conditional_cells_are_active(space: Space, seed: int) -> None:
    codes = drawn(space, seed)
    unit = space.encode(codes)
    for index, (name, parameter) in enumerate(space.items()):
        if parameter.when:
            column = unit[:, space.columns.index(f"{name} active")]
            assert_array_equal(column, ~np.isnan(codes[:, index]))
        else:
            assert f"{name} active" not in space.columns


@repeatable
@given(spaces(), st.data())
def test_any_unit_point_decodes_to_a_valid_config(space: Space, data: st.DataObject) -> None:
    unit = data.draw(hnp.arrays(np.float64, (3, space.dimension), elements=st.floats(0, 1)))
    codes = space.decode(unit)
    assert_array_equal(space.codes(space.configs(codes)), codes)


@repeatable
@given(spaces(), st.sampled_from([None, 2]))
def test_json_round_trip_keeps_the_space_and_the_types_of_its_values(
    space: Space, indent: int | None
) -> None:
    back = Space.from_json(space.to_json(indent))
    assert back == space
    assert hash(back) == hash(space)
    assert repr(back) == repr(space)
    assert space.differences(back) == []


@repeatable
@given(small_spaces())
def test_enumerate_lists_every_config_once(space: Space) -> None:
    grids = [parameter.grid(4) for parameter in space.values()]
    brute_force = space.complete(np.array(list(itertools.product(*grids))))
    rows = space.enumerate(1000)
    listed = as_set(space.configs(rows))
    assert len(listed) == len(rows)
    assert listed == as_set(space.configs(brute_force))
    assert_array_equal(space.codes(space.configs(rows)), rows)


@repeatable
@given(small_spaces(), st.integers(0, 20))
def test_enumerate_with_a_limit_gives_the_first_rows(space: Space, limit: int) -> None:
    assert_array_equal(space.enumerate(limit), space.enumerate(1000)[:limit])


@repeatable
@given(spaces(), seeds, st.data())
def test_complete_keeps_known_cells_and_draws_the_unknown(
    space: Space, seed: int, data: st.DataObject
) -> None:
    codes = drawn(space, seed)
    hidden = data.draw(hnp.arrays(np.bool_, codes.shape))
    partial = np.where(hidden, np.nan, codes)
    whole = space.complete(partial, np.random.default_rng(seed))
    kept = ~np.isnan(partial) & ~np.isnan(whole)
    assert_array_equal(whole[kept], partial[kept])
    assert not space.unknown(whole).any()
    assert_array_equal(space.codes(space.configs(whole)), whole)


@repeatable
@given(spaces(), seeds)
def test_complete_of_whole_codes_changes_and_draws_nothing(space: Space, seed: int) -> None:
    codes = drawn(space, seed)
    rng = np.random.default_rng(seed)
    assert_array_equal(space.complete(codes, rng), codes)
    assert rng.bit_generator.state == np.random.default_rng(seed).bit_generator.state


@repeatable
@given(spaces(), st.data())
def test_complete_switches_off_what_its_parents_do_not_activate(
    space: Space, data: st.DataObject
) -> None:
    unit = data.draw(hnp.arrays(np.float64, (3, space.dimension), elements=st.floats(0, 1)))
    configs = space.configs(space.decode(unit))
    for config, (name, parameter) in itertools.product(configs, space.items()):
        fulfilled = (
            parent in config and config[parent] in wanted
            for parent, wanted in parameter.when.items()
        )
        assert (name in config) == all(fulfilled)
