"""HPO-B-v3 (Pineda Arango et al., 2021): OpenML runs of 16 search spaces.

The official folder ``hpob-data`` has three files of tables by search space and data set, with
configurations X in the unit cube and accuracies y. Every meta-test task is a problem, and the
meta-train and meta-validation tasks of its search space are its past. Only rows of its table
can be evaluated; the first five of them are given, for each of five seeds.

The files are large. They are read once, and kept as columns in the cache.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from malibo.bench.problems import cache
from malibo.bench.problems.problem import Evaluation, Problem, Reference
from malibo.bench.problems.tables import Table
from malibo.bench.searchspace import SearchSpace
from malibo.errors import InputError, listing, nearest
from malibo.history import History
from malibo.space import Float, Space
from malibo.space.parameters import Array
from malibo.task import Task

SEEDS = 5  # sets of initial configurations: "test0" to "test4"
_FILES = {
    "train": "meta-train-dataset.json",
    "validation": "meta-validation-dataset.json",
    "test": "meta-test-dataset.json",
    "initial": "bo-initializations.json",
}
_EXPECTED = "expected the official folder hpob-data of HPO-B-v3"
_ROUNDING = 1e-6  # so far outside the unit cube a configuration may be
_LAYOUT = "1"  # of the columns in the cache


class HpobProblem(Problem):
    """A meta-test task, named ``"<search space>/<data set>"``.

    past_size   random observations of each past task; None: all
    """

    def __init__(self, folder: Path, task: str, past_size: int | None = None) -> None:
        known = tasks(folder)
        if task not in known:
            raise InputError(
                f"HPO-B has no meta-test task {task!r}.{nearest(task, known)}"
                f" It has {listing(known)}."
            )
        self.task = task
        self._past_size = past_size
        search_space, data_set = task.split("/", 1)
        self._columns = _columns(folder, search_space, _fingerprint(folder))
        self._given = self._columns[f"initial/{data_set}"]
        self._codes, losses = self._rows(f"test/{data_set}")
        self._table = Table.of(self._codes, losses)
        space = Space({f"x{i}": Float(0, 1) for i in range(self._codes.shape[1])})
        self.search = SearchSpace(space, self._table.codes)
        self.reference = Reference.of(self._table.losses)

    def _rows(self, name: str) -> tuple[Array, Array]:
        """Codes and losses of a task, in the order of its file."""
        return self._columns[f"{name}/X"], -self._columns[f"{name}/y"]

    def past(self, rng: np.random.Generator) -> History:
        """The meta-train and meta-validation tasks of the search space."""
        names = [column.removesuffix("/X") for column in sorted(self._columns) if "/X" in column]
        past = []
        for name in names:
            if not name.startswith("test/"):
                codes, losses = self._rows(name)
                rows = rng.permutation(len(losses))[: self._past_size]
                past.append(Task(name, self.search.space, codes[rows], losses[rows]))
        return History(past)

    def evaluate(self, row: Array, rng: np.random.Generator) -> Evaluation:
        """Look it up."""
        return self._table.look_up(row)

    def initial(self, seed: int) -> Array:
        """The five given configurations; seeds beyond the five begin again."""
        return np.asarray(self._codes[self._given[seed % SEEDS]])


def tasks(folder: Path) -> tuple[str, ...]:
    """Names of all meta-test tasks. The first call reads all files, which takes its time."""
    source = _fingerprint(folder)
    found = cache.columns("hpob", source, lambda: _names(folder, source))
    return tuple(found["names"].tobytes().decode().split("\n"))


def _names(folder: Path, source: str) -> cache.Columns:
    """All names; on the way the columns of every search space go into the cache."""
    found = []
    for search_space, data_sets in _read(folder, "test", source).items():
        _columns(folder, search_space, source)
        found += [f"{search_space}/{data_set}" for data_set in data_sets]
    return {"names": np.frombuffer("\n".join(found).encode(), np.uint8)}


def _fingerprint(folder: Path) -> str:
    """Sizes and times of the files: when one changes, the cache is made anew."""
    parts = [_LAYOUT]
    for name in _FILES.values():
        try:
            status = (folder / name).stat()
        except OSError:
            raise InputError(f"there is no {name} in {str(folder)!r}; {_EXPECTED}.") from None
        parts.append(f"{status.st_size} {status.st_mtime_ns}")
    return ", ".join(parts)


# -- from the files to columns -------------------------------------------------------------


@lru_cache(maxsize=1)
def _columns(folder: Path, search_space: str, source: str) -> cache.Columns:
    """X and y of every task of a search space, and row numbers of initial configurations."""
    return cache.columns(
        f"hpob-{search_space}", source, lambda: _make_columns(folder, search_space, source)
    )


def _make_columns(folder: Path, search_space: str, source: str) -> cache.Columns:
    columns: dict[str, NDArray[Any]] = {}
    for split in ("train", "validation", "test"):
        for data_set, rows in _part(folder, split, search_space, source).items():
            where = f"{_FILES[split]}, {search_space}/{data_set}"
            columns[f"{split}/{data_set}/X"], columns[f"{split}/{data_set}/y"] = _checked(
                rows, where
            )
    given = _part(folder, "initial", search_space, source)
    for data_set in _part(folder, "test", search_space, source):
        rows = len(columns[f"test/{data_set}/y"])
        where = f"{_FILES['initial']}, {search_space}/{data_set}"
        columns[f"initial/{data_set}"] = _row_numbers(given.get(data_set), rows, where)
    return columns


def _part(folder: Path, split: str, search_space: str, source: str) -> Mapping[str, Any]:
    """What a file holds on a search space."""
    found = _read(folder, split, source).get(search_space)
    if not isinstance(found, Mapping) or not found:
        raise InputError(f"{_FILES[split]} has no search space {search_space!r}; {_EXPECTED}.")
    return found


@dataclass(frozen=True, eq=False)
class _Rows:
    """A table of a file."""

    X: Array
    y: Array


@lru_cache(maxsize=len(_FILES))
def _read(folder: Path, split: str, source: str) -> Mapping[str, Any]:
    """A file by search space and data set; lists become arrays while it is read."""
    path = folder / _FILES[split]
    try:
        with path.open(encoding="utf-8") as file:
            content = json.load(file, object_hook=_compact)
    except (OSError, ValueError) as error:
        raise InputError(f"{path.name} is damaged ({error}); download it again.") from None
    if not isinstance(content, Mapping) or not content:
        raise InputError(f"{path.name} holds no search spaces; {_EXPECTED}.")
    return content


def _compact(plain: dict[str, Any]) -> dict[str, Any] | _Rows:
    """A table as arrays, everything else as it is."""
    if plain.keys() != {"X", "y"}:
        return plain
    try:
        return _Rows(np.array(plain["X"], float), np.array(plain["y"], float).ravel())
    except (TypeError, ValueError):  # its place in the file is not known here
        return plain


def _checked(rows: object, where: str) -> tuple[Array, Array]:
    """X and y of a table that is one."""
    if not isinstance(rows, _Rows) or rows.X.shape[:1] != rows.y.shape or rows.X.ndim != 2:
        raise InputError(f"{where}: needs X, a table of numbers, and y, one number for each row.")
    if not (len(rows.y) and np.isfinite(rows.X).all() and np.isfinite(rows.y).all()):
        raise InputError(f"{where}: is empty, or has numbers that are not finite.")
    if (beyond := np.abs(rows.X - 0.5).max() - 0.5) > _ROUNDING:
        raise InputError(f"{where}: X is outside [0, 1] by {beyond:.3g}; {_EXPECTED}.")
    return np.clip(rows.X, 0, 1), rows.y


def _row_numbers(given: Any, size: int, where: str) -> NDArray[np.int64]:
    """(seeds, n) row numbers of the initial configurations."""
    keys = [f"test{seed}" for seed in range(SEEDS)]
    try:
        rows = np.array([given[key] for key in keys], np.int64)
    except (TypeError, KeyError, ValueError):
        raise InputError(f"{where}: needs {listing(keys)}, lists of row numbers.") from None
    if rows.ndim != 2 or not ((rows >= 0) & (rows < size)).all():
        raise InputError(f"{where}: row numbers must be from 0 to {size - 1}.")
    return rows
