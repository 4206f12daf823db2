"""One past tuning: its configurations and losses, validated and frozen.

Losses are minimised; a task remembers if its values were told to be maximised.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from malibo.errors import HistoryError, InputError, plural
from malibo.space import Space
from malibo.space.parameters import Array

Direction = Literal["minimize", "maximize"]


def sign(direction: str) -> int:
    """1 for "minimize", −1 for "maximize"; anything else is refused."""
    signs = {"minimize": 1, "maximize": -1}
    if not isinstance(direction, str) or direction not in signs:
        raise InputError(f"direction must be 'minimize' or 'maximize', got {direction!r}.")
    return signs[direction]


def read_loss(loss: object) -> float:
    """What a user gives as loss, as a float; NaN for a failed trial (None, NaN, infinite)."""
    if loss is None:
        return math.nan
    number = loss.item() if isinstance(loss, np.ndarray) and loss.size == 1 else loss
    if isinstance(number, bool | np.bool_) or not isinstance(number, numbers.Real):
        raise InputError(
            f"loss must be a number, or None for a failed trial; got {loss!r}"
            f" ({type(loss).__name__})."
        )
    try:
        value = float(number)
    except OverflowError:  # an integer beyond all floats
        return math.nan
    return value if math.isfinite(value) else math.nan


@dataclass(frozen=True, eq=False)
class Task:
    """The observations of one past tuning.

    codes       (n, P) configurations as codes of ``space``; NaN is inactive or unknown
    losses      (n,) to be minimised, whatever the direction; NaN is a failed trial
    direction   "maximize" if the losses are scores with the sign turned
    notes       sentences for ``History.describe`` on how the source was read
    """

    name: str
    space: Space
    codes: Array
    losses: Array
    direction: Direction = "minimize"
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise HistoryError(f"a task's name must be a text, got {self.name!r}.")
        if not isinstance(self.space, Space):
            raise HistoryError(f"task {self.name!r}: space must be a malibo.Space.")
        sign(self.direction)
        codes, losses = _frozen(self.codes, 2), _frozen(self.losses, 1, np.nan)
        object.__setattr__(self, "codes", codes)
        object.__setattr__(self, "losses", losses)
        if codes.shape != (len(losses), len(self.space)):
            raise HistoryError(
                f"task {self.name!r}: expected {len(losses)} rows (one a loss) and"
                f" {len(self.space)} columns (one a parameter), got codes of shape {codes.shape}."
            )
        for index, (name, parameter) in enumerate(self.space.items()):
            wrong = ~(np.isnan(codes[:, index]) | parameter.contains(codes[:, index]))
            if wrong.any():
                row = int(np.argmax(wrong))
                raise HistoryError(
                    f"task {self.name!r}: {name!r} is out of its space in {wrong.sum()} rows,"
                    f" first in row {row} with code {codes[row, index]!r}."
                )
        if not np.isfinite(losses).any():
            raise HistoryError(
                f"task {self.name!r} has no valid observation among {len(losses)}; leave it out."
            )

    @classmethod
    def from_configs(
        cls,
        name: str,
        space: Space,
        configs: Sequence[Mapping[str, Any]],
        losses: Iterable[float | None],
        direction: Direction = "minimize",
    ) -> Task:
        """A task from dicts and their losses (None or NaN for a failed trial).

        With ``direction="maximize"`` they are scores, and the greatest is the best.
        """
        if not isinstance(losses, Iterable):
            raise HistoryError(f"task {name!r}: losses must be a list, got {losses!r}.")
        losses = list(losses)
        if len(configs) != len(losses):
            raise HistoryError(
                f"task {name!r}: expected a loss for each configuration, got {len(configs)}"
                f" configurations and {len(losses)} losses; None is the loss of a failed trial."
            )
        values = []
        for row, loss in enumerate(losses):
            try:
                values.append(sign(direction) * read_loss(loss))
            except InputError as error:
                raise HistoryError(f"task {name!r}, row {row}: {error}") from None
        return cls(name, space, space.codes(configs), np.array(values), direction)

    def __repr__(self) -> str:
        runs, parameters = plural(len(self), "run"), plural(len(self.space), "parameter")
        return f"<Task {self.name!r}: {runs}, {parameters}>"

    def __len__(self) -> int:
        return len(self.losses)

    @property
    def failed(self) -> int:
        """Number of observations without a value."""
        return int(np.isnan(self.losses).sum())


def _frozen(values: ArrayLike, dimensions: int, infinite: float = np.inf) -> Array:
    """A read-only copy as floats, with another number in place of infinities."""
    try:
        array = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise HistoryError(
            "codes and losses must be numbers; Task.from_configs takes dicts, None and scores."
        ) from None
    if array.ndim != dimensions:
        raise HistoryError(f"expected an array of {dimensions} dimensions, got {array.ndim}.")
    array[np.isinf(array)] = infinite
    array.setflags(write=False)
    return array
