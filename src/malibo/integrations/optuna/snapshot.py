"""The trials of a study at one moment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from optuna.trial import TrialState

from malibo.errors import InputError
from malibo.integrations.optuna.notes import all_trials, enqueued, intended
from malibo.observations import Observations
from malibo.sources.optuna.trials import codes_of, lasting, losses_of
from malibo.space import Config, Space
from malibo.space.parameters import Array

if TYPE_CHECKING:
    from optuna import Study
    from optuna.distributions import BaseDistribution
    from optuna.trial import FrozenTrial

_SPACES = 16  # for which the trials of a study are kept as codes
_OPEN = (TrialState.RUNNING, TrialState.WAITING)


@dataclass(frozen=True, eq=False)
class Snapshot:
    """What the other trials of a study say when a trial is about to begin.

    finished        those with a result, failed ones included unless they were tried again
    pending         configurations of those that have none yet, as far as they are known
    distributions   of every parameter asked for so far, as it was asked for last
    factor          −1 if values are maximised
    ended           numbers of all that have ended, those that were tried again as well
    """

    finished: Sequence[FrozenTrial]
    pending: Sequence[Mapping[str, Any]]
    distributions: Mapping[str, BaseDistribution]
    factor: int
    ended: frozenset[int] = frozenset()

    @classmethod
    def of(cls, study: Study, trial: FrozenTrial) -> Snapshot:
        """Of all trials but this one; a study with several objectives is refused."""
        if len(study.directions) > 1:
            raise InputError(
                f"MaliboSampler tunes one objective, and this study has {len(study.directions)};"
                " use another sampler for it, such as TPESampler."
            )
        distributions: dict[str, BaseDistribution] = {}
        pending, ended = [], []
        for other in _others(study, trial):
            distributions.update(other.distributions)
            if other.state not in _OPEN:
                ended.append(other)
            elif config := intended(other):
                pending.append(config)
        told = [t for t in ended if t.params]
        finished = lasting(told, [*pending, enqueued(trial)])
        factor = -1 if study.direction.name == "MAXIMIZE" else 1
        numbers = frozenset(t.number for t in ended)
        return cls(finished, pending, distributions, factor, numbers)

    def missed(self, study: Study, trial: FrozenTrial, config: Mapping[str, Any]) -> bool:
        """Whether another trial that had not ended by then has these values by now.

        It may have others beside them. A look at those that are new is all it takes.
        """
        new = (t for t in _others(study, trial) if t.number not in self.ended)
        return any(config.items() <= intended(t).items() for t in new)

    @property
    def whole(self) -> list[Mapping[str, Any]]:
        """Configurations of the completed trials, which asked for all they needed."""
        return [t.params for t in self.finished if t.state == TrialState.COMPLETE]


def _others(study: Study, trial: FrozenTrial) -> Iterator[FrozenTrial]:
    """The trials of a study but for one, as the storage has them now."""
    return (other for other in all_trials(study) if other.number != trial.number)


def _tried(trial: FrozenTrial) -> Mapping[str, Any]:
    """The configuration of a finished trial, whole even if the trial ended early."""
    return trial.params if trial.state == TrialState.COMPLETE else intended(trial)


def _same(read: tuple[Config, Array] | None, params: Config) -> bool:
    """Whether a trial was read with these values; mostly they are the very same object."""
    return read is not None and (read[0] is params or read[0] == params)


class Reader:
    """Snapshots as observations; a finished trial is read once."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, Space], dict[int, tuple[Config, Array]]] = {}

    def observations(self, study: str, snapshot: Snapshot, space: Space) -> Observations:
        """Results and pending configurations as codes of a space."""
        if (study, space) not in self._rows and len(self._rows) >= _SPACES:
            self._rows.clear()
        known = self._rows.setdefault((study, space), {})
        new = [t for t in snapshot.finished if not _same(known.get(t.number), t.params)]
        rows = codes_of([_tried(t) for t in new], space)
        known |= {t.number: (t.params, row) for t, row in zip(new, rows, strict=True)}
        codes = [known[t.number][1] for t in snapshot.finished]
        return Observations(
            np.array(codes).reshape(-1, len(space)),
            losses_of(snapshot.finished, snapshot.factor),
            codes_of(snapshot.pending, space),
        )
