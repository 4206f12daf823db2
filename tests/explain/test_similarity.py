"""Similarity: the right past task is found, and nothing is claimed before there are results."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import malibo
from malibo import Float, History, MetaModel, Space, Task
from malibo.errors import InputError
from malibo.explain import Similarity, resemblance, similarities, task_similarities
from malibo.explain.similarity import _summaries
from malibo.observations import Observations
from malibo.space.parameters import Array
from strategies import repeatable

SQUARE = Space(x=Float(0, 1), y=Float(0, 1))
CENTRES = {"low": (0.15, 0.15), "high": (0.85, 0.85), "left": (0.15, 0.85), "right": (0.85, 0.15)}


def distance(codes: Array, centre: tuple[float, float]) -> Array:
    return np.asarray(((codes - centre) ** 2).sum(axis=1))


@pytest.fixture(scope="module")
def corners() -> MetaModel:
    """Four tasks, the best of each in another corner."""
    rng = np.random.default_rng(0)
    tasks = []
    for name, centre in CENTRES.items():
        codes = SQUARE.sample(rng, 80)
        tasks.append(Task(name, SQUARE, codes, distance(codes, centre)))
    return malibo.meta_train(History(tasks), steps=300, progress=False)


def observed(centre: tuple[float, float], count: int, seed: int = 0) -> Observations:
    """A task on another scale, seen at random configurations."""
    codes = SQUARE.sample(np.random.default_rng([seed, 7]), count)
    return Observations(codes, 100 + 30 * distance(codes, centre), np.empty((0, 2)))


@pytest.mark.parametrize("name", CENTRES)
def test_a_task_that_is_like_a_past_one_finds_it(name: str, corners: MetaModel) -> None:
    found = similarities(corners, observed(CENTRES[name], 60))
    assert found[0].task == name
    assert found[0].mean > 0.5
    assert found[0].nearest == max(s.nearest for s in found) >= 0.7
    assert {s.task for s in found} == set(CENTRES)


def test_the_opposite_task_is_negatively_alike(corners: MetaModel) -> None:
    found = {s.task: s for s in similarities(corners, observed(CENTRES["low"], 40))}
    assert found["high"].mean < 0 < found["low"].low


def test_without_results_nothing_is_claimed(corners: MetaModel) -> None:
    for s in similarities(corners, Observations.none(2)):
        assert s.low < -0.3 < s.mean < 0.3 < s.high
        assert s.nearest < 0.6


def test_intervals_narrow_with_results(corners: MetaModel) -> None:
    widths = []
    for count in (0, 10, 60):
        found = {s.task: s for s in similarities(corners, observed(CENTRES["left"], count))}
        widths.append(found["left"].high - found["left"].low)
    assert widths[0] > widths[1] > widths[2]


@repeatable
@given(losses=st.lists(st.floats(-1e9, 1e9) | st.just(np.nan), max_size=12), seed=st.integers(0, 9))
def test_similarities_are_correlations_in_order_and_nearest_sums_to_one(
    losses: list[float], seed: int, corners: MetaModel
) -> None:
    codes = SQUARE.sample(np.random.default_rng(seed), len(losses))
    observations = Observations(codes, np.array(losses), codes[:0])
    found = similarities(corners, observations, draws=20, seed=seed)
    assert sum(s.nearest for s in found) == pytest.approx(1)
    assert [s.mean for s in found] == sorted((s.mean for s in found), reverse=True)
    for s in found:
        assert -1 - 1e-9 <= s.low <= s.high <= 1 + 1e-9
        assert abs(s.mean) <= 1 + 1e-9


def test_the_seed_and_not_the_order_of_the_results_decides(corners: MetaModel) -> None:
    one = observed(CENTRES["low"], 12)
    turned = Observations(one.codes[::-1], one.losses[::-1], one.pending)
    assert similarities(corners, one) == similarities(corners, turned)
    assert similarities(corners, one) != similarities(corners, one, seed=1)


def test_models_that_tell_no_tasks_apart_have_no_similarities(past: History) -> None:
    cold = MetaModel.uninformed(SQUARE)
    assert similarities(cold, Observations.none(2)) == []
    assert task_similarities(cold).shape == (0, 0)
    mean = malibo.meta_train(past, steps=5, task_layer=False, progress=False)
    assert similarities(mean, Observations.none(len(mean.space))) == []
    assert_array_equal(task_similarities(mean), np.eye(3))


def test_past_tasks_are_compared_with_each_other(corners: MetaModel) -> None:
    found = task_similarities(corners)
    assert_array_equal(found.diagonal(), 1)
    assert_allclose(found, found.T)
    assert (found[~np.eye(4, dtype=bool)] < 0.3).all()


def test_equally_near_tasks_share_what_there_is() -> None:
    correlations = np.array([[0.5, 0.1], [0.5, 0.9]])
    a, b = _summaries(("a", "b"), correlations)
    assert (a.task, a.nearest) == ("a", 0.25)
    assert (b.task, b.nearest) == ("b", 0.75)
    assert_allclose([a.mean, a.low, a.high], [0.3, 0.12, 0.48])
    assert_allclose([b.mean, b.low, b.high], [0.7, 0.52, 0.88])


# -- in words ------------------------------------------------------------------------------


def told(*nearest: float, mean: float = 0.5) -> list[Similarity]:
    """Tasks a, b, ... that are the nearest with these probabilities."""
    return [Similarity("abcdefgh"[i], mean, 0.0, 0.9, p) for i, p in enumerate(nearest)]


@pytest.mark.parametrize(
    ("nearest", "expected"),
    [
        ((0.05, 0.9, 0.05), ("b", "surely")),
        ((0.1, 0.89, 0.01), ("b", "probably")),
        ((0.3, 0.08, 0.62), ("c", "probably")),
        ((0.4, 0.3, 0.3), (None, "open")),
        ((0.51, 0.25, 0.24), (None, "open")),  # odds of 1.04 after 0.5
        ((0.25, 0.25, 0.5, 0.0), (None, "open")),  # odds of 1 after 1/3: three times as high
        ((0.7, 0.3), (None, "open")),  # of two, one always is at one half or more
        ((0.76, 0.24), ("a", "probably")),
        ((1.0, 0.0), ("a", "surely")),
        ((1.0,), (None, "open")),
        ((), (None, "open")),
    ],
)
def test_the_nearest_task_is_named_if_it_stands_out(
    nearest: tuple[float, ...], expected: tuple[str | None, str]
) -> None:
    assert resemblance(told(*nearest)) == expected


def test_the_nearest_of_unlike_tasks_is_not_named() -> None:
    assert resemblance(told(0.95, 0.05, mean=-0.1)) == (None, "open")


def test_a_task_is_named_by_its_results_and_not_before(corners: MetaModel) -> None:
    assert resemblance(similarities(corners, Observations.none(2))) == (None, "open")
    task, certainty = resemblance(similarities(corners, observed(CENTRES["right"], 60)))
    assert task == "right"
    assert certainty != "open"


def test_no_draws_are_refused(corners: MetaModel) -> None:
    with pytest.raises(InputError, match="draws must be a whole number >= 1, got 0"):
        similarities(corners, Observations.none(2), draws=0)
