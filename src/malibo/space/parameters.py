"""All kinds of parameters, and how they are read back from plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from malibo.errors import SpaceError, listing
from malibo.space.choices import Categorical, Fixed, Ordinal
from malibo.space.parameter import Array, Parameter, Value
from malibo.space.ranges import Float, Int

__all__ = ["Array", "Categorical", "Fixed", "Float", "Int", "Ordinal", "Parameter", "Value"]

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
