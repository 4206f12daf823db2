"""The loop of ``malibo tune``: ask, run, read, tell, several at a time.

It waits for nothing but time: commands and signals are looked at in turn. A result is in the
study before anything else is done. When the loop ends, for whatever reason, the commands that
run are stopped and their trials given back.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Literal

from malibo.errors import SpaceExhaustedError
from malibo.study import Study, StudyError, Trial
from malibo.tune.command import Command, CommandError
from malibo.tune.job import Job
from malibo.tune.outcome import Outcome
from malibo.tune.owner import HEARTBEAT, identity, is_gone
from malibo.tune.plan import Plan
from malibo.tune.progress import Progress
from malibo.tune.signals import Signals

Ending = Literal["done", "exhausted", "interrupted"]

_LOOK = 0.02  # seconds between two looks at the commands that run
_ALIKE = 3  # first trials that fail in one way, from which on the command is to blame


def logs(study: Study) -> Path:
    """The folder with what the commands of a study write: beside it."""
    return study.path.with_name(f"{study.path.name}.logs")


def tune(study: Study, command: Command, plan: Plan, *, progress: bool = True) -> Ending:
    """Run a command with configurations of a study until enough trials are told.

    The end is "exhausted" if every configuration of the space was tried before, "interrupted" if
    a signal came (Ctrl-C). Then, and if the process is killed, the same call goes on.
    """
    if plan.retry_failed:
        for trial in study.trials:
            if trial.status == "failed":
                study.give_back(trial.number, retry=True)
    with Signals() as signals, Progress(study, plan.trials, progress) as bar:
        return _Loop(study, command, plan, signals, bar).run()


class _Loop:
    def __init__(
        self, study: Study, command: Command, plan: Plan, signals: Signals, bar: Progress
    ) -> None:
        self._study, self._command, self._plan = study, command, plan
        self._signals, self._bar = signals, bar
        self._owner = identity(os.getpid())
        self._jobs: list[Job] = []
        self._failures: list[tuple[Trial, Outcome]] = []
        self._last_sign = time.monotonic()

    def run(self) -> Ending:
        """Until all is done, or a signal comes."""
        try:
            self._take_over()
            ending = self._start()
            while self._jobs or self._take_over():
                ended = self._collect()
                if self._signals.count:
                    return "interrupted"
                if ended or not self._jobs:
                    ending = self._start()
                self._give_sign()
                time.sleep(_LOOK)
            return ending
        finally:
            self._stop()

    def _take_over(self) -> int:
        """Give back the trials of processes that are gone; how many."""
        gone = [trial for trial in self._study.trials if is_gone(trial)]
        return sum(self._study.give_back(trial.number, owner=trial.owner) for trial in gone)

    def _give_sign(self) -> None:
        """A sign of life, now and then, for processes on other machines."""
        if time.monotonic() - self._last_sign > HEARTBEAT:
            self._study.still_running(self._owner)
            self._last_sign = time.monotonic()

    # -- a trial begins ------------------------------------------------------------------------

    def _start(self) -> Ending:
        """Start commands while there is room; the end that would be, were there no more."""
        while len(self._jobs) < self._plan.jobs and not self._signals.count:
            try:
                asked = self._study.ask(owner=self._owner, until=self._plan.trials)
            except SpaceExhaustedError:
                return "exhausted"
            if not asked:
                break
            self._begin(asked[0])
        return "interrupted" if self._signals.count else "done"

    def _begin(self, trial: Trial) -> None:
        try:
            job = Job.begin(trial, self._command, self._plan, logs(self._study))
        except CommandError as error:
            self._study.give_back(trial.number, owner=self._owner)
            raise CommandError(f"{error} Trial {trial.number} waits for a better one.") from None
        self._jobs.append(job)

    # -- a trial ends --------------------------------------------------------------------------

    def _collect(self) -> bool:
        """Tell the results of the commands that are over; whether there were any."""
        over = [(job, outcome) for job in self._jobs if (outcome := job.outcome()) is not None]
        for job, outcome in over:
            self._tell(job.trial, outcome)
            self._jobs.remove(job)
        self._failures += [(job.trial, outcome) for job, outcome in over if outcome.doubtful]
        self._check_failures()
        return bool(over)

    def _tell(self, trial: Trial, outcome: Outcome) -> None:
        try:
            self._study.tell(trial.number, outcome.value, outcome.note)
        except StudyError as error:
            if not self._told_by_another(trial):
                raise StudyError(
                    f"trial {trial.number} ended with {outcome.value!r}, which could not be"
                    f" kept: {error}"
                ) from None
        self._bar.update()

    def _told_by_another(self, trial: Trial) -> bool:
        """Whether someone was faster; that result stays."""
        try:
            return self._study.trials[trial.number].told
        except StudyError:
            return False

    def _check_failures(self) -> None:
        """Stop if nothing but the same failure has come: it is the command, not the trials."""
        enough = len(self._failures) >= max(_ALIKE, self._plan.jobs)
        alike = len({failure.kind for _, failure in self._failures}) == 1
        if self._plan.keep_going or not (enough and alike) or self._study.best is not None:
            return
        for failed, _ in self._failures:
            self._study.give_back(failed.number, retry=True)
        note = self._failures[0][1].note
        raise CommandError(
            f"the first {len(self._failures)} trials failed alike ({note}); see"
            f" {logs(self._study)}. They wait, and the same line runs them again; if it is not the"
            " command that is wrong, with --keep-going."
        )

    # -- the end -------------------------------------------------------------------------------

    def _stop(self) -> None:
        """Stop what still runs and give it back; at a further signal, at once."""
        if not self._jobs:
            return
        with suppress(StudyError, CommandError):
            self._collect()
        self._end_commands()
        for job in self._jobs:
            with suppress(StudyError):  # its owner is gone soon, and that will be seen
                self._study.give_back(job.trial.number, owner=self._owner)

    def _end_commands(self) -> None:
        for job in self._jobs:
            job.run.stop()
        before = self._signals.count
        running = [*self._jobs]
        while running := [job for job in running if job.run.poll() is None]:
            if self._signals.count > before:
                for job in running:
                    job.run.stop(grace=0.0)
            time.sleep(_LOOK)
