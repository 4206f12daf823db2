"""Random parameters and spaces for property tests."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from malibo.space import Categorical, Fixed, Float, Int, Ordinal, Parameter, Space, Value

#: The same examples in every run, whatever the speed of the machine.
repeatable = settings(deadline=None, derandomize=True, database=None, max_examples=60)

seeds = st.integers(0, 2**32 - 1)
values: st.SearchStrategy[Value] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**12), 10**12),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=6),
)


@st.composite
def floats(draw: st.DrawFn) -> Float:
    """Bounds with three decimals, which Optuna and ConfigSpace keep exactly."""
    log = draw(st.booleans())
    low = draw(st.integers(1 if log else -(10**6), 10**6))
    return Float(low / 1000, (low + draw(st.integers(1, 10**6))) / 1000, log=log)


@st.composite
def stepped_floats(draw: st.DrawFn, most: int = 50) -> Float:
    low, step = draw(st.integers(-(10**6), 10**6)), draw(st.integers(1, 1000))
    high = low + step * draw(st.integers(1, most - 1))
    return Float(low / 1000, high / 1000, step=step / 1000)


@st.composite
def ints(draw: st.DrawFn, most: int = 10**9) -> Int:
    log = draw(st.booleans())
    low = draw(st.integers(1 if log else -1000, 1000))
    step = 1 if log else draw(st.integers(1, 3))
    steps = draw(st.integers(1, (most if step == 1 else min(most, 50)) - 1))
    return Int(low, low + step * steps, log=log, step=step)


@st.composite
def choices(draw: st.DrawFn, most: int = 5) -> Parameter:
    listed = draw(st.lists(values, min_size=1, max_size=most, unique=True))
    return draw(st.sampled_from([Categorical, Ordinal]))(listed)


def countable_parameters(most: int = 50) -> st.SearchStrategy[Parameter]:
    """Parameters with at most so many values."""
    fixed = st.builds(Fixed, values)
    return st.one_of(choices(min(most, 5)), ints(most), stepped_floats(most), fixed)


def parameters() -> st.SearchStrategy[Parameter]:
    """Parameters of every kind, some with a default."""
    kinds = st.one_of(choices(), floats(), ints(), stepped_floats(), st.builds(Fixed, values))
    return st.builds(_with_default, kinds, st.none() | seeds)


def _with_default(parameter: Parameter, seed: int | None) -> Parameter:
    if seed is None or isinstance(parameter, Fixed):
        return parameter
    code = parameter.sample(np.random.default_rng(seed), 1).round(6)[0]
    return changed(parameter, default=parameter.to_value(code))


def changed(parameter: Parameter, **options: Any) -> Parameter:
    """The parameter with other options."""
    result: Parameter = dataclasses.replace(parameter, **options)
    return result


@st.composite
def conditions(draw: st.DrawFn, parents: Mapping[str, Parameter]) -> dict[str, list[Value]]:
    """No, one or two of the parents, each with some of its first values."""
    names = [name for name, parent in parents.items() if np.isfinite(parent.count)]
    if not names:
        return {}
    when: dict[str, list[Value]] = {}
    for name in draw(st.lists(st.sampled_from(names), max_size=2, unique=True)):
        known = [parents[name].to_value(code) for code in parents[name].grid(4)]
        when[name] = draw(st.lists(st.sampled_from(known), min_size=1, unique=True))
    return when


@st.composite
def spaces(
    draw: st.DrawFn,
    kinds: st.SearchStrategy[Parameter] | None = None,
    conditional: bool = True,
    most: int = 6,
) -> Space:
    """Spaces of nested conditions; a child may stand before its parents."""
    names = [f"p{index}" for index in range(draw(st.integers(1, most)))]
    made: dict[str, Parameter] = {}
    kinds = parameters() if kinds is None else kinds
    for name in names:
        when = draw(conditions(made)) if conditional else {}
        made[name] = changed(draw(kinds), when=when)
    return Space({name: made[name] for name in draw(st.permutations(names))})
