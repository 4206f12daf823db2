"""What random search would probably have reached on the new task."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from malibo.config import SuggestConfig
from malibo.errors import InputError
from malibo.metamodel import MetaModel
from malibo.observations import Observations
from malibo.process import Process
from malibo.process.scores import losses_of, scores
from malibo.space.parameters import Array
from malibo.threads import one_thread

_CONFIGURATIONS = 1024  # random ones, which stand for all
_ORDERS = 8  # random searches in each of the functions that the task may be


@dataclass(frozen=True, eq=False)
class RandomSearch:
    """An estimate of random search, by the model and its results so far.

    median, low, high   (trials,) loss of the best of the first n trials: the median, and the
                        band in which it is with a probability of 80 %
    needed              random trials for an even chance to reach the best loss so far: 10 %
                        quantile, median, 90 % quantile; infinite where it seems out of reach
    """

    median: Array
    low: Array
    high: Array
    needed: tuple[float, float, float]


def random_search(
    model: MetaModel,
    observations: Observations,
    trials: int,
    *,
    draws: int = 200,
    seed: int = 0,
) -> RandomSearch:
    """Estimate what random search would have reached; there must be a valid loss.

    Nobody ran it: the model itself says so. Functions that the task may be are drawn from the
    process (malibo.process) at random configurations, as they would be measured, and searched at
    random. Losses are to be minimised; one beyond the worst seen is taken as that one.

    Half of the functions see the losses as suggestions do, half see their ranks: how losses are
    spread where nobody looked is what such an estimate depends on most, and a few results do not
    tell. On tables of networks and on synthetic functions, after 10 to 50 trials, the band held
    64 % of true random searches where it should hold 80 %, and ``needed`` held the
    true number in 70 % of the tunings (with losses alone: 60 and 55 %). Read it as an order of
    magnitude.
    """
    _check(observations, trials, draws)
    rng = np.random.default_rng(seed)
    known = observations.in_order()
    points = model.points(model.space.sample(rng, _CONFIGURATIONS))
    best, shares = [], []
    for values in (known.losses, _normal_ranks(known.losses)):
        view = replace(known, losses=values)
        with one_thread():
            process = Process(model, view, SuggestConfig().trust if model.informed else 0.0)
            drawn = process.draws(points, (draws + 1) // 2, rng, noisy=True)
        found = losses_of(_best_so_far(drawn, trials, rng), values)
        best.append(_translated(found, values, known.losses))
        shares.append(np.mean(drawn <= scores(values).min(), axis=1))
    low, median, high = np.quantile(np.concatenate(best), [0.1, 0.5, 0.9], axis=0)
    return RandomSearch(median, low, high, _needed(np.concatenate(shares)))


def _check(observations: Observations, trials: int, draws: int) -> None:
    if not np.isfinite(observations.losses).any():
        raise InputError("random_search needs a trial with a valid loss; there is none yet.")
    for name, value in (("trials", trials), ("draws", draws)):
        if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < 1:
            raise InputError(f"{name} must be a whole number >= 1, got {value!r}.")


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


def _best_so_far(drawn: Array, trials: int, rng: np.random.Generator) -> Array:
    """(searches, trials) best scores of random searches in the drawn functions (draws, n)."""
    functions = np.repeat(drawn, _ORDERS, axis=0)
    picked = rng.integers(functions.shape[1], size=(len(functions), trials))
    return np.asarray(np.minimum.accumulate(np.take_along_axis(functions, picked, axis=1), axis=1))


def _needed(shares: Array) -> tuple[float, float, float]:
    """Quantiles of the trials for an even chance, from the shares of configurations good enough."""
    with np.errstate(divide="ignore"):
        trials = np.ceil(math.log(0.5) / np.log1p(-np.minimum(shares, 0.5)))
    low, median, high = np.quantile(trials, [0.1, 0.5, 0.9], method="nearest")
    return float(low), float(median), float(high)
