"""Proximal policy optimisation, against plain loops and on a problem it must solve."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

pytest.importorskip("torch")

import torch
from torch import nn

from malibo.bench.methods.metabo.ppo import (
    CLIP,
    DISCOUNT,
    ENTROPY,
    TRACE,
    Agent,
    Transitions,
    advantages,
    clipped,
    log_probabilities,
    policy_loss,
    scaled,
)
from malibo.bench.methods.networks import perceptron
from malibo.bench.methods.surrogate import one_core, seeded


def first_feature() -> nn.Module:
    """A network that scores candidates of one feature by that."""
    return nn.Identity()


def test_advantages_are_discounted_sums_of_surprises() -> None:
    rewards, expected = np.random.default_rng(0).standard_normal((2, 3, 6))
    found = advantages(torch.as_tensor(rewards), torch.as_tensor(expected)).numpy()
    for episode in range(3):
        values = [*expected[episode], 0.0]
        surprise = [rewards[episode, t] + DISCOUNT * values[t + 1] - values[t] for t in range(6)]
        for t in range(6):
            total = sum((DISCOUNT * TRACE) ** (k - t) * surprise[k] for k in range(t, 6))
            assert_allclose(found[episode, t], total)


def test_a_choice_gains_nothing_beyond_the_clip_and_loses_without_limit() -> None:
    moved = torch.tensor([math.log(2), math.log(2), math.log(0.5), math.log(0.5), 0.1])
    advantage = torch.tensor([1.0, -1.0, 1.0, -1.0, 1.0])
    expected = [1 + CLIP, -2.0, 0.5, -(1 - CLIP), math.exp(0.1)]
    assert_allclose(clipped(moved, advantage).numpy(), expected, rtol=1e-6)


def test_scaled_advantages_have_mean_0_and_deviation_1() -> None:
    found = scaled(torch.tensor([1.0, 5.0, 9.0])).numpy()
    assert_allclose(found, np.array([-1, 0, 1]) * math.sqrt(1.5), rtol=1e-6)
    assert_allclose(scaled(torch.full((4,), 3.0)).numpy(), np.zeros(4))


def test_what_is_not_open_is_never_chosen() -> None:
    features = torch.tensor([[[1.0], [2.0], [3.0]]])
    open = torch.tensor([[True, False, True]])
    found = log_probabilities(first_feature(), features, open).exp().numpy()[0]
    expected = np.exp([1.0, -np.inf, 3.0]) / (np.exp(1) + np.exp(3))
    assert_allclose(found, expected, rtol=1e-6)


def test_the_loss_is_the_clipped_gain_and_the_bonus_on_entropy() -> None:
    generator = torch.Generator().manual_seed(0)
    features = torch.randn((5, 4, 1), generator=generator)
    open = torch.ones((5, 4), dtype=torch.bool)
    open[2, 1] = False
    choice = torch.tensor([0, 1, 2, 3, 0])
    before, advantage = torch.randn((2, 5), generator=generator)
    nothing = torch.zeros((5, 1))
    transitions = Transitions(features, open, nothing, choice, before, advantage, nothing[:, 0])
    gain = entropy = 0.0
    for row in range(5):
        weights = torch.exp(features[row, :, 0]) * open[row]
        p = weights / weights.sum()
        ratio = p[choice[row]] / before[row].exp()
        size = scaled(advantage)[row]
        gain += float(min(ratio * size, ratio.clamp(1 - CLIP, 1 + CLIP) * size)) / 5
        entropy -= sum(float(q * q.log()) for q in p if q > 0) / 5
    found = float(policy_loss(first_feature(), transitions))
    assert_allclose(found, -gain - ENTROPY * entropy, rtol=1e-5)


def test_an_agent_learns_to_choose_what_is_rewarded() -> None:
    """The reward is the first of two features; the critic learns its mean."""
    with one_core(), seeded(np.random.default_rng(0)):
        agent = Agent(perceptron([2, 16, 1]).float(), perceptron([1, 16, 1]).float(), rate=1e-2)
        means = [reward_of_an_iteration(agent) for _ in range(12)]
        expected = float(agent.critic(torch.ones((1, 1))))
    assert abs(np.mean(means[:2]) - 0.5) < 0.1  # uniform choices
    assert np.mean(means[-3:]) > 0.8
    assert abs(expected - np.mean(means[-3:])) < 0.1


def reward_of_an_iteration(agent: Agent) -> float:
    features = torch.rand((100, 10, 2))
    open = torch.ones((100, 10), dtype=torch.bool)
    summary = torch.ones((100, 1))
    with torch.no_grad():
        logarithms = log_probabilities(agent.policy, features, open)
        choice = torch.multinomial(logarithms.exp(), 1)
        reward = features[..., 0].gather(1, choice)
        advantage = advantages(reward, agent.critic(summary))[:, 0]
    chosen = logarithms.gather(1, choice)[:, 0]
    agent.learn(Transitions(features, open, summary, choice[:, 0], chosen, advantage, reward[:, 0]))
    return float(reward.mean())
