"""malibo: start the tuning of a new task warm, from the runs that you already have."""

from __future__ import annotations

from malibo.config import SuggestConfig, TrainConfig
from malibo.errors import MaliboError
from malibo.history import History
from malibo.metamodel import MetaModel
from malibo.optimizer import Malibo
from malibo.space import Categorical, Config, Fixed, Float, Int, Ordinal, Space
from malibo.task import Task
from malibo.training import meta_train

__version__ = "0.1.0"

__all__ = [
    "Categorical",
    "Config",
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
