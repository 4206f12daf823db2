"""Whether it is the command that fails, and not the configurations."""

from __future__ import annotations

from malibo.study import Trial
from malibo.tune.outcome import Outcome

_ALIKE = 3  # first trials that fail in one way, from which on the command is to blame


class Blame:
    """The outcomes from the start, as long as all of them are one and the same failure."""

    def __init__(self, jobs: int) -> None:
        self._enough = max(_ALIKE, jobs)
        self._acquitted = False
        self.failed: list[Trial] = []
        self.note = ""
        self._kind = ""

    def add(self, trial: Trial, outcome: Outcome) -> None:
        """A trial has ended. Once one ends in another way, the command works."""
        if not outcome.doubtful or (self.failed and outcome.kind != self._kind):
            self.acquit()
        elif not self._acquitted:
            self.note, self._kind = self.note or outcome.note, outcome.kind
            self.failed.append(trial)

    def acquit(self) -> None:
        """The command is known to work, for good."""
        self._acquitted = True
        self.failed.clear()

    @property
    def falls_on_command(self) -> bool:
        """Whether so many have failed alike that it is not the configurations."""
        return len(self.failed) >= self._enough
