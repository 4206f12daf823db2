"""A trial at work: its command, and where its objective will be."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from malibo.study import Trial
from malibo.tune.command import Command, CommandError
from malibo.tune.objective import NoObjectiveError, from_file, from_output
from malibo.tune.outcome import Outcome, why_it_failed
from malibo.tune.plan import Plan
from malibo.tune.run import Files, Run


@dataclass(frozen=True)
class Job:
    """A trial whose command was started.

    before   state of the result file at that time
    """

    trial: Trial
    run: Run
    plan: Plan
    before: tuple[int, ...]

    @classmethod
    def begin(cls, trial: Trial, command: Command, plan: Plan, folder: Path) -> Job:
        """Start the command of a trial; what it writes goes to files of the folder."""
        files = Files.of(folder.absolute(), trial.number)
        arguments = command.arguments(trial.config, trial.number, str(files.result))
        environment = {
            "MALIBO_TRIAL": str(trial.number),
            "MALIBO_CONFIG": json.dumps(trial.config),
            "MALIBO_RESULT": str(files.result),
        }
        before = () if plan.file is None else plan.file.state(trial.number)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            run = Run(arguments, environment, files, plan.timeout, plan.grace)
        except (OSError, ValueError) as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
            raise CommandError(f"cannot run {' '.join(arguments)!r}: {reason}.") from None
        return cls(trial, run, plan, before)

    def outcome(self) -> Outcome | None:
        """How it ended; None while it runs."""
        code = self.run.poll()
        if code is None:
            return None
        if self.run.timed_out:
            return Outcome.of_failure(f"timed out after {self.plan.timeout:g} seconds")
        if code != 0:
            return Outcome.of_failure(why_it_failed(self.run, code))
        try:
            return Outcome.of_value(self._objective())
        except NoObjectiveError as error:
            return Outcome.of_failure(f"no objective: {error}")

    def _objective(self) -> float:
        """From the file of the plan; without one, from that of MALIBO_RESULT, or the output."""
        file, key = self.plan.file, self.plan.key
        if file is not None:
            path = file.path(self.trial.number)
            if file.state(self.trial.number) in ((), self.before):
                raise NoObjectiveError(f"the command did not write {path}")
            return from_file(path, key)
        if self.run.files.result.exists():
            return from_file(self.run.files.result, key)
        return from_output(self.run.files.out, key)
