"""What random search would probably have reached on the new task."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from malibo.config import SuggestConfig
from malibo.errors import InputError, need_whole_number
from malibo.explain.orders import Orders
from malibo.explain.prior import prior_trust
from malibo.maximize import key
from malibo.metamodel import MetaModel
from malibo.observations import Observations
from malibo.process import Process
from malibo.scores import losses_of, scores
from malibo.space.parameters import Array
from malibo.threads import one_thread


@dataclass(frozen=True, eq=False)
class RandomSearch:
    """An estimate of random search, by the model and its results so far.

    median, low, high   (trials,) loss of the best of the first n trials: the median, and the
                        band in which it is with a probability of 80 %
    needed              random trials for an even chance to reach the best loss so far: 10 %
                        quantile, median, 90 % quantile; infinite where it seems out of reach
    reach               trials beyond which nothing speaks for such a number: a past task was
                        searched for so long, or the new one. Of 40 runs none tells what one in a
                        thousand would be
    """

    median: Array
    low: Array
    high: Array
    needed: tuple[float, float, float]
    reach: float


def random_search(
    model: MetaModel,
    observations: Observations,
    trials: int,
    *,
    draws: int = 200,
    seed: int = 0,
    config: SuggestConfig | None = None,
) -> RandomSearch:
    """Estimate what random search would have reached; there must be a valid loss.

    Nobody ran it: the model itself says so. Functions that the task may be are drawn from the
    process (malibo.process) at random configurations, as they would be measured, and searched at
    random, no configuration twice. Where there is a result, the function is that result. Losses
    are to be minimised; one beyond the worst seen is taken as that one.

    Half of the functions see the losses as suggestions do, half see their ranks: how losses are
    spread where nobody looked is what such an estimate depends on most, and a few results do not
    tell. On tables of networks and on synthetic functions, after 10 to 50 trials, the band held
    64 % of true random searches where it should hold 80 %, and ``needed`` held the true number
    in 70 % of the tunings (with losses alone: 60 and 55 %), with a quarter of today's random
    configurations. With all of them, on four synthetic functions without a past, it was 78 % of
    the searches and 39 of 48 tunings. Read it as an order of magnitude. Only where all
    configurations of a small space were tried it is exact.
    """
    _check(observations, trials, draws)
    rng = np.random.default_rng(seed)
    known, orders = observations.in_order(), Orders.of(model.space, rng)
    points, told = model.points(orders.codes), _told(orders.codes, known.codes)
    best, needed = [], []
    for values in (known.losses, _normal_ranks(known.losses)):
        view = replace(known, losses=values)
        with one_thread():
            process = Process(model, view, prior_trust(model, config))
            drawn = process.draws(points, (draws + 1) // 2, rng, noisy=True)
        for index, rows in told.items():  # what was measured there is known
            drawn[:, index] = rng.choice(scores(values)[rows], len(drawn))
        found = losses_of(orders.best_so_far(drawn, trials, rng), values)
        best.append(_translated(found, values, known.losses))
        needed.append(orders.even_chance(drawn <= scores(values).min()))
    low, median, high = np.quantile(np.concatenate(best), [0.1, 0.5, 0.9], axis=0)
    each = np.quantile(np.concatenate(needed), [0.1, 0.5, 0.9], method="nearest")
    needed_trials = (float(each[0]), float(each[1]), float(each[2]))
    return RandomSearch(median, low, high, needed_trials, _reach(model, known, orders))


def _reach(model: MetaModel, known: Observations, orders: Orders) -> float:
    """As long as the longer of a typical past task and this one; of a small space, all of it."""
    if orders.chances is not None:
        return float(orders.size)
    return float(max(len(known.losses), np.median(model.sizes) if model.sizes else 0))


def _check(observations: Observations, trials: int, draws: int) -> None:
    if not np.isfinite(observations.losses).any():
        raise InputError("random_search needs a trial with a valid loss; there is none yet.")
    need_whole_number("trials", trials)
    need_whole_number("draws", draws)


def _told(codes: Array, known: Array) -> dict[int, list[int]]:
    """Of those of some configurations that have results: the numbers of their results."""
    found: dict[bytes, list[int]] = {}
    for number, row in enumerate(known):
        found.setdefault(key(row), []).append(number)
    return {i: found[key(row)] for i, row in enumerate(codes) if key(row) in found}


def _normal_ranks(losses: Array) -> Array:
    """The losses by their order alone, spread like a normal distribution."""
    found, valid = np.full(len(losses), np.nan), np.isfinite(losses)
    found[valid] = ndtri((rankdata(losses[valid]) - 0.5) / valid.sum())
    return found


def _translated(values: Array, known: Array, losses: Array) -> Array:
    """Values on the scale of ``known`` as losses; nothing to do where they are losses already."""
    if known is losses:
        return values
    valid = np.isfinite(losses)
    return np.asarray(np.interp(values, np.sort(known[valid]), np.sort(losses[valid])))
