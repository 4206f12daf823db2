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
from malibo.task import read_loss

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
    if not any(trial.state == TrialState.FAIL for trial in finished):
        return list(finished)
    again = {_key(config) for config in pending}
    again |= {_key(trial.params) for trial in finished if trial.state != TrialState.FAIL}
    return [t for t in finished if t.state != TrialState.FAIL or _key(t.params) not in again]


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
        steps = {step for i in pruned if (step := trials[i].last_step) is not None}
        reached = {step: _at_step(trials, finals, complete, step, factor) for step in steps}
        for i in pruned:
            finals[i] = _pruned_loss(trials[i], reached, factor)
    return finals


def _final(trial: FrozenTrial, factor: int) -> float:
    if trial.state != TrialState.COMPLETE:
        return math.nan
    value = trial.value
    return factor * value if value is not None and math.isfinite(value) else math.nan


def _at_step(
    trials: Sequence[FrozenTrial], finals: Array, complete: Sequence[int], step: int, factor: int
) -> tuple[Array, Array]:
    """Of the completed trials that reported at a step: what they reported, and their end."""
    there = [i for i in complete if step in trials[i].intermediate_values]
    values = [factor * read_loss(trials[i].intermediate_values[step]) for i in there]
    return np.array(values), finals[there]


def _pruned_loss(
    trial: FrozenTrial, reached: Mapping[int, tuple[Array, Array]], factor: int
) -> float:
    if trial.last_step is None:
        return math.nan
    values, finals = reached[trial.last_step]
    mine = factor * read_loss(trial.intermediate_values[trial.last_step])
    if not len(values) or np.isnan(mine):
        return math.nan
    better = np.mean(values < mine) + 0.5 * np.mean(values == mine)
    return 2 * float(np.quantile(finals / 2, better))  # differences of halves do not overflow
