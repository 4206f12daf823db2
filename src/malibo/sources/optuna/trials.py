"""Trials of Optuna as malibo sees them: their parameters, configurations and losses."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from optuna.trial import TrialState

from malibo.alignment import codes_or_nan
from malibo.errors import SpaceError
from malibo.space import Parameter, Space
from malibo.space.optuna import from_optuna
from malibo.space.parameters import Array

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution
    from optuna.trial import FrozenTrial


def parameters_of(
    distributions: Mapping[str, BaseDistribution],
) -> tuple[dict[str, Parameter], dict[str, str]]:
    """A parameter for each distribution; of those that malibo has no place for, the reason.

    They are sorted by name, because not all storages keep the order in which they were asked for.
    """
    found: dict[str, Parameter] = {}
    refused: dict[str, str] = {}
    for name in sorted(distributions):
        if not name:
            refused[name] = "a parameter needs a name."
            continue
        try:
            found |= from_optuna({name: distributions[name]})
        except SpaceError as error:
            refused[name] = str(error)
    return found, refused


def codes_of(params: Sequence[Mapping[str, Any]], space: Space) -> Array:
    """Configurations as codes of a space, by name and value; NaN is inactive or unknown.

    A number out of range counts as the nearest one, a parameter that is not there is ignored.
    """
    codes = np.full((len(params), len(space)), np.nan)
    for index, (name, parameter) in enumerate(space.items()):
        rows = [row for row, values in enumerate(params) if name in values]
        codes[rows, index] = codes_or_nan(parameter, [params[row][name] for row in rows])
    return space.complete(codes)


def lasting(
    finished: Sequence[FrozenTrial], pending: Sequence[Mapping[str, Any]] = ()
) -> list[FrozenTrial]:
    """Finished trials without the failures that were tried again.

    A worker that was killed says nothing about its configuration; what comes of the retry does.
    """
    failed = [trial.params for trial in finished if trial.state == TrialState.FAIL]
    if not failed:
        return list(finished)
    others = [trial.params for trial in finished if trial.state != TrialState.FAIL]
    again = {_key(config) for config in _alike([*pending, *others], failed)}
    return [t for t in finished if t.state != TrialState.FAIL or _key(t.params) not in again]


def _alike(
    configs: Sequence[Mapping[str, Any]], some: Sequence[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """The configurations that may be one of some others: one of their values tells most apart."""
    telling = [next(iter(config), None) for config in some]
    values = {
        name: {repr(config[name]) for config in some if name in config}
        for name in telling
        if name is not None
    }
    if None in telling:  # without a value all that have none are the same
        return list(configs)
    return [c for c in configs if any(n in c and repr(c[n]) in seen for n, seen in values.items())]


def _key(params: Mapping[str, Any]) -> frozenset[tuple[str, str]]:
    return frozenset((name, repr(value)) for name, value in params.items())


def losses_of(trials: Sequence[FrozenTrial], factor: int) -> Array:
    """Losses of finished trials; NaN, "not good", for failed ones.

    ``factor`` is −1 where values are maximised. A pruned trial has no final value. Among the
    completed ones that reported at its last step it has a rank, and it gets the final loss that
    has this rank among theirs; where there is nothing to compare it with, it was not good.
    """
    finals = np.array([_final(trial, factor) for trial in trials])
    pruned = [i for i, trial in enumerate(trials) if trial.state == TrialState.PRUNED]
    if pruned:
        complete = np.flatnonzero(np.isfinite(finals)).tolist()
        reports = [trials[i].intermediate_values for i in complete]
        last: dict[int, list[int]] = {}
        for i in pruned:
            if (step := trials[i].last_step) is not None:
                last.setdefault(step, []).append(i)
        for step, rows in last.items():
            there = [i for i, report in enumerate(reports) if step in report]
            values = _reported([reports[i][step] for i in there], factor)
            mine = _reported([trials[i].intermediate_values[step] for i in rows], factor)
            finals[rows] = _with_the_same_rank(mine, values, finals[[complete[i] for i in there]])
    return finals


def _final(trial: FrozenTrial, factor: int) -> float:
    if trial.state != TrialState.COMPLETE:
        return math.nan
    value = trial.value
    return factor * value if value is not None and math.isfinite(value) else math.nan


def _reported(values: Sequence[float], factor: int) -> Array:
    """Reports of trials as losses; NaN for those that are not finite."""
    found = factor * np.array(values, dtype=float)
    found[~np.isfinite(found)] = np.nan
    return found


def _with_the_same_rank(mine: Array, others: Array, finals: Array) -> Array:
    """The final loss that has the rank among ``finals`` that each of mine has among the others."""
    if not len(others):
        return np.full(len(mine), np.nan)
    ordered = np.sort(others)[: int(np.isfinite(others).sum())]
    ranks = np.searchsorted(ordered, mine, "left") + np.searchsorted(ordered, mine, "right")
    found = 2 * np.quantile(finals / 2, ranks / (2 * len(others)))  # halves do not overflow
    return np.where(np.isfinite(mine), found, np.nan)
