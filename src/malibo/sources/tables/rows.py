"""Rows of a table: which of them count, what their status says, and which are odd."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from malibo.errors import HistoryError, listing, nearest, plural
from malibo.extras import require
from malibo.sources.tables.cells import Mask, key_of

if TYPE_CHECKING:
    import pandas as pd

OnError = Literal["raise", "skip"]

FINISHED, FAILED, SKIP = "finished", "failed", "skip"

_WORDS = {
    FINISHED: "finished complete completed success successful succeeded done ok passed terminated",
    FAILED: "failed fail failure error errored crashed crash killed diverged nan oom timeout"
    " timedout out_of_memory pruned",
    SKIP: "running run pending queued scheduled waiting preempting preempted created starting"
    " paused stopped cancelled canceled aborted interrupted",
}
#: What a status says, by its words: the value counts, the trial failed, or the row is left out.
STATUSES = {word: meaning for meaning, words in _WORDS.items() for word in words.split()}

_SHOWN = 5  # odd rows in one message


class OddRows:
    """Rows that cannot be read, each with its column and the reason.

    hint   a sentence on what else may be done about them
    """

    def __init__(self, label: Callable[[int], str]) -> None:
        self.hint = ""
        self._label = label
        self._found: list[tuple[Mask, str, Callable[[int], str]]] = []

    def __bool__(self) -> bool:
        return bool(self._found)

    def add(self, rows: Mask, column: str, reason: Callable[[int], str]) -> None:
        """Rows that are odd for a reason, which is asked for by the position of a row."""
        if rows.any():
            self._found.append((rows, column, reason))

    def rows(self, count: int) -> Mask:
        """Which of the rows are odd."""
        odd = np.zeros(count, dtype=bool)
        for rows, _, _ in self._found:
            odd |= rows
        return odd

    def text(self) -> str:
        """The first odd rows, each with what is odd first, and how many more there are."""
        first: dict[int, int] = {}
        for number, (rows, _, _) in enumerate(self._found):
            for position in np.flatnonzero(rows)[:_SHOWN]:
                first.setdefault(int(position), number)
        shown = [self._sentence(position, first[position]) for position in sorted(first)[:_SHOWN]]
        total = int(self.rows(len(self._found[0][0])).sum()) if self._found else 0
        rest = [f"and {total - len(shown):,} more"] if total > len(shown) else []
        return "; ".join(shown + rest)

    def _sentence(self, position: int, number: int) -> str:
        _, column, reason = self._found[number]
        return f"{self._label(position)}, column {column!r}: {reason(position).rstrip('.')}"


def matching(frame: pd.DataFrame, where: Mapping[str, Any]) -> Mask:
    """The rows that have the given values, or one of several: by value, or by text."""
    rows = np.ones(len(frame), dtype=bool)
    for column, wanted in where.items():
        several = isinstance(wanted, list | tuple | set | frozenset | range | np.ndarray)
        found = _equal(frame[column], list(wanted) if several else [wanted])
        if not (rows & found).any():
            there = frame[column][rows].dropna().unique().tolist()
            raise HistoryError(
                f"where: no row has {wanted!r} in column {column!r}; there is {listing(there, 10)}."
            )
        rows &= found
    return rows


def _equal(column: pd.Series, wanted: Sequence[Any]) -> Mask:
    pandas = require("pandas", "table")
    which, distinct = pandas.factorize(column)
    keys = {key_of(value) for value in wanted}
    table = [key_of(value) in keys for value in distinct]
    empty = any(pandas.isna(value) for value in wanted)
    return np.asarray(np.array([*table, empty], dtype=bool)[which])


def meanings(column: pd.Series, more: Mapping[str, str] | None = None) -> NDArray[np.str_]:
    """What the status of each row says: finished, failed or skip; empty where it is unknown."""
    pandas = require("pandas", "table")
    known = STATUSES | {
        str(word).strip().lower(): meaning for word, meaning in (more or {}).items()
    }
    which, distinct = pandas.factorize(column)
    table = [known.get(str(status).strip().lower(), "") for status in distinct]
    return np.asarray(np.array([*table, ""], dtype="U8")[which])


def check_statuses(statuses: Mapping[str, str] | None) -> None:
    """Refuse meanings that a status cannot have."""
    allowed = (FINISHED, FAILED, SKIP)
    if not isinstance(statuses, Mapping | None):
        raise HistoryError(
            f"statuses maps words to 'finished', 'failed' or 'skip', got {statuses!r}."
        )
    for word, meaning in (statuses or {}).items():
        if meaning not in allowed:
            raise HistoryError(
                f"statuses: {word!r} must be one of {listing(allowed)}, got {meaning!r}."
                f"{nearest(meaning, allowed)}"
            )


def unknown_status(cell: object) -> str:
    """The sentence on a status that says nothing."""
    return f"unknown status {cell!r}; statuses={{{str(cell)!r}: 'finished', 'failed' or 'skip'}}"


def counted(statuses: pd.Series) -> str:
    """``"3 rows with status 'running'"``, for each status."""
    counts = statuses.astype(str).value_counts()
    return ", ".join(f"{plural(int(n), 'row')} with status {s!r}" for s, n in counts.items())
