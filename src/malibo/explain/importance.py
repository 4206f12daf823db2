"""Which parameters matter for the new task, as the model believes by now."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from malibo.config import SuggestConfig
from malibo.explain.prior import prior_trust
from malibo.explain.relevance import processes
from malibo.metamodel import MetaModel
from malibo.observations import Observations
from malibo.process import Process
from malibo.space import Space
from malibo.space.parameters import Array
from malibo.threads import one_thread

_POINTS = 2048  # at which a drawn function is looked at, for all parameters together
_ROWS = 256  # of them for each parameter, at least
_DRAWS = 64  # functions that the task may be
_TOGETHER = 4  # of them on the same configurations, which saves time


@dataclass(frozen=True)
class Importance:
    """How much a parameter matters.

    share      of the variance of the score over the space, what is left when all other parameters
               are known and this one is not (its total effect): 0 is of no matter, 1 is
               all that matters; where parameters work together, their shares sum to more than 1
    low, high  90 % interval of it
    """

    name: str
    share: float
    low: float
    high: float


def importances(
    model: MetaModel,
    observations: Observations,
    *,
    seed: int = 0,
    config: SuggestConfig | None = None,
) -> list[Importance]:
    """The parameters that vary, most important first.

    Functions that the task may be are drawn from the process (malibo.process): of the past and the
    results together, before any results of the past alone. For each, a parameter is drawn anew
    while all others stay; half of the mean square of the change, as a share of the variance, is
    its total effect (Jansen's estimator). Few results leave wide intervals, and without a past and
    results all parameters are the same.

    It is the score that is explained (malibo.scores), in which bad losses are drawn
    together: a parameter that only tells bad from very bad matters little. A conditional parameter
    has an effect where it is active, and a parent also by switching others on.

    On functions whose total effects are known, the intervals held 75 to 100 % of them after 5 to
    100 random results (a sum, Sobol's g), and 53 to 87 % on one that oscillates (Ishigami's). Of a
    sum of two among 20 parameters they held 65 % after 5 results, and all after 20 and 100. Each
    few functions have random configurations of their own, so that the chance in these is a part
    of the interval and not of all functions alike.
    """
    varying = [name for name, parameter in model.space.items() if parameter.count > 1]
    if not varying:
        return []
    rng = np.random.default_rng(seed)
    with one_thread():
        found = processes(model, observations.in_order(), prior_trust(model, config), rng)
        each = math.ceil(_DRAWS / len(found) / _TOGETHER)
        effects = np.concatenate([_effects(model, p, varying, rng) for p in found * each])
    low, high = np.quantile(effects, [0.05, 0.95], axis=0)
    columns = zip(varying, effects.mean(axis=0).tolist(), low.tolist(), high.tolist(), strict=True)
    return sorted((Importance(*row) for row in columns), key=lambda found: -found.share)


def _effects(
    model: MetaModel, process: Process, varying: list[str], rng: np.random.Generator
) -> Array:
    """(_TOGETHER, P) total effects in functions of a process, over configurations of their own."""
    rows = max(_POINTS // (1 + len(varying)), _ROWS)
    codes = np.concatenate(_resampled(model.space, varying, rows, rng))
    drawn = process.draws(model.points(codes), _TOGETHER, rng)
    return _total_effects(drawn.reshape(_TOGETHER, 1 + len(varying), rows))


def _resampled(
    space: Space, varying: list[str], rows: int, rng: np.random.Generator
) -> list[Array]:
    """Random configurations, and for each parameter the same with that one drawn anew.

    Every parameter is drawn, active or not, and those that are not active are blanked
    after that: so all are independent, and what a parent switches on is there already.
    """
    base = np.column_stack([parameter.sample(rng, rows) for parameter in space.values()])
    found = [space.complete(base)]
    for name in varying:
        changed = base.copy()
        changed[:, space.names.index(name)] = space[name].sample(rng, rows)
        found.append(space.complete(changed))
    return found


def _total_effects(drawn: Array) -> Array:
    """(draws, P) from scores (draws, 1 + P, rows): of random rows, and of those changed in one."""
    before, after = drawn[:, :1], drawn[:, 1:]
    change = 0.5 * np.mean((after - before) ** 2, axis=2)
    variance = drawn.reshape(len(drawn), -1).var(axis=1)[:, None]
    share = np.divide(change, variance, out=np.zeros_like(change), where=variance > 0)
    return np.asarray(np.minimum(share, 1.0))  # beyond is the sample's chance
