"""Study: one tuning in one file, shared by the processes that run its trials."""

from __future__ import annotations

import numbers
import sqlite3
import time
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import asdict
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from malibo.config import SuggestConfig
from malibo.errors import InputError, SpaceExhaustedError, plural
from malibo.metamodel import MetaModel
from malibo.observations import Observations
from malibo.optimizer import Malibo
from malibo.space import Config, Space
from malibo.space.parameters import Array
from malibo.study import table
from malibo.study.database import Database, StudyError, TrialToldError
from malibo.study.models import checksum, from_bytes, to_bytes
from malibo.study.trial import Trial
from malibo.suggest import Suggestion, suggestions
from malibo.task import Direction, Task, read_loss, sign


class Study:
    """A tuning that lives in a file: ask for trials and tell their results, from any process.

    With the same model, seed and results come the same suggestions as from ``Malibo``. The
    model is kept inside, so the file is all that is needed to go on.

    path   as it was given
    file   where that is, also after the process has gone to another folder
    """

    def __init__(self, path: Path, facts: Mapping[str, Any]) -> None:
        """Use ``Study.create`` or ``Study.open``."""
        self.path, self.file = path, path.absolute()
        self.name: str = facts["name"]
        self.seed: int = facts["seed"]
        self.direction: Direction = facts["direction"]
        self.config = SuggestConfig(**facts["config"])
        self.space = Space.from_json(facts["space"])
        self.created: float = facts["created"]
        self._checksum: str = facts["model"]
        self._database = Database(path)
        self._rows: dict[int, tuple[Config, Array]] = {}

    # -- the file ------------------------------------------------------------------------------

    @classmethod
    def create(
        cls,
        path: str | PathLike[str],
        model: MetaModel | None = None,
        *,
        space: Space | None = None,
        name: str | None = None,
        seed: int | None = None,
        direction: Direction | None = None,
        config: SuggestConfig | None = None,
        **options: Any,
    ) -> Study:
        """A new study; a file that exists is refused. The options are those of ``Malibo``."""
        file = _path(path)
        optimizer = Malibo(
            model, space=space, seed=seed, direction=direction, config=config, **options
        )
        content, content_checksum = to_bytes(optimizer.model)
        facts = {
            "name": _checked_name(file.stem if name is None else name),
            "seed": optimizer.seed,
            "direction": optimizer.direction,
            "config": asdict(optimizer.config),
            "space": optimizer.space.to_json(),
            "model": content_checksum,
            "created": time.time(),
        }
        Database.create(file, facts, content)
        return cls(file, facts)

    @classmethod
    def open(cls, path: str | PathLike[str]) -> Study:
        """A study that exists; any other file is refused, and stays as it is."""
        file = _path(path)
        facts = Database(file).facts()
        try:
            return cls(file, facts)
        except (InputError, KeyError, TypeError) as error:
            raise StudyError(f"{file}: its facts cannot be understood ({error!r}).") from None

    def with_patience(self, seconds: float) -> Study:
        """The same study, which waits so long for other processes before ``StudyBusyError``."""
        other = copy(self)
        other._database = self._database.with_patience(seconds)
        return other

    @cached_property
    def model(self) -> MetaModel:
        """The model with which the study began."""
        with self._database.reading() as connection:
            row = connection.execute("SELECT content FROM model").fetchone()
        if row is None:
            raise StudyError(f"{self.path} is damaged: its model is missing.")
        return from_bytes(row[0], self.path)

    def keeps(self, model_file: str | PathLike[str]) -> bool:
        """Whether the model of a file is that of the study; not if it was trained anew since."""
        return checksum(Path(model_file)) == self._checksum

    def __repr__(self) -> str:
        trials = self.trials
        told = sum(trial.told for trial in trials)
        return f"<Study {self.name!r}: {told} told, {len(trials) - told} pending>"

    # -- trials --------------------------------------------------------------------------------

    @property
    def trials(self) -> list[Trial]:
        """All trials, by number."""
        with self._database.reading() as connection:
            return table.trials(connection)

    @property
    def best(self) -> Trial | None:
        """The finished trial with the best value; the first of several; None without any."""
        finished = [trial for trial in self.trials if trial.value is not None]
        factor = sign(self.direction)
        return min(finished, key=lambda trial: factor * (trial.value or 0.0), default=None)

    def ask(self, n: int = 1, *, owner: str | None = None, until: int | None = None) -> list[Trial]:
        """The next ``n`` trials to run; those that were given back come first.

        Other processes that ask or tell meanwhile wait, so none of them gets the same. With
        ``until``, there are fewer, or none, once so many are told or run by an ``owner``.
        An ``owner`` is any text; it must call ``still_running`` every minute or so: after two
        minutes of silence ``malibo tune`` runs its trials itself. Without one they stay yours.
        """
        if isinstance(n, bool) or not isinstance(n, numbers.Integral) or n < 1:
            raise InputError(f"ask(n) takes a whole number >= 1, got {n!r}.")
        model = self.model  # read before others have to wait
        with self._database.transaction() as connection:
            if until is not None:
                n = min(n, until - sum(trial.taken for trial in table.trials(connection)))
            found: list[Trial] = []
            try:
                while len(found) < n:
                    found.append(self._next(connection, model, owner))
            except SpaceExhaustedError as error:
                if not found:
                    raise
                raise SpaceExhaustedError.with_some_left(n, len(found)) from error
            return found

    def _next(self, connection: sqlite3.Connection, model: MetaModel, owner: str | None) -> Trial:
        """The first trial that waits, or a new one, chosen as ``Malibo.ask`` would."""
        trials = table.trials(connection)
        waiting = [trial.number for trial in trials if trial.status == "waiting"]
        if waiting:
            table.start(connection, waiting[0], owner)
            return table.trial(connection, waiting[0])
        observations = self._observations(trials)
        rng = np.random.default_rng([self.seed, observations.trials])
        found: Suggestion = next(suggestions(model, observations, self.config, rng))
        config = self.space.configs(found.row)[0]
        number = table.insert(connection, config, found.source, found.trust, owner)
        return table.trial(connection, number)

    def tell(
        self, number: int, value: float | None, note: str = "", *, overwrite: bool = False
    ) -> Trial:
        """The result of a trial; None, NaN or infinite if it failed."""
        loss = read_loss(value)
        with self._database.transaction() as connection:
            trial = self._find(connection, number)
            if trial.told and not overwrite:
                raise TrialToldError(
                    f"trial {number} was told already: {trial.result}; say overwrite=True"
                    " (--overwrite) to replace that."
                )
            table.finish(connection, trial.number, loss, note)
            return table.trial(connection, trial.number)

    def add(
        self,
        config: Mapping[str, Any],
        value: float | None,
        note: str = "",
        *,
        overwrite: bool = False,
    ) -> Trial:
        """A result of a configuration of one's own choice.

        If that configuration is running or waiting, the result is that trial's. With
        ``overwrite`` it replaces what was told of it, the last time if there are several.
        """
        config = self.space.configs(self.space.codes([config])[0])[0]
        loss = read_loss(value)
        with self._database.transaction() as connection:
            same = [trial for trial in table.trials(connection) if trial.config == config]
            pending = [trial.number for trial in same if not trial.told]
            told = [trial.number for trial in same if trial.told and overwrite]
            found = told[-1:] or pending[:1]
            number = found[0] if found else table.insert(connection, config)
            table.finish(connection, number, loss, note)
            return table.trial(connection, number)

    def give_back(self, number: int, *, owner: str | None = None, retry: bool = False) -> bool:
        """Let a running trial wait: its configuration comes first when asked next.

        With ``retry``, a failed trial too. With ``owner``, only if that one runs it still, or
        was the last to; whether it was given back is returned.
        """
        open_states = ("running", "failed") if retry else ("running",)
        with self._database.transaction() as connection:
            trial = self._find(connection, number)
            if owner is not None and (trial.owner != owner or trial.status not in open_states):
                return False
            if trial.status == "finished" or (trial.status == "failed" and not retry):
                raise StudyError(f"trial {number} cannot be given back: {trial.result}.")
            table.give_back(connection, trial.number)
            return True

    def retry_failed(self) -> int:
        """Let all failed trials wait, to be run again; how many there were."""
        with self._database.transaction() as connection:
            failed = [t.number for t in table.trials(connection) if t.status == "failed"]
            for number in failed:
                table.give_back(connection, number)
        return len(failed)

    def still_running(self, owner: str) -> None:
        """Note that an owner is at work on its trials, for those who cannot see its process."""
        with self._database.transaction() as connection:
            table.saw(connection, owner)

    def _find(self, connection: sqlite3.Connection, number: object) -> Trial:
        known = table.trials(connection)
        for trial in known:
            if trial.number == number and not isinstance(number, bool):
                return trial
        which = f"there are trials 0 to {len(known) - 1}" if known else "it has no trials yet"
        raise StudyError(f"study {self.name!r} has no trial {number!r}; {which}.")

    # -- as other things -----------------------------------------------------------------------

    def optimizer(self) -> Malibo:
        """A ``Malibo`` that knows everything told and pending; it does not write to the file."""
        optimizer = Malibo(self.model, seed=self.seed, config=self.config)
        optimizer.direction = self.direction
        trials = self.trials
        for trial in trials:
            if trial.told:
                optimizer.tell(trial.config, trial.value)
        for trial in trials:
            if not trial.told:
                optimizer.expect(trial.config)
        return optimizer

    @property
    def trust(self) -> float:
        """Probability, given the results so far, that the past helps (``Malibo.trust``)."""
        return self.optimizer().trust

    def task(self) -> Task:
        """The study as a past task, to learn from."""
        told = [trial for trial in self.trials if trial.told]
        if all(trial.value is None for trial in told):
            raise StudyError(
                f"study {self.name!r} cannot be learned from: of its"
                f" {plural(len(told), 'result')} none is a number."
            )
        configs, values = [trial.config for trial in told], [trial.value for trial in told]
        return Task.from_configs(self.name, self.space, configs, values, self.direction)

    def _observations(self, trials: Sequence[Trial]) -> Observations:
        told = [trial for trial in trials if trial.told]
        factor = sign(self.direction)
        losses = [np.nan if trial.value is None else factor * trial.value for trial in told]
        pending = self._codes([trial for trial in trials if not trial.told])
        return Observations(self._codes(told), np.array(losses, dtype=float), pending)

    def _codes(self, trials: Sequence[Trial]) -> Array:
        """Configurations as codes, each read once.

        A trial's never changes, but one that was asked for in vain (an error took it back) may
        have had the number of another.
        """
        rows = []
        for trial in trials:
            config, row = self._rows.get(trial.number, ({}, None))
            if row is None or config != trial.config:
                row = self.space.codes([trial.config])[0]
                self._rows[trial.number] = trial.config, row
            rows.append(row)
        return np.array(rows).reshape(-1, len(self.space))


def _path(path: str | PathLike[str]) -> Path:
    if not isinstance(path, str | PathLike):
        raise StudyError(f"expected the path of a study, got {path!r}.")
    return Path(path)


def _checked_name(name: object) -> str:
    if not isinstance(name, str) or not name:
        raise InputError(f"a study's name must be a text, got {name!r}.")
    return name
