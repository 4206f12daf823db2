"""The regulariser that holds the task embeddings to their prior N(0, I) (Appendix C).

Shapes: T tasks, d dimensions, Z (T, d) the embeddings.

    R(Z) = λ_KS Σ_j mean_t (F_j(z_tj) − Φ(z_tj))² + λ_Cov ‖I − Cov(Z)‖²_F        (Equation 4)

F is the empirical, Φ the normal distribution function. An embedding counts itself by
half: F = (rank − ½) / T. With the ≤ of the paper the greatest of T values has F = 1, and
its best place would be infinity; a half puts the T values on the quantiles of the prior,
which matters for the 2 or 3 tasks that many users have.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

from malibo.network import Array32


def empirical_cdf(z: Array32) -> Array32:
    """F_j(z_tj) for each embedding and dimension. It has no gradient and costs a sort."""
    ranks = np.argsort(np.argsort(z, axis=0), axis=0)
    return ((ranks + 0.5) / len(z)).astype(z.dtype)


def ks_term(z: Array32, cdf: Array32) -> tuple[float, Array32]:
    """Squared distance of the marginals from the prior's, given F, and its gradient."""
    gap = ndtr(z) - cdf
    density = np.exp(-0.5 * z**2) / math.sqrt(2 * math.pi)
    return float(np.sum(gap**2) / len(z)), 2 * gap * density / len(z)


def covariance_term(z: Array32) -> tuple[float, Array32]:
    """‖I − Cov(Z)‖²_F and its gradient; a single task has no covariance, and gradient 0."""
    freedom = max(len(z) - 1, 1)
    centred = z - z.mean(axis=0)
    excess = centred.T @ centred / freedom - np.eye(z.shape[1], dtype=z.dtype)
    return float(np.sum(excess**2)), 4 / freedom * centred @ excess


def expected_terms(tasks: int, dimension: int) -> tuple[float, float]:
    """Means of the two terms for T embeddings drawn from the prior, in closed form.

    The paper estimates them from samples. They are known: T times the first one, in one
    dimension, is the Cramér-von Mises statistic less 1/(12 T), whose mean is 1/6. The
    second one is the sum of the variances of a Wishart matrix, (d² + d) / (T − 1).
    """
    ks = dimension * (1 / 6 - 1 / (12 * tasks)) / tasks
    covariance = dimension * (dimension + 1) / (tasks - 1) if tasks > 1 else dimension
    return ks, covariance


def regularizer(z: Array32, cdf: Array32) -> tuple[float, Array32]:
    """R(Z), about 1 for embeddings that follow the prior, and its gradient.

    λ_KS and λ_Cov are one over twice what the terms are under the prior.
    """
    ks_weight, covariance_weight = (0.5 / term for term in expected_terms(*z.shape))
    ks, d_ks = ks_term(z, cdf)
    covariance, d_covariance = covariance_term(z)
    value = ks_weight * ks + covariance_weight * covariance
    return value, ks_weight * d_ks + covariance_weight * d_covariance
