"""Trial: one configuration of a study, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from malibo.space import Config

Status = Literal["running", "waiting", "finished", "failed"]


@dataclass(frozen=True)
class Trial:
    """One configuration of a study, and what became of it.

    number    from 0, in the order in which they were asked for or added
    status    "running"; "waiting" if it was given back and comes first when asked next;
              "finished"; or "failed"
    value     as it was told, so in the direction of the study; None without a result
    source    what chose it (malibo.suggest.Suggestion); None for one of the user's own
    trust     in the past when it was chosen; None where it played no part
    started, ended
              seconds since 1970
    note      a sentence on why it failed, or of the user
    owner     the process that runs it, if one said so when it asked
    seen      when that process was last known to run, in seconds since 1970
    """

    number: int
    config: Config
    status: Status
    value: float | None = None
    source: str | None = None
    trust: float | None = None
    started: float | None = None
    ended: float | None = None
    note: str = ""
    owner: str | None = None
    seen: float | None = None

    @property
    def told(self) -> bool:
        """Whether it is over: finished or failed."""
        return self.status in ("finished", "failed")

    @property
    def taken(self) -> bool:
        """Whether it is over, or an owner is at work on it."""
        return self.told or self.owner is not None

    @property
    def result(self) -> str:
        """Its value in words, or its status where there is none."""
        return self.status if self.value is None else f"value {self.value!r}"
