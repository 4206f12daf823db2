"""From a meta-model and the observations to the next suggestion.

A pure function: the same model, observations, options and generator give the same
suggestion, and nothing is changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from malibo.classifier import classifier_logits
from malibo.config import SuggestConfig
from malibo.maximize import (
    Pool,
    Taken,
    best,
    draw_pool,
    guided_pool,
    taken_or_alike,
    taken_rows,
)
from malibo.metamodel import MetaModel
from malibo.observations import Observations
from malibo.process import Process
from malibo.residual import lightgbm
from malibo.space.parameters import Array
from malibo.threads import one_thread

Source = Literal["past", "meta-model", "process", "booster", "random"]
Shape = Literal["square", "circle", "triangle", "diamond", "cross", "down", "plus"]


class SourceKind(NamedTuple):
    """What a source means, and its shape in pictures, for eyes that do not tell colours apart."""

    meaning: str
    shape: Shape


#: All that trials are recorded with: what ``suggest`` chooses by, and two more.
SOURCES: dict[str, SourceKind] = {
    "past": SourceKind("one of the best configurations of the past, tried again here", "square"),
    "meta-model": SourceKind(
        "found by what was learned from the past and from the trials before", "circle"
    ),
    "process": SourceKind(
        "found from the trials of this study, while the past was not trusted", "triangle"
    ),
    "booster": SourceKind("found from the trials of this study alone", "diamond"),
    "random": SourceKind("drawn at random", "cross"),
    "repeat": SourceKind("drawn again, because every configuration had been tried", "down"),
    "own": SourceKind("not chosen by malibo: given by hand or by another sampler", "plus"),
}
OWN = "own"  # the source of a trial that has none, or one of another name

_FEW, _MANY = 2048, 5120  # random candidates, with others beside them and without
_TOP = 5  # best configurations around which candidates are added


@dataclass(frozen=True, eq=False)
class Suggestion:
    """A suggested configuration and the scores that chose it.

    row         (P,) its codes
    pool        the candidates
    logits      (n,) what the classifier says of them before any correction; None if the process
                chooses, which does without
    corrected   (n,) what the row maximises: logits after the residual model, up to
                ``equal_logits``, or the process's logarithm of the expected improvement; before
                the first result only among what is plausible (MetaModel.plausible), if anything is
    source      what chose it: the "meta-model", or the same if it was among the best of the
                "past" already; the "process" while the past is not trusted; the "booster"; or
                nothing but chance, "random"
    trust       in the past, at this moment; None where it plays no part
    """

    row: Array
    pool: Pool
    logits: Array | None
    corrected: Array
    source: Source
    trust: float | None

    @property
    def base(self) -> Array:
        """(n,) what the meta-model says of the candidates: their logits before any correction."""
        return self.pool.points.offset if self.logits is None else self.logits


@dataclass(frozen=True, eq=False)
class _Scores:
    """What a suggestion is made of, but for the candidates themselves.

    plausible   (n,) whether a candidate comes before all that are not; None: they are equal
    """

    logits: Array | None
    corrected: Array
    source: Source
    tolerance: float = 0.0
    plausible: NDArray[np.bool_] | None = None

    @property
    def order(self) -> Array:
        """(n,) what decides: the corrected score, with the implausible ones behind."""
        if self.plausible is None:
            return self.corrected
        behind = self.corrected - (np.ptp(self.corrected) + 1)  # in their own order
        return np.where(self.plausible, self.corrected, behind)


def suggest(
    model: MetaModel,
    observations: Observations,
    config: SuggestConfig,
    rng: np.random.Generator,
    n: int = 1,
    pool: Pool | None = None,
) -> Array:
    """Codes (n, P) of the next ``n`` configurations, all distinct and none seen before.

    Each takes those before it as pending; ``pool`` limits the candidates to given ones.
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
    if config.surrogate == "classifier":
        model = model.network_alone
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
    measured = observations.codes[np.isfinite(observations.losses)]
    taken = taken_rows(observations.codes, observations.pending)
    taken = taken_or_alike(taken, measured, model.space)
    process = None
    trust = config.trust if model.informed and config.surrogate == "process" else None
    if trust is not None and len(observations.losses):
        process = Process(model, observations, trust)
        trust = process.trust
        if process.distrusted and _cold_starts_turn(observations, config):
            model, process = model.forgotten, None
            pool = Pool.of(model, pool.codes) if pool else None
    if pool is None:
        pool = _candidates(model, observations, config, taken, rng)
    if process is not None:
        scores = _process_scores(process, pool)
    elif model.informed and config.surrogate == "process":
        scores = _first_scores(model, observations, config, rng, pool)
    else:
        scores = _classifier_scores(model, observations, config, rng, pool)
    row = best(scores.order, pool.codes, taken, rng, scores.tolerance)
    source = scores.source
    if source == "meta-model" and _among(row, model.past):
        source = "past"
    return Suggestion(row, pool, scores.logits, scores.corrected, source, trust)


def _candidates(
    model: MetaModel,
    observations: Observations,
    config: SuggestConfig,
    taken: Taken,
    rng: np.random.Generator,
) -> Pool:
    """Random configurations, for the process with more beside them."""
    if not model.informed or config.surrogate == "classifier":
        return draw_pool(model, config.random_candidates or _MANY, taken, rng)
    top = observations.codes[np.argsort(observations.losses, kind="stable")[:_TOP]]
    return guided_pool(model, config.random_candidates or _FEW, top, taken, rng)


def _among(row: Array, rows: Array) -> bool:
    """Whether a configuration is one of several."""
    same = (rows == row) | (np.isnan(rows) & np.isnan(row))
    return bool(same.all(axis=1).any())


def _first_scores(
    model: MetaModel,
    observations: Observations,
    config: SuggestConfig,
    rng: np.random.Generator,
    pool: Pool,
) -> _Scores:
    """Before anything is observed: logits, first of all where the past's functions agree."""
    scores = _classifier_scores(model, observations, config, rng, pool)
    return replace(scores, plausible=model.plausible(pool.points))


def _process_scores(process: Process, pool: Pool) -> _Scores:
    """The promise of the candidates given the observations."""
    source: Source = "process" if process.distrusted else "meta-model"
    return _Scores(None, process.log_acquisition(pool.points), source)


def _classifier_scores(
    model: MetaModel,
    observations: Observations,
    config: SuggestConfig,
    rng: np.random.Generator,
    pool: Pool,
) -> _Scores:
    """Logits of the meta-model, before and after the correction."""
    base, final = classifier_logits(model, observations, config, rng, pool.points)
    source = _classifiers_source(model, observations, config)
    return _Scores(base, final, source, _tolerance(model, observations, config))


def _classifiers_source(
    model: MetaModel, observations: Observations, config: SuggestConfig
) -> Source:
    if not model.informed and observations.trials < config.random_first:
        return "random"
    corrected = config.residual != "none" and len(observations.losses) >= config.residual_after
    return "booster" if corrected or not model.informed else "meta-model"


def _cold_starts_turn(observations: Observations, config: SuggestConfig) -> bool:
    """Whether a trial is one of a cold start, while the past is distrusted.

    Every second one is, and so are the early ones up to half of those that are random in a cold
    start: whatever the task is like, there is a cold start of half the length in what is left of
    the tuning. It has candidates of its own, as many as a cold start has.
    """
    return observations.trials < config.random_first // 2 or observations.trials % 2 == 1


def _tolerance(model: MetaModel, observations: Observations, config: SuggestConfig) -> float:
    """By how many logits candidates may differ and still count as equal.

    Where trees say the same of a whole region, the slope of the meta-model, far less sure than
    that, would choose its rim again and again, and creep along it.
    """
    corrected = config.residual != "none" and len(observations.losses) >= config.residual_after
    return config.equal_logits if model.informed and corrected else 0.0
