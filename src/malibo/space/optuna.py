"""Spaces from and to Optuna distributions (extra ``optuna``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from malibo.errors import SpaceError
from malibo.extras import require
from malibo.space.parameters import Categorical, Fixed, Float, Int, Ordinal, Parameter

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution


def from_optuna(distributions: Mapping[str, BaseDistribution]) -> dict[str, Parameter]:
    """A parameter for each distribution; one with a single value becomes a fixed one."""
    require("optuna", "optuna")
    result = {}
    for name, dist in distributions.items():
        try:
            result[name] = _parameter(dist)
        except SpaceError as error:
            raise SpaceError(f"{name}: {error}") from None
    return result


def _parameter(dist: BaseDistribution) -> Parameter:
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    if isinstance(dist, CategoricalDistribution):
        if len(dist.choices) == 1:
            return Fixed(dist.choices[0])
        return Categorical(dist.choices)
    if isinstance(dist, FloatDistribution):
        if dist.low == dist.high:
            return Fixed(dist.low)
        return Float(dist.low, dist.high, log=dist.log, step=dist.step)
    if isinstance(dist, IntDistribution):
        if dist.low == dist.high:
            return Fixed(dist.low)
        return Int(dist.low, dist.high, log=dist.log, step=dist.step)
    raise SpaceError(f"expected a Float, Int or Categorical distribution of Optuna, got {dist!r}.")


def to_optuna(space: Mapping[str, Parameter]) -> dict[str, BaseDistribution]:
    """A distribution for each parameter. An ordinal becomes a categorical one."""
    require("optuna", "optuna")
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    result: dict[str, BaseDistribution] = {}
    for name, parameter in space.items():
        if isinstance(parameter, Float):
            result[name] = FloatDistribution(
                parameter.low, parameter.high, log=parameter.log, step=parameter.step
            )
        elif isinstance(parameter, Int):
            result[name] = IntDistribution(
                parameter.low, parameter.high, log=parameter.log, step=parameter.step
            )
        elif isinstance(parameter, Categorical | Ordinal):
            result[name] = CategoricalDistribution(tuple(parameter.choices))
        elif isinstance(parameter, Fixed):
            result[name] = CategoricalDistribution((parameter.value,))
    return result
