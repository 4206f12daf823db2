"""One or two parameters as axes of a picture, with all others held where they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from malibo.errors import InputError, SpaceError, listing, nearest
from malibo.metamodel import MetaModel
from malibo.plots.style import shortened
from malibo.space import Categorical, Fixed, Float, Int, Ordinal, Parameter, Space
from malibo.space.conditions import condition_text
from malibo.space.parameters import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINE, MAP = 241, 49  # places along an axis: of a line, and of a map
_FEW = 20  # numbers up to so many are shown one by one
_SHORT = 100  # a logarithmic axis shorter than that has more ticks than powers of ten
_LONG = 26  # letters of all choices together that fit below a panel


@dataclass(frozen=True, eq=False)
class Axis:
    """A parameter along an axis: its codes are the places, in their order."""

    name: str
    parameter: Parameter
    codes: Array

    @classmethod
    def of(cls, space: Space, name: str, places: int) -> Axis:
        """At most so many places."""
        parameter = space[name]
        if isinstance(parameter, Categorical | Ordinal):
            return cls(name, parameter, np.arange(parameter.count, dtype=float))
        codes = parameter.from_unit(np.linspace(0, 1, places)[:, None])
        return cls(name, parameter, np.unique(codes))

    @property
    def log(self) -> bool:
        """Whether the axis is a logarithmic one."""
        return isinstance(self.parameter, Float | Int) and self.parameter.log

    @property
    def separate(self) -> bool:
        """Whether its values are few, and stand for themselves."""
        return self.parameter.count <= _FEW

    @property
    def edges(self) -> Array:
        """Borders between the places, and the two ends."""
        places = np.log(self.codes) if self.log else self.codes
        between = (places[1:] + places[:-1]) / 2
        first, last = 2 * places[0] - between[:1], 2 * places[-1] - between[-1:]
        if not self.separate or len(places) == 1:
            first, last = places[:1], places[-1:]
        found = np.concatenate([first, between, last])
        return np.asarray(np.exp(found) if self.log else found)

    def limits(self, room: float) -> tuple[float, float]:
        """Both ends, with some of the length between them added at each."""
        low, high = self.edges[0], self.edges[-1]
        if self.log:
            return low / (high / low) ** room, high * (high / low) ** room
        return low - room * (high - low), high + room * (high - low)

    def dress(
        self, axes: Axes, side: Literal["x", "y"], name: bool = True, room: float = 0.0
    ) -> None:
        """Scale, limits with some room, ticks and name of one side of a panel."""
        axis = axes.xaxis if side == "x" else axes.yaxis
        set_limits = axes.set_xlim if side == "x" else axes.set_ylim
        if self.log:
            (axes.set_xscale if side == "x" else axes.set_yscale)("log")
        set_limits(*self.limits(room))
        if name:
            axis.set_label_text(shortened(self.name))
        if isinstance(self.parameter, Categorical | Ordinal):
            names = [shortened(choice, 14) for choice in self.parameter.choices]
            axis.set_ticks(self.codes, labels=names)
            if side == "x" and sum(map(len, names)) > _LONG:
                axes.tick_params("x", labelrotation=90)
        elif self.log and self.edges[-1] < _SHORT * self.edges[0]:
            from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

            axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            axis.set_minor_formatter(NullFormatter())
        elif isinstance(self.parameter, Int) and not self.log:
            from matplotlib.ticker import MaxNLocator

            axis.set_major_locator(MaxNLocator(5, integer=True))


@dataclass(frozen=True, eq=False)
class Slice:
    """Configurations that differ in one or two parameters.

    axes    the parameters, one or two
    codes   (n, P) the configurations; of two parameters the second runs faster
    """

    axes: tuple[Axis, ...]
    codes: Array
    space: Space

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of places along each axis."""
        return tuple(len(axis.codes) for axis in self.axes)

    def along(self, codes: Array) -> Array:
        """(n, axes) where configurations lie on the axes; NaN where a parameter is inactive."""
        columns = [self.space.names.index(axis.name) for axis in self.axes]
        return np.asarray(codes[:, columns])

    def find(self, row: Array) -> int:
        """The number of a configuration of the slice."""
        same = (self.codes == row) | (np.isnan(self.codes) & np.isnan(row))
        return int(np.argmax(same.all(axis=1)))

    def place(self, number: int) -> Array:
        """(axes,) the place on the axes of a configuration of the slice."""
        index = np.unravel_index(number, self.shape)
        return np.array([axis.codes[i] for axis, i in zip(self.axes, index, strict=True)])


def cut(
    model: MetaModel,
    parameters: str | Sequence[str] | None,
    base: Array | None = None,
    at: Mapping[str, Any] | None = None,
) -> Slice:
    """The slice of some parameters, with the others as in ``base``, or as ``at`` says.

    Without ``base``, they are where the model promises most. Without ``parameters``, those are
    taken along which the prediction of the model varies most: two, or one if there is but one.
    """
    space = model.space
    row = _held(space, _middle_or_promising(model) if base is None else base, at or {})
    names = _most_varying(model, row) if parameters is None else _checked(space, parameters)
    if twice := [name for name in names if name in (at or {})]:
        raise InputError(f"{twice[0]!r} is an axis of the picture and cannot be held by at=....")
    axes = tuple(Axis.of(space, name, LINE if len(names) == 1 else MAP) for name in names)
    found = _rows(space, row, axes)
    for axis, column in zip(axes, found.along(found.codes).T, strict=True):
        if np.isnan(column).all():
            raise InputError(
                f"{axis.name!r} is inactive here: it needs {condition_text(axis.parameter)};"
                " hold that by at={...}."
            )
    return found


def _rows(space: Space, row: Array, axes: tuple[Axis, ...]) -> Slice:
    places = np.stack(np.meshgrid(*(axis.codes for axis in axes), indexing="ij"), axis=-1)
    codes = np.tile(row, (places[..., 0].size, 1))
    codes[:, [space.names.index(axis.name) for axis in axes]] = places.reshape(-1, len(axes))
    return Slice(axes, _completed(space, codes), space)


def _checked(space: Space, parameters: str | Sequence[str]) -> list[str]:
    """Names of parameters that can be axes."""
    names = [parameters] if isinstance(parameters, str) else list(parameters)
    for name in names:
        _need_known(space, name)
        if isinstance(space[name], Fixed):
            raise InputError(f"parameter {name!r} has one value only; there is nothing to show.")
    if not 1 <= len(names) <= 2 or len(set(names)) < len(names):
        got = listing(names) or "nothing"
        raise InputError(f"parameters must be one or two names that differ, got {got}.")
    return names


def _need_known(space: Space, name: object) -> None:
    if name not in space:
        raise InputError(
            f"unknown parameter {name!r}; the space has {listing(space, 20)}.{nearest(name, space)}"
        )


def _middle_or_promising(model: MetaModel) -> Array:
    """The most promising configuration; without a past, the middle of the space."""
    if model.informed:
        return np.asarray(model.promising[0])
    return np.asarray(_completed(model.space, np.full((1, len(model.space)), np.nan))[0])


def _held(space: Space, base: Array, at: Mapping[str, Any]) -> Array:
    row = np.array(base, dtype=float)
    for name, value in at.items():
        _need_known(space, name)
        try:
            row[space.names.index(name)] = space[name].to_code(value)
        except SpaceError as error:
            raise InputError(f"at: parameter {name!r}: {error}") from None
    return np.asarray(_completed(space, row[None])[0])


def _completed(space: Space, codes: Array) -> Array:
    """Codes made whole: inactive cells are empty, unknown ones in the middle of their range."""
    found = space.complete(codes)
    while space.unknown(found).any():
        for index, (name, parameter) in enumerate(space.items()):
            unknown = space.active(name, found) & np.isnan(found[:, index])
            middle = parameter.from_unit(np.full((1, parameter.width), 0.5))
            found[unknown, index] = middle[0]
        found = space.complete(found)
    return found


def _most_varying(model: MetaModel, row: Array) -> list[str]:
    """The parameters along which the mean logit varies most, in the order of the space."""
    space = model.space
    several = [name for name, parameter in space.items() if parameter.count > 1]
    names = [name for name in several if np.isfinite(row[space.names.index(name)])]
    if not names:
        raise InputError("every parameter of the space has one value only; nothing to show.")
    spread = {}
    for name in names:
        along = _rows(space, row, (Axis.of(space, name, MAP),))
        spread[name] = float(np.std(model.points(along.codes).offset))
    return sorted(sorted(names, key=lambda name: -spread[name])[:2], key=names.index)
