"""The sampler of the package malibo, under the name by which OptunaHub finds it."""

from malibo.integrations.optuna import MaliboSampler

__all__ = ["MaliboSampler"]
