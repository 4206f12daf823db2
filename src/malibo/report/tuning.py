"""Tuning: what a report is about, whether it comes from a study of malibo or of Optuna."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from malibo.config import SuggestConfig
from malibo.errors import InputError, listing
from malibo.extras import require
from malibo.metamodel import MetaModel
from malibo.observations import Observations
from malibo.process import Process
from malibo.space import Space
from malibo.task import Direction, sign
from malibo.threads import one_thread

if TYPE_CHECKING:
    import optuna
    from optuna.trial import FrozenTrial

    from malibo.study import Study

Status = Literal["finished", "failed", "pruned", "running", "waiting"]


@dataclass(frozen=True)
class Trial:
    """One trial: as in a study of malibo, which cannot be pruned, without who runs it.

    value            as the user told it; None where there is none
    source, trust    what chose the configuration, and the trust in the past at that moment
    started, ended   seconds since 1970
    note             why it failed or was pruned
    """

    number: int
    config: Mapping[str, Any]
    status: Status
    value: float | None = None
    source: str | None = None
    trust: float | None = None
    started: float | None = None
    ended: float | None = None
    note: str = ""


@dataclass(frozen=True, eq=False)
class Tuning:
    """One tuning, finished or not.

    model          what is known of the past; an uninformed one where nothing is
    observations   the results as codes of ``space`` and losses
    config         the options of its suggestions
    """

    name: str
    direction: Direction
    space: Space
    model: MetaModel
    trials: Sequence[Trial]
    observations: Observations
    config: SuggestConfig = field(default_factory=SuggestConfig)

    @classmethod
    def of_study(cls, study: Study) -> Tuning:
        """From a study file of malibo."""
        from malibo.study.describe import trial_facts

        trials = [Trial(**trial_facts(trial)) for trial in study.trials]
        return cls(
            study.name,
            study.direction,
            study.space,
            study.model,
            trials,
            _observations(trials, study.space, study.direction),
            study.config,
        )

    @classmethod
    def of_optuna(cls, study: optuna.Study, model: MetaModel | None = None) -> Tuning:
        """From a study of Optuna; ``model`` is what its sampler had learned from the past."""
        require("optuna", "optuna")
        from malibo.integrations.optuna.notes import all_trials
        from malibo.integrations.optuna.snapshot import Reader

        if len(study.directions) > 1:
            raise InputError(
                f"a report is about one objective, and the study {study.study_name!r} has"
                f" {len(study.directions)}; give a study with one."
            )
        found = all_trials(study)
        snapshot = _snapshot(study, found)
        space = _space_of(study, snapshot, model)
        trials = [_of_optuna(trial) for trial in found]
        direction: Direction = "maximize" if study.direction.name == "MAXIMIZE" else "minimize"
        if model is not None:
            _warn_of_another(model, space, direction)
        return cls(
            study.study_name,
            direction,
            space,
            MetaModel.uninformed(space) if model is None else model.for_space(space),
            trials,
            Reader().observations(study.study_name, snapshot, space),
            _options(trials),
        )

    @property
    def informed(self) -> bool:
        """Whether the past is known."""
        return self.model.informed

    @cached_property
    def best(self) -> Trial | None:
        """The first of the best trials; None as long as none has a value."""
        finished = [trial for trial in self.trials if trial.value is not None]
        factor = sign(self.direction)
        return min(finished, key=lambda trial: factor * (trial.value or 0.0), default=None)

    @property
    def judged(self) -> bool:
        """Whether suggestions go by trust in the past; to the classifier there is none."""
        return self.config.surrogate == "process"

    @cached_property
    def trust(self) -> float | None:
        """In the past, now; without a model as it was last recorded, None if it never was.

        None, too, where it plays no part. A sampler without a past records 0 throughout: nothing
        was there to be trusted.
        """
        if not self.judged:
            return None
        if not self.informed:
            recorded = [trial.trust for trial in self.trials if trial.trust is not None]
            return recorded[-1] if any(recorded) else None
        if not len(self.observations.losses):
            return self.config.trust
        with one_thread():
            return Process(self.model, self.observations.in_order(), self.config.trust).trust


def _observations(trials: Sequence[Trial], space: Space, direction: Direction) -> Observations:
    """Of the trials that have ended; a failed one has the loss NaN."""
    ended = [trial for trial in trials if trial.status in ("finished", "failed")]
    values = [math.nan if trial.value is None else trial.value for trial in ended]
    losses = sign(direction) * np.array(values, dtype=float)
    codes = space.codes([trial.config for trial in ended])
    return Observations(codes, losses, np.empty((0, len(space))))


# -- Optuna --------------------------------------------------------------------------------


def _warn_of_another(model: MetaModel, space: Space, direction: Direction) -> None:
    """Warn of a model that can hardly be the one with which a study was tuned."""
    unknown = [name for name in space if name not in model.joint]
    mostly = len(unknown) > len(space) / 2
    odd = [f"it does not know {listing(unknown)}"] if mostly else []
    if model.direction not in (None, direction):
        odd.append(f"its past was told to {model.direction}, and the study is to {direction}")
    if odd:
        warnings.warn(
            f"the model may not be the one that the study's sampler had: {'; '.join(odd)}. What the"
            " report says of the past is about this model.",
            stacklevel=3,
        )


def _snapshot(study: optuna.Study, trials: Sequence[FrozenTrial]) -> Any:
    """All trials as the sampler sees them, without those that have no result."""
    from malibo.integrations.optuna.snapshot import Snapshot
    from malibo.sources.optuna.trials import lasting

    distributions = {name: kind for trial in trials for name, kind in trial.distributions.items()}
    ended = [trial for trial in trials if trial.state.is_finished() and trial.params]
    factor = -1 if study.direction.name == "MAXIMIZE" else 1
    return Snapshot(lasting(ended), [], distributions, factor)


def _space_of(study: optuna.Study, snapshot: Any, model: MetaModel | None) -> Space:
    """What the trials asked for, in the way in which the sampler puts it together."""
    from malibo.integrations.optuna.target import target_space
    from malibo.sources.optuna.trials import parameters_of

    asked, _ = parameters_of(snapshot.distributions)
    space = target_space(model.space if model else None, asked, snapshot.whole)
    if space is None:
        raise InputError(
            f"the study {study.study_name!r} has no parameter that malibo knows; a report needs"
            " trials with numbers or choices as parameters."
        )
    return space


def _of_optuna(trial: FrozenTrial) -> Trial:
    from malibo.integrations.optuna.notes import SOURCE, TRUST, intended

    status, value, note = _outcome(trial)
    source, trust = trial.user_attrs.get(SOURCE), trial.user_attrs.get(TRUST)
    return Trial(
        trial.number,
        dict(trial.params) or intended(trial),
        status,
        value,
        None if source is None else str(source),
        float(trust) if isinstance(trust, int | float) else None,
        None if trial.datetime_start is None else trial.datetime_start.timestamp(),
        None if trial.datetime_complete is None else trial.datetime_complete.timestamp(),
        note,
    )


def _options(trials: Sequence[Trial]) -> SuggestConfig:
    """The options of a sampler, as far as what it recorded tells.

    Trust before any result was there is the prior. A sampler that names its sources and no trust
    has the classifier, to which there is none, or no past, and then it makes no difference.
    """
    if any(trial.source for trial in trials) and all(trial.trust is None for trial in trials):
        return SuggestConfig(surrogate="classifier")
    first = next((trial for trial in trials if trial.trust is not None), None)
    if first is None or first.trust is None or not 0 < first.trust <= 1:
        return SuggestConfig()
    ends = [t.ended for t in trials if t.ended is not None and t.value is not None]
    known = first.started is not None and any(end <= first.started for end in ends)
    return SuggestConfig() if known else SuggestConfig(trust=first.trust)


def _outcome(trial: FrozenTrial) -> tuple[Status, float | None, str]:
    """Status, value and note; a value that is no finite number is a failure."""
    state = trial.state.name
    if state == "COMPLETE":
        value = trial.value
        if value is not None and math.isfinite(value):
            return "finished", float(value), ""
        return "failed", None, f"the value was {value}"
    if state == "PRUNED":
        step = trial.last_step
        at = "" if step is None else f" at step {step} with {trial.intermediate_values[step]:.6g}"
        return "pruned", None, f"pruned{at}"
    open_status: Status = "running" if state == "RUNNING" else "waiting"
    return ("failed" if state == "FAIL" else open_status), None, ""
