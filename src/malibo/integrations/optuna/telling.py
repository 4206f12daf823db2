"""What people are told when things are not as the past had them."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from malibo.errors import plural
from malibo.history import History
from malibo.integrations.optuna.target import differences
from malibo.metamodel import MetaModel
from malibo.sources.optuna.trials import parameters_of
from malibo.space import Space

if TYPE_CHECKING:
    from optuna import Study
    from optuna.trial import FrozenTrial

_LISTED = 10  # differences
_FEW = 30  # from so many past runs on there is something to learn
_LEVEL = 4  # calls between a warning and the user's line, or near it


def tell_of_little(history: History) -> None:
    """Warn where a past can teach hardly anything."""
    valid = [task.losses[np.isfinite(task.losses)] for task in history]
    runs = sum(len(losses) for losses in valid if np.ptp(losses) > 0)
    if runs < _FEW:
        warnings.warn(
            f"the past has {plural(runs, 'run')} that can be compared with others of its task;"
            f" with fewer than {_FEW} there is little to learn, whatever trust says at first.",
            stacklevel=_LEVEL - 1,
        )


def tell_differences(
    model: MetaModel | None, expected: Space | None, what: str, trial: FrozenTrial
) -> None:
    """Warn, once for a study, where a trial has asked for something else than was expected.

    ``what`` names what was expected.
    """
    asked, refused = parameters_of(trial.distributions)
    found = [f"{name!r} is drawn at random ({why.rstrip('.')})" for name, why in refused.items()]
    if model is None or expected is None:
        if found:
            warnings.warn(f"malibo has no place for {'; '.join(found)}.", stacklevel=_LEVEL)
        return
    found = differences(expected, asked, trial.params) + found
    if not found:
        return
    more = f"; and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
    warm = set(asked) & set(model.joint)
    outcome = "stay warm in what is the same" if warm else "start cold, for nothing is the same"
    warnings.warn(
        f"the objective differs from {what}: {'; '.join(found[:_LISTED])}{more}. Suggestions"
        f" {outcome}; give search_space=... to train for what is asked for.",
        stacklevel=_LEVEL,
    )


def tell_direction(model: MetaModel | None, study: Study) -> None:
    """Warn of a study whose values are to go the other way than those of its past."""
    direction = study.direction.name.lower()
    if model is not None and model.informed and model.direction not in (None, direction):
        warnings.warn(
            f"the past runs were told to {model.direction} and this study is to {direction}: if"
            f" they are of one kind, say create_study(direction={model.direction!r}), or what was"
            " good there counts as bad here.",
            stacklevel=_LEVEL,
        )


def tell_of_itself(model: MetaModel | None, study: str) -> None:
    """Warn of a study that is in its own past."""
    if model is not None and study in model.tasks:
        warnings.warn(
            f"the past contains this study, {study!r}, which then learns from itself; leave it"
            f" out: exclude=[{study!r}].",
            stacklevel=_LEVEL,
        )
