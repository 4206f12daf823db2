"""Proximal policy optimisation (Schulman et al., 2017) of a choice among candidates.

The policy scores every candidate by itself, and the softmax of the scores is the probability
of choosing it. A second network, the critic, predicts the return from what sums up a state.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import torch
from torch import Tensor, nn

DISCOUNT, TRACE = 0.98, 0.98  # γ of the rewards and λ of the advantages
CLIP = 0.15  # how far the probability of a choice may move in an iteration
EPOCHS = 4  # over the transitions of an iteration
ENTROPY, CRITIC = 0.01, 1.0  # weights in the loss
_PARTS = 12  # of the transitions, each for one step of Adam
_STEEPEST = 0.5  # length to which a gradient is cut
_IMPOSSIBLE = -1e9  # score of what must not be chosen; infinity would make NaN of the entropy


@dataclass(frozen=True, eq=False)
class Transitions:
    """N choices, each among n candidates.

    features     (N, n, F) of the candidates
    open         (N, n) whether a candidate may be chosen
    summary      (N, S) of the state, for the critic
    choice       (N,) the number of the candidate that was chosen
    logarithm    (N,) of the probability it had then
    advantage    (N,) how much better it was than the critic expected
    returned     (N,) the discounted sum of the rewards that followed
    """

    features: Tensor
    open: Tensor
    summary: Tensor
    choice: Tensor
    logarithm: Tensor
    advantage: Tensor
    returned: Tensor

    def some(self, rows: Tensor) -> Transitions:
        """Those of the given numbers."""
        return Transitions(*(getattr(self, field.name)[rows] for field in fields(self)))


class Agent:
    """A policy and its critic, which learn together by Adam."""

    def __init__(self, policy: nn.Module, critic: nn.Module, rate: float) -> None:
        self.policy, self.critic = policy, critic
        self._parameters = [*policy.parameters(), *critic.parameters()]
        self._optimizer = torch.optim.Adam(self._parameters, lr=rate, fused=True)

    def learn(self, transitions: Transitions) -> None:
        """One iteration: a few epochs over the transitions, in random order."""
        for _ in range(EPOCHS):
            for rows in torch.randperm(len(transitions.choice)).chunk(_PARTS):
                self._step(transitions.some(rows))

    def _step(self, transitions: Transitions) -> None:
        loss = policy_loss(self.policy, transitions)
        misjudged = self.critic(transitions.summary)[:, 0] - transitions.returned
        loss = loss + CRITIC * misjudged.square().mean()
        self._optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self._parameters, _STEEPEST)
        self._optimizer.step()


def log_probabilities(policy: nn.Module, features: Tensor, open: Tensor) -> Tensor:
    """(N, n) logarithms of the probabilities with which candidates are chosen."""
    scores = policy(features)[..., 0].masked_fill(~open, _IMPOSSIBLE)
    return torch.log_softmax(scores, dim=-1)


def policy_loss(policy: nn.Module, transitions: Transitions) -> Tensor:
    """The clipped surrogate of the advantages and the bonus on entropy, to be minimised."""
    logarithms = log_probabilities(policy, transitions.features, transitions.open)
    chosen = logarithms.gather(1, transitions.choice[:, None])[:, 0]
    entropy = -(logarithms.exp() * logarithms).sum(dim=1).mean()
    advantage = scaled(transitions.advantage)
    gain = clipped(chosen - transitions.logarithm, advantage).mean()
    return -gain - ENTROPY * entropy


def clipped(moved: Tensor, advantage: Tensor) -> Tensor:
    """min(r·A, clip(r, 1 − ε, 1 + ε)·A) for r = exp(moved): no gain beyond the clip."""
    ratio = moved.exp()
    return torch.minimum(ratio * advantage, ratio.clamp(1 - CLIP, 1 + CLIP) * advantage)


def scaled(advantage: Tensor) -> Tensor:
    """Advantages of mean 0 and standard deviation 1."""
    return (advantage - advantage.mean()) / (advantage.std(unbiased=False) + 1e-8)


def advantages(rewards: Tensor, expected: Tensor) -> Tensor:
    """(B, T) generalised advantages: Σₖ (γλ)ᵏ·δₜ₊ₖ with δₜ = rₜ + γ·Vₜ₊₁ − Vₜ.

    Rewards and the critic's expectations are (B, T). Nothing is expected after the end.
    """
    after = torch.cat([expected[:, 1:], torch.zeros_like(expected[:, :1])], dim=1)
    surprise = rewards + DISCOUNT * after - expected
    found = torch.zeros_like(rewards)
    carried = torch.zeros_like(rewards[:, 0])
    for step in reversed(range(rewards.shape[1])):
        carried = surprise[:, step] + DISCOUNT * TRACE * carried
        found[:, step] = carried
    return found
