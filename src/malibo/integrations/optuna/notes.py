"""What the sampler leaves in the storage beside a trial's values.

``malibo:source`` and ``malibo:trust`` are user attributes, which the dashboard shows. The
whole configuration that is planned for a trial goes into a system attribute, so that other
workers know of it before the objective has asked for all its values.

Optuna gives a sampler no public way to write an attribute of a trial, nor to see the trials
of all brackets of Hyperband. The private names that it takes are used here and nowhere else.
Where they are gone, a warning says that nothing is written, brackets do not know of each other,
and suggestions go on as before, of pending trials knowing only what has been asked for.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from optuna import Study
    from optuna.trial import FrozenTrial

SOURCE, TRUST = "malibo:source", "malibo:trust"
_PLAN = "malibo:plan"
_ENQUEUED = "fixed_params"  # where Optuna keeps what was enqueued

Config = dict[str, Any]


def write_notes(
    study: Study, trial: FrozenTrial, values: Config, source: str, trust: float | None
) -> None:
    """Leave word of a plan: its values for other workers, its source and trust for people."""
    try:
        storage, number = study._storage, trial._trial_id
        storage.set_trial_system_attr(number, _PLAN, json.dumps(values))
        storage.set_trial_user_attr(number, SOURCE, source)
        if trust is not None:
            storage.set_trial_user_attr(number, TRUST, round(trust, 4))
    except AttributeError:
        warnings.warn(
            "this version of Optuna lets a sampler write no attributes: trust and source are not"
            " recorded, and workers that start at the same moment may try the same.",
            stacklevel=2,
        )


def all_trials(study: Study) -> Sequence[FrozenTrial]:
    """The trials of a study, of all brackets where a pruner shows the sampler only one.

    How trials of other brackets did is known, too, and what they tried need not be tried again.
    """
    if type(study).__name__ == "Study":
        return study.get_trials(deepcopy=False)
    try:
        return study._storage.get_all_trials(study._study_id, deepcopy=False)
    except AttributeError:
        return study.get_trials(deepcopy=False)


def intended(trial: FrozenTrial) -> Config:
    """What is known of an unfinished trial: enqueued, planned and asked-for values."""
    attributes = dict(trial.system_attrs)
    planned = attributes.get(_PLAN)
    return {
        **(json.loads(planned) if planned else {}),
        **attributes.get(_ENQUEUED, {}),
        **trial.params,
    }


def enqueued(trial: FrozenTrial) -> Config:
    """The values that a user has enqueued for a trial."""
    return dict(trial.system_attrs.get(_ENQUEUED, {}))
