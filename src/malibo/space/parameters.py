"""The parameters of a search space.

Every parameter speaks three languages:

value   what the user sees: ``0.01``, ``3``, ``"adam"``
code    one float for each value, so that a million configurations are one array:
        the number itself, or the index of a choice
unit    its ``width`` columns of the unit cube, which the models see
"""

from __future__ import annotations

import math
import numbers
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from malibo.errors import SpaceError, listing

Value = None | bool | int | float | str
Array = NDArray[np.float64]
Condition = Mapping[str, Any]

_EXACT = 2**53  # integers up to here are exact as floats
_TOLERANCE = 1e-9  # relative to the range (to the bound if log): rounding there and back
_STEP_TOLERANCE = 1e-6  # relative to the step


class Parameter(ABC):
    """What all parameters share. ``when`` maps parent names to the values that activate it."""

    kind: ClassVar[str]
    when: Condition
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]  # every subclass is a dataclass

    @property
    def width(self) -> int:
        """Number of columns of the unit cube."""
        return 1

    @property
    @abstractmethod
    def count(self) -> float:
        """Number of distinct values; infinity for a continuous one."""

    @abstractmethod
    def to_code(self, value: object) -> float:
        """Code of a value; ``SpaceError`` says what was expected when it is not one."""

    @abstractmethod
    def to_value(self, code: float) -> Value:
        """Value of a code."""

    @abstractmethod
    def contains(self, codes: Array) -> NDArray[np.bool_]:
        """Which of the codes are values of this parameter."""

    @abstractmethod
    def to_unit(self, codes: Array) -> Array:
        """Codes ``(n,)`` to columns of the unit cube ``(n, width)``."""

    @abstractmethod
    def from_unit(self, unit: Array) -> Array:
        """Columns ``(n, width)`` to the nearest codes ``(n,)``."""

    @abstractmethod
    def sample(self, rng: np.random.Generator, n: int) -> Array:
        """``n`` uniform codes (uniform in the logarithm if ``log``)."""

    @abstractmethod
    def grid(self, limit: int) -> Array:
        """The first ``limit`` codes of a countable parameter."""

    @property
    def neutral(self) -> float:
        """What the unit columns hold while the parameter is inactive."""
        return 0.5

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; ``parameter_from_dict`` reads it back."""
        plain: dict[str, Any] = {"type": self.kind}
        for item in fields(self):
            value = getattr(self, item.name)
            if item.name == "when":
                value = {parent: list(values) for parent, values in value.items()}
            elif isinstance(value, tuple):
                value = list(value)
            if value not in (None, {}) or item.name == "value":
                plain[item.name] = value
        return plain


def _condition(when: Condition | None) -> dict[str, tuple[Value, ...]]:
    """``{"optimizer": "sgd"}`` to ``{"optimizer": ("sgd",)}``."""
    if when is None:
        return {}
    if not isinstance(when, Mapping):
        raise SpaceError(
            f"when must map parent names to values, such as {{'optimizer': 'sgd'}}; got {when!r}."
        )
    condition = {}
    for parent, values in when.items():
        if isinstance(values, set | frozenset):  # their own order differs from run to run
            values = sorted(values, key=repr)
        many = values if isinstance(values, list | tuple) else (values,)
        condition[parent] = tuple(_scalar(value) for value in many)
        if not condition[parent]:
            raise SpaceError(f"when: no value of {parent!r} is given; name at least one.")
    return condition


def _scalar(value: Any) -> Any:
    """Plain Python in place of numpy's scalars, which JSON does not know."""
    return value.item() if isinstance(value, np.generic) else value


def _plain(value: object) -> bool:
    """Whether a value can be compared and written as JSON: no NaN, no container."""
    return isinstance(value, Value) and not (isinstance(value, float) and math.isnan(value))


def _number(value: object, expected: str) -> float:
    """A finite real number, or an error that says what was expected."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real):
        raise SpaceError(f"expected {expected}, got {value!r} ({type(value).__name__}).")
    try:
        number = float(value)
    except OverflowError:  # an integer beyond all floats
        number = math.inf
    if not math.isfinite(number):
        raise SpaceError(f"expected {expected}, got {value!r}.")
    return number


@dataclass(frozen=True)
class _Range(Parameter):
    """A parameter between two numbers."""

    low: float
    high: float
    log: bool = False
    step: float | None = None
    default: float | None = None
    when: Condition = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        name = type(self).__name__
        low, high = (_number(bound, f"a number as bound of {name}") for bound in self._bounds())
        if low >= high:
            raise SpaceError(
                f"{name}: low must be below high, got low={self.low!r}, high={self.high!r}."
                " A single value is a fixed one: write the value in place of the parameter."
            )
        if not math.isfinite(high - low):
            raise SpaceError(f"{name}: the range from {low!r} to {high!r} is too wide for floats.")
        if not isinstance(self.log, bool | np.bool_):
            raise SpaceError(f"{name}: log must be True or False, got {self.log!r}.")
        if self.log and low <= 0:
            raise SpaceError(f"{name}: log=True needs low above 0, got low={self.low!r}.")
        object.__setattr__(self, "low", self.to_value(low))
        object.__setattr__(self, "high", self.to_value(high))
        object.__setattr__(self, "log", bool(self.log))
        object.__setattr__(self, "when", _condition(self.when))
        self._check_step()
        if self.default is not None:
            try:
                code = self.to_code(self.default)
            except SpaceError as error:
                raise SpaceError(f"{name}: default: {error}") from None
            object.__setattr__(self, "default", self.to_value(code))

    def _bounds(self) -> tuple[float, float]:
        return self.low, self.high

    def _check_step(self) -> None:
        if self.step is None:
            return
        name = type(self).__name__
        step = _number(self.step, f"a number as step of {name}")
        if not 0 < step <= (self.high - self.low) * (1 + _STEP_TOLERANCE):
            raise SpaceError(
                f"{name}: step must be above 0 and at most high - low, got {self.step!r}."
            )
        object.__setattr__(self, "step", self.to_value(step))
        if self.log and self.stepped:
            raise SpaceError(f"{name}: log=True and step={self.step!r} contradict; choose one.")
        steps = (self.high - self.low) / self.step
        if abs(steps - round(steps)) > 1e-6:
            reached = self.low + math.floor(steps) * self.step
            raise SpaceError(
                f"{name}: high={self.high!r} is no whole number of steps of {self.step!r} above"
                f" low={self.low!r}; use high={reached!r}."
            )

    @property
    def stepped(self) -> bool:
        """Whether there is a step, other than the natural one of integers."""
        return self.step is not None and not (self.kind == "int" and self.step == 1)

    @property
    def count(self) -> float:
        if self.step is None:
            return math.inf
        return round((self.high - self.low) / self.step) + 1

    def to_code(self, value: object) -> float:
        codes = np.array([_number(value, self._expected())])
        if not self.contains(codes)[0]:
            raise SpaceError(f"expected {self._expected()}, got {value!r}.")
        return float(self._snap(codes)[0])

    def _expected(self) -> str:
        grid = f" in steps of {self.step!r}" if self.stepped else ""
        kind = "an integer" if self.kind == "int" else "a number"
        return f"{kind} from {self.low!r} to {self.high!r}{grid}"

    def _snap(self, codes: Array) -> Array:
        """To the nearest step, within the bounds."""
        if self.step is not None:
            codes = self.low + np.rint((codes - self.low) / self.step) * self.step
        return np.clip(codes, self.low, self.high)

    def contains(self, codes: Array) -> NDArray[np.bool_]:
        if self.step is not None:
            return np.abs(self._snap(codes) - codes) <= _STEP_TOLERANCE * self.step
        wide = self.high - self.low
        below, above = (self.low, self.high) if self.log else (wide, wide)
        low, high = self.low - _TOLERANCE * below, self.high + _TOLERANCE * above
        return (codes >= low) & (codes <= high)

    def to_unit(self, codes: Array) -> Array:
        low, high = self.low, self.high
        if self.log:
            codes, low, high = np.log(codes), math.log(low), math.log(high)
        unit = (codes - low) / (high - low)
        return np.clip(unit, 0.0, 1.0)[:, None]

    def from_unit(self, unit: Array) -> Array:
        position = np.clip(unit[:, 0], 0.0, 1.0)
        if self.log:
            low, high = math.log(self.low), math.log(self.high)
            return self._snap(np.exp(low + position * (high - low)))
        return self._snap(self.low + position * (self.high - self.low))

    def sample(self, rng: np.random.Generator, n: int) -> Array:
        if self.log:  # half a step beyond each end, so that the ends are no rarer than the rest
            half = 0.5 * (self.step or 0.0)
            low, high = math.log(self.low - half), math.log(self.high + half)
            return self._snap(np.exp(rng.uniform(low, high, n)))
        if self.step is None:
            return rng.uniform(self.low, self.high, n)
        steps: Array = rng.integers(0, int(self.count), n).astype(float)
        return self._snap(self.low + steps * self.step)

    def grid(self, limit: int) -> Array:
        assert self.step is not None
        return self._snap(self.low + np.arange(min(self.count, limit)) * self.step)


@dataclass(frozen=True)
class Float(_Range):
    """A real number: ``Float(1e-5, 1e-1, log=True)``."""

    kind = "float"

    def to_value(self, code: float) -> float:
        return float(code)


@dataclass(frozen=True)
class Int(_Range):
    """An integer, both ends included: ``Int(1, 8)``."""

    kind = "int"
    low: int
    high: int
    step: int = 1
    default: int | None = None

    def _bounds(self) -> tuple[float, float]:
        for bound in (self.low, self.high, self.step):
            if isinstance(bound, bool) or not isinstance(bound, numbers.Integral):
                raise SpaceError(
                    f"Int: bounds and step must be integers, got {bound!r}; use Float for others."
                )
        for size in (int(self.low), int(self.high), int(self.high) - int(self.low)):
            if abs(size) > _EXACT:
                raise SpaceError(f"Int: {size!r} is beyond 2**53; use Float(..., log=True).")
        return self.low, self.high

    def to_value(self, code: float) -> int:
        return int(code)


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
        choices = tuple(_scalar(choice) for choice in self.choices)
        if not choices:
            raise SpaceError(f"{name}: choices is empty; give at least one.")
        for choice in choices:
            if not _plain(choice):
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
        object.__setattr__(self, "_index", index)
        object.__setattr__(self, "when", _condition(self.when))
        if self.default is not None:
            try:
                code = self.to_code(self.default)
            except SpaceError as error:
                raise SpaceError(f"{name}: default: {error}") from None
            object.__setattr__(self, "default", self.to_value(code))

    @property
    def count(self) -> float:
        return len(self.choices)

    def to_code(self, value: object) -> float:
        index: dict[object, float] = self._index  # type: ignore[attr-defined]
        try:
            return index[value]
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
        value = _scalar(self.value)
        if not _plain(value):
            raise SpaceError(
                f"a fixed value must be a string, number, boolean or None, got {value!r}."
            )
        object.__setattr__(self, "value", value)
        object.__setattr__(self, "when", _condition(self.when))

    @property
    def count(self) -> float:
        return 1

    @property
    def default(self) -> Value:
        return self.value

    def to_code(self, value: object) -> float:
        if not _plain(_scalar(value)) or value != self.value:
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


KINDS: dict[str, type[Parameter]] = {
    cls.kind: cls for cls in (Float, Int, Categorical, Ordinal, Fixed)
}


def parameter_from_dict(plain: Mapping[str, Any]) -> Parameter:
    """The inverse of ``Parameter.to_dict``."""
    options = dict(plain)
    kind = options.pop("type", None)
    if not isinstance(kind, str) or kind not in KINDS:
        raise SpaceError(f"unknown parameter type {kind!r}; known: {listing(KINDS)}.")
    known = {item.name for item in fields(KINDS[kind])}
    if unknown := set(options) - known:
        raise SpaceError(f"unknown option {listing(sorted(unknown))} of a {kind} parameter.")
    try:
        return KINDS[kind](**options)
    except TypeError as error:
        raise SpaceError(f"incomplete {kind} parameter: {error}.") from None
