"""Plan: how a command is tuned."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from malibo.errors import InputError
from malibo.tune.objective import ResultFile


@dataclass(frozen=True)
class Plan:
    """How a command is tuned.

    trials        until so many of the study are told, whoever told them
    jobs          commands at a time
    timeout       seconds after which a command is stopped and its trial failed
    grace         seconds between asking a command to end and killing it
    key           name of the objective in what the command writes
    result        file with the objective; {trial} in its path is the number
    retry_failed  trials that failed before are run again, first of all
    keep_going    also if nothing but the same failure comes from the start
    """

    trials: int = 30
    jobs: int = 1
    timeout: float | None = None
    grace: float = 5.0
    key: str | None = None
    result: str | None = None
    retry_failed: bool = False
    keep_going: bool = False

    def __post_init__(self) -> None:
        if self.trials < 1 or self.jobs < 1:
            raise InputError(f"trials and jobs must be >= 1, got {self.trials} and {self.jobs}.")
        if self.file is not None and self.jobs > 1 and not self.file.of_each_trial:
            raise InputError(
                f"{self.jobs} commands at a time would write to one file; put {{trial}} into the"
                f" command and into --result {self.result!r}."
            )

    @cached_property
    def file(self) -> ResultFile | None:
        """The file with the objective, if there is one."""
        return None if self.result is None else ResultFile(self.result)
