"""The paper's alternatives to boosting: a classifier of its own, averaged with the base."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import expit, logit

from malibo.extras import require
from malibo.residual.observed import Array, Observed


class Classifier(Protocol):
    """A fitted classifier: the probability of a point to be good."""

    def predict(self, unit: Array) -> Array: ...


@dataclass(frozen=True, eq=False)
class Averaged:
    """The mean of the base's probability and that of a classifier fitted without it."""

    classifier: Classifier

    def correct(self, base: Array, unit: Array) -> Array:
        """Logit of the averaged probability."""
        mean = 0.5 * (expit(base) + np.clip(self.classifier.predict(unit), 0, 1))
        return np.asarray(logit(np.clip(mean, 1e-12, 1 - 1e-12)))


def fit_forest(observed: Observed, rng: np.random.Generator) -> Classifier:
    """Random forest of the paper. Variance of the target splits as Gini of doubled rows would."""
    ensemble = require("sklearn.ensemble", "variants")
    forest = ensemble.RandomForestRegressor(
        n_estimators=1000, max_features="sqrt", random_state=int(rng.integers(2**31))
    )
    forest.fit(observed.unit, observed.target, sample_weight=observed.p + observed.n)
    fitted: Classifier = forest
    return fitted
