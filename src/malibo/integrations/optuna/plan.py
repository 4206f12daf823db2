"""A plan: one whole configuration for a trial, some of it decided by others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from malibo.config import SuggestConfig
from malibo.errors import SpaceError, SpaceExhaustedError
from malibo.maximize import Pool
from malibo.metamodel import MetaModel
from malibo.observations import Observations
from malibo.space import Config, Space
from malibo.space.rows import unique_rows
from malibo.suggest import suggestions

_CANDIDATES = 2048
REPEAT = "repeat"  # the source of a configuration where all have been tried


@dataclass(frozen=True)
class Plan:
    """What a trial is going to try.

    space     in which it was found
    values    the whole configuration
    source    what chose it, as in ``Suggestion``, or REPEAT
    trust     in the past when it was chosen; None where it plays no part
    given     values that Optuna has already, whether the objective asks for them or not
    seen      names of parameters that other trials have asked for
    attempt   how often it was made anew
    """

    space: Space
    values: Config
    source: str
    trust: float | None
    given: Config = field(default_factory=dict)
    seen: frozenset[str] = frozenset()
    attempt: int = 0


def make_plan(
    model: MetaModel,
    observations: Observations,
    config: SuggestConfig,
    rng: np.random.Generator,
    decided: Mapping[str, Any],
) -> Plan:
    """The most promising configuration with the values that are ``decided`` already.

    Where every one has been tried or is pending, any of them: a study goes on until it is
    told to stop.
    """
    pool = _pool_with(decided, model, observations, rng) if decided else None
    try:
        found = next(iter(suggestions(model, observations, config, rng, pool=pool)))
        return Plan(model.space, model.space.configs(found.row)[0], found.source, found.trust)
    except SpaceExhaustedError:
        codes = model.space.sample(rng, 1) if pool is None else pool.codes
        row = codes[int(rng.integers(len(codes)))]
        return Plan(model.space, model.space.configs(row)[0], REPEAT, None)


def _pool_with(
    decided: Mapping[str, Any],
    model: MetaModel,
    observations: Observations,
    rng: np.random.Generator,
) -> Pool:
    """Candidates in all of which the decided values stand, those not taken if there are any."""
    space = model.space
    codes = space.sample(rng, _CANDIDATES)
    if model.informed:
        codes = np.concatenate([codes, model.promising])
    for index, (name, parameter) in enumerate(space.items()):
        if name in decided:
            try:
                codes[:, index] = parameter.to_code(decided[name])
            except SpaceError:  # enqueued, and outside the space: the rest is chosen freely
                continue
    return Pool.of(model, unique_rows(space.complete(codes, rng)))
