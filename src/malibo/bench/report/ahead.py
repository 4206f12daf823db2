"""Who is ahead: one line a suite, so that a reader sees at once where another method wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from malibo.bench.figures.style import style
from malibo.bench.metrics import comparable, curves, normalised_regret, with_seeds
from malibo.bench.report.content import Section
from malibo.bench.runs import Run
from malibo.bench.summary import ALL, Row

STEPS = (1, 5, 10, 25, 30, 50, 100)
CAPTION = "the method with the lowest mean normalised regret"


@dataclass(frozen=True)
class Standing:
    """The order of methods at a step of a suite.

    leaders   those with the lowest regret, of which there may be several
    place     of the method that is looked for, or None if it was not run
    among     number of methods
    """

    leaders: tuple[str, ...]
    place: int | None
    among: int


def shared_runs(runs: Sequence[Run]) -> list[Run]:
    """Runs of the tasks and seeds that all methods have, but for methods of too few seeds."""
    found = curves(runs, normalised_regret)
    paired = found.only(with_seeds(found)).paired()
    pairs = {(m, *pair) for m in paired.methods for pair in paired.keys[m]}
    return [run for run in runs if (run.method, run.task, run.seed) in pairs]


def who_is_ahead(
    tables: Mapping[str, Mapping[str, Sequence[Row]]],
    method: str = "malibo",
    samples: Mapping[str, int] | None = None,
) -> Section:
    """For each suite and step the method with the lowest regret, and where ``method`` stands.

    tables    by kind of suite, such as "functions", and by suite
    samples   number of runs of each method, by suite
    """
    kinds = {kind: _standings(of_kind, method) for kind, of_kind in tables.items()}
    found = {suite: of_suite for of_kind in kinds.values() for suite, of_suite in of_kind.items()}
    steps = [step for step in STEPS if any(of_suite[step] for of_suite in found.values())]
    header = ["suite", *(["runs"] if samples else []), *(f"step {step}" for step in steps)]
    lines = [
        [
            suite,
            *([str(samples[suite])] if samples else []),
            *(_text(of_suite[step], method) for step in steps),
        ]
        for suite, of_suite in found.items()
        if any(of_suite.values())
    ]
    compared = any(_compared(of_kind) for of_kind in kinds.values())
    notes = [_counts(kinds, method)] if compared else []
    return Section("Who is ahead", notes, {CAPTION: [header, *lines]})


def _standings(
    tables: Mapping[str, Sequence[Row]], method: str
) -> dict[str, dict[int, Standing | None]]:
    return {
        suite: {step: standing(rows, step, method) for step in STEPS}
        for suite, rows in tables.items()
    }


def standing(rows: Sequence[Row], step: int, method: str) -> Standing | None:
    """Who is where at a step, among the methods that were run on all tasks; None if there are none.

    Equal regrets share the better place.
    """
    at_step = [row for row in rows if row["task"] == ALL and row["step"] == step]
    regrets = comparable(np.array([float(row["regret"]) for row in at_step]))
    by_method = {str(row["method"]): float(r) for row, r in zip(at_step, regrets, strict=True)}
    known = {name: regret for name, regret in by_method.items() if not np.isnan(regret)}
    if not known:
        return None
    lowest = min(known.values())
    leaders = tuple(name for name in known if known[name] == lowest)
    own = known.get(method)
    place = None if own is None else 1 + sum(regret < own for regret in known.values())
    return Standing(leaders, place, len(known))


def _text(found: Standing | None, method: str) -> str:
    """Such as "GP (MALIBO 3rd of 9)"."""
    if found is None:
        return ""
    names = [style(name).label for name in _first(found.leaders, method)]
    shown = names[0] if len(names) == 1 else f"{names[0]} and {_others(names[1:])}, equal"
    if found.place is None or method in found.leaders:
        return shown
    return f"{shown} ({style(method).label} {ordinal(found.place)} of {found.among})"


def _first(names: Sequence[str], method: str) -> list[str]:
    """The method that is looked for before all others."""
    return sorted(names, key=lambda name: name != method)


def _others(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{len(names)} others"


def ordinal(number: int) -> str:
    """Such as 1st, 2nd, 3rd, 4th and 11th."""
    tens, last = divmod(number % 100, 10)
    ending = {1: "st", 2: "nd", 3: "rd"}.get(last, "th") if tens != 1 else "th"
    return f"{number}{ending}"


Standings = Mapping[str, Mapping[int, Standing | None]]  # by suite and step


def _compared(of_kind: Standings) -> list[Standing]:
    """Cells in which the method that is looked for stands among others."""
    found = [one for of_suite in of_kind.values() for one in of_suite.values()]
    return [one for one in found if one and one.place is not None and one.among > 1]


def _counts(kinds: Mapping[str, Standings], method: str) -> str:
    """How often a method is first, kind by kind."""
    counted = []
    for kind, of_kind in kinds.items():
        if compared := _compared(of_kind):
            first = sum(one.place == 1 for one in compared)
            most = max(one.among for one in compared)
            counted.append(f"{first} of {len(compared)} cells of {kind} (up to {most} methods)")
    return (
        f"{style(method).label} has the lowest mean, alone or with others, in"
        f" {', '.join(counted)}. Elsewhere its own place is in brackets. Means are over the runs"
        " that all methods of a line have, without methods of too few seeds. Many differences are"
        " small against their errors. Variants of MALIBO do not count here, nor does it as in the"
        " paper."
    )
