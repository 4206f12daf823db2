"""Runs: one tuning as a record, and the append-only file that keeps many of them.

The file has one JSON text a line: first what the run set is, then one line for each finished
run. A line is written at once and only at the end, so a process that is killed leaves whole
lines and at most one torn one, which the next opening cuts off.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from malibo.bench.problems import Reference
from malibo.errors import InputError, MaliboError

FORMAT = "malibo-bench"
VERSION = 1
_BEGINNING = f'{{"format": "{FORMAT}", '  # of every results file


class RunKey(NamedTuple):
    """What makes a run the one it is."""

    method: str
    task: str
    seed: int


@dataclass(frozen=True)
class Run:
    """One tuning. Every list has one entry a step; given initial points come first.

    reference    losses by which regret is measured
    parameters   names, in the order of the values in ``configs``
    initial      number of steps that were given and not asked for
    loss         what the optimizer was told
    truth        the same without noise
    better       share of all configurations that are truly better
    seconds      of the evaluation, by the table's own record; NaN: unknown
    suggest      seconds of ``ask``
    train        seconds of ``tell``, in the first step also those of meta-training
    """

    method: str
    task: str
    seed: int
    reference: Reference
    parameters: list[str]
    initial: int
    configs: list[list[Any]]
    loss: list[float]
    truth: list[float]
    better: list[float]
    seconds: list[float]
    suggest: list[float]
    train: list[float]

    @property
    def key(self) -> RunKey:
        """Method, task and seed."""
        return RunKey(self.method, self.task, self.seed)

    def to_json(self) -> str:
        """One line."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Run:
        """A run out of its line."""
        plain = json.loads(text)
        reference = Reference(**plain.pop("reference"))
        return cls(
            **{field.name: plain[field.name] for field in fields(cls) if field.name in plain}
            | {"reference": reference}
        )


@dataclass(frozen=True)
class RunSet:
    """What all runs of a file have in common."""

    suite: str
    steps: int

    def header(self) -> str:
        """The first line of the file."""
        return json.dumps({"format": FORMAT, "version": VERSION, **asdict(self)})


def read_runs(path: Path) -> tuple[RunSet, list[Run]]:
    """The run set and all finished runs of a file."""
    lines = _whole_lines(path)
    return _read_header(path, lines[:1]), _read_lines(path, lines[1:])


def _whole_lines(path: Path) -> list[str]:
    """All lines that were written to their end."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise _foreign(path) from None
    return text.split("\n")[:-1]


def _read_header(path: Path, lines: list[str]) -> RunSet:
    try:
        plain = json.loads(lines[0])
        if plain.pop("format") != FORMAT:
            raise ValueError
        version = plain.pop("version")
    except (IndexError, KeyError, TypeError, ValueError, AttributeError):
        raise _foreign(path) from None
    if version != VERSION:
        raise InputError(
            f"{path} has format version {version!r} and this malibo reads {VERSION}; move it away,"
            " or use the malibo that wrote it."
        )
    try:
        return RunSet(**plain)
    except TypeError:
        raise _foreign(path) from None


def _foreign(path: Path) -> InputError:
    return InputError(f"{path} is no results file of malibo bench.")


def _read_lines(path: Path, lines: list[str]) -> list[Run]:
    runs: dict[RunKey, Run] = {}
    for number, line in enumerate(lines, 2):
        try:
            run = Run.from_json(line)
        except (AttributeError, KeyError, TypeError, ValueError):
            raise InputError(
                f"{path}, line {number} is damaged; delete that line and run again: only its run"
                " is repeated."
            ) from None
        runs.setdefault(run.key, run)
    return [*runs.values()]


class RunFile:
    """A results file opened to go on with it."""

    def __init__(self, file: TextIO, runs: list[Run]) -> None:
        self._file = file
        self.done = {run.key for run in runs}

    def append(self, run: Run) -> None:
        """Write a finished run, and see it onto the disk."""
        self._file.write(run.to_json() + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self.done.add(run.key)


@contextmanager
def open_runs(path: Path, run_set: RunSet) -> Iterator[RunFile]:
    """Open a results file to add runs to it, or begin one; refuse one of another run set."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a+", encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}.") from None
    with file:
        _lock(file, path)
        if not _whole_lines(path):
            _begin(file, path, run_set)
        found, runs = read_runs(path)
        if found != run_set:
            raise InputError(
                f"{path} holds {found.suite} with {found.steps} steps, and {run_set.suite} with"
                f" {run_set.steps} steps was asked for; give another --results."
            )
        _cut_torn_line(path)
        yield RunFile(file, runs)


def _begin(file: TextIO, path: Path, run_set: RunSet) -> None:
    """Write the header, in place of a torn one; what somebody else wrote is left alone."""
    torn = path.read_text(encoding="utf-8")
    if not _BEGINNING.startswith(torn[: len(_BEGINNING)]):
        raise _foreign(path)
    file.truncate(0)
    file.write(run_set.header() + "\n")
    file.flush()


def _cut_torn_line(path: Path) -> None:
    """Remove what follows the last newline: a run that was being written when it was killed."""
    with path.open("rb+") as file:
        content = file.read()
        file.truncate(content.rfind(b"\n") + 1)


def _lock(file: TextIO, path: Path) -> None:
    """One process at a time; the system lifts the lock when it ends, however it ends."""
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise MaliboError(f"{path} is in use by another malibo bench; wait for it.") from None
