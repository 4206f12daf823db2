"""Observations: what is known of a task, in one fixed order."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from malibo import Space
from malibo.observations import Observations
from strategies import repeatable

NAN = np.nan


def test_nothing_is_known_at_first() -> None:
    none = Observations.none(3)
    assert none.codes.shape == none.pending.shape == (0, 3)
    assert none.losses.shape == (0,)
    assert none.trials == 0
    assert none.in_order().codes.shape == (0, 3)


def test_pending_and_failed_trials_count(tuning_space: Space) -> None:
    codes = tuning_space.sample(np.random.default_rng(7), 5)
    assert Observations(codes[:2], np.array([1.0, NAN]), codes[2:]).trials == 5


@repeatable
@given(order=st.permutations(range(12)), seed=st.integers(0, 9))
def test_in_order_it_does_not_matter_in_which_results_came(
    order: list[int], seed: int, tuning_space: Space
) -> None:
    rng = np.random.default_rng(seed)
    codes = tuning_space.sample(rng, 6)[[0, 1, 2, 3, 4, 5, 0, 1, 1, 2, 2, 2]]  # some told again
    losses = np.array([*rng.standard_normal(8), NAN, 1.0, 1.0, NAN])
    one = Observations(codes, losses, codes[:2]).in_order()
    other = Observations(codes[order], losses[order], codes[:2]).in_order()
    assert_array_equal(one.codes, other.codes)
    assert_array_equal(one.losses, other.losses)
    assert_array_equal(one.pending, codes[:2])


def test_in_order_every_configuration_keeps_its_loss() -> None:
    codes = np.array([[3.0, NAN], [1.0, 2.0], [2.0, 0.5]])
    found = Observations(codes, np.array([30.0, 10.0, 20.0]), codes[:0]).in_order()
    assert_array_equal(10 * found.codes[:, 0], found.losses)
    assert_array_equal(codes[:, 0], [3, 1, 2])  # what was given is not changed
