"""Tasks from the studies of an Optuna storage (extra ``optuna``)."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from malibo.alignment import union_space
from malibo.errors import HistoryError, listing, nearest, plural
from malibo.extras import require
from malibo.sources.conditions import with_conditions
from malibo.sources.optuna.storages import name_of, opened, storage_errors, unreadable
from malibo.sources.renaming import checked_rename
from malibo.space import Space
from malibo.space.conditions import condition_text
from malibo.space.parameters import Array
from malibo.task import Direction, Task

if TYPE_CHECKING:
    from optuna import Study
    from optuna.storages import BaseStorage
    from optuna.trial import FrozenTrial


def read_studies(
    storage: str | BaseStorage,
    studies: Sequence[str] | None = None,
    *,
    exclude: Sequence[str] = (),
    rename: Mapping[str, str] | None = None,
) -> list[Task]:
    """A task for each study, or for each of those named; the storage is read once.

    A study of which nothing can be learned is refused if it was named, else left out with a
    warning.
    """
    require("optuna", "optuna")
    renames = checked_rename(rename)
    tasks = []
    for study in _studies(storage, _names(studies), _names(exclude) or []):
        try:
            tasks.append(_task(study, renames))
        except HistoryError as error:
            if studies is not None:
                raise
            warnings.warn(f"{error} It is left out.", stacklevel=3)
    if not tasks:
        raise HistoryError(
            f"no study with results in {name_of(storage)}; give at least one to learn from."
        )
    _need_renamed(renames, tasks)
    return tasks


def _need_renamed(rename: Mapping[str, str], tasks: Sequence[Task]) -> None:
    """Refuse a name that no study has: nothing would come of it."""
    for old, new in rename.items():
        if not any(_renaming(old, new) in task.notes for task in tasks):
            names = sorted({name for task in tasks for name in task.space})
            raise HistoryError(
                f"rename: no study has a parameter {old!r}; there are {listing(names, 20)}."
                f"{nearest(old, names)}"
            )


def _renaming(old: str, new: str) -> str:
    return f"{old!r} in the past is {new!r} now"


def _names(names: Sequence[str] | str | None) -> Sequence[str] | None:
    if names is None or isinstance(names, str):
        return names if names is None else [names]
    if not isinstance(names, Sequence) or not all(map(_is_name, names)):
        raise HistoryError(f"studies and exclude are lists of names, got {names!r}.")
    return names


def _is_name(name: object) -> bool:
    return isinstance(name, str) and bool(name)


def _studies(
    storage: str | BaseStorage, names: Sequence[str] | None, exclude: Sequence[str]
) -> list[Study]:
    import optuna

    source = opened(storage)
    try:
        there = optuna.get_all_study_names(source)
        wanted = [n for n in (there if names is None else names) if n not in exclude]
        for name in wanted:
            if name not in there:
                raise HistoryError(
                    f"{name_of(storage)} has no study {name!r}; it has {listing(there, 20)}."
                    f"{nearest(name, there)}"
                )
        return [optuna.load_study(study_name=name, storage=source) for name in wanted]
    except storage_errors() as error:
        raise unreadable(storage, error) from error


# -- one study -----------------------------------------------------------------------------


def _task(study: Study, rename: Mapping[str, str]) -> Task:
    from optuna.trial import TrialState

    from malibo.sources.optuna.trials import codes_of, lasting, losses_of

    direction = _direction(study)
    states = (TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL)
    finished = [t for t in study.get_trials(deepcopy=False, states=states) if t.params]
    trials = lasting(finished)
    if not any(t.state == TrialState.COMPLETE for t in trials):
        raise HistoryError(f"study {study.study_name!r} has no completed trial.")
    params = [_renamed(t.params, rename, study.study_name) for t in trials]
    space, notes = _space(trials, params, rename, study.study_name)
    losses = losses_of(trials, -1 if direction == "maximize" else 1)
    notes += _notes_on_states(trials, losses, dropped=len(finished) - len(trials))
    return Task(study.study_name, space, codes_of(params, space), losses, direction, tuple(notes))


def _direction(study: Study) -> Direction:
    if len(study.directions) > 1:
        raise HistoryError(
            f"study {study.study_name!r} has {len(study.directions)} objectives, and malibo learns"
            " from one."
        )
    return "maximize" if study.direction.name == "MAXIMIZE" else "minimize"


def _renamed(values: Mapping[str, Any], rename: Mapping[str, str], study: str) -> dict[str, Any]:
    found = {rename.get(name, name): value for name, value in values.items()}
    if len(found) < len(values):
        names = [rename.get(name, name) for name in values]
        twice = sorted({name for name in names if names.count(name) > 1})
        raise HistoryError(
            f"study {study!r} would have {listing(twice)} more than once; rename maps a name of the"
            " past to one that the study does not have."
        )
    return found


def _space(
    trials: Sequence[FrozenTrial],
    params: Sequence[Mapping[str, Any]],
    rename: Mapping[str, str],
    study: str,
) -> tuple[Space, list[str]]:
    """The space that the trials of a study had among them, and what there is to say of it."""
    from optuna.trial import TrialState

    spaces, refused = _distinct_spaces(trials, rename, study)
    if not spaces:
        raise HistoryError(f"study {study!r} has no parameter to learn from.")
    whole = [
        p for t, p in zip(trials, params, strict=True) if t.state == TrialState.COMPLETE
    ]  # others may have ended before they asked for all
    space = with_conditions(dict(union_space(spaces)), whole)
    renamed = {old: new for old, new in rename.items() if any(old in t.params for t in trials)}
    notes = [_renaming(old, new) for old, new in renamed.items()]
    notes += [f"{name!r} is dropped: {reason}" for name, reason in refused.items()]
    notes += [
        f"{name!r} is conditional: asked for when {condition_text(parameter)}"
        for name, parameter in space.items()
        if parameter.when
    ]
    return space, notes


def _distinct_spaces(
    trials: Sequence[FrozenTrial], rename: Mapping[str, str], study: str
) -> tuple[list[Space], dict[str, str]]:
    """A space for each set of distributions that occurred; of those refused, the reason."""
    from malibo.sources.optuna.trials import parameters_of

    distinct: dict[str, Mapping[str, Any]] = {}
    recent: list[Mapping[str, Any]] = []  # most trials are like one of these, which is cheaper
    for trial in trials:
        if trial.distributions not in recent:
            distinct.setdefault(repr(trial.distributions), trial.distributions)
            recent = [trial.distributions, *recent[:7]]
    spaces: list[Space] = []
    refused: dict[str, str] = {}
    for distributions in distinct.values():
        parameters, reasons = parameters_of(_renamed(distributions, rename, study))
        refused |= reasons
        if parameters:
            spaces.append(Space(parameters))
    return spaces, refused


def _notes_on_states(trials: Sequence[FrozenTrial], losses: Array, dropped: int) -> list[str]:
    states = np.array([trial.state.name for trial in trials])
    notes = []
    if pruned := int(np.isfinite(losses[states == "PRUNED"]).sum()):
        notes.append(f"{plural(pruned, 'pruned trial')} by rank at the last step")
    for state, word in (("PRUNED", "pruned"), ("FAIL", "failed"), ("COMPLETE", "completed")):
        if bad := int(np.isnan(losses[states == state]).sum()):
            why = "" if state == "FAIL" else ": no number to compare"
            notes.append(f"{plural(bad, f'{word} trial')} as not good{why}")
    if dropped:
        notes.append(f"{plural(dropped, 'failed trial')} left out: tried again later")
    return notes
