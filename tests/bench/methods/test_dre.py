"""Deep ranking ensembles: losses and ranks against loops, and what they learn from the past."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

pytest.importorskip("torch")

import torch
from hypothesis import given
from hypothesis import strategies as st

from malibo import Float, History, Space, Task
from malibo.bench.methods.dre import (
    LIST,
    MEMBERS,
    SUPPORT,
    RankingEnsemble,
    Scored,
    Scorers,
    member_scores,
    random_split,
    ranking_losses,
    ranks_among,
    reference_points,
    scored,
    train,
)
from malibo.bench.methods.surrogate import one_core, seeded
from malibo.bench.searchspace import CANDIDATES, SearchSpace
from malibo.space.parameters import Array

LINE = Space(x=Float(0, 1))
SQUARE = Space(a=Float(0, 1), b=Float(0, 1))


def new_scorers(dimension: int, seed: int = 0) -> Scorers:
    with seeded(np.random.default_rng(seed)):
        return Scorers(dimension)


def slope(sign: float, size: int, seed: int) -> Scored:
    """Observations whose loss is x, or −x."""
    points = np.random.default_rng(seed).random((size, 1))
    return scored(points, sign * points[:, 0])


def bowls(centre: tuple[float, float], shuffled: bool = False) -> History:
    """Past tasks with their best near the centre; or losses that belong to other points."""
    rng = np.random.default_rng(1)
    tasks = []
    for number in range(6):
        codes = SQUARE.sample(rng, 60)
        losses = bowl(codes, np.asarray(centre) + rng.normal(0, 0.05, 2))
        losses = rng.permutation(losses) if shuffled else losses
        tasks.append(Task(f"task {number}", SQUARE, codes, losses))
    return History(tasks)


def bowl(codes: Array, centre: Array) -> Array:
    return np.asarray(((codes - centre) ** 2).sum(axis=1))


def first_losses(history: History, updates: int, seed: int) -> float:
    """The mean of three steps on a bowl around (0.25, 0.8), as a share of that of chance."""
    centre = np.array([0.25, 0.8])
    optimizer = RankingEnsemble(SearchSpace(SQUARE), history, np.random.default_rng(seed), updates)
    for _ in range(3):
        config = optimizer.ask()
        optimizer.tell(config, float(bowl(SQUARE.codes([config]), centre)[0]))
    chance = bowl(SQUARE.sample(np.random.default_rng(0), 20_000), centre)
    return float(optimizer.losses.mean() / chance.mean())


# -- what it learns ------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1])
def test_the_first_steps_after_a_related_past_are_much_better_than_chance(seed: int) -> None:
    assert first_losses(bowls((0.25, 0.8)), 200, seed) < 1 / 2


@pytest.mark.parametrize(("shuffled", "updates"), [(False, 0), (True, 200)])
def test_without_training_or_with_a_shuffled_past_they_are_not(
    shuffled: bool, updates: int
) -> None:
    assert first_losses(bowls((0.25, 0.8), shuffled), updates, seed=0) > 1 / 2


def test_observations_tell_the_members_which_of_the_past_tasks_it_is() -> None:
    scorers = new_scorers(1)
    with one_core(), seeded(np.random.default_rng(1)):
        train(scorers, [slope(1, 50, 0), slope(-1, 50, 1)], 300, 3e-3)
    grid = np.linspace(0, 1, 9)[:, None]
    down = member_scores(scorers, grid, slope(1, 6, 2))  # a small loss is a high score
    up = member_scores(scorers, grid, slope(-1, 6, 2))
    assert (down[:, 0] > down[:, -1]).all()
    assert (up[:, 0] < up[:, -1]).all()


def test_results_of_the_target_outweigh_a_past_that_says_the_opposite() -> None:
    codes = LINE.sample(np.random.default_rng(0), 50)
    past = History([Task(f"task {n}", LINE, codes, codes[:, 0]) for n in range(2)])
    optimizer = RankingEnsemble(SearchSpace(LINE), past, np.random.default_rng(0), 100)
    assert optimizer.ask()["x"] < 0.1
    for row in LINE.sample(np.random.default_rng(3), 12):
        optimizer.tell(LINE.configs(row)[0], -float(row[0]))
    assert optimizer.ask()["x"] > 0.9


def test_a_suggestion_leaves_what_was_learned_from_the_past_as_it_is() -> None:
    optimizer = RankingEnsemble(
        SearchSpace(SQUARE), bowls((0.5, 0.5)), np.random.default_rng(0), updates=2
    )
    before = [tensor.detach().clone() for tensor in optimizer._scorers.parameters]
    for loss in (1.0, 2.0, 3.0):
        optimizer.tell(optimizer.ask(), loss)
    assert all(map(torch.equal, before, optimizer._scorers.parameters))


# -- the loss ------------------------------------------------------------------------------


@given(st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_the_loss_is_the_weighted_likelihood_of_the_order(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores, gains = rng.normal(0, 3, (2, size)), rng.normal(size=(2, size))
    found = ranking_losses(torch.as_tensor(scores), torch.as_tensor(gains)).numpy()
    for member in range(2):
        ranked = scores[member][np.argsort(-gains[member])]
        weights = [1 / np.log(position + 1) for position in range(1, size + 1)]
        terms = [np.log(np.exp(ranked[j:]).sum()) - ranked[j] for j in range(size)]
        assert_allclose(found[member], np.dot(weights, terms) / np.sum(weights), atol=1e-6)


def test_a_mistake_at_the_top_costs_more_than_one_at_the_bottom() -> None:
    gains = torch.arange(6.0, 0, -1).expand(3, -1)
    scores = torch.tensor([[6.0, 5, 4, 3, 2, 1], [6, 5, 4, 3, 1, 2], [5, 6, 4, 3, 2, 1]])
    right, bottom, top = ranking_losses(scores, gains).tolist()
    assert right < bottom < top


@given(st.integers(1, 300))
def test_what_is_given_is_not_ranked(size: int) -> None:
    support, query = random_split(size)
    assert support.shape[1] <= min(SUPPORT, size // 2)
    assert query.shape == (MEMBERS, min(LIST, size - support.shape[1]))
    for given_rows, ranked_rows in zip(support.tolist(), query.tolist(), strict=True):
        rows = given_rows + ranked_rows
        assert len(set(rows)) == len(rows)
        assert set(rows) <= set(range(size))


# -- ranks ---------------------------------------------------------------------------------


def test_ranks_are_positions_among_the_reference() -> None:
    scores = np.random.default_rng(0).normal(size=(4, 30))
    ranks = ranks_among(np.sort(scores, axis=1), scores)
    expected = [[(row >= value).sum() for value in row] for row in scores]
    assert_allclose(ranks, expected)


def test_ranks_go_on_above_the_best_of_the_reference_and_end_below_its_worst() -> None:
    knots = np.array([[0.0, 1.0, 3.0]])
    ranks = ranks_among(knots, np.array([[-5.0, 0.0, 2.0, 3.0, 4.0, 5.0]]))
    assert_allclose(ranks, [[3, 3, 1.5, 1, np.exp(-1), np.exp(-2)]])


def test_the_reference_is_a_small_table_or_some_of_a_large_one() -> None:
    rng = np.random.default_rng(0)
    small, large = SQUARE.sample(rng, 7), SQUARE.sample(rng, CANDIDATES + 10)
    points = reference_points(SearchSpace(SQUARE, small), rng)
    assert_array_equal(np.sort(points, axis=0), np.sort(SQUARE.encode(small), axis=0))
    assert len(reference_points(SearchSpace(SQUARE, large), rng)) == CANDIDATES


# -- networks ------------------------------------------------------------------------------


def alone(layers: list[tuple[torch.Tensor, torch.Tensor]], member: int, points: Array) -> Array:
    """One member's perceptron in numpy."""
    for index, (weight, bias) in enumerate(layers):
        points = points @ weight[member].detach().numpy() + bias[member].detach().numpy()
        points = points if index == len(layers) - 1 else np.maximum(points, 0)
    return points


@pytest.mark.parametrize("told", [0, 5])
def test_each_member_scores_as_if_it_were_alone(told: int) -> None:
    rng = np.random.default_rng(0)
    scorers, points = new_scorers(3), rng.random((600, 3))
    seen, losses = rng.random((told, 3)), rng.normal(5, 2, told)
    found = member_scores(scorers, points, scored(seen, losses))
    gains = (losses.mean() - losses) / losses.std() if told else losses
    for member in range(MEMBERS):
        parts = alone(scorers.each, member, np.column_stack([seen, gains]))
        mean = parts.mean(axis=0) if told else np.zeros(parts.shape[1])
        features = alone(scorers.together, member, mean[None]).repeat(600, axis=0)
        expected = alone(scorers.scorer, member, np.column_stack([points, features]))[:, 0]
        assert_allclose(found[member], expected, atol=1e-4)
    assert len(np.unique(found[:, 0])) == MEMBERS


def test_equal_results_say_nothing_but_where_they_are() -> None:
    scorers, points = new_scorers(2), np.random.default_rng(0).random((4, 2))
    one, other = (member_scores(scorers, points, scored(points, np.full(4, y))) for y in (1, 7.0))
    assert_array_equal(one, other)
