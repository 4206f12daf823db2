"""One command at work, in a process group of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from malibo.tune.owner import identity, process_of

_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows has no other
_LOST = 10.0  # seconds after a kill until a process that does not end is given up


@dataclass(frozen=True)
class Files:
    """Where a trial's output and error output go, and where its command may write a result.

    process   who runs it, so that it can be found if malibo itself is killed
    """

    out: Path
    err: Path
    result: Path
    process: Path

    @classmethod
    def of(cls, folder: Path, number: int) -> Files:
        """``0007.out``, ``0007.err``, ``0007.result`` and ``0007.process`` in a folder."""
        kinds = ("out", "err", "result", "process")
        return cls(*(folder / f"{number:04d}.{kind}" for kind in kinds))

    def clear(self) -> None:
        """Remove what an earlier run left; if its command still runs, without malibo, end it."""
        with suppress(OSError):
            left = process_of(self.process.read_text(encoding="utf-8"))
            if left is not None:
                os.killpg(left, _KILL)
        for path in (self.out, self.err, self.result, self.process):
            path.unlink(missing_ok=True)


class Run:
    """A command that was started; the files of an earlier run of the trial are replaced.

    Its output goes to files, not pipes: children that outlive it hold nothing up.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        files: Files,
        timeout: float | None,
        grace: float,
    ) -> None:
        files.clear()
        with files.out.open("wb") as out, files.err.open("wb") as err:
            self._process = subprocess.Popen(
                arguments,
                env={**os.environ, **environment},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        self.files = files
        with suppress(OSError):  # a full disk; the command runs all the same
            files.process.write_text(identity(self._process.pid), encoding="utf-8")
        self.timed_out = False
        self._deadline = None if timeout is None else time.monotonic() + timeout
        self._grace = grace
        self._kill_at: float | None = None

    def poll(self) -> int | None:
        """The exit code once it is over; what lasted too long is stopped on the way."""
        code = self._process.poll()
        now = time.monotonic()
        if code is not None:
            self._end_group()
            return code
        if self._kill_at is None and self._deadline is not None and now >= self._deadline:
            self.timed_out = True
            self.stop()
        elif self._kill_at is not None and now >= self._kill_at:
            self._signal(_KILL)
            if now >= self._kill_at + _LOST:
                return -_KILL
        return None

    def stop(self, grace: float | None = None) -> None:
        """Ask the whole group to end; after a grace period it is killed."""
        if self._kill_at is None:
            self._signal(signal.SIGTERM)
        end = time.monotonic() + (self._grace if grace is None else grace)
        self._kill_at = end if self._kill_at is None else min(end, self._kill_at)

    def _end_group(self) -> None:
        """The command is over: what it left behind ends too, by force if it was stopped."""
        self._signal(signal.SIGTERM if self._kill_at is None else _KILL)
        with suppress(OSError):
            self.files.process.unlink()

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, number)
            elif number == _KILL:
                self._process.kill()
            else:
                self._process.terminate()
