"""Random search."""

from __future__ import annotations

from malibo.bench.methods.optimizer import Told
from malibo.space import Config


class RandomSearch(Told):
    """Any configuration is as good as any other."""

    def ask(self) -> Config:
        """A configuration that was not tried."""
        return self.random_config(self.rng())
