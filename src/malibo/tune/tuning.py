"""The loop of ``malibo tune``: ask, run, read, tell, several at a time.

It waits for nothing but time: commands and signals are looked at in turn. A result is in the
study before anything else is done; while another process holds the study, it is kept and told
at a later look. When the loop ends, for whatever reason, the commands that run are stopped and
their trials given back.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Literal

from malibo.errors import SpaceExhaustedError
from malibo.study import Study, StudyBusyError, StudyError, Trial, TrialToldError
from malibo.tune.blame import Blame
from malibo.tune.command import Command, CommandError
from malibo.tune.job import Job
from malibo.tune.outcome import Outcome
from malibo.tune.owner import HEARTBEAT, Watch, identity
from malibo.tune.plan import Plan
from malibo.tune.progress import Progress
from malibo.tune.signals import Signals

Ending = Literal["done", "exhausted", "interrupted"]

_LOOK = 0.02  # seconds between two looks at the commands that run
_REST = 0.5  # seconds between two looks at the study, when only others are at work
_PATIENCE = 1.0  # seconds that one look may wait for a study that is busy
_GIVE_UP = 120.0  # seconds until a study must be free again


def logs(study: Study) -> Path:
    """The folder with what the commands of a study write: beside it."""
    return study.file.with_name(f"{study.file.name}.logs")


def tune(study: Study, command: Command, plan: Plan, *, progress: bool = True) -> Ending:
    """Run a command with configurations of a study until enough trials are told.

    The end is "exhausted" if every configuration of the space was tried before, "interrupted" if
    a signal came (Ctrl-C). Then, and if the process is killed, the same call goes on.
    """
    if plan.retry_failed:
        study.retry_failed()
    with Signals() as signals, Progress(study, plan.trials, progress) as bar:
        return _Loop(study.with_patience(_PATIENCE), command, plan, signals, bar).run()


class _Loop:
    """The state of a tuning.

    jobs       commands that run
    results    what has ended, and is not told yet
    unstarted  trials that were asked for, and will not be run
    asking     whether there may be more trials to start
    """

    def __init__(
        self, study: Study, command: Command, plan: Plan, signals: Signals, bar: Progress
    ) -> None:
        self._study, self._command, self._plan = study, command, plan
        self._signals, self._bar = signals, bar
        self._owner, self._watch = identity(os.getpid()), Watch()
        self._jobs: list[Job] = []
        self._results: list[tuple[Trial, Outcome]] = []
        self._unstarted: list[Trial] = []
        self._blame = Blame(plan.jobs)
        with suppress(StudyBusyError):
            if study.best is not None:
                self._blame.worked()
        self._asking = True
        self._ending: Ending = "done"
        self._next_sign = time.monotonic()
        self._busy_since: float | None = None

    def run(self) -> Ending:
        """Until all is done, or a signal comes."""
        try:
            while not self._look():
                time.sleep(_LOOK if self._jobs or self._results or self._asking else _REST)
            return "interrupted" if self._signals.count else self._ending
        finally:
            self._stop()

    def _look(self) -> bool:
        """See to everything once; whether all is over."""
        self._collect()
        try:
            over = self._advance()
            self._busy_since = None
        except StudyBusyError as error:
            over = False
            self._wait_or_give_up(error)
        return over or self._signals.count > 0

    def _advance(self) -> bool:
        """Tell, take over, start; whether nothing is left to do."""
        self._tell_results()
        self._check_command()
        if time.monotonic() >= self._next_sign:
            self._give_sign()
            self._take_over()
        if self._asking:
            self._start()
        return not self._jobs and not self._asking and not self._take_over()

    def _wait_or_give_up(self, error: StudyBusyError) -> None:
        """Another process holds the study. That is no matter while commands run."""
        now = time.monotonic()
        self._busy_since = now if self._busy_since is None else self._busy_since
        if not self._jobs and now - self._busy_since > _GIVE_UP:
            raise error

    def _give_sign(self) -> None:
        """A sign of life, now and then, for processes on other machines."""
        self._next_sign = time.monotonic() + HEARTBEAT
        if self._jobs:
            self._study.still_running(self._owner)

    def _take_over(self) -> bool:
        """Give back the trials of owners that are gone; whether there are, or may be, any."""
        trials = self._study.trials
        for trial in filter(self._watch.is_gone, trials):
            self._asking |= self._study.give_back(trial.number, owner=trial.owner)
        missing = sum(trial.told for trial in trials) < self._plan.trials
        return self._asking or (missing and any(map(self._watch.may_be_gone, trials)))

    # -- a trial begins ------------------------------------------------------------------------

    def _start(self) -> None:
        """Start commands while there is room."""
        while len(self._jobs) < self._plan.jobs and not self._signals.count:
            try:
                asked = self._study.ask(owner=self._owner, until=self._plan.trials)
            except SpaceExhaustedError:
                self._ending = "exhausted"
                break
            self._ending = "done"
            if not asked:
                break
            self._begin(asked[0])
        self._asking = False

    def _begin(self, trial: Trial) -> None:
        self._unstarted.append(trial)
        if self._signals.count:  # while it was asked for
            return
        try:
            job = Job.begin(trial, self._command, self._plan, logs(self._study))
        except CommandError as error:
            raise CommandError(f"{error} Trial {trial.number} waits for a better one.") from None
        self._jobs.append(job)
        self._unstarted.remove(trial)

    # -- a trial ends --------------------------------------------------------------------------

    def _collect(self) -> None:
        """Take the results of the commands that are over."""
        for job in [*self._jobs]:
            outcome = job.outcome()
            if outcome is not None:
                self._results.append((job.trial, outcome))
                self._blame.add(job.trial, outcome)
                self._jobs.remove(job)
                self._asking = True

    def _tell_results(self) -> None:
        while self._results:
            trial, outcome = self._results[0]
            with suppress(TrialToldError):  # someone was faster; that result stays
                self._study.tell(trial.number, outcome.value, outcome.note)
            del self._results[0]
            self._bar.update(self._study)
            if outcome.value is None:
                self._bar.say(f"malibo: trial {trial.number} failed: {outcome.note}")

    def _check_command(self) -> None:
        """Stop if nothing but the same failure comes: it is the command, not the trials."""
        if self._plan.keep_going or not self._blame.falls_on_command:
            return
        failed = [*self._blame.failed]
        for trial in failed:
            self._study.give_back(trial.number, owner=self._owner, retry=True)
        raise CommandError(
            f"{len(failed)} trials in a row failed alike ({self._blame.note}); see"
            f" {logs(self._study)}. They wait, and the same line runs them again; if it is not the"
            " command that is wrong, with --keep-going."
        )

    # -- the end -------------------------------------------------------------------------------

    def _stop(self) -> None:
        """Stop what still runs and give it back; at a second signal, at once."""
        self._collect()
        with suppress(StudyError):
            self._tell_results()
        self._end_commands()
        try:
            self._insist(self._tell_results)
        except StudyError as error:
            lost = [f"trial {t.number} ended with {o.value!r}" for t, o in self._results]
            raise StudyError(f"{', '.join(lost)}, which could not be kept: {error}") from None
        finally:
            with suppress(StudyError):  # their owner is gone soon, and that will be seen
                self._insist(self._give_back)

    def _end_commands(self) -> None:
        for job in self._jobs:
            job.run.stop()
        running = [*self._jobs]
        while running := [job for job in running if job.run.poll() is None]:
            if self._signals.count > 1:
                for job in running:
                    job.run.stop(grace=0.0)
            if time.monotonic() >= self._next_sign:
                with suppress(StudyError):
                    self._give_sign()
            time.sleep(_LOOK)

    def _give_back(self) -> None:
        for trial in [*(job.trial for job in self._jobs), *self._unstarted]:
            self._study.give_back(trial.number, owner=self._owner)

    def _insist(self, action: Callable[[], None]) -> None:
        """Until the study is not busy; not for ever, and not after a second signal."""
        begin = time.monotonic() if self._busy_since is None else self._busy_since
        while True:
            try:
                return action()
            except StudyBusyError:
                if self._signals.count > 1 or time.monotonic() - begin > _GIVE_UP:
                    raise
