"""A suggestion written the straightforward way, as a yardstick for malibo.suggest.

Every observation becomes a weighted positive and a negative row, z_MAP comes from L-BFGS,
and the residual model is scikit-learn's GradientBoostingClassifier with the meta-learned
classifier as ``init``, fitted once to count the trees and once to predict.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.metrics import log_loss

from malibo.config import SuggestConfig
from malibo.labels import label
from malibo.metamodel import MetaModel
from malibo.network import centred
from malibo.observations import Observations
from malibo.posterior import Evidence, Gaussian
from malibo.space.parameters import Array


class _Base(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """σ(m(φ(x)) + ẑᵀφ(x)) as a scikit-learn classifier."""

    def __init__(self, model: MetaModel, z: Array) -> None:
        self.model, self.z = model, z

    def fit(self, x: Array, y: Array, sample_weight: Array | None = None) -> _Base:
        self.classes_ = np.array([0, 1])
        return self

    def predict_proba(self, x: Array) -> Array:
        assert self.model.network is not None
        phi, offset = self.model.network.features_and_mean(centred(x))
        good = np.clip(expit(offset + phi @ self.z), 1e-7, 1 - 1e-7)
        return np.stack([1 - good, good], axis=1)


def straightforward_suggest(
    model: MetaModel, observations: Observations, config: SuggestConfig, rng: np.random.Generator
) -> Array:
    """Codes (1, P) of one suggestion."""
    labels = label(observations.losses)
    seen = model.points(observations.codes)
    evidence = Evidence(seen.phi, seen.offset, labels.p, labels.n)
    start = np.zeros(evidence.dimension)
    z_map = minimize(evidence.loss, start, jac=evidence.gradient, method="L-BFGS-B").x
    precision = evidence.hessian(z_map)
    z = Gaussian(z_map, np.asarray(np.linalg.cholesky(precision), float)).draw(rng)
    candidates = model.space.sample(rng, config.random_candidates or 5120)
    unit = model.joint.encode(candidates)
    booster = _boost(model, z, seen.unit, labels.p, labels.n, rng)
    best = int(np.argmax(booster.predict_proba(unit)[:, 1]))
    return candidates[best : best + 1]


def _boost(model: MetaModel, z: Array, x: Array, p: Array, n: Array, rng: Any) -> Any:
    """The booster with as many trees as generalise from 70 % to 30 %."""
    order = rng.permutation(len(x))
    cut = max(1, int(0.7 * len(x)))
    part, rest = order[:cut], order[cut:]
    first = _fit(model, z, 100, *_doubled(x[part], p[part], n[part]))
    rows, classes, weights = _doubled(x[rest], p[rest], n[rest])
    losses = [
        log_loss(classes, probability, sample_weight=weights, labels=[0, 1])
        for probability in first.staged_predict_proba(rows)
    ]
    return _fit(model, z, int(np.argmin(losses)) + 1, *_doubled(x, p, n))


def _doubled(x: Array, p: Array, n: Array) -> tuple[Array, Array, Array]:
    good = p > 0
    rows = np.concatenate([x[good], x])
    classes = np.concatenate([np.ones(good.sum()), np.zeros(len(x))])
    return rows, classes, np.concatenate([p[good], n])


def _fit(model: MetaModel, z: Array, trees: int, x: Array, y: Array, weight: Array) -> Any:
    if len(set(y)) < 2:  # a part without a good observation: scikit-learn refuses it
        x, y, weight = np.concatenate([x, x[:1]]), np.append(y, 1 - y[0]), np.append(weight, 1e-6)
    booster = GradientBoostingClassifier(n_estimators=trees, init=_Base(model, z), random_state=0)
    return booster.fit(x, y, sample_weight=weight)
