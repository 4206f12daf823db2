"""The regulariser that holds the task embeddings to their prior N(0, I) (Appendix C).

Shapes: T tasks, d dimensions, Z (T, d) the embeddings.

    R(Z) = λ_KS Σ_j mean_t (F_j(z_tj) − Φ(z_tj))² + λ_Cov ‖I − Cov(Z)‖²_F        (Equation 5)

F is the empirical, Φ the normal distribution function. An embedding counts itself by
half: F = (rank − ½) / T. With the ≤ of the paper the greatest of T values has F = 1, and
its best place would be infinity; a half puts the T values on the quantiles of the prior,
which matters for the 2 or 3 tasks that many users have.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax.scipy.stats import norm


def empirical_cdf(z: jax.Array) -> jax.Array:
    """F_j(z_tj) for each embedding and dimension. It has no gradient and costs a sort."""
    order = jnp.argsort(jnp.argsort(z, axis=0), axis=0)
    return (order + 0.5) / z.shape[0]


def ks_term(z: jax.Array, cdf: jax.Array) -> jax.Array:
    """Squared distance of the marginals from the prior's, given F."""
    return jnp.sum(jnp.mean((cdf - norm.cdf(z)) ** 2, axis=0))


def covariance_term(z: jax.Array) -> jax.Array:
    """‖I − Cov(Z)‖²_F; a single task has no covariance, and the term no gradient."""
    centred = z - z.mean(axis=0)
    covariance = centred.T @ centred / max(z.shape[0] - 1, 1)
    return jnp.sum((jnp.eye(z.shape[1]) - covariance) ** 2)


def expected_terms(tasks: int, dimension: int) -> tuple[float, float]:
    """Means of the two terms for T embeddings drawn from the prior, in closed form.

    The paper estimates them from samples. They are known: T times the first one, in one
    dimension, is the Cramér-von Mises statistic less 1/(12 T), whose mean is 1/6. The
    second one is the sum of the variances of a Wishart matrix, (d² + d) / (T − 1).
    """
    ks = dimension * (1 / 6 - 1 / (12 * tasks)) / tasks
    covariance = dimension * (dimension + 1) / (tasks - 1) if tasks > 1 else dimension
    return ks, covariance


def regularizer(z: jax.Array, cdf: jax.Array) -> jax.Array:
    """R(Z), about 1 for embeddings that follow the prior."""
    ks, covariance = expected_terms(*z.shape)  # λ_KS = 1 / (2 ks), λ_Cov = 1 / (2 covariance)
    return ks_term(z, cdf) / (2 * ks) + covariance_term(z) / (2 * covariance)
