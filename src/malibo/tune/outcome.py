"""What became of a trial: a value, or a sentence on why there is none."""

from __future__ import annotations

import math
import signal
from dataclasses import dataclass

from malibo.tune.objective import tail
from malibo.tune.run import Run

_LONGEST = 300  # characters of a note


@dataclass(frozen=True)
class Outcome:
    """How a trial ended.

    value     the objective; None if it failed
    note      why it failed
    doubtful  whether the command may be to blame, and not the configuration
    """

    value: float | None
    note: str = ""
    doubtful: bool = False

    @classmethod
    def of_value(cls, value: float) -> Outcome:
        """The command has said how good the configuration is; NaN is not good."""
        return cls(None, "the objective is not finite") if math.isnan(value) else cls(value)

    @classmethod
    def of_failure(cls, reason: str) -> Outcome:
        """The command has not said anything."""
        return cls(None, reason[:_LONGEST], doubtful=True)

    @property
    def kind(self) -> str:
        """How it failed, without what was written on it: "exit code 1", "no objective"."""
        return self.note.partition(":")[0]


def why_it_failed(run: Run, code: int) -> str:
    """The exit code, and the last line of what the command wrote."""
    last = tail(run.files.err) or tail(run.files.out) or ["it wrote nothing"]
    return f"{_ended(code)}: {last[-1]}"


def _ended(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"
