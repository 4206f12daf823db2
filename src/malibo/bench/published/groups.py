"""Groups: what is compared with what.

Curves that start alike are compared on the runs that all of them have. Where a file has fewer
runs than another, there are two groups: the larger file by itself on all of its runs, and both
on those of the smaller one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from malibo.bench.figures.style import style
from malibo.bench.metrics import Curves, Pair, seed_counts
from malibo.bench.published.curves import CurveSet, Values, read_curves
from malibo.bench.published.families import SAME_START, families
from malibo.bench.published.names import plain_words, short_name
from malibo.bench.runs import Run
from malibo.errors import plural
from malibo.space.parameters import Array

DIGITS = 8  # to which the benchmark rounds regrets before it ranks them


@dataclass(frozen=True, eq=False)
class Group:
    """Methods that can be compared.

    name     of the group in names of files and figures
    title    the same in words
    notes    how many runs there are, where they come from, and what is odd about them
    curves   normalised regret of all methods on the same tasks and seeds, from step 0
    """

    name: str
    title: str
    notes: list[str]
    curves: Curves


def read_groups(folder: Path, own: Sequence[Run] = ()) -> list[Group]:
    """All comparisons that the published curves of a folder and own runs on HPO-B allow."""
    groups: list[Group] = []
    for family in families(read_curves(folder), own):
        for extent in _extents(family.members):
            members = [member for member in family.members if extent.within(member)]
            if any(not member.own for member in members):
                taken = {group.name for group in groups}
                groups.append(_group(members, extent, family.remarks, taken))
    return groups


class _Extent(NamedTuple):
    """Runs, and the last step: what some sets of curves have in common."""

    runs: frozenset[Pair]
    last: int

    def within(self, member: CurveSet) -> bool:
        """Whether a set has all of it."""
        return self.runs <= member.starts.keys() and self.last <= member.last

    def shared(self, other: _Extent) -> _Extent:
        """What both have."""
        return _Extent(self.runs & other.runs, min(self.last, other.last))


def _extents(members: Sequence[CurveSet]) -> list[_Extent]:
    """What each set has, and what any of them share; the largest first."""
    found: set[_Extent] = set()
    for member in members:
        new = _Extent(frozenset(member.runs), member.last)
        found |= {new, *(new.shared(extent) for extent in found)}
    return sorted(
        (extent for extent in found if extent.runs),
        key=lambda extent: (len(extent.runs), extent.last, sorted(extent.runs)),
        reverse=True,
    )


def _group(
    members: Sequence[CurveSet], extent: _Extent, remarks: Sequence[str], taken: set[str]
) -> Group:
    """Sets of curves on their shared runs, under a name that is not taken."""
    files = [member.source for member in members if not member.own]
    has_own = len(files) < len(members)
    curves = _curves(members, extent)
    words = plain_words(files)
    if has_own:
        words += " and own runs" if len(files) > 1 else " with own runs"
    size = f"{plural(len(curves.methods), 'method')} on {plural(len(curves.tasks), 'task')}"
    return Group(
        name=_free(short_name(files), taken),
        title=f"{words}: {size}",
        notes=[*_notes(members, extent, curves), *remarks],
        curves=curves,
    )


def _free(name: str, taken: set[str]) -> str:
    """A name of its own for a comparison of the same files with own runs, which has fewer runs."""
    others = (f"{name}-own-{number}" for number in range(2, len(taken) + 3))
    return next(known for known in chain([name, f"{name}-own"], others) if known not in taken)


# -- from sets to curves -------------------------------------------------------------------


def _curves(members: Sequence[CurveSet], extent: _Extent) -> Curves:
    """Regrets in the order of tasks and seeds, own methods first."""
    runs = sorted(extent.runs)
    values: dict[str, Array] = {}
    for member, names in _named(members):
        place = {run: row for row, run in enumerate(member.runs)}
        rows = [place[run] for run in runs]
        found = _regret(member.values[:, rows, : extent.last + 1], members)
        values |= dict(zip(names, found, strict=True))
    steps = np.arange(extent.last + 1, dtype=float)
    return Curves(steps, dict.fromkeys(values, runs), values)


def _regret(values: Values, members: Sequence[CurveSet]) -> Array:
    """Regrets as the benchmark ranks them.

    All are first brought to the coarsest precision of any file: of two methods that found the
    same configuration, none should be ahead by a digit that one of the files has not.
    """
    coarsest = max((m.values.dtype for m in members), key=lambda dtype: np.finfo(dtype).eps)
    return np.asarray(np.round(1.0 - values.astype(coarsest).astype(float), DIGITS)) + 0.0


def _named(members: Sequence[CurveSet]) -> Iterator[tuple[CurveSet, list[str]]]:
    """Sets and the names of their methods, each name and each label once; own sets first."""
    taken: set[str] = set()
    for member in sorted(members, key=lambda member: not member.own):
        names = [
            method if member.own else _told_apart(method, member, taken, members)
            for method in member.methods
        ]
        taken |= {*names, *(style(name).label for name in names)}
        yield member, names


def _told_apart(method: str, member: CurveSet, taken: set[str], members: Sequence[CurveSet]) -> str:
    """The published name, unless an own method or another file has the same."""
    if not {method, style(method).label} & taken:
        return method
    own = {style(name).label for each in members if each.own for name in each.methods}
    mark = "published" if style(method).label in own else member.source
    return f"{method} ({mark})"


# -- notes ---------------------------------------------------------------------------------


def _notes(members: Sequence[CurveSet], extent: _Extent, curves: Curves) -> list[str]:
    spaces = {task.split("/")[0] for task in curves.tasks}
    least, most = seed_counts(curves)
    seeds = (f"{least} to " if least < most else "") + plural(most, "seed")
    size = (
        f"{plural(len(extent.runs), 'run')} of each method: {plural(len(curves.tasks), 'task')} of"
        f" {plural(len(spaces), 'search space')}, {seeds}. Step 0 is the best of the given"
        f" initial configurations, and curves end at step {extent.last}."
    )
    return [size, *chain.from_iterable(_remarks(member, extent) for member in members)]


def _remarks(member: CurveSet, extent: _Extent) -> Iterator[str]:
    """Where a set comes from, and what is odd about it."""
    if member.own:
        yield f"Own runs: {', '.join(style(method).label for method in member.methods)}."
        return
    yield f"Published curves of {member.source}.npz: {', '.join(member.methods)}."
    shown = member.on(extent.runs)
    yield from _falling(shown)
    starts = [high - low > SAME_START for low, high in shown.starts.values()]
    if any(starts):
        yield (
            f"The methods of {member.source}.npz do not all start from the same values: they"
            f" differ on {plural(sum(starts), 'run')}."
        )


def _falling(shown: CurveSet) -> Iterator[str]:
    """The best so far cannot become worse; where it was published so, it is shown so."""
    falls = (np.diff(shown.values, axis=2) < -SAME_START).any(axis=2).sum(axis=1)
    for method, count in zip(shown.methods, falls, strict=True):
        if count:
            yield (
                f"Curves of {method} that get worse at some step: {count}, shown as they were"
                " published."
            )
