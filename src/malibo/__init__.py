"""malibo: start the tuning of a new task warm, from the runs that you already have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from malibo.config import SuggestConfig, TrainConfig
from malibo.errors import MaliboError
from malibo.history import History, Task
from malibo.metamodel import MetaModel
from malibo.optimizer import Malibo
from malibo.space import Categorical, Fixed, Float, Int, Ordinal, Space

if TYPE_CHECKING:
    from malibo.training import meta_train

__version__ = "0.1.0"

__all__ = [
    "Categorical",
    "Fixed",
    "Float",
    "History",
    "Int",
    "Malibo",
    "MaliboError",
    "MetaModel",
    "Ordinal",
    "Space",
    "SuggestConfig",
    "Task",
    "TrainConfig",
    "meta_train",
]


def __getattr__(name: str) -> Any:
    """``meta_train`` on first use: importing malibo does not load the training framework."""
    if name == "meta_train":
        from malibo.training import meta_train

        return meta_train
    raise AttributeError(f"module 'malibo' has no attribute {name!r}")
