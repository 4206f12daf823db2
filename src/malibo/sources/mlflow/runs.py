"""A run of MLflow as malibo sees it, the metric that counts, and how to name what runs have."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from malibo.errors import HistoryError, listing, nearest
from malibo.sources.tables.cells import key_of

#: A value that was logged: its step, its time in milliseconds, and itself.
Point = tuple[int, int, float]


@dataclass(frozen=True)
class Metric:
    """The metric to read, and which of its values: the last one, or the least or greatest."""

    name: str
    pick: Literal["last", "least", "greatest"] = "last"

    @property
    def column(self) -> str:
        """How messages and tables call it."""
        return f"metrics.{self.name}"

    def value(self, points: Iterable[Point]) -> float:
        """The value of a run; of several a finite one, if there is any."""
        if self.pick == "last":
            return as_logged(max(points)[2])  # as MLflow has it: the greatest step, then the time
        values = [as_logged(point) for *_, point in points]
        known = [value for value in values if math.isfinite(value)]
        if not known:
            return next((value for value in values if math.isinf(value)), math.nan)
        return min(known) if self.pick == "least" else max(known)


@dataclass(frozen=True)
class Run:
    """A run that is not deleted. ``value`` is that of the metric, None if it was not logged."""

    run_id: str
    experiment: str
    status: str
    started: int
    params: Mapping[str, Any]
    tags: Mapping[str, Any]
    metrics: Sequence[str]
    value: float | None


def as_logged(value: float) -> float:
    """The value; databases of MLflow have the greatest float for an infinite one."""
    return math.copysign(math.inf, value) if abs(value) >= sys.float_info.max else value


@dataclass(frozen=True)
class Field:
    """Something that runs have: an attribute, a tag or a parameter."""

    kind: Literal["attributes", "tags", "params"]
    name: str

    @property
    def column(self) -> str:
        """How messages and tables call it."""
        return f"{self.kind}.{self.name}"

    def of(self, run: Run) -> Any:
        """Its value, None if a run lacks it."""
        if self.kind == "attributes":
            return getattr(run, self.name)
        return (run.tags if self.kind == "tags" else run.params).get(self.name)


def field_of(role: str, name: str, runs: Sequence[Run]) -> Field:
    """The field by its name: 'experiment', 'tags.NAME', 'tag:NAME', 'params.NAME', 'param:NAME'.

    A condition may name a parameter without the prefix.
    """
    known = {one.column: one for one in _fields(runs)}
    full = re.sub(r"^(tag|param)s?[.:]", r"\1s.", str(name))
    full = f"attributes.{full}" if f"attributes.{full}" in known else full
    full = f"params.{full}" if role == "where" and f"params.{full}" in known else full
    if full not in known:
        names = [c.removeprefix("attributes.") for c in known if not c.startswith("tags.mlflow.")]
        raise HistoryError(
            f"{role}: no run has {name!r}; it is 'experiment', 'tags.NAME' or 'params.NAME', and"
            f" there are {listing(names, 20)}.{nearest(name, names)}"
        )
    return known[full]


def _fields(runs: Sequence[Run]) -> list[Field]:
    """All that some of the runs have."""
    tags = {name for run in runs for name in run.tags}
    params = {name for run in runs for name in run.params}
    return [
        *(Field("attributes", name) for name in ("experiment", "status", "run_id")),
        *(Field("tags", name) for name in sorted(tags)),
        *(Field("params", name) for name in sorted(params)),
    ]


def having(runs: Sequence[Run], one: Field, values: Any) -> list[Run]:
    """The runs that have one of the values; of experiments, each that is named must be there."""
    several = isinstance(values, Collection) and not isinstance(values, str)
    wanted = {key_of(value): value for value in (values if several else [values])}
    there = {key_of(one.of(run)): one.of(run) for run in runs}
    missing = [value for plain, value in wanted.items() if plain not in there]
    if len(missing) == len(wanted) or (missing and one.kind == "attributes"):
        names = sorted(str(value) for value in there.values() if value is not None)
        raise HistoryError(
            f"where: no run has {one.name} {listing(missing)}; there are {listing(names, 20)}."
            f"{nearest(missing[0], names) if missing else ''}"
        )
    return [run for run in runs if key_of(one.of(run)) in wanted]
