"""Parameters with listed values: Categorical, Ordinal and Fixed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from malibo.errors import SpaceError, listing
from malibo.space.parameter import (
    Array,
    Condition,
    Parameter,
    Value,
    is_plain,
    plain_scalar,
    read_condition,
)


@dataclass(frozen=True)
class _Choices(Parameter):
    """A parameter with listed values."""

    choices: Sequence[Value]
    default: Value = None
    when: Condition = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        name = type(self).__name__
        unordered = isinstance(self.choices, str | set | frozenset | Mapping)
        if unordered or not hasattr(self.choices, "__iter__"):
            raise SpaceError(f"{name}: choices must be a list, got {self.choices!r}.")
        choices = tuple(plain_scalar(choice) for choice in self.choices)
        if not choices:
            raise SpaceError(f"{name}: choices is empty; give at least one.")
        for choice in choices:
            if not is_plain(choice):
                raise SpaceError(
                    f"{name}: a choice must be a string, number, boolean or None, got {choice!r}."
                )
        index = {choice: float(i) for i, choice in enumerate(choices)}
        if len(index) < len(choices):
            twice = [c for i, c in enumerate(choices) if index[c] != i]
            raise SpaceError(
                f"{name}: duplicate choices {listing(twice)} (1, 1.0 and True count as equal);"
                " list each once."
            )
        object.__setattr__(self, "choices", choices)
        object.__setattr__(self, "when", read_condition(self.when))
        object.__setattr__(self, "default", self.read_default(self.default))

    @cached_property
    def _index(self) -> dict[object, float]:
        """The code of each value."""
        return {choice: float(i) for i, choice in enumerate(self.choices)}

    @property
    def listed(self) -> tuple[Value, ...]:
        """All values."""
        return tuple(self.choices)

    @property
    def count(self) -> float:
        return len(self.choices)

    def to_code(self, value: object) -> float:
        try:
            return self._index[value]
        except (KeyError, TypeError):
            raise SpaceError(
                f"expected one of {listing(self.choices, 10)}, got {value!r}."
            ) from None

    def to_value(self, code: float) -> Value:
        return self.choices[int(code)]

    def contains(self, codes: Array) -> NDArray[np.bool_]:
        return np.isin(codes, np.arange(len(self.choices)))

    def sample(self, rng: np.random.Generator, n: int) -> Array:
        return rng.integers(0, len(self.choices), n).astype(float)

    def grid(self, limit: int) -> Array:
        return np.arange(min(len(self.choices), limit), dtype=float)


@dataclass(frozen=True)
class Categorical(_Choices):
    """One of several values without order: ``Categorical(["adam", "sgd"])``. One-hot."""

    kind = "categorical"

    @property
    def width(self) -> int:
        return len(self.choices)

    @property
    def neutral(self) -> float:
        return 0.0

    def to_unit(self, codes: Array) -> Array:
        hot: Array = (codes[:, None] == np.arange(len(self.choices))).astype(float)
        return hot

    def from_unit(self, unit: Array) -> Array:
        best: Array = np.argmax(unit, axis=1).astype(float)
        return best


@dataclass(frozen=True)
class Ordinal(_Choices):
    """One of several values in their order: ``Ordinal([16, 32, 128])``. Evenly spaced."""

    kind = "ordinal"

    def to_unit(self, codes: Array) -> Array:
        last = len(self.choices) - 1
        return (codes / last if last else np.full_like(codes, 0.5))[:, None]

    def from_unit(self, unit: Array) -> Array:
        return np.rint(np.clip(unit[:, 0], 0.0, 1.0) * (len(self.choices) - 1))


@dataclass(frozen=True)
class Fixed(Parameter):
    """A value that never changes; handed through to every configuration."""

    kind = "fixed"
    value: Value
    when: Condition = field(default_factory=dict, hash=False)

    @property
    def width(self) -> int:
        return 0

    def __post_init__(self) -> None:
        value = plain_scalar(self.value)
        if not is_plain(value):
            raise SpaceError(
                f"a fixed value must be a string, number, boolean or None, got {value!r}."
            )
        object.__setattr__(self, "value", value)
        object.__setattr__(self, "when", read_condition(self.when))

    @property
    def count(self) -> float:
        return 1

    @property
    def listed(self) -> tuple[Value, ...]:
        """The one value."""
        return (self.value,)

    @property
    def default(self) -> Value:
        return self.value

    def to_code(self, value: object) -> float:
        if not is_plain(plain_scalar(value)) or value != self.value:
            raise SpaceError(f"expected the fixed value {self.value!r}, got {value!r}.")
        return 0.0

    def to_value(self, code: float) -> Value:
        return self.value

    def contains(self, codes: Array) -> NDArray[np.bool_]:
        return np.isin(codes, 0.0)

    def to_unit(self, codes: Array) -> Array:
        return np.empty((len(codes), 0))

    def from_unit(self, unit: Array) -> Array:
        return np.zeros(len(unit))

    def sample(self, rng: np.random.Generator, n: int) -> Array:
        return np.zeros(n)

    def grid(self, limit: int) -> Array:
        return np.zeros(1)
