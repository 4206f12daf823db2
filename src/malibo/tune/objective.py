"""The objective of a trial, from what its command wrote.

With a key, the last line that has it counts: as JSON, ``{"val_loss": 0.3}``, or as text,
``val_loss: 0.3`` or ``val_loss=0.3``. If that is no number there is no objective: an earlier
value would make a run that diverged look good. Without a key it is the last line that is not
empty: a number, or a JSON object with a single number in it.
"""

from __future__ import annotations

import json
import math
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from malibo.errors import InputError, listing, nearest

_TAIL = 2**18  # bytes at the end of an output that are looked at
_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_NUMBER = re.compile(
    r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\.\d+(?:e[-+]?\d+)?|nan|inf(?:inity)?)"
    r"(?!\w|[.,:/-]\d)",  # not the beginning of something else: 0.3s, 1,234.5, 12:30
    re.IGNORECASE,
)
_NAMED = re.compile(rf"([A-Za-z_][\w./-]*)[\"']?\s*[:=]\s*(?i:{_NUMBER.pattern})")


class NoObjectiveError(Exception):
    """There is no objective where it was expected; the message says what was there."""


@dataclass(frozen=True)
class ResultFile:
    """A file for the objective, which may have {trial} in its path; what was there is old."""

    template: str

    def __post_init__(self) -> None:
        if odd := re.findall(r"\{[^{}]*\}", self.template.replace("{trial}", "")):
            raise InputError(f"--result knows {{trial}} alone, got {odd[0]} in {self.template!r}.")

    @property
    def of_each_trial(self) -> bool:
        """Whether every trial has a file of its own."""
        return "{trial}" in self.template

    def path(self, trial: int) -> Path:
        """Where the trial's command is to write."""
        return Path(self.template.replace("{trial}", str(trial)))

    def state(self, trial: int) -> tuple[int, ...]:
        """What tells a file that was written anew from the one before; empty if there is none."""
        try:
            stat = self.path(trial).stat()
        except OSError:
            return ()
        return stat.st_mtime_ns, stat.st_size, stat.st_ino


def from_output(path: Path, key: str | None) -> float:
    """The objective in a command's standard output; NaN if it is not a finite number."""
    return _from_lines(tail(path), key, "the standard output")


def from_file(path: Path, key: str | None) -> float:
    """The objective in a file: JSON as a whole, else as in an output."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise NoObjectiveError(f"cannot read {path}: {error.strerror}") from None
    whole = _json(text)
    if isinstance(whole, dict):
        return _from_object(whole, key, str(path))
    return _from_lines(_lines(text), key, str(path))


def tail(path: Path) -> list[str]:
    """The last lines of a file that are not empty."""
    try:
        with path.open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - _TAIL))
            return _lines(file.read().decode("utf-8", errors="replace"))
    except OSError:
        return []


def _lines(text: str) -> list[str]:
    plain = re.split(r"[\r\n]+", _COLOUR.sub("", text))
    return [line.strip() for line in plain if line.strip()]


def _from_lines(lines: list[str], key: str | None, where: str) -> float:
    if not lines:
        raise NoObjectiveError(f"{where} is empty; its last line must be the objective")
    if key is None:
        return _from_line(lines[-1], where)
    for line in reversed(lines):
        if (found := _keyed(line, key)) is not None:
            return _read(found, line, key)
    names = [name for line in lines[-100:] for name in _NAMED.findall(line)]
    advice = f".{close}" if (close := nearest(key, names)) else ""
    raise NoObjectiveError(f"{where} has no {key!r}; its last line is {_short(lines[-1])}{advice}")


def _from_line(line: str, where: str) -> float:
    """The objective on a line alone."""
    try:
        return _finite(float(line))
    except ValueError:
        pass
    value = _json(line)
    if isinstance(value, dict):
        return _from_object(value, None, where)
    named = _NAMED.findall(line)
    advice = f"; --key {named[-1]} would read it" if named else ""
    raise NoObjectiveError(f"the last line of {where} is not a number: {_short(line)}{advice}")


def _keyed(line: str, key: str) -> str | None:
    """What follows a key on a line, the last time it is there; None if it is not there."""
    value = _json(line)
    if isinstance(value, dict) and key in value:
        return json.dumps(value[key])
    pattern = rf"(?<![\w./-])[\"']?{re.escape(key)}[\"']?\s*[:=](?!=)\s*"
    *_, last = [None, *re.finditer(pattern, line)]
    return None if last is None else line[last.end() :]


def _read(found: str, line: str, key: str) -> float:
    """The number with which a text begins; null is that of a run that has none."""
    if found == "null":
        return math.nan
    if (number := _NUMBER.match(found)) is None:
        raise NoObjectiveError(f"{key!r} is no number on the last line that has it: {_short(line)}")
    return _finite(float(number.group()))


def _from_object(values: dict[str, Any], key: str | None, where: str) -> float:
    if key is not None:
        if (value := _number(values.get(key, ""))) is not None:
            return value
        raise NoObjectiveError(f"{where} has no number {key!r}; it has {listing(values)}")
    numbers = {name: number for name, v in values.items() if (number := _number(v)) is not None}
    if len(numbers) != 1:
        found = f"the numbers {listing(numbers)}; say which by --key" if numbers else "no number"
        raise NoObjectiveError(f"the JSON object in {where} has {found}")
    return next(iter(numbers.values()))


def _number(value: object) -> float | None:
    """A number of JSON, NaN for null; None for anything else."""
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return _finite(float(value))
    except OverflowError:
        return math.nan


def _finite(value: float) -> float:
    return value if math.isfinite(value) else math.nan


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _short(line: str) -> str:
    return repr(line if len(line) <= 100 else line[:99] + "…")
