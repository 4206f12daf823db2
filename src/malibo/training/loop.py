"""Gradient steps, compiled: a stretch of steps between two looks is one call.

A weight tree is a dict: the network's arrays (malibo.network) and, under "tasks", the
task embeddings Z (T, d).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import optax

from malibo.config import TrainConfig
from malibo.network import Array32
from malibo.training.recipes import EMBEDDINGS, Recipe, optimizer
from malibo.training.regularizer import empirical_cdf, regularizer

Tree = dict[str, jax.Array]
AnyArray = TypeVar("AnyArray", jax.Array, Array32)
Arrays = tuple[jax.Array, ...]  # x, p, n, task, share

_REFRESH = 8  # steps between two sorts of the embeddings: ranks carry no gradient


def forward(weights: Tree, x: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Φ and m(Φ), as malibo.network has them."""
    h = x @ weights["input.weight"] + weights["input.bias"]

    def layer(h: jax.Array, arrays: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, None]:
        weight, bias = arrays
        return h + jax.nn.elu(h @ weight + bias), None

    h, _ = jax.lax.scan(layer, h, (weights["hidden.weight"], weights["hidden.bias"]), unroll=True)
    phi = h @ weights["features.weight"] + weights["features.bias"]
    return phi, phi @ weights["mean.weight"] + weights["mean.bias"]


def meta_loss(
    weights: Tree, rows: Arrays, cdf: jax.Array, config: TrainConfig, variance: float = 0.0
) -> jax.Array:
    """Equation 4: the LFBO loss averaged over tasks, plus λ times the regulariser.

    ``share`` of a row is N / (T · N_t), so that every task weighs the same. ``variance``
    weighs the mean of ‖Φ‖², the variance that the prior of z gives to a logit. With few
    tasks nothing else holds the directions of Φ that no task needs, and a draw of z would
    be mostly noise from there.
    """
    x, p, n, task, share = rows
    phi, mean = forward(weights, x)
    logits = mean if config.mean_layer else jnp.zeros_like(mean)
    if config.task_layer:
        z = used_embeddings(weights[EMBEDDINGS], config)
        logits = logits + jnp.sum(z[task] * phi, axis=1)
    fit = p * jax.nn.softplus(-logits) + n * jax.nn.softplus(logits)
    loss = jnp.mean(share * fit)
    if config.task_layer:
        loss = loss + config.regularization * regularizer(weights[EMBEDDINGS], cdf)
        loss = loss + variance * jnp.mean(share * jnp.sum(phi**2, axis=1))
    return loss


def used_embeddings(z: AnyArray, config: TrainConfig) -> AnyArray:
    """The embeddings less their mean, which belongs into the mean layer.

    Both m(Φ) and a common part of all z can say what holds for every task, but a new task
    starts with z = 0 and sees m alone. Under the prior the mean of z is 0.
    """
    return z - z.mean(axis=0) if config.mean_layer else z


@lru_cache(maxsize=16)
def stretch(recipe: Recipe, config: TrainConfig) -> Callable[..., tuple[Tree, Any]]:
    """The compiled function (weights, state, data, batches) → (weights, state)."""
    update = optimizer(recipe).update

    def step(
        data: Arrays, cdf: jax.Array, carry: tuple[Tree, Any], rows: jax.Array
    ) -> tuple[tuple[Tree, Any], None]:
        weights, state = carry
        chosen = tuple(array[rows] for array in data)
        gradient = jax.grad(meta_loss)(weights, chosen, cdf, config, recipe.variance)
        change, state = update(gradient, state, weights)
        return (optax.apply_updates(weights, change), state), None

    def group(
        data: Arrays, carry: tuple[Tree, Any], rows: jax.Array
    ) -> tuple[tuple[Tree, Any], None]:
        cdf = empirical_cdf(carry[0][EMBEDDINGS])
        return jax.lax.scan(partial(step, data, cdf), carry, rows)

    @partial(jax.jit, donate_argnums=(0, 1))
    def run(weights: Tree, state: Any, data: Arrays, batches: jax.Array) -> tuple[Tree, Any]:
        groups = batches.reshape(-1, _refresh(recipe), batches.shape[1])
        (weights, state), _ = jax.lax.scan(partial(group, data), (weights, state), groups)
        return weights, state

    return run


def _refresh(recipe: Recipe) -> int:
    """The greatest number of steps up to 8 that divides a stretch."""
    return next(size for size in range(_REFRESH, 0, -1) if recipe.interval % size == 0)
