"""Curves: files of published results, and own runs as if they came out of such a file.

A file is an ``.npz`` with the arrays

methods        names (M,)
search_space   of each run (R,)
dataset        of each run (R,)
seed           of each run (R,): whole numbers, or names that end in one, such as "test0"
curves         (M, R, S): the best value so far, from 0, the worst of the task, to 1, its best;
               step 0 is the best of the given initial configurations
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from malibo.bench.metrics import Pair, normalised_regret
from malibo.bench.problems.hpob import SEEDS
from malibo.bench.runs import Run
from malibo.errors import InputError, listing, plural
from malibo.space.parameters import Array

Values = NDArray[np.floating[Any]]

ARRAYS = ("methods", "search_space", "dataset", "seed", "curves")
ROUNDING = 1e-6  # so far outside [0, 1] a value may be
_EXPECTED = f"expected .npz files with the arrays {', '.join(ARRAYS)}"


@dataclass(frozen=True, eq=False)
class CurveSet:
    """Methods with a curve on each of the same runs.

    source    the stem of the file; empty for own runs
    runs      task, as in HPO-B's suite "<search space>/<data set>", and seed
    values    (methods, runs, steps), in the precision of the file
    """

    source: str
    methods: tuple[str, ...]
    runs: tuple[Pair, ...]
    values: Values

    @property
    def own(self) -> bool:
        """Whether these are own runs."""
        return not self.source

    @property
    def last(self) -> int:
        """The last step."""
        return int(self.values.shape[2]) - 1

    @cached_property
    def starts(self) -> Mapping[Pair, tuple[float, float]]:
        """The least and the greatest value that a method has at step 0, by run."""
        first = self.values[:, :, 0].astype(float)
        ends = zip(first.min(axis=0).tolist(), first.max(axis=0).tolist(), strict=True)
        return dict(zip(self.runs, ends, strict=True))

    def on(self, runs: Collection[Pair]) -> CurveSet:
        """Those of the given runs that are there."""
        rows = [row for row, run in enumerate(self.runs) if run in runs]
        kept = tuple(self.runs[row] for row in rows)
        return CurveSet(self.source, self.methods, kept, self.values[:, rows])


def read_curves(folder: Path) -> list[CurveSet]:
    """Every file of curves in a folder, by name; files of other things are left alone."""
    if not folder.is_dir():
        raise InputError(f"there is no folder {str(folder)!r} of published curves; {_EXPECTED}.")
    contents = {path: _read(path) for path in sorted(folder.glob("*.npz"))}
    found = [_curve_set(path, arrays) for path, arrays in contents.items() if arrays]
    if not found:
        raise InputError(f"there are no published curves in {str(folder)!r}; {_EXPECTED}.")
    return found


def _read(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of a file of curves; none if it is a file of something else."""
    try:
        with zipfile.ZipFile(path):  # anything else would be a file of another kind
            pass
        with np.load(path, allow_pickle=False) as content:
            there = [name for name in ARRAYS if name in content.files]
            if len(there) < 2:
                return {}
            found = {name: np.asarray(content[name]) for name in there}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise InputError(f"{path.name} cannot be read ({error}); download it again.") from None
    missing = [name for name in ARRAYS if name not in found]
    if missing:
        raise InputError(f"{path.name} has no array {listing(missing)}; {_EXPECTED}.")
    return found


def _curve_set(path: Path, arrays: Mapping[str, NDArray[Any]]) -> CurveSet:
    """Arrays that fit together."""
    methods = tuple(_flat(path, arrays, "methods"))
    spaces, data_sets, seeds = (_flat(path, arrays, name) for name in ARRAYS[1:4])
    if not len(spaces) == len(data_sets) == len(seeds):
        raise InputError(
            f"{path.name}: search_space, dataset and seed need one entry for each run,"
            f" got {len(spaces)}, {len(data_sets)} and {len(seeds)}."
        )
    runs = tuple(
        (f"{space}/{data_set}", _seed(path, seed))
        for space, data_set, seed in zip(spaces, data_sets, seeds, strict=True)
    )
    _refuse_repeated(path, "method", methods)
    _refuse_repeated(path, "run", runs)
    return CurveSet(path.stem, methods, runs, _values(path, arrays, len(methods), len(runs)))


def _flat(path: Path, arrays: Mapping[str, NDArray[Any]], name: str) -> list[str]:
    found = arrays[name]
    if found.ndim != 1 or not len(found):
        raise InputError(
            f"{path.name}: {name} must be a list of at least one entry, got shape {found.shape}."
        )
    return list(found.astype(str).tolist())


def _seed(path: Path, seed: str) -> int:
    """The number at the end."""
    number = re.fullmatch(r"\D*(\d+)", seed)
    if not number:
        raise InputError(
            f"{path.name}: a seed must be a whole number, or end in one as 'test0' does,"
            f" got {seed!r}."
        )
    return int(number.group(1))


def _refuse_repeated(path: Path, what: str, names: Sequence[object]) -> None:
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise InputError(
            f"{path.name}: each {what} must occur once; {name!r} occurs {count} times."
        )


def _values(path: Path, arrays: Mapping[str, NDArray[Any]], methods: int, runs: int) -> Values:
    """Curves in [0, 1]; what is out by rounding is put on the edge."""
    values = arrays["curves"]
    if values.ndim != 3 or values.shape[:2] != (methods, runs) or not values.shape[2]:
        raise InputError(
            f"{path.name}: curves must have the shape ({methods} methods, {runs} runs, steps),"
            f" got {values.shape}."
        )
    if values.dtype.kind not in "fiu":
        raise InputError(f"{path.name}: curves must be numbers, got {values.dtype}.")
    if not np.isfinite(values).all():
        bad = plural(int((~np.isfinite(values)).sum()), "value")
        raise InputError(f"{path.name}: curves must be finite; NaN or infinite: {bad}.")
    if values.min() < -ROUNDING or values.max() > 1 + ROUNDING:
        raise InputError(
            f"{path.name}: curves must be normalised to [0, 1], 1 the best,"
            f" got values from {values.min():.4g} to {values.max():.4g}."
        )
    whole = values.astype(float) if values.dtype.kind in "iu" else values
    return np.asarray(np.clip(whole, 0, 1))


# -- own runs ------------------------------------------------------------------------------


def own_curves(runs: Iterable[Run]) -> list[CurveSet]:
    """Own runs on HPO-B, a set for all methods that were run on the same tasks and seeds.

    A run that used up its table stays at the best.
    """
    lines: dict[str, dict[Pair, Array]] = {}
    for run in filter(usable, runs):
        lines.setdefault(run.method, {})[run.task, run.seed] = 1 - normalised_regret(run)
    by_runs: dict[tuple[frozenset[Pair], int], list[str]] = {}
    for method, of_method in lines.items():
        length = max(len(line) for line in of_method.values())
        by_runs.setdefault((frozenset(of_method), length), []).append(method)
    return [
        _own_set([(method, lines[method]) for method in methods], sorted(pairs), length)
        for (pairs, length), methods in by_runs.items()
    ]


def usable(run: Run) -> bool:
    """Whether a run began with given configurations, of one of the benchmark's five seeds."""
    return run.seed < SEEDS and run.initial > 0


def _own_set(
    lines: Sequence[tuple[str, Mapping[Pair, Array]]], pairs: Sequence[Pair], length: int
) -> CurveSet:
    values = np.array(
        [[_extended(of_method[pair], length) for pair in pairs] for _, of_method in lines]
    )
    return CurveSet("", tuple(method for method, _ in lines), tuple(pairs), np.clip(values, 0, 1))


def _extended(line: Array, length: int) -> Array:
    return np.concatenate([line, np.full(length - len(line), line[-1])])
