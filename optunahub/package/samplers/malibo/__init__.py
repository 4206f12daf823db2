"""MALIBO for OptunaHub."""

from .sampler import MaliboSampler

__all__ = ["MaliboSampler"]
