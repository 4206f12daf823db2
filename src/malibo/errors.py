"""The errors that malibo raises for what a user can mend.

Every message says what was expected, what arrived and what to do. All of them
are ``MaliboError``; those about wrong input are ``ValueError`` too.
"""

from __future__ import annotations

import difflib
import numbers
from collections.abc import Iterable


class MaliboError(Exception):
    """Base of all errors of this library."""


class InputError(MaliboError, ValueError):
    """Wrong input: nothing was changed by the call."""


class SpaceError(InputError):
    """A search space that contradicts itself, or a configuration outside it."""


class HistoryError(InputError):
    """Past runs that cannot be learned from."""


class ModelFileError(InputError):
    """A model file that is damaged, foreign, too new, or made for another space."""


class SpaceExhaustedError(MaliboError):
    """Every configuration of a finite space or table has been tried."""

    @classmethod
    def with_some_left(cls, asked: int, left: int) -> SpaceExhaustedError:
        """Of several that were asked for at once some could still be given."""
        return cls(f"{asked} configurations were asked for and {left} are left; ask for fewer.")


class MissingDependencyError(MaliboError, ImportError):
    """An optional package, or a system library it needs, is not there."""


def need_whole_number(name: str, value: object, least: int = 1) -> None:
    """Refuse what is no whole number, or is too small; numpy's are fine, True is none."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or int(value) < least:
        raise InputError(f"{name} must be a whole number >= {least}, got {value!r}.")


def nearest(name: object, known: Iterable[str]) -> str:
    """``" Did you mean 'x'?"`` when a known name is close, else an empty string."""
    match = difflib.get_close_matches(str(name), list(known), n=1)
    return f" Did you mean {match[0]!r}?" if match else ""


def nearest_first(name: object, known: Iterable[str]) -> str:
    """``"known, nearest first: a, b, c"``: all known names, the most alike in front."""

    def likeness(other: str) -> float:
        return difflib.SequenceMatcher(None, str(name), other).ratio()

    return f"known, nearest first: {', '.join(sorted(known, key=likeness, reverse=True))}"


def listing(items: Iterable[object], most: int = 5) -> str:
    """``"'a', 'b', 'c' and 7 more"``: a list short enough for one line."""
    names = [repr(item) for item in items]
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


def plural(count: int, noun: str) -> str:
    """``"1 task"``, ``"1,200 tasks"``."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
