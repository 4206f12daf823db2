"""Whether it is the command that fails, and not the configurations."""

from __future__ import annotations

from malibo.study import Trial
from malibo.tune.outcome import Outcome

_FIRST = 3  # trials that fail in one way from the start, from which on the command is to blame
_IN_A_ROW = 6  # the same, once the command has done something else


class Blame:
    """The latest outcomes, as long as all of them are one and the same failure."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._worked = False
        self._kind = ""
        self.failed: list[Trial] = []
        self.note = ""

    def add(self, trial: Trial, outcome: Outcome) -> None:
        """A trial has ended. If it ended in another way than the last ones, they are forgotten."""
        if not outcome.doubtful or (self.failed and outcome.kind != self._kind):
            self.worked()
        if outcome.doubtful:
            self.note, self._kind = (self.note or outcome.note), outcome.kind
            self.failed.append(trial)

    def worked(self) -> None:
        """The command has done something else: more is needed to blame it from now on."""
        self._worked, self.note = True, ""
        self.failed.clear()

    @property
    def falls_on_command(self) -> bool:
        """Whether so many in a row have failed alike that it is not the configurations."""
        enough = max(_IN_A_ROW, 2 * self._jobs) if self._worked else max(_FIRST, self._jobs)
        return len(self.failed) >= enough
