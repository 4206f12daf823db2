"""Families: curves that start from the same values on the runs that they share.

Only those can be compared. On HPO-B the discrete and the continuous benchmark differ there, and
so do results that were normalised or initialised in another way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from malibo.bench.figures.style import style
from malibo.bench.metrics import Pair
from malibo.bench.problems.hpob import SEEDS
from malibo.bench.published.curves import CurveSet, own_curves, usable
from malibo.bench.runs import Run
from malibo.errors import plural

SAME_START = 1e-6  # two values at step 0 that differ by no more are the same

Start = tuple[float, float]  # the least and the greatest value at step 0


@dataclass
class Family:
    """Sets of curves, any two of which start alike on their shared runs.

    starts    values at step 0 of all runs
    remarks   on own runs that are left out
    """

    members: list[CurveSet] = field(default_factory=list)
    starts: dict[Pair, Start] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    def agreeing(self, other: CurveSet) -> set[Pair]:
        """Shared runs that start alike."""
        return {run for run in self.shared(other) if _alike(self.starts[run], other.starts[run])}

    def shared(self, other: CurveSet) -> set[Pair]:
        """Runs that both have."""
        return self.starts.keys() & other.starts.keys()

    def add(self, member: CurveSet) -> None:
        """Take a set in."""
        self.members.append(member)
        self.starts = {**member.starts, **self.starts}


def _alike(first: Start, second: Start) -> bool:
    """Whether no two of the values differ; a set that disagrees in itself is like no other."""
    return max(first[1], second[1]) - min(first[0], second[0]) <= SAME_START


def families(files: Sequence[CurveSet], own: Sequence[Run] = ()) -> list[Family]:
    """Published files by where they start, and own runs where they fit; most files first.

    A small file may belong to several families.
    """
    found: list[Family] = []
    for member in sorted(files, key=lambda file: len(file.runs), reverse=True):
        fitting = [family for family in found if _fits(family, member)]
        if not fitting:
            fitting = [Family()]
            found += fitting
        for family in fitting:
            family.add(member)
    found.sort(key=lambda family: len(family.members), reverse=True)
    for runs in own_curves(own):
        _place(found, runs)
    _mention_unusable(found, own)
    return found


def _fits(family: Family, member: CurveSet) -> bool:
    shared = family.shared(member)
    return bool(shared) and shared == family.agreeing(member)


def _place(found: Sequence[Family], own: CurveSet) -> None:
    """Own runs go where most of them start alike; the others are left out, and that is said."""
    family = max(found, key=lambda family: len(family.agreeing(own)))
    agreeing, shared = family.agreeing(own), family.shared(own)
    names = ", ".join(style(method).label for method in own.methods)
    if not agreeing:
        for each in found:
            each.remarks.append(f"{names} cannot be compared: {_difference(each, own)}")
        return
    family.add(own.on(agreeing))
    if len(agreeing) < len(shared):
        family.remarks.append(
            f"{plural(len(shared) - len(agreeing), 'own run')} of {names} left out:"
            f" {_difference(family, own)}"
        )


def _mention_unusable(found: Sequence[Family], own: Sequence[Run]) -> None:
    count = sum(not usable(run) for run in own)
    if count:
        remark = (
            f"{plural(count, 'own run')} left out: only seeds 0 to {SEEDS - 1} with the given"
            " initial configurations of HPO-B were published."
        )
        joined = [family for family in found if any(member.own for member in family.members)]
        for family in joined or found:
            family.remarks.append(remark)


def _difference(family: Family, own: CurveSet) -> str:
    """How own runs differ from the published, with an example."""
    shared = family.shared(own)
    if not shared:
        return "no own run is of a task and seed that was published."
    task, seed = run = min(shared - family.agreeing(own))
    return (
        "own and published initial values differ, for example on"
        f" {task} with seed {seed}: best {own.starts[run][0]:.6f} against"
        f" {family.starts[run][0]:.6f}."
    )
