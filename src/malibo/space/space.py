"""Space: named parameters, and whole configurations as arrays.

Shapes: n configurations, P parameters, D columns of the unit cube.

config  dict of name to value; inactive parameters are left out
codes   (n, P) floats, one column a parameter; NaN where inactive, or where unknown
unit    (n, D) floats in [0, 1]; a conditional parameter has one more column, its activity
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from malibo.errors import SpaceError, listing, nearest
from malibo.space.conditions import condition_text, parents_first
from malibo.space.parameters import Array, Categorical, Fixed, Parameter, Value, parameter_from_dict

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace
    from optuna.distributions import BaseDistribution

Config = dict[str, Any]  # name to value; what a value may be depends on the parameter


class Space(Mapping[str, Parameter]):
    """The search space: a name for each parameter.

    A plain value in place of a parameter is a fixed one. Names that are no Python
    identifiers go into a dict: ``Space({"learning-rate": Float(...)}, layers=Int(1, 8))``.
    """

    def __init__(
        self, parameters: Mapping[str, Parameter | Value] | None = None, /, **named: Any
    ) -> None:
        if not isinstance(parameters, Mapping | None):
            raise SpaceError(
                f"a space is a dict of names to parameters, or lr=Float(...); got {parameters!r}."
            )
        given = {**(parameters or {}), **named}
        if parameters and (twice := set(parameters) & set(named)):
            raise SpaceError(f"parameter {listing(sorted(twice))} is given twice.")
        if not given:
            raise SpaceError("a space needs at least one parameter, such as lr=Float(1e-5, 1e-1).")
        self._parameters: dict[str, Parameter] = {}
        for name, parameter in given.items():
            if not isinstance(name, str) or not name:
                raise SpaceError(f"a parameter's name must be a text, got {name!r}.")
            known = isinstance(parameter, Parameter)
            try:
                self._parameters[name] = parameter if known else Fixed(parameter)
            except SpaceError as error:
                raise SpaceError(f"{name}: {error}") from None
        self._order = parents_first(self._parameters)
        self._conditions = {name: self._condition_codes(name) for name in self}

    # -- a mapping of names to parameters -------------------------------------------------

    def __getitem__(self, name: str) -> Parameter:
        return self._parameters[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __len__(self) -> int:
        return len(self._parameters)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Space):
            return NotImplemented
        return list(self._parameters.items()) == list(other._parameters.items())

    def __hash__(self) -> int:
        return hash(tuple(self.items()))

    def __repr__(self) -> str:
        rows = []
        for name, parameter in self.items():
            plain = parameter.to_dict()
            kind = plain.pop("type").capitalize()
            rows.append(f"  {name}={kind}({', '.join(f'{k}={v!r}' for k, v in plain.items())}),")
        return "Space(\n" + "\n".join(rows) + "\n)"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Parameter names in their order."""
        return tuple(self._parameters)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """A label for each of the D columns of the unit cube."""
        labels: list[str] = []
        for name, parameter in self.items():
            if isinstance(parameter, Categorical):
                labels += [f"{name}={choice!r}" for choice in parameter.choices]
            else:
                labels += [name] * parameter.width
            labels += [f"{name} active"] if parameter.when else []
        return tuple(labels)

    @cached_property
    def owners(self) -> NDArray[np.intp]:
        """(D,) the number of the parameter that each column of the unit cube belongs to."""
        widths = [parameter.width + bool(parameter.when) for parameter in self.values()]
        return np.repeat(np.arange(len(widths)), widths)

    @property
    def dimension(self) -> int:
        """D, the number of columns of the unit cube."""
        return len(self.columns)

    # -- conditions ------------------------------------------------------------------------

    def _condition_codes(self, name: str) -> list[tuple[int, Array]]:
        """For each parent: its column, and the codes that activate ``name``."""
        conditions = []
        for parent, values in self[name].when.items():
            try:
                codes = np.array([self[parent].to_code(value) for value in values])
            except SpaceError as error:
                raise SpaceError(f"{name}: when {parent!r}: {error}") from None
            conditions.append((list(self._parameters).index(parent), codes))
        return conditions

    def active(self, name: str, codes: Array) -> NDArray[np.bool_]:
        """In which rows ``name`` is active, by its parents' codes (NaN is never active)."""
        active = np.ones(len(codes), dtype=bool)
        for column, wanted in self._conditions[name]:
            active &= np.isin(codes[:, column], wanted)
        return active

    # -- configurations --------------------------------------------------------------------

    def codes(self, configs: Sequence[Mapping[str, Any]]) -> Array:
        """Validated configurations as codes ``(n, P)``."""
        rows = np.full((len(configs), len(self)), np.nan)
        for row, config in zip(rows, configs, strict=True):
            self._fill_row(row, config)
        return rows

    def _fill_row(self, row: Array, config: Mapping[str, Any]) -> None:
        if not isinstance(config, Mapping):
            raise SpaceError(f"a configuration must be a dict, got {config!r}.")
        if unknown := [name for name in config if name not in self._parameters]:
            raise SpaceError(
                f"unknown parameter {listing(unknown)}; the space has {listing(self, 20)}."
                f"{nearest(unknown[0], self)}"
            )
        column = {name: i for i, name in enumerate(self)}
        for name in self._order:
            parameter = self[name]
            given = config.get(name)
            if not self.active(name, row[None])[0]:
                if given is not None and not isinstance(parameter, Fixed):
                    raise SpaceError(
                        f"{name!r} is inactive here: it needs {condition_text(parameter)};"
                        " leave it out."
                    )
                continue
            if name not in config:
                if not isinstance(parameter, Fixed):
                    raise SpaceError(f"parameter {name!r} is missing from {dict(config)!r}.")
                row[column[name]] = 0.0
                continue
            try:
                row[column[name]] = parameter.to_code(given)
            except SpaceError as error:
                raise SpaceError(f"parameter {name!r}: {error}") from None

    def configs(self, codes: Array) -> list[Config]:
        """Codes ``(n, P)`` as dicts; inactive parameters are left out."""
        items = list(self.items())
        return [
            {
                n: p.to_value(code)
                for (n, p), code in zip(items, row, strict=True)
                if not isnan(code)
            }
            for row in np.atleast_2d(codes)
        ]

    # -- the unit cube ---------------------------------------------------------------------

    def encode(self, codes: Array) -> Array:
        """Codes ``(n, P)`` to the unit cube ``(n, D)``."""
        columns: list[Array] = []
        for index, parameter in enumerate(self.values()):
            code = codes[:, index]
            active = np.isfinite(code)
            if active.all():
                unit = parameter.to_unit(code)
            else:
                unit = np.full((len(codes), parameter.width), parameter.neutral)
                unit[active] = parameter.to_unit(code[active])
            columns.append(unit)
            if parameter.when:
                columns.append(active[:, None].astype(float))
        return np.concatenate(columns, axis=1)

    def decode(self, unit: Array) -> Array:
        """Any points of the unit cube ``(n, D)`` to the codes of the nearest configurations."""
        codes = np.full((len(unit), len(self)), np.nan)
        start = 0
        for index, parameter in enumerate(self.values()):
            codes[:, index] = parameter.from_unit(unit[:, start : start + parameter.width])
            start += parameter.width + bool(parameter.when)
        return self.complete(codes)

    def sample(self, rng: np.random.Generator, n: int) -> Array:
        """Codes of ``n`` configurations, every parameter uniform where it is active."""
        codes = np.empty((n, len(self)))
        for name in self._order:
            column = self[name].sample(rng, n)
            if self._conditions[name]:
                column[~self.active(name, codes)] = np.nan
            codes[:, self.names.index(name)] = column
        return codes

    def complete(self, codes: Array, rng: np.random.Generator | None = None) -> Array:
        """Codes made whole: inactive cells become NaN, unknown active ones are drawn.

        A cell is unknown when it is NaN although its parents make it active. Without
        a generator unknown cells stay NaN, and what depends on them is left as it is.
        """
        codes = np.array(codes, dtype=float)
        open_cells = np.zeros(codes.shape, dtype=bool)
        for name in self._order:
            index = self.names.index(name)
            active = self._may_be_active(name, codes, open_cells)
            codes[~active, index] = np.nan
            unknown = active & np.isnan(codes[:, index])
            if rng is None:
                open_cells[:, index] = unknown
            elif unknown.any():
                codes[unknown, index] = self[name].sample(rng, int(unknown.sum()))
        return codes

    def unknown(self, codes: Array) -> NDArray[np.bool_]:
        """Which rows have an active cell without a value."""
        return np.asarray(self.unknown_cells(codes).any(axis=1))

    def unknown_cells(self, codes: Array) -> NDArray[np.bool_]:
        """(n, P) which cells have no value although they are active, or may be.

        They may be where a parent is unknown itself.
        """
        codes = np.asarray(codes)
        open_cells = np.zeros(codes.shape, dtype=bool)
        for name in self._order:
            index = self.names.index(name)
            active = self._may_be_active(name, codes, open_cells)
            open_cells[:, index] = active & np.isnan(codes[:, index])
        return open_cells

    def _may_be_active(
        self, name: str, codes: Array, open_cells: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        active = np.ones(len(codes), dtype=bool)
        for parent, wanted in self._conditions[name]:
            active &= np.isin(codes[:, parent], wanted) | open_cells[:, parent]
        return active

    def enumerate(self, limit: int) -> Array:
        """Codes of the first ``limit`` distinct configurations, in a fixed order.

        Only for spaces without continuous parameters (``countable``).
        """
        if endless := [name for name in self if not np.isfinite(self[name].count)]:
            raise SpaceError(f"a space with the continuous {listing(endless)} cannot be listed.")
        rows: Array = np.full((1, len(self)), np.nan)
        for name in self._order:
            index = self.names.index(name)
            grid = self[name].grid(limit)
            active = self.active(name, rows)
            repeats = np.where(active, len(grid), 1)
            ends = np.cumsum(repeats)
            kept = int(np.searchsorted(ends, limit)) + 1  # the rows that fill the limit
            which = np.repeat(np.arange(len(rows[:kept])), repeats[:kept])[:limit]
            position = np.arange(len(which)) - (ends - repeats)[which]
            rows = rows[which]
            rows[active[which], index] = grid[position[active[which]]]
        return rows

    def neighbours(self, codes: Array, rng: np.random.Generator, width: float) -> Array:
        """Each of the configurations with one parameter changed: numbers by some ``width``.

        A number moves by a normal step of ``width`` of its range, or of one value of its list
        if that is more; a categorical one takes any of its choices.
        """
        changed = np.array(codes, dtype=float)
        columns = rng.integers(len(self), size=len(codes))
        for index, parameter in enumerate(self.values()):
            rows = np.flatnonzero((columns == index) & np.isfinite(changed[:, index]))
            if isinstance(parameter, Categorical):
                changed[rows, index] = parameter.sample(rng, len(rows))
            elif parameter.width:
                unit = parameter.to_unit(changed[rows, index])
                step = np.maximum(width, 1 / parameter.count) * rng.standard_normal(unit.shape)
                changed[rows, index] = parameter.from_unit(np.clip(unit + step, 0, 1))
        return self.complete(changed, rng)

    @property
    def countable(self) -> bool:
        """Whether every parameter has listed or stepped values."""
        return all(np.isfinite(parameter.count) for parameter in self.values())

    # -- text and other libraries ----------------------------------------------------------

    def to_json(self, indent: int | None = None) -> str:
        """The space as JSON text, to be read back by ``from_json``."""
        plain = {name: parameter.to_dict() for name, parameter in self.items()}
        return json.dumps(plain, indent=indent)

    @classmethod
    def from_json(cls, text: str) -> Space:
        """A space from the text of ``to_json``."""
        try:
            plain = json.loads(text)
        except ValueError as error:
            raise SpaceError(f"not a space in JSON: {error}.") from None
        if not isinstance(plain, dict) or not all(isinstance(v, dict) for v in plain.values()):
            raise SpaceError("not a space in JSON: expected an object of parameter descriptions.")
        parameters = {}
        for name, description in plain.items():
            try:
                parameters[name] = parameter_from_dict(description)
            except SpaceError as error:
                raise SpaceError(f"{name}: {error}") from None
        return cls(parameters)

    @classmethod
    def from_optuna(cls, distributions: Mapping[str, BaseDistribution]) -> Space:
        """From Optuna distributions (``study.best_trial.distributions``, for example)."""
        from malibo.space.optuna import from_optuna

        return cls(from_optuna(distributions))

    def to_optuna(self) -> dict[str, BaseDistribution]:
        """As Optuna distributions; conditions have no place there and are left to the objective."""
        from malibo.space.optuna import to_optuna

        return to_optuna(self)

    @classmethod
    def from_configspace(cls, space: ConfigurationSpace) -> Space:
        """From a ConfigSpace ``ConfigurationSpace``."""
        from malibo.space.configspace import from_configspace

        return cls(from_configspace(space))

    def to_configspace(self) -> ConfigurationSpace:
        """As a ConfigSpace ``ConfigurationSpace``."""
        from malibo.space.configspace import to_configspace

        return to_configspace(self)

    def differences(self, other: Space) -> list[str]:
        """What differs in ``other``, one sentence each; empty when the spaces are equal."""
        found = [f"{name!r} is missing" for name in self if name not in other]
        found += [f"{name!r} is additional" for name in other if name not in self]
        for name in self:
            if name in other and self[name] != other[name]:
                mine, theirs = self[name].to_dict(), other[name].to_dict()
                keys = [k for k in {**mine, **theirs} if mine.get(k) != theirs.get(k)]
                keys = ["type"] if "type" in keys else keys
                found += [f"{name!r}: {k} is {theirs.get(k)!r}, not {mine.get(k)!r}" for k in keys]
        if not found and self != other:
            found.append(f"the order is {listing(other, 20)}, not {listing(self, 20)}")
        return found
