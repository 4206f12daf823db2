"""The best past configurations, in turn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from malibo import Float, History, Space, Task
from malibo.bench.methods.past_best import PastBest, in_order
from malibo.bench.searchspace import SearchSpace

SPACE = Space(x=Float(0, 1))


def task(name: str, losses: dict[float, float | None]) -> Task:
    return Task.from_configs(name, SPACE, [{"x": x} for x in losses], list(losses.values()))


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def asked(optimizer: PastBest, steps: int) -> list[float]:
    found = []
    for _ in range(steps):
        config: dict[str, Any] = optimizer.ask()
        optimizer.tell(config, 1.0)
        found.append(config["x"])
    return found


SHARED = History(
    [
        task("a", {0.1: 5.0, 0.2: 6.0, 0.3: 7.0, 0.4: 8.0}),
        task("b", {0.1: 30.0, 0.2: 20.0, 0.3: 10.0, 0.4: None}),
    ]
)
APART = History([task("a", {0.1: 1.0, 0.2: 2.0}), task("b", {0.7: -5.0, 0.8: -9.0})])


def test_a_configuration_counts_by_its_average_rank() -> None:
    history = History(
        [
            task("a", {0.1: 1.0, 0.2: 2.0, 0.3: 3.0, 0.4: 4.0}),
            task("b", {0.2: 10.0, 0.1: 40.0, 0.4: 50.0, 0.3: 60.0}),
            task("c", {0.2: -9.0, 0.1: -8.0, 0.3: -7.0, 0.4: -6.0}),
        ]
    )
    assert in_order(history, rng()).ravel().tolist() == [0.2, 0.1, 0.3, 0.4]


def test_a_failed_run_is_the_worst() -> None:
    assert in_order(SHARED, rng()).ravel()[-1] == 0.4


def test_tasks_count_the_same_whatever_their_scale() -> None:
    scaled = History(
        [
            SHARED.tasks[0],
            task("b", {0.1: 3e9, 0.2: 2e9, 0.3: 1e9, 0.4: None}),
        ]
    )
    assert_array_equal(in_order(scaled, rng()), in_order(SHARED, rng()))


@pytest.mark.parametrize("seed", range(4))
def test_tasks_take_turns_where_they_share_nothing(seed: int) -> None:
    ordered = in_order(APART, rng(seed)).ravel()
    assert set(ordered[:2]) == {0.1, 0.8}
    assert set(ordered[2:]) == {0.2, 0.7}


def test_no_task_is_first_by_its_name() -> None:
    assert {in_order(APART, rng(seed))[0, 0] for seed in range(20)} == {0.1, 0.8}


def test_past_configurations_come_in_order_and_then_random_ones() -> None:
    optimizer = PastBest(SearchSpace(SPACE), SHARED, rng())
    found = asked(optimizer, 6)
    assert found[:4] == list(in_order(SHARED, after_the_seed()).ravel())
    assert not set(found[4:]) & {0.1, 0.2, 0.3, 0.4}


def after_the_seed() -> np.random.Generator:
    """A generator in the state in which the optimizer orders the past."""
    generator = rng()
    generator.integers(2**63)
    return generator


def test_what_was_told_is_left_out() -> None:
    optimizer = PastBest(SearchSpace(SPACE), SHARED, rng())
    first = optimizer.ask()
    optimizer.tell({"x": 0.95}, 3.0)
    assert optimizer.ask() == first
    optimizer.tell(first, None)
    assert optimizer.ask() != first


# -- in a table ----------------------------------------------------------------------------


def test_in_a_table_the_nearest_row_is_tried() -> None:
    table = np.array([[0.0], [0.12], [0.5], [0.78], [0.9]])
    found = asked(PastBest(SearchSpace(SPACE, table), APART, rng()), 5)
    assert set(found[:2]) == {0.12, 0.78}
    assert set(found) == set(table.ravel())


def test_rows_that_were_given_do_not_use_up_the_best_of_the_past() -> None:
    table = np.array([[0.0], [0.1], [0.5], [0.8], [0.9]])
    optimizer = PastBest(SearchSpace(SPACE, table), APART, rng())
    for x in (0.0, 0.5, 0.9):
        optimizer.tell({"x": x}, 1.0)
    assert set(asked(optimizer, 2)) == {0.1, 0.8}
