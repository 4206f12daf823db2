"""The network and the loss a second time, in JAX: a slow reference with automatic gradients."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
from jax.scipy.stats import norm

from malibo.config import TrainConfig

Tree = dict[str, jax.Array]


@jax.jit
def forward(weights: Tree, x: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Φ and m(Φ)."""
    h = x @ weights["input.weight"] + weights["input.bias"]
    for weight, bias in zip(weights["hidden.weight"], weights["hidden.bias"], strict=True):
        h = h + jax.nn.elu(h @ weight + bias)
    phi = h @ weights["features.weight"] + weights["features.bias"]
    return phi, phi @ weights["mean.weight"] + weights["mean.bias"]


def terms(z: jax.Array, cdf: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The two terms of Equation 4."""
    ks = jnp.sum(jnp.mean((cdf - norm.cdf(z)) ** 2, axis=0))
    centred = z - z.mean(axis=0)
    covariance = centred.T @ centred / max(len(z) - 1, 1)
    return ks, jnp.sum((jnp.eye(z.shape[1]) - covariance) ** 2)


@partial(jax.jit, static_argnames=("config", "variance"))
def meta_loss(
    weights: Tree, rows: Tree, cdf: jax.Array, config: TrainConfig, variance: float
) -> jax.Array:
    """Equation 3, task by task, and the weighted mean of ‖Φ‖²."""
    z = weights["tasks"]
    tasks, d = z.shape
    phi, mean = forward(weights, rows["x"])
    logits = mean if config.mean_layer else jnp.zeros_like(mean)
    if config.task_layer:
        used = z - z.mean(axis=0) if config.mean_layer else z
        logits = logits + jnp.sum(used[rows["task"]] * phi, axis=1)
    fit = rows["p"] * jax.nn.softplus(-logits) + rows["n"] * jax.nn.softplus(logits)
    if config.task_layer:
        fit = fit + variance * jnp.sum(phi**2, axis=1)
    member = jax.nn.one_hot(rows["task"], tasks)
    loss = jnp.mean(fit @ member / member.sum(axis=0))
    if config.task_layer:
        ks, covariance = terms(z, cdf)
        loss = loss + config.regularization * (
            ks / (2 * d * (1 / 6 - 1 / (12 * tasks)) / tasks)
            + covariance * (tasks - 1) / (2 * d * (d + 1))
        )
    return loss
