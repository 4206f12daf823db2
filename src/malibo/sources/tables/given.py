"""The space as a user gives it for a table: whole, for some columns, or in a file."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from malibo.errors import HistoryError, SpaceError
from malibo.space import Fixed, Parameter, Space, Value

GivenSpace = Space | Mapping[str, Parameter | Value] | str | PathLike[str] | None


def read_space(space: GivenSpace) -> Space | dict[str, Any]:
    """What was given as space: a whole one, or what is decided on some columns."""
    if space is None or isinstance(space, Space):
        return {} if space is None else space
    if isinstance(space, Mapping):
        return dict(space)
    if not isinstance(space, str | PathLike):
        raise HistoryError(
            "space must be a malibo.Space, a dict of columns to parameters, or the path of a space"
            f" in JSON; got {space!r}."
        )
    return read_space_file(space)


def read_space_file(path: str | PathLike[str]) -> Space:
    """A space from a JSON file, as ``Space.to_json`` writes it."""
    try:
        return Space.from_json(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise HistoryError(f"there is no file {str(path)!r} with a space.") from None
    except OSError as error:
        raise HistoryError(f"{str(path)!r} cannot be read as a space: {error.strerror}.") from None
    except (UnicodeDecodeError, SpaceError) as error:
        raise HistoryError(f"{str(path)!r} cannot be read as a space: {error}") from None


def needed(given: Mapping[str, Any]) -> list[str]:
    """Parameters that the table must have as columns: those with nothing to stand in."""
    return [
        name
        for name, parameter in given.items()
        if parameter is None or (isinstance(parameter, Parameter) and not _stands_in(parameter))
    ]


def _stands_in(parameter: Parameter) -> bool:
    """Whether a parameter has a value of its own for a table without its column."""
    return isinstance(parameter, Fixed) or getattr(parameter, "default", None) is not None
