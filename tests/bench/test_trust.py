"""With a past that misleads, malibo is not much worse than a cold start: 20 seeds each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from malibo.bench.methods import method
from malibo.bench.problems.ensembles import FAMILIES, FamilyProblem
from malibo.bench.problems.misleading import PASTS, MisledProblem
from malibo.bench.problems.problem import Problem
from malibo.space.parameters import Array

SEEDS = 20
TRIALS = 30
FAMILY = replace(FAMILIES["hartmann3d"], tasks=12)  # fewer tasks: sooner trained


def regrets(name: str, problem: Problem, seed: int) -> Array:
    """Normalised regret after each trial of one run."""
    optimizer = method(name).factory(
        problem.search,
        problem.past(np.random.default_rng([seed, 0])),
        np.random.default_rng([seed, 1]),
    )
    truths = []
    for _ in range(TRIALS):
        config = optimizer.ask()
        row = problem.search.space.codes([config])[0]
        evaluation = problem.evaluate(row, np.random.default_rng(0))
        optimizer.tell(config, evaluation.loss)
        truths.append(evaluation.truth)
    best, worst = problem.reference.best, problem.reference.worst
    return np.asarray((np.minimum.accumulate(truths) - best) / (worst - best))


def mean_regret(name: str, past: str) -> Array:
    problems = [MisledProblem(FamilyProblem(FAMILY, seed), past) for seed in range(SEEDS)]
    runs = [regrets(name, problem, seed) for seed, problem in enumerate(problems)]
    return np.asarray(np.mean(runs, axis=0))


@pytest.fixture(scope="module")
def cold() -> Array:
    """LFBO does not look at the past, so any will do."""
    return mean_regret("lfbo", "flipped")


@pytest.mark.parametrize("past", PASTS)
def test_a_misleading_past_costs_little(past: str, cold: Array) -> None:
    warm = mean_regret("malibo", past)
    assert warm[-1] <= 1.1 * cold[-1]
    if past == "one-good":
        assert warm[9] <= 0.75 * cold[9]
