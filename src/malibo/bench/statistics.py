"""Statistics: which differences between methods are more than chance.

As in the paper and in HPO-B every run counts as a sample: two methods are compared over all
pairs of a task and a seed. Seeds of one task are not independent tasks, so that a significant
difference speaks of these tasks, and less surely of others.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.stats import wilcoxon

from malibo.bench.metrics import Curves, average_ranks, comparable
from malibo.errors import InputError
from malibo.space.parameters import Array

LEVEL = 0.05


@dataclass(frozen=True)
class Comparison:
    """Two methods at one step.

    p          of the Wilcoxon signed-rank test
    adjusted   the same after Holm's correction for all pairs of methods
    """

    first: str
    second: str
    p: float
    adjusted: float


def ranks_at(curves: Curves, step: int) -> dict[str, float]:
    """Average rank of each method at a step, the best first."""
    position = _position(curves, step)
    ranks = {name: float(line[position]) for name, line in average_ranks(curves).items()}
    return dict(sorted(ranks.items(), key=lambda item: item[1]))


def compare(curves: Curves, step: int) -> list[Comparison]:
    """All pairs of methods at a step, over the tasks and seeds that all methods have."""
    position = _position(curves, step)
    paired = curves.paired()
    pairs = list(combinations(paired.methods, 2))
    values = {name: comparable(lines[:, position]) for name, lines in paired.values.items()}
    p_values = [signed_rank(values[first], values[second]) for first, second in pairs]
    return [
        Comparison(first, second, p, adjusted)
        for (first, second), p, adjusted in zip(pairs, p_values, holm(p_values), strict=True)
    ]


def _position(curves: Curves, step: int) -> int:
    found = np.flatnonzero(curves.steps == step)
    if not len(found):
        raise InputError(f"there is no step {step}; the runs end at {curves.steps[-1]:g}.")
    return int(found[0])


def signed_rank(first: Array, second: Array) -> float:
    """p of the two-sided Wilcoxon signed-rank test; 1 if nothing differs.

    Pairs without a difference are ranked with the others and then left out (Pratt): methods
    that find the same optimum leave many of them.
    """
    difference = first - second
    if not difference.any():
        return 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few samples: p is coarse, and near 1
        return float(wilcoxon(difference, zero_method="pratt").pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction: the least p times the number of tests, the next times one less, ..."""
    order = np.argsort(p_values, kind="stable")
    factors = len(p_values) - np.arange(len(p_values))
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.maximum.accumulate(factors * np.array(p_values)[order])
    return [float(p) for p in np.minimum(adjusted, 1.0)]


def cliques(
    ranks: Mapping[str, float], comparisons: Sequence[Comparison], level: float = LEVEL
) -> list[tuple[str, ...]]:
    """Largest groups of neighbours in rank of which no two differ significantly.

    Groups may overlap; a method that differs from its neighbours is in none.
    """
    order = sorted(ranks, key=lambda name: ranks[name])
    differ = {frozenset((c.first, c.second)) for c in comparisons if c.adjusted < level}
    groups: list[tuple[str, ...]] = []
    reached = 0
    for start in range(len(order)):
        end = _end_of_clique(order, start, differ)
        if end > max(reached, start + 1):
            groups.append(tuple(order[start:end]))
        reached = max(reached, end)
    return groups


def _end_of_clique(order: Sequence[str], start: int, differ: set[frozenset[str]]) -> int:
    """One after the last method that differs from none between it and the start."""
    for end in range(start + 1, len(order)):
        if any(frozenset((name, order[end])) in differ for name in order[start:end]):
            return end
    return len(order)
