"""Who runs a trial: a process that can be told from all others, and whether it still runs."""

from __future__ import annotations

import os
import socket
import time
from contextlib import suppress
from pathlib import Path

from malibo.study import Trial

HEARTBEAT = 10.0  # seconds between two signs of life in the study
_SILENCE = 120.0  # seconds without one, until a process of another machine counts as gone
_UNKNOWN = "unknown"


def identity(pid: int) -> str:
    """``"machine pid birth"`` of a process."""
    return f"{_machine()} {pid} {_birth(pid) or _UNKNOWN}"


def is_gone(trial: Trial) -> bool:
    """Whether the process that runs a trial is no more.

    On this machine its process is looked for. On others, or in another container, it counts as
    gone when it gave no sign of life for two minutes. A trial without an owner is a person's.
    """
    if trial.status != "running" or trial.owner is None:
        return False
    machine, pid, birth = trial.owner.rsplit(" ", 2)
    if machine != _machine():
        return time.time() - (trial.seen or 0.0) > _SILENCE
    return not (_answers(int(pid)) if birth == _UNKNOWN else _birth(int(pid)) == birth)


def process_of(known: str) -> int | None:
    """The pid of an identity, if that very process runs on this machine; else None."""
    machine, _, rest = known.partition(" ")
    pid, _, birth = rest.partition(" ")
    if machine != _machine() or not pid.isdecimal() or _birth(int(pid)) != birth:
        return None
    return int(pid)


def _machine() -> str:
    """This machine since it was started, and the container: within, a pid is one process."""
    parts = [socket.gethostname()]
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip())
        parts.append(os.readlink("/proc/self/ns/pid"))
    return "/".join(parts).replace(" ", "_")


def _answers(pid: int) -> bool:
    """Whether there is a process of this number, where more cannot be known."""
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
