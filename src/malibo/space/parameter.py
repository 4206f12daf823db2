"""What all parameters of a search space share.

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
from collections.abc import Mapping
from dataclasses import Field, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from malibo.errors import SpaceError

Value = None | bool | int | float | str
Array = NDArray[np.float64]
Condition = Mapping[str, Any]


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

    def read_default(self, default: Any) -> Any:
        """A declared default, checked, as the parameter's own kind of value; None is none."""
        if default is None:
            return None
        try:
            return self.to_value(self.to_code(default))
        except SpaceError as error:
            raise SpaceError(f"{type(self).__name__}: default: {error}") from None

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


def read_condition(when: Condition | None) -> dict[str, tuple[Value, ...]]:
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
        condition[parent] = tuple(plain_scalar(value) for value in many)
        if not condition[parent]:
            raise SpaceError(f"when: no value of {parent!r} is given; name at least one.")
    return condition


def plain_scalar(value: Any) -> Any:
    """Plain Python in place of numpy's scalars, which JSON does not know."""
    return value.item() if isinstance(value, np.generic) else value


def is_plain(value: object) -> bool:
    """Whether a value can be compared and written as JSON: no NaN, no container."""
    return isinstance(value, Value) and not (isinstance(value, float) and math.isnan(value))


def read_number(value: object, expected: str) -> float:
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
