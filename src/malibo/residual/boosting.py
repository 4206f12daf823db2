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


def dataset(observed: Observed) -> Any:
    """The observations as LightGBM takes them, the base logits as its start."""
    data = lightgbm().Dataset(
        observed.unit,
        label=observed.target,
        weight=observed.p + observed.n,
        init_score=observed.base,
        params=_BOOSTING,
        free_raw_data=False,
    )
    return data.construct()


def fit_boosting(observed: Observed, trees: int, data: Any = None) -> Boosting:
    """So many trees, fitted to all observations; ``data`` is their ``dataset``, if made before."""
    if trees == 0:
        return Boosting(None)
    booster = lightgbm().Booster(_BOOSTING, data or dataset(observed))
    for _ in range(trees):
        if booster.update():  # no split improves the loss any more
            break
    return Boosting(booster)


def count_trees(observed: Observed, rng: np.random.Generator, data: Any = None) -> int:
    """How many trees generalise: fitted on 70 % of the observations, judged on the rest."""
    data = data or dataset(observed)
    order = rng.permutation(len(observed))
    cut = max(1, int(TRAIN_SHARE * len(observed)))
    part, rest = np.sort(order[:cut]), np.sort(order[cut:])
    if len(rest) == 0:
        return 0
    booster = lightgbm().Booster(_BOOSTING, data.subset(part))
    booster.add_valid(data.subset(rest), "rest")
    judged = observed.rows(rest)
    best, best_loss = 0, judged.loss(judged.base) / (judged.p + judged.n).sum()
    for tree in range(1, TREES + 1):
        if booster.update():
            break
        loss = booster.eval_valid()[0][2]
        if loss < best_loss:
            best, best_loss = tree, loss
        elif tree - best >= PATIENCE:
            break
    return best
