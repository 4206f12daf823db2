"""Episodes of MetaBO: steps at little cost give what a posterior from scratch gives."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

pytest.importorskip("torch")

import torch

from malibo.bench.methods.metabo.episodes import (
    CANDIDATES,
    STATISTICS,
    Candidates,
    Episodes,
    features,
)
from malibo.bench.methods.metabo.prior import Prior
from malibo.bench.methods.past import Observed
from malibo.bench.methods.surrogate import standardized

PRIOR = Prior(torch.tensor([0.4, 0.9], dtype=torch.float64), noise=0.01)
STEPS = 6


def tasks(*sizes: int) -> list[Observed]:
    """Values tell the task and the row."""
    rng = np.random.default_rng(0)
    return [(rng.random((n, 2)), 1000.0 * i + np.arange(float(n))) for i, n in enumerate(sizes)]


def candidates(count: int = 3, size: int = 20) -> Candidates:
    rng = np.random.default_rng(1)
    points, values = rng.random((count, size, 2)), 50 + 7 * rng.standard_normal((count, size))
    return Candidates(torch.as_tensor(points), torch.as_tensor(values))


def choices(count: int = 3, size: int = 20) -> np.ndarray:
    """(STEPS, B) different ones in each episode."""
    rng = np.random.default_rng(2)
    return np.array([rng.permutation(size)[:STEPS] for _ in range(count)]).T


def test_steps_give_the_posterior_of_standardised_values_from_scratch() -> None:
    given, chosen = candidates(), choices()
    episodes = Episodes(given, PRIOR, STEPS)
    for step in range(STEPS + 1):
        state = episodes.state().features.numpy()
        for episode in range(3):
            points, values = given.points[episode].numpy(), given.values[episode].numpy()
            rows = chosen[:step, episode]
            posterior = PRIOR.condition(points[rows], standardized(values[rows]))
            mean, sd = posterior.predict(points)
            assert_allclose(state[episode, :, 0], mean, atol=1e-5)
            assert_allclose(state[episode, :, 1], sd, atol=1e-5)
            assert_allclose(state[episode, :, 2:], points, rtol=1e-6)
        if step < STEPS:
            episodes.choose(torch.as_tensor(chosen[step]))


def test_regret_is_that_of_the_best_so_far() -> None:
    given, chosen = candidates(), choices()
    episodes = Episodes(given, PRIOR, STEPS)
    values = given.values.numpy()
    assert_allclose(episodes.regret.numpy(), values.mean(axis=1) - values.min(axis=1))
    for step in range(STEPS):
        episodes.choose(torch.as_tensor(chosen[step]))
        best = [values[e, chosen[: step + 1, e]].min() for e in range(3)]
        assert_allclose(episodes.regret.numpy(), best - values.min(axis=1))


def test_what_was_chosen_is_closed_and_states_are_not_changed_later() -> None:
    episodes = Episodes(candidates(), PRIOR, STEPS)
    before = episodes.state()
    episodes.choose(torch.tensor([4, 0, 7]))
    episodes.choose(torch.tensor([5, 1, 7]))
    after = episodes.state()
    assert before.open.all()
    assert [np.flatnonzero(~row).tolist() for row in after.open.numpy()] == [[4, 5], [0, 1], [7]]


def test_equal_observations_have_no_scale() -> None:
    given = candidates()
    flat = Candidates(given.points, torch.full_like(given.values, 3.0))
    episodes = Episodes(flat, PRIOR, STEPS)
    for row in choices():
        episodes.choose(torch.as_tensor(row))
        assert_array_equal(episodes.mean().numpy(), np.zeros((3, 20)))


def test_the_summary_has_time_regret_and_predictions() -> None:
    episodes = Episodes(candidates(), PRIOR, STEPS)
    for row in choices()[:3]:
        episodes.choose(torch.as_tensor(row))
    state = episodes.state()
    mean, sd = state.features[..., 0], state.features[..., 1]
    expected = [torch.full((3,), 0.5), episodes.regret, mean.min(dim=1).values, sd.mean(dim=1)]
    assert state.summary.shape == (3, STATISTICS)
    assert_allclose(state.summary.numpy(), np.stack(expected, axis=1), rtol=1e-5)


def test_candidates_are_observations_of_one_task_and_none_comes_twice() -> None:
    past = tasks(300, 200)
    drawn = Candidates.draw(past, 30, np.random.default_rng(0))
    assert drawn.values.shape == (30, CANDIDATES)
    seen = set()
    for points, values in zip(drawn.points.numpy(), drawn.values.numpy(), strict=True):
        assert len(set(values)) == CANDIDATES
        task = int(values[0] // 1000)
        assert_array_equal(points, past[task][0][(values - 1000 * task).astype(int)])
        seen.add(task)
    assert seen == {0, 1}


def test_small_tasks_have_fewer_candidates_and_the_smallest_repeats_its_own() -> None:
    drawn = Candidates.draw(tasks(25, 10), 20, np.random.default_rng(0)).values.numpy()
    assert drawn.shape == (20, 25)
    distinct = {len(set(values)) for values in drawn}
    assert distinct == {25, 10}


def test_features_are_mean_deviation_and_place() -> None:
    mean, sd, points = torch.tensor([1.0]), torch.tensor([2.0]), torch.tensor([[3.0, 4.0]])
    found = features(mean.double(), sd.double(), points.double())
    assert_array_equal(found.numpy(), [[1, 2, 3, 4]])
    assert found.dtype == torch.float32
