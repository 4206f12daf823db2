"""A Gaussian process with expected improvement; priors as in BoTorch (Balandat et al., 2020)."""

from __future__ import annotations

import numpy as np

from malibo.bench.methods.optimizer import RANDOM_FIRST
from malibo.bench.methods.surrogate import (
    Surrogate,
    fit_gp,
    log_expected_improvement,
    standardized,
    with_failures,
)
from malibo.space.parameters import Array


class GaussianProcess(Surrogate):
    """Matérn 5/2 with a length scale for each column; it begins at random."""

    def next_row(self, rng: np.random.Generator) -> Array:
        """The highest expected improvement over the best loss."""
        if len(self.losses) < RANDOM_FIRST or np.isnan(self.losses).all():
            return self.random_row(rng)
        values = standardized(with_failures(self.losses))
        posterior = fit_gp(self.points, values)
        incumbent = float(values.min())

        def score(points: Array) -> Array:
            return log_expected_improvement(*posterior.predict(points), incumbent)

        return self.highest(score, rng)
