"""MetaBO: an acquisition function that is learned by reinforcement on the past.

After Volpp et al. (2020). A network gives every configuration a score from the mean and the
standard deviation that a Gaussian process predicts for it, and from the configuration itself.
In an episode a past task is tuned again: the softmax of the scores is the probability with
which a candidate is tried next, and the reward of each step is the negative simple regret.
Proximal policy optimisation raises the rewards. On the target the highest score is tried.

As in the paper, as far as known here: the Gaussian process has fixed hyperparameters that are
estimated on the past; γ = λ = 0.98, a clip of 0.15, 4 epochs, an entropy weight of 0.01. As in
MALIBO's comparison: neither the time nor the budget is a feature of the policy.

Otherwise than published, for lack of hours: 2 layers of 32 units in place of 4 of 200, 25
steps in place of 60, only 60 thousand transitions and, to get somewhere with them, larger
steps of Adam and a critic that also sees regret and predictions.
Episodes run over random observations of a past task, because the past cannot be evaluated
elsewhere, and nothing is tried twice. There as on the target, what was observed so far is
standardised at every step: the scale of a new task is not known in advance.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from malibo.bench.methods.metabo.episodes import STATISTICS, Candidates, Episodes, State, features
from malibo.bench.methods.metabo.ppo import Agent, Transitions, advantages, log_probabilities
from malibo.bench.methods.metabo.prior import Prior
from malibo.bench.methods.networks import perceptron
from malibo.bench.methods.past import Observed, observed
from malibo.bench.methods.surrogate import (
    Surrogate,
    one_core,
    seeded,
    standardized,
    with_failures,
)
from malibo.bench.searchspace import SearchSpace
from malibo.history import History
from malibo.space.parameters import Array

UPDATES = 100  # iterations of proximal policy optimisation
EPISODES, HORIZON = 24, 25  # of an iteration, and the steps of each
LAYERS, UNITS = 2, 32  # of the policy and of the critic
RATE = 1e-3  # of Adam


class MetaBo(Surrogate):
    """The highest score of the learned acquisition function, also before the first result.

    rewards   the mean reward of a step in each iteration of the training
    """

    def __init__(
        self,
        space: SearchSpace,
        history: History,
        rng: np.random.Generator,
        updates: int = UPDATES,
    ) -> None:
        super().__init__(space, history, rng)
        tasks = [observed(task, rng) for task in history]
        with one_core(), seeded(rng):
            self._prior = Prior.estimate(tasks, rng)
            self._policy, self.rewards = train(tasks, self._prior, updates, rng)

    def next_row(self, rng: np.random.Generator) -> Array:
        """The highest score, given the posterior of what was told."""
        values = standardized(with_failures(self.losses))
        posterior = self._prior.condition(self.points, values)

        def score(points: Array) -> Array:
            mean, sd = posterior.predict(points)
            return scores(self._policy, mean, sd, points)

        return self.highest(score, rng)


def scores(policy: nn.Module, mean: Array, sd: Array, points: Array) -> Array:
    """(n,) the policy's scores of points (n, D), given what is predicted for them."""
    seen = features(torch.as_tensor(mean), torch.as_tensor(sd), torch.as_tensor(points))
    with torch.no_grad():
        found: Tensor = policy(seen)[:, 0]
    return np.asarray(found.numpy(), dtype=float)


# -- training ------------------------------------------------------------------------------------


def train(
    tasks: Sequence[Observed], prior: Prior, updates: int, rng: np.random.Generator
) -> tuple[nn.Module, list[float]]:
    """A policy, and the mean reward of a step in each iteration of its training."""
    agent = untrained(dimension=tasks[0][0].shape[1])
    rewards = []
    for _ in range(updates):
        candidates = Candidates.draw(tasks, EPISODES, rng)
        horizon = min(HORIZON, candidates.values.shape[1])
        transitions, reward = play(agent, Episodes(candidates, prior, horizon), horizon)
        agent.learn(transitions)
        rewards.append(reward)
    return agent.policy, rewards


def untrained(dimension: int) -> Agent:
    """Networks with random weights."""
    policy = perceptron([2 + dimension, *[UNITS] * LAYERS, 1]).float()
    critic = perceptron([STATISTICS, *[UNITS] * LAYERS, 1]).float()
    return Agent(policy, critic, RATE)


def play(agent: Agent, episodes: Episodes, horizon: int) -> tuple[Transitions, float]:
    """What happens in all steps of the episodes, and the mean reward of a step.

    The reward is divided by the number of steps: then returns are of the size of one regret.
    """
    seen, regrets = [], []
    with torch.no_grad():
        for _ in range(horizon):
            state = episodes.state()
            choice, logarithm = pick(agent.policy, state)
            episodes.choose(choice)
            seen.append((state.features, state.open, state.summary, choice, logarithm))
            regrets.append(episodes.regret.float())
        parts = [torch.stack(part, dim=1) for part in zip(*seen, strict=True)]
        rewards = -torch.stack(regrets, dim=1)
        expected = agent.critic(parts[2])[..., 0]
        advantage = advantages(rewards / horizon, expected)
    parts += [advantage, advantage + expected]
    return Transitions(*(part.flatten(0, 1) for part in parts)), float(rewards.mean())


def pick(policy: nn.Module, state: State) -> tuple[Tensor, Tensor]:
    """(B,) random choices by the policy, and the logarithms of their probabilities."""
    logarithms = log_probabilities(policy, state.features, state.open)
    choice = torch.multinomial(logarithms.exp(), 1)
    return choice[:, 0], logarithms.gather(1, choice)[:, 0]
