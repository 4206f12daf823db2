"""Algorithm 1 of the paper: from a meta-model and the observations to the next suggestion.

A pure function: the same model, observations, options and generator give the same
suggestion, and nothing is changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from malibo.acquisition import drawn_logits, embedding, probit_logits
from malibo.config import SuggestConfig
from malibo.labels import Labels, label
from malibo.maximize import Pool, best, draw_pool, taken_rows
from malibo.metamodel import MetaModel, Points
from malibo.posterior import Evidence, Posterior, hmc, laplace, variational
from malibo.residual import Observed, fit_residual, lightgbm
from malibo.space.parameters import Array
from malibo.threads import one_thread

EQUAL_LOGITS = 0.02  # a difference that no data of a tuning could support


@dataclass(frozen=True, eq=False)
class Observations:
    """What is known of the new task, as codes of the target's space.

    codes     (N, P) configurations with a result
    losses    (N,) their losses; NaN is a failed trial
    pending   (M, P) configurations asked for whose result is not there yet
    """

    codes: Array
    losses: Array
    pending: Array

    @classmethod
    def none(cls, parameters: int) -> Observations:
        """Nothing observed, nothing pending."""
        return cls(np.empty((0, parameters)), np.empty(0), np.empty((0, parameters)))

    @property
    def trials(self) -> int:
        """Number of trials so far, with or without a result."""
        return len(self.losses) + len(self.pending)

    def in_order(self) -> Observations:
        """The same in one fixed order, so that it does not matter in which results came in."""
        order = np.lexsort((self.losses, *self.codes.T))
        return replace(self, codes=self.codes[order], losses=self.losses[order])


@dataclass(frozen=True, eq=False)
class Suggestion:
    """A suggested configuration and the scores that chose it.

    row         (P,) its codes
    pool        the candidates
    base        (n,) their logits before the residual model: of the draw, the average or the mean
    corrected   (n,) their logits after it, which the row maximises up to ``EQUAL_LOGITS``
    """

    row: Array
    pool: Pool
    base: Array
    corrected: Array


def suggest(
    model: MetaModel,
    observations: Observations,
    config: SuggestConfig,
    rng: np.random.Generator,
    n: int = 1,
    pool: Pool | None = None,
) -> Array:
    """Codes (n, P) of the next ``n`` configurations, all distinct and none seen before.

    Each is the best candidate under a Thompson draw of its own; ``pool`` limits the
    candidates to given ones.
    """
    return np.stack([s.row for s in suggestions(model, observations, config, rng, n, pool)])


def suggestions(
    model: MetaModel,
    observations: Observations,
    config: SuggestConfig,
    rng: np.random.Generator,
    n: int = 1,
    pool: Pool | None = None,
) -> Iterator[Suggestion]:
    """What ``suggest`` returns, one after the other, with the scores behind each."""
    observations = observations.in_order()
    for generator in rng.spawn(n):
        with one_thread():
            suggestion = _suggest_one(model, observations, config, generator, pool)
        yield suggestion
        pending = np.concatenate([observations.pending, suggestion.row[None]])
        observations = replace(observations, pending=pending)


def _suggest_one(
    model: MetaModel,
    observations: Observations,
    config: SuggestConfig,
    rng: np.random.Generator,
    pool: Pool | None,
) -> Suggestion:
    if config.residual == "boosting":
        lightgbm()  # a missing library shows at the first trial, not at the fifth
    taken = taken_rows(observations.codes, observations.pending)
    if pool is None:
        pool = draw_pool(model, config.random_candidates, taken, rng)
    base, corrected = _scores(model, observations, config, rng, pool.points)
    row = best(corrected, pool.codes, taken, rng, _tolerance(model, observations, config))
    return Suggestion(row, pool, base, corrected)


def _tolerance(model: MetaModel, observations: Observations, config: SuggestConfig) -> float:
    """By how many logits candidates may differ and still count as equal.

    Where trees say the same of a whole region, the slope of the meta-model, far less sure than
    that, would choose its rim again and again, and creep along it.
    """
    corrected = config.residual != "none" and len(observations.losses) >= config.residual_after
    return EQUAL_LOGITS if model.informed and corrected else 0.0


def _scores(
    model: MetaModel,
    observations: Observations,
    config: SuggestConfig,
    rng: np.random.Generator,
    points: Points,
) -> tuple[Array, Array]:
    """Logits of the candidates before the residual model and after it: C_GB of Equation 10."""
    if not model.informed and observations.trials < config.random_first:
        random = rng.permutation(len(points.offset)).astype(float)
        return random, random
    if model.informed and model.config.mean_layer and observations.trials == 0:
        return points.offset, points.offset  # x₀ = argmax g(x)
    labels = label(
        observations.losses,
        model.config.target_gamma if config.gamma is None else config.gamma,
        config.utility or model.config.utility,
    )
    seen = model.points(observations.codes)
    base_seen, base = _base_logits(model, seen, labels, config, rng, points)
    if len(observations.losses) < config.residual_after:
        return base, base
    observed = Observed(seen.unit, base_seen, labels.p, labels.n)
    residual = fit_residual(config.residual, observed, rng, early_stopping=model.informed)
    return base, residual.correct(base, points.unit)


def _base_logits(
    model: MetaModel,
    seen: Points,
    labels: Labels,
    config: SuggestConfig,
    rng: np.random.Generator,
    points: Points,
) -> tuple[Array, Array]:
    """Meta-learned logits of the observations and of the candidates, under one and the same z."""
    if not model.informed or not model.config.task_layer:
        return seen.offset, points.offset
    posterior = task_posterior(seen, labels, config, rng)
    if config.explore == "probit":
        return (
            probit_logits(posterior, seen.phi, seen.offset),
            probit_logits(posterior, points.phi, points.offset),
        )
    z = embedding(posterior, config.explore, rng)
    return drawn_logits(z, seen.phi, seen.offset), drawn_logits(z, points.phi, points.offset)


def task_posterior(
    seen: Points, labels: Labels, config: SuggestConfig, rng: np.random.Generator
) -> Posterior:
    """q(z) from the observations, by the configured method."""
    evidence = Evidence(seen.phi, seen.offset, labels.p, labels.n)
    if config.inference == "hmc":
        return hmc(evidence, rng)
    return variational(evidence) if config.inference == "variational" else laplace(evidence)
