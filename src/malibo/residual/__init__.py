"""The residual model: what the new task's own observations say beyond the past.

It starts from base logits, given as numbers: those of the one z of this suggestion. Where
they come from it does not know, so the logits it was fitted over and the logits it adds
to are of the same z. Shapes: N observations or n points, D columns of the unit cube.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from malibo.config import ResidualModel
from malibo.residual.averaged import Averaged, fit_forest
from malibo.residual.boosting import TREES, Boosting, count_trees, dataset, fit_boosting, lightgbm
from malibo.residual.mlp import fit_mlp
from malibo.residual.observed import Array, Observed

__all__ = ["Averaged", "Boosting", "Observed", "Residual", "fit_residual", "lightgbm"]


class Residual(Protocol):
    """A fitted residual model."""

    def correct(self, base: Array, unit: Array) -> Array:
        """Logits at points, given their base logits."""
        ...


def fit_residual(
    kind: ResidualModel, observed: Observed, rng: np.random.Generator, early_stopping: bool = True
) -> Residual:
    """The residual model of the configured kind."""
    if kind == "none":
        return Boosting(None)
    if kind == "forest":
        return Averaged(fit_forest(observed, rng))
    if kind == "mlp":
        return Averaged(fit_mlp(observed, rng))
    data = dataset(observed)
    trees = count_trees(observed, rng, data) if early_stopping else TREES
    return fit_boosting(observed, trees, data)
