"""Gradient boosting that starts from the base logits (Equation 10)."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from malibo.errors import MissingDependencyError
from malibo.extras import require
from malibo.residual.observed import Array, Observed

TREES = 100  # at most
PATIENCE = 10  # trees without a better validation loss before the count stops
TRAIN_SHARE = 0.7

_BOOSTING = {
    "objective": "cross_entropy",
    "learning_rate": 0.1,
    "num_leaves": 8,
    "max_depth": 3,
    "min_data_in_leaf": 1,
    "min_data_in_bin": 1,
    "min_sum_hessian_in_leaf": 1e-6,  # a base that is sure and wrong has hardly any curvature
    "max_delta_step": 10,  # and a Newton step from there would go far too far: 1 logit a tree
    "lambda_l2": 1e-3,
    "boost_from_average": False,
    "feature_pre_filter": False,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "verbosity": -1,
}


@dataclass(frozen=True, eq=False)
class Boosting:
    """Trees that are added to the base logits; None is no tree at all."""

    booster: Any

    def correct(self, base: Array, unit: Array) -> Array:
        """Base logits plus the trees' sum."""
        if self.booster is None:
            return base
        trees = self.booster.predict(unit, raw_score=True, num_threads=1)
        return np.asarray(base + trees)


def lightgbm() -> ModuleType:
    """LightGBM, imported on first use: it loads pandas and scikit-learn where they are."""
    try:
        return require("lightgbm", "all")
    except OSError as error:
        raise MissingDependencyError(
            f"LightGBM is installed but its OpenMP library is not ({error}). Install it:"
            " 'apt-get install libgomp1' (Debian, Ubuntu), 'dnf install libgomp' (Fedora),"
            " 'brew install libomp' (macOS)."
        ) from None


def fit_boosting(observed: Observed, trees: int) -> Boosting:
    """So many trees, fitted to all observations."""
    if trees == 0:
        return Boosting(None)
    booster = lightgbm().Booster(_BOOSTING, _dataset(observed))
    for _ in range(trees):
        if booster.update():  # no split improves the loss any more
            break
    return Boosting(booster)


def _dataset(observed: Observed, reference: Any = None) -> Any:
    return lightgbm().Dataset(
        observed.unit,
        label=observed.target,
        weight=observed.p + observed.n,
        init_score=observed.base,
        reference=reference,
        params=_BOOSTING,
        free_raw_data=False,
    )


def count_trees(observed: Observed, rng: np.random.Generator) -> int:
    """How many trees generalise: fitted on 70 % of the observations, judged on the rest."""
    order = rng.permutation(len(observed))
    cut = max(1, int(TRAIN_SHARE * len(observed)))
    part, rest = observed.rows(order[:cut]), observed.rows(order[cut:])
    if len(rest) == 0:
        return 0
    training = _dataset(part)
    booster = lightgbm().Booster(_BOOSTING, training)
    booster.add_valid(_dataset(rest, training), "rest")
    weight = (rest.p + rest.n).sum()
    best, best_loss = 0, rest.loss(rest.base) / weight
    for tree in range(1, TREES + 1):
        if booster.update():
            break
        loss = booster.eval_valid()[0][2]
        if loss < best_loss:
            best, best_loss = tree, loss
        elif tree - best >= PATIENCE:
            break
    return best
