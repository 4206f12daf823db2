"""Description: what the JSON file beside a table says of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from malibo.errors import InputError, SpaceError, listing
from malibo.space import Space
from malibo.space.parameters import parameter_from_dict
from malibo.task import sign

_OPTIONS = ("type", "low", "high", "log", "step", "choices", "default", "when")
_SECONDS = ("train_time", "runtime", "time")  # known names of the training time, in seconds


@dataclass(frozen=True)
class Description:
    """A set of tables over one space.

    objective   the column or array of it
    turn        1, or −1 if the objective is to be maximised
    """

    title: str
    space: Space
    tasks: tuple[str, ...]
    objective: str
    turn: int

    def seconds(self, found: Iterable[str]) -> str | None:
        """Which of the columns found is the training time, if one is."""
        taken = {self.objective, *self.space}
        return next((name for name in _SECONDS if name in set(found) - taken), None)


def read_description(path: Path) -> Description:
    """A description, checked."""
    plain = _read_json(path)
    tasks = tuple(str(task) for task in _need(plain, "tasks", list))
    if len(set(tasks)) < max(2, len(tasks)):
        raise InputError(f"expected at least 2 tasks, each listed once, got {listing(tasks)}.")
    objective = _need(plain, "objective", dict)
    return Description(
        title=str(plain.get("title", path.stem)),
        space=space_of(plain),
        tasks=tasks,
        objective=_need(objective, "array" if "array" in objective else "column", str),
        turn=sign(_need(objective, "direction", str)),
    )


def space_of(description: Mapping[str, Any]) -> Space:
    """The space that a description declares in ``parameters``."""
    parameters = {}
    for plain in _need(description, "parameters", list):
        name = _need(plain, "name", str)
        if name in parameters:
            raise InputError(f"parameter {name!r} is listed twice.")
        options = {option: plain[option] for option in _OPTIONS if option in plain}
        try:
            parameters[name] = parameter_from_dict(options)
        except SpaceError as error:
            raise InputError(f"parameter {name!r}: {error}") from None
    return Space(parameters)


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path.name} cannot be read as JSON: {error}.") from None


def _need(plain: Any, key: str, kind: type) -> Any:
    """The value of a key of a description, which must be there and of its kind."""
    found = plain.get(key) if isinstance(plain, Mapping) else None
    if not isinstance(found, kind):
        raise InputError(f"its description needs {key!r}, a {kind.__name__}, got {found!r}.")
    return found
