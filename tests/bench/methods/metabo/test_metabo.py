"""MetaBO learns from the past, and the target's suggestions show it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

pytest.importorskip("torch")

import torch

from malibo import Float, History, Space, Task
from malibo.bench.methods import metabo
from malibo.bench.methods.metabo import HORIZON, MetaBo, pick, play, scores, train, untrained
from malibo.bench.methods.metabo.episodes import Candidates, Episodes, State
from malibo.bench.methods.metabo.ppo import advantages, log_probabilities
from malibo.bench.methods.metabo.prior import Prior
from malibo.bench.methods.surrogate import one_core, seeded
from malibo.bench.searchspace import SearchSpace
from malibo.space.parameters import Array

SPACE = Space(a=Float(0, 1), b=Float(0, 1))
PRIOR = Prior(torch.full((2,), 0.5, dtype=torch.float64), noise=0.01)
SHIFTS = (-0.2, -0.1, 0.0, 0.1, 0.2)
STEPS = 8


def loss(codes: Array, shift: float) -> Array:
    """Lowest at b = 0.8, and at an a that differs from task to task."""
    return np.asarray((codes[:, 0] - 0.5 - shift) ** 2 + 2 * (codes[:, 1] - 0.8) ** 2)


def past(size: int = 40) -> History:
    rng = np.random.default_rng(3)
    drawn = [(shift, SPACE.sample(rng, size)) for shift in SHIFTS]
    return History([Task(f"{s}", SPACE, codes, loss(codes, s)) for s, codes in drawn])


def regrets(optimizer: MetaBo, shift: float) -> Array:
    """(STEPS,) of a target; the optimizer is new again afterwards."""
    for _ in range(STEPS):
        config = optimizer.ask()
        optimizer.tell(config, float(loss(SPACE.codes([config]), shift)[0]))
    found = np.minimum.accumulate(optimizer.losses)
    optimizer.codes, optimizer.losses = np.empty((0, 2)), np.empty(0)
    return found


def mean_regrets(optimizer: MetaBo) -> Array:
    found = [regrets(optimizer, shift) for shift in (-0.15, 0.05, 0.15)]
    return np.asarray(np.mean(found, axis=0))


@pytest.fixture(scope="module")
def trained() -> MetaBo:
    """With short episodes and large steps, a moment of training will do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(metabo, "HORIZON", 10)
        patch.setattr(metabo, "RATE", 3e-3)
        return MetaBo(SearchSpace(SPACE), past(), np.random.default_rng(0), updates=40)


def test_the_training_raises_the_rewards(trained: MetaBo) -> None:
    assert len(trained.rewards) == 40
    begin, end = np.mean(trained.rewards[:5]), np.mean(trained.rewards[-5:])
    assert begin < 3 * end < 0


def test_it_is_better_than_chance_and_than_without_training(trained: MetaBo) -> None:
    found = mean_regrets(trained)
    rng = np.random.default_rng(1)
    random = np.array([loss(SPACE.sample(rng, STEPS), 0.05) for _ in range(200)])
    idle = MetaBo(SearchSpace(SPACE), past(), np.random.default_rng(0), updates=0)
    assert idle.rewards == []
    assert found[0] < random.mean() / 3  # it knows where to begin
    assert found[-1] < random.min(axis=1).mean() / 3
    assert found[-1] < mean_regrets(idle)[-1] / 3


def test_the_suggestion_has_the_highest_score_of_a_table() -> None:
    table = SPACE.sample(np.random.default_rng(4), 50)
    optimizer = MetaBo(SearchSpace(SPACE, table), past(), np.random.default_rng(0), updates=2)
    for row, value in zip(table[:4], (3.0, 1.0, np.nan, 2.0), strict=True):
        optimizer.tell(optimizer.config(row), None if np.isnan(value) else value)
    told = np.array([3.0, 1.0, 3.0, 2.0])  # a failed trial is as bad as the worst
    posterior = optimizer._prior.condition(table[:4], (told - told.mean()) / told.std())
    mean, sd = posterior.predict(table[4:])
    best = np.argmax(scores(optimizer._policy, mean, sd, table[4:]))
    assert_array_equal(SPACE.codes([optimizer.ask()])[0], table[4:][best])


# -- training ------------------------------------------------------------------------------------


def episodes(count: int, horizon: int) -> Episodes:
    rng = np.random.default_rng(0)
    points, values = rng.random((count, 30, 2)), rng.standard_normal((count, 30))
    drawn = Candidates(torch.as_tensor(points), torch.as_tensor(values))
    return Episodes(drawn, PRIOR, horizon)


def test_transitions_are_what_happened_in_the_episodes() -> None:
    with one_core(), seeded(np.random.default_rng(0)):
        agent = untrained(2)
        transitions, reward = play(agent, episodes(3, 5), 5)
    again, regret = episodes(3, 5), np.empty((3, 5))
    for step, choice in enumerate(transitions.choice.view(3, 5).T):
        state = again.state()
        logarithms = log_probabilities(agent.policy, state.features, state.open)
        chosen = logarithms.gather(1, choice[:, None])[:, 0].detach()
        assert_array_equal(transitions.features.view(3, 5, 30, 4)[:, step], state.features)
        assert_array_equal(transitions.open.view(3, 5, 30)[:, step], state.open)
        assert_allclose(transitions.logarithm.view(3, 5)[:, step], chosen, rtol=1e-4)
        again.choose(choice)
        regret[:, step] = again.regret
    assert_allclose(reward, -regret.mean(), rtol=1e-5)


def test_advantages_are_those_of_negative_regrets() -> None:
    with one_core(), seeded(np.random.default_rng(0)):
        agent = untrained(2)
        transitions, _ = play(agent, episodes(3, 5), 5)
    again, rewards = episodes(3, 5), torch.empty((3, 5))
    for step, choice in enumerate(transitions.choice.view(3, 5).T):
        again.choose(choice)
        rewards[:, step] = -again.regret / 5
    expected = agent.critic(transitions.summary).detach().view(3, 5)
    found = transitions.advantage.view(3, 5)
    assert_allclose(found, advantages(rewards, expected), atol=1e-6)
    assert_allclose(transitions.returned.view(3, 5), found + expected, atol=1e-6)


def test_choices_are_as_frequent_as_the_policy_says() -> None:
    state = episodes(1, 5).state()
    parts = (state.features, state.open, state.summary)
    same = State(*(part.repeat_interleave(3000, dim=0) for part in parts))
    with one_core(), seeded(np.random.default_rng(0)):
        agent = untrained(2)
        drawn, logarithms = pick(agent.policy, same)
        expected = log_probabilities(agent.policy, *parts[:2])[0].detach()
    shares = np.bincount(drawn.numpy(), minlength=30) / 3000
    assert_allclose(shares, expected.exp(), atol=0.02)
    assert_allclose(logarithms.detach(), expected[drawn], rtol=1e-4)


def test_episodes_are_no_longer_than_the_past_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last step has one candidate left to choose."""
    horizons = []

    def record(agent: object, episodes: Episodes, horizon: int) -> object:
        horizons.append(horizon)
        return play(agent, episodes, horizon)  # type: ignore[arg-type]

    monkeypatch.setattr(metabo, "play", record)
    rng = np.random.default_rng(0)
    with one_core(), seeded(rng):
        for size in (6, 100):
            train([(rng.random((size, 2)), rng.standard_normal(size))], PRIOR, 1, rng)
    assert horizons == [6, HORIZON]
