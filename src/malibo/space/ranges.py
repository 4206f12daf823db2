"""Parameters between two numbers: Float and Int."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from malibo.errors import SpaceError
from malibo.space.parameter import Array, Condition, Parameter, read_condition, read_number

_EXACT = 2**53  # integers up to here are exact as floats
_TOLERANCE = 1e-9  # relative to the range (to the bound if log): rounding there and back
_STEP_TOLERANCE = 1e-6  # relative to the step


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
        low, high = (read_number(bound, f"a number as bound of {name}") for bound in self._bounds())
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
        object.__setattr__(self, "when", read_condition(self.when))
        self._check_step()
        object.__setattr__(self, "default", self.read_default(self.default))

    def _bounds(self) -> tuple[float, float]:
        return self.low, self.high

    def _check_step(self) -> None:
        if self.step is None:
            return
        name = type(self).__name__
        step = read_number(self.step, f"a number as step of {name}")
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
        codes = np.array([read_number(value, self._expected())])
        if not self.contains(codes)[0]:
            raise SpaceError(f"expected {self._expected()}, got {value!r}.")
        return float(self.snapped(codes)[0])

    def _expected(self) -> str:
        grid = f" in steps of {self.step!r}" if self.stepped else ""
        kind = "an integer" if self.kind == "int" else "a number"
        return f"{kind} from {self.low!r} to {self.high!r}{grid}"

    def snapped(self, codes: Array) -> Array:
        """To the nearest step, within the bounds."""
        if self.step is not None:
            codes = self.low + np.rint((codes - self.low) / self.step) * self.step
        return np.clip(codes, self.low, self.high)

    def contains(self, codes: Array) -> NDArray[np.bool_]:
        if self.step is not None:
            return np.abs(self.snapped(codes) - codes) <= _STEP_TOLERANCE * self.step
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
            return self.snapped(np.exp(low + position * (high - low)))
        return self.snapped(self.low + position * (self.high - self.low))

    def sample(self, rng: np.random.Generator, n: int) -> Array:
        if self.log:  # half a step beyond each end, so that the ends are no rarer than the rest
            half = 0.5 * (self.step or 0.0)
            low, high = math.log(self.low - half), math.log(self.high + half)
            return self.snapped(np.exp(rng.uniform(low, high, n)))
        if self.step is None:
            return rng.uniform(self.low, self.high, n)
        steps: Array = rng.integers(0, int(self.count), n).astype(float)
        return self.snapped(self.low + steps * self.step)

    def grid(self, limit: int) -> Array:
        assert self.step is not None
        steps = np.arange(min(self.count, limit), dtype=np.float64)
        return self.snapped(self.low + steps * self.step)


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
