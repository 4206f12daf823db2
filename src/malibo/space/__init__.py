"""Search spaces: parameters, and their way to the unit cube and back."""

from malibo.space.parameters import Categorical, Fixed, Float, Int, Ordinal, Parameter, Value
from malibo.space.space import Config, Space

__all__ = [
    "Categorical",
    "Config",
    "Fixed",
    "Float",
    "Int",
    "Ordinal",
    "Parameter",
    "Space",
    "Value",
]
