"""What malibo knew, foresaw and chose on a slice of the space after so many results."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from malibo.acquisition import drawn_logits
from malibo.classifier import posterior_of
from malibo.errors import InputError, need_whole_number, plural
from malibo.maximize import Pool, key, taken_rows
from malibo.observations import Observations
from malibo.optimizer import Malibo
from malibo.plots.slices import Slice
from malibo.plots.told import first, told
from malibo.process import Process
from malibo.scores import losses_of
from malibo.space.parameters import Array
from malibo.suggest import Suggestion, suggestions
from malibo.task import sign
from malibo.threads import one_thread

_BAND = (0.1, 0.5, 0.9)  # quantiles of what is foreseen
_FUNCTIONS = 256  # drawn for them


@dataclass(frozen=True, eq=False)
class Step:
    """One moment of a tuning, seen on a slice of n configurations.

    known         what was told by then; losses are minimised
    suggestion    the next configuration if the slice were all there is, and its scores
    improvement   whether these are logarithms of an expected improvement, not logits
    mean          (n,) logits m(Φ) + zᵀΦ at the mean of q(z); None without a past
    samples       (k, n) the same of Thompson samples
    foreseen      (3, n) losses: the median in a band of 80 %; None with fewer than two results
                  that differ, and where the classifier chooses
    """

    known: Observations
    suggestion: Suggestion
    improvement: bool
    mean: Array | None
    samples: Array
    foreseen: Array | None

    @property
    def random(self) -> bool:
        """Whether nothing but chance chose."""
        return self.suggestion.source == "random"

    @property
    def acquisition(self) -> Array:
        """(n,) what is maximised, as a number from 0 to 1: σ(logit), or the share of the best."""
        scores = self.suggestion.corrected
        return np.asarray(np.exp(scores - scores.max()) if self.improvement else expit(scores))

    @property
    def moment(self) -> str:
        """When it was, in words."""
        count = len(self.known.losses)
        return f"after {plural(count, 'result')}" if count else "before the first result"


def steps_of(
    optimizer: Malibo, shown: Slice, counts: Sequence[int] | None, samples: int, seed: int
) -> list[Step]:
    """The moments after ``counts`` results, by default now."""
    known = told(optimizer)
    if counts is None:
        counts = [len(known.losses)]
    _check_counts(counts, len(known.losses))
    need_whole_number("samples", samples, least=0)
    pool = Pool.of(optimizer.model, shown.codes)
    return [_step(optimizer, first(known, count), pool, samples, seed) for count in counts]


def foreseen_values(step: Step, optimizer: Malibo) -> Array | None:
    """What is foreseen as the user tells it: low, median and high of losses or scores."""
    if step.foreseen is None:
        return None
    return np.sort(sign(optimizer.direction) * step.foreseen, axis=0)


def _check_counts(counts: Sequence[int], told_so_far: int) -> None:
    if isinstance(counts, str) or not isinstance(counts, Sequence | np.ndarray) or not len(counts):
        raise InputError(f"steps must be a list of numbers of results, got {counts!r}.")
    for count in counts:
        whole = isinstance(count, numbers.Integral) and not isinstance(count, bool)
        if not whole or not 0 <= count <= told_so_far:
            raise InputError(
                f"steps are numbers of results, from 0 to {told_so_far} by now; got {count!r}."
            )


def _step(optimizer: Malibo, known: Observations, pool: Pool, samples: int, seed: int) -> Step:
    model, config = optimizer.model, optimizer.config
    suggestion = _suggestion(optimizer, known, pool)
    mean, drawn = _logits(optimizer, known, pool, samples, seed)
    by_process = model.informed and config.surrogate == "process" and len(known.losses) > 0
    improvement = by_process and suggestion.source not in ("booster", "random")
    foreseen = _foreseen(optimizer, known, pool, seed)
    return Step(known, suggestion, improvement, mean, drawn, foreseen)


def _suggestion(optimizer: Malibo, known: Observations, pool: Pool) -> Suggestion:
    """As ``Malibo.ask`` would, with the slice as candidates."""
    taken = taken_rows(known.codes, known.pending)
    if all(key(row) in taken for row in pool.codes):
        raise InputError(
            f"all {len(pool.codes)} configurations of this picture have been tried;"
            " show other parameters, or hold others by at={...}."
        )
    rng = np.random.default_rng([optimizer.seed, known.trials])
    return next(suggestions(optimizer.model, known, optimizer.config, rng, pool=pool))


def _logits(
    optimizer: Malibo, known: Observations, pool: Pool, samples: int, seed: int
) -> tuple[Array | None, Array]:
    """Under the mean of q(z), and under draws of it."""
    model, config, points = optimizer.model, optimizer.config, pool.points
    if not model.informed or not model.config.task_layer:
        return (points.offset if model.informed else None), np.empty((0, len(pool.codes)))
    rng = np.random.default_rng([seed, len(known.losses)])
    with one_thread():
        posterior = posterior_of(model, known, config, rng)
        draws = [posterior.draw(rng) for _ in range(samples)]
    logits = [drawn_logits(z, points.phi, points.offset) for z in draws]
    found = np.array(logits).reshape(samples, len(pool.codes))
    return drawn_logits(posterior.mean, points.phi, points.offset), found


def _foreseen(optimizer: Malibo, known: Observations, pool: Pool, seed: int) -> Array | None:
    """Quantiles of the functions that the task may be, by the process, if that is in use.

    Without a past there is none to trust: whatever the options say, it has no part in this.
    """
    model, config = optimizer.model, optimizer.config
    few = len(np.unique(known.losses[np.isfinite(known.losses)])) < 2
    if few or config.surrogate == "classifier":
        return None
    rng = np.random.default_rng([seed, 1])
    with one_thread():
        process = Process(model, known.in_order(), config.trust if model.informed else 0.0)
        drawn = process.draws(pool.points, _FUNCTIONS, rng)
    return losses_of(np.quantile(drawn, _BAND, axis=0), known.losses)
