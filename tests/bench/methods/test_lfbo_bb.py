"""LFBO in the bounding box of the best past configurations."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from malibo import Categorical, Float, History, Int, Ordinal, Space, Task
from malibo.bench.methods.lfbo_bb import LfboBox, inside_box, sample_box
from malibo.bench.searchspace import SearchSpace
from malibo.space.parameters import Array

SPACE = Space(
    lr=Float(1e-4, 1, log=True),
    layers=Int(1, 8),
    width=Ordinal([16, 32, 64, 128]),
    kind=Categorical(["a", "b", "c"]),
    momentum=Float(0, 1, when={"kind": "c"}),
    epochs=10,
)
CORNERS = SPACE.codes(
    [
        {"lr": 1e-3, "layers": 2, "width": 32, "kind": "a"},
        {"lr": 1e-2, "layers": 4, "width": 128, "kind": "c", "momentum": 0.5},
    ]
)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def history(corners: Array) -> History:
    """Tasks whose best configurations are the corners."""
    tasks = []
    for number, corner in enumerate(corners):
        codes = np.vstack([SPACE.sample(rng(number), 9), corner])
        losses = np.append(rng(number).uniform(1, 2, 9), 0.0)
        losses[3] = np.nan
        tasks.append(Task(f"task {number}", SPACE, codes, losses))
    return History(tasks)


def in_the_box(config: dict[str, Any]) -> bool:
    return (
        1e-3 <= config["lr"] <= 1e-2
        and 2 <= config["layers"] <= 4
        and config["width"] >= 32
        and config["kind"] in ("a", "c")
        and config.get("momentum", 0.5) == 0.5
    )


def test_samples_lie_in_the_box_and_reach_its_ends() -> None:
    configs = SPACE.configs(sample_box(SPACE, CORNERS, rng(), 3000))
    assert all(in_the_box(config) for config in configs)
    assert {config["layers"] for config in configs} == {2, 3, 4}
    assert {config["width"] for config in configs} == {32, 64, 128}
    assert {config["kind"] for config in configs} == {"a", "c"}
    middle = np.mean([config["lr"] < 10**-2.5 for config in configs])
    assert abs(middle - 0.5) < 0.05  # uniform in the logarithm


def test_the_ends_of_a_range_of_whole_numbers_are_as_likely_as_the_rest() -> None:
    codes = sample_box(SPACE, CORNERS, rng(), 6000)
    shares = np.bincount(codes[:, 1].astype(int))[2:5] / 6000
    assert np.abs(shares - 1 / 3).max() < 0.03


def test_what_no_corner_knows_is_free() -> None:
    space = Space(kind=Categorical(["a", "b"]), rate=Float(0, 1, when={"kind": "b"}))
    corners = np.array([[0.0, np.nan], [1.0, np.nan]])  # nobody wrote down the rate
    codes = sample_box(space, corners, rng(), 2000)
    assert inside_box(space, corners, codes).all()
    assert np.nanmin(codes[:, 1]) < 0.01
    assert np.nanmax(codes[:, 1]) > 0.99


@given(seed=st.integers(0, 2**32), number=st.integers(1, 4))
def test_samples_are_inside_and_whole(seed: int, number: int) -> None:
    corners = SPACE.sample(rng(seed), number)
    codes = sample_box(SPACE, corners, rng(seed + 1), 50)
    assert inside_box(SPACE, corners, codes).all()
    assert inside_box(SPACE, corners, corners).all()
    assert not SPACE.unknown(codes).any()
    SPACE.codes(SPACE.configs(codes))  # an error if one is outside


def test_inside_is_what_the_corners_span() -> None:
    codes = SPACE.sample(rng(), 4000)
    inside = inside_box(SPACE, CORNERS, codes)
    expected = [in_the_box(config) for config in SPACE.configs(codes)]
    assert 0 < inside.sum() < 400
    assert inside.tolist() == expected


# -- the method ----------------------------------------------------------------------------


def test_only_the_box_is_searched() -> None:
    optimizer = LfboBox(SearchSpace(SPACE), history(CORNERS), rng())
    for step in range(14):
        config = optimizer.ask()
        assert in_the_box(config)
        optimizer.tell(config, None if step == 2 else abs(np.log10(config["lr"]) + 2.5))


def test_in_a_table_rows_of_the_box_come_first_and_then_the_others() -> None:
    table = np.vstack([SPACE.sample(rng(1), 20), sample_box(SPACE, CORNERS, rng(2), 4)])
    inside = int(inside_box(SPACE, CORNERS, table).sum())
    optimizer = LfboBox(SearchSpace(SPACE, table), history(CORNERS), rng())
    found = []
    for _ in range(inside + 3):
        config = optimizer.ask()
        found.append(in_the_box(config))
        optimizer.tell(config, 1.0)
    assert found == [True] * inside + [False] * 3


def test_good_parts_of_the_box_are_searched_more() -> None:
    line = Space(x=Float(0, 1))
    past = History(
        [Task(f"task {x}", line, np.array([[x], [0.9]]), np.array([0.0, 1.0])) for x in (0.2, 0.6)]
    )
    optimizer = LfboBox(SearchSpace(line), past, rng())
    found = []
    for _ in range(25):
        config = optimizer.ask()
        found.append(config["x"])
        optimizer.tell(config, abs(config["x"] - 0.55))
    assert min(found) >= 0.2
    assert max(found) <= 0.6
    assert np.median(np.abs(np.array(found[15:]) - 0.55)) < 0.05
