"""Who runs a trial: a process that can be told from all others, and whether it still runs.

On this machine its process is looked for. Any other owner, on another machine, in another
container or with a name of its own, counts as gone after two minutes without a sign of life.
The minutes are counted here, from the last sign that was noticed: clocks may differ.
"""

from __future__ import annotations

import os
import re
import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from malibo.study import Trial

HEARTBEAT = 10.0  # seconds between two signs of life in the study
_SILENCE = 120.0  # seconds without one, until a process of another machine counts as gone
_UNKNOWN = "unknown"
_WINDOWS = os.name == "nt"


def identity(pid: int) -> str:
    """``"machine pid birth"`` of a process."""
    return f"{_machine()} {pid} {_birth(pid) or _UNKNOWN}"


def process_of(known: str) -> int | None:
    """The pid of an identity, if that very process runs on this machine; else None."""
    machine, pid, birth = _parts(known)
    return pid if machine == _machine() and _birth(pid) == birth else None


class Watch:
    """Keeps an eye on the owners of trials; to be asked again and again."""

    def __init__(self) -> None:
        self._signs: dict[tuple[int, str], _Sign] = {}

    def is_gone(self, trial: Trial) -> bool:
        """Whether the owner that runs a trial is no more; one without an owner is a person's."""
        if trial.status != "running" or trial.owner is None:
            return False
        runs = _runs_here(trial.owner)
        if runs is not None:
            return not runs
        return time.monotonic() - self._last_sign(trial, trial.owner).noticed > _SILENCE

    def may_be_gone(self, trial: Trial) -> bool:
        """Whether to look again: silent by the clocks, and not heard since we look.

        Also if it is gone by now: it may not have been a moment ago, when that was asked.
        """
        if trial.status != "running" or trial.owner is None or _runs_here(trial.owner) is not None:
            return False
        heard = self._last_sign(trial, trial.owner).heard
        return not heard and time.time() - (trial.seen or 0.0) > _SILENCE

    def _last_sign(self, trial: Trial, owner: str) -> _Sign:
        """The last sign of life that was noticed here."""
        key = (trial.number, owner)
        before = self._signs.get(key)
        if before is None or before.seen != trial.seen:
            self._signs[key] = _Sign(trial.seen, time.monotonic(), heard=before is not None)
        return self._signs[key]


@dataclass(frozen=True)
class _Sign:
    """A sign of life of an owner.

    seen      when it was given, by the owner's clock
    noticed   when it was noticed here, by a clock that nobody sets
    heard     whether it was given under our eyes, and not before we looked
    """

    seen: float | None
    noticed: float
    heard: bool


def _runs_here(owner: str) -> bool | None:
    """Whether the process of an owner runs on this machine; None if that cannot be seen."""
    machine, pid, birth = _parts(owner)
    if machine != _machine():
        return None
    return _birth(pid) == birth if birth != _UNKNOWN else _answers(pid)


def _parts(identity: str) -> tuple[str, int, str]:
    """Machine, pid and birth; no machine at all for a name that is not from ``identity``."""
    match = re.fullmatch(r"(\S+) ([0-9]+) (\S+)", identity)
    return (match[1], int(match[2]), match[3]) if match else ("", 0, "")


def _machine() -> str:
    """This machine since it was started, and the container: within, a pid is one process."""
    parts = [socket.gethostname()]
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip())
        parts.append(os.readlink("/proc/self/ns/pid"))
    return "/".join(parts).replace(" ", "_")


def _answers(pid: int) -> bool | None:
    """Whether there is a process of this number; None on Windows, where the question ends it."""
    if _WINDOWS:
        return None
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _birth(pid: int) -> str | None:
    """When a process began, in ticks; None if there is none, or if it cannot be known."""
    try:
        line = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    state, *fields = line.rpartition(")")[2].split()
    return None if state in "ZX" else fields[18]
