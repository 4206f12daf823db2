"""The past tasks' functions: lengths by their likelihood, weights by regression."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from malibo.functions import Functions, kernel
from malibo.history import History
from malibo.likelihood import negative_log_likelihood
from malibo.scores import scores
from malibo.space.parameters import Array
from malibo.training.data import MOST_GAPS, random_codes

_TASKS, _RUNS = 256, 512  # of the past that are looked at, and of each of them
_CENTRES = 256  # M
_DEVIATIONS = 50  # directions in which tasks differ, at most
_LEAST = 3  # valid results without which a task says nothing of its function
_JUDGED_TASKS, _JUDGED_RUNS = 16, 1024  # by which lengths and noise are chosen, in all
_SAMPLE = 2048  # configurations at which the deviations are compared
_JITTER = 1e-6
_LEAST_NOISE = 1e-3  # with less, a function that bends goes far astray where nobody tried
_ITERATIONS = 40
_LENGTH_SPREAD = 1.0  # of the prior of a length's logarithm
_NOISE, _NOISE_SPREAD = -4.0, 2.0  # of the prior of the logarithm of the noise


class Observed(NamedTuple):
    """Points (n, D) of a past task in the unit cube, and their scores (n,).

    A score of 0 is what is presumed where nobody tried: the mean of what was tried if that is
    spread evenly, and the worse the more gaps there are. An optimiser's runs are good ones, and
    their mean tells nothing of where it did not go.
    """

    points: Array
    scores: Array


def fit_functions(
    history: History, rng: np.random.Generator, gaps: float = 0.0
) -> Functions | None:
    """Learn the functions of past tasks; None if no task tells anything of its own.

    ``gaps`` says how little of the space the past covers (malibo.training.data).
    """
    tasks = observed_tasks(history, rng, gaps)
    if not tasks:
        return None
    lengths, noise = fit_kernel(tasks, rng)
    every = np.unique(np.concatenate([task.points for task in tasks]), axis=0)
    centres = every[rng.permutation(len(every))[:_CENTRES]]
    among = kernel(centres, centres, lengths)
    weights = np.stack([regress(task, centres, lengths, noise, among) for task in tasks], axis=1)
    mean = weights.mean(axis=1, keepdims=True)
    deviations = (weights - mean) / math.sqrt(max(len(tasks) - 1, 1))
    if len(tasks) == 1:
        deviations = deviations[:, :0]
    elif len(tasks) > _DEVIATIONS:
        codes = random_codes(history, _SAMPLE, rng)
        sample = history.joint.encode(history.joint.complete(codes, rng))
        deviations = deviations @ principal(kernel(sample, centres, lengths) @ deviations)
    weights = np.hstack([mean, deviations])
    return Functions(*(array.astype(np.float32) for array in (centres, lengths, weights)))


def observed_tasks(history: History, rng: np.random.Generator, gaps: float) -> list[Observed]:
    """Tasks with results that differ, or as many of them and of their results as are affordable."""
    codes, losses, index = history.codes, history.losses, history.task_index
    found: list[Observed] = []
    for task in rng.permutation(len(history.tasks)):
        if len(found) == _TASKS:
            break
        rows = rng.permutation(np.flatnonzero(index == task))[:_RUNS]
        its = scores(losses[rows])
        if np.isfinite(losses[rows]).sum() >= _LEAST and its.std() > 0:
            points = history.joint.encode(history.joint.complete(codes[rows], rng))
            presumed = its.mean() + gaps / MOST_GAPS * (its.max() - its.mean())
            found.append(Observed(points, its - presumed))
    return found


# -- lengths and noise -------------------------------------------------------------------------


def fit_kernel(tasks: list[Observed], rng: np.random.Generator) -> tuple[Array, float]:
    """Lengths (D,) and noise that all tasks share: the most probable ones given some of them."""
    from scipy.optimize import minimize  # takes as long to import as all of malibo

    chosen = [tasks[i] for i in rng.permutation(len(tasks))[:_JUDGED_TASKS]]
    each = max(32, min(128, _JUDGED_RUNS // len(chosen)))
    judges = [
        Observed(task.points[:each], task.scores[:each] - task.scores.mean()) for task in chosen
    ]
    columns = judges[0].points.shape[1]
    usual = math.log(0.5 * math.sqrt(max(columns, 1)))  # of a length: half the diagonal
    centre = np.append(np.full(columns, usual), _NOISE)
    spread = np.append(np.full(columns, _LENGTH_SPREAD), _NOISE_SPREAD)

    def cost(logs: Array) -> tuple[float, Array]:
        """−ln of the posterior, up to a constant, and its gradient."""
        lengths, noise = np.exp(logs[:-1]), float(np.exp(logs[-1]))
        found = [
            negative_log_likelihood(judge.points / lengths, judge.scores, noise + _JITTER)
            for judge in judges
        ]
        off = (logs - centre) / spread
        by_each = sum(np.append(f.by_length, noise * f.by_noise) for f in found)
        return sum(f.value for f in found) + 0.5 * off @ off, by_each + off / spread

    limits = [*zip(centre - 5 * spread, centre + 3 * spread, strict=True)]
    best = minimize(
        cost, centre, jac=True, method="L-BFGS-B", bounds=limits, options={"maxiter": _ITERATIONS}
    )
    return np.exp(best.x[:-1]), max(float(np.exp(best.x[-1])), _LEAST_NOISE)


# -- weights -----------------------------------------------------------------------------------


def regress(task: Observed, centres: Array, lengths: Array, noise: float, among: Array) -> Array:
    """α (M,): the mean of a Gaussian process that lives on the centres, given the scores.

    ``among`` are the correlations of the centres themselves.
    """
    cross = kernel(centres, task.points, lengths)
    needed = noise * among + cross @ cross.T

    def solved(jitter: float) -> Array:
        factor = cho_factor(needed + noise * jitter * np.eye(len(needed)))
        return np.asarray(cho_solve(factor, cross @ task.scores))

    with suppress(LinAlgError):
        return solved(_JITTER)
    return solved(1e-2)


def principal(deviations: Array) -> NDArray[np.float64]:
    """(T, k) the combinations of deviations (n, T) that differ most from place to place."""
    centred = deviations - deviations.mean(axis=0)
    _, directions = np.linalg.eigh(centred.T @ centred)
    return np.asarray(directions[:, ::-1][:, :_DEVIATIONS])
