"""What tasks are over the space: the embeddings z of the new one, and the directions of all."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from malibo.classifier import posterior_of
from malibo.config import SuggestConfig
from malibo.metamodel import MetaModel
from malibo.observations import Observations
from malibo.space.parameters import Array

_CONFIGURATIONS = 1024  # random ones, on which tasks are compared


def drawn_embeddings(
    model: MetaModel,
    observations: Observations,
    *,
    draws: int,
    seed: int = 0,
    config: SuggestConfig | None = None,
) -> Array:
    """(draws, d) embeddings that the new task may have, from q(z); the model tells tasks apart."""
    rng = np.random.default_rng([seed, 1])
    posterior = posterior_of(model, observations.in_order(), config or SuggestConfig(), rng)
    return np.array([posterior.draw(rng) for _ in range(draws)])


def directions(model: MetaModel, embeddings: NDArray[np.floating[Any]], *, seed: int = 0) -> Array:
    """(n, configurations) zᵀΦ of n embeddings, with a mean of 0 and a length of 1.

    Their products are the correlations by which tasks are compared. The seed draws the
    configurations: only directions of the same seed go together.
    """
    rng = np.random.default_rng([seed, 0])
    phi = model.points(model.space.sample(rng, _CONFIGURATIONS)).phi
    return _standardised(embeddings.astype(float) @ phi.T)


def _standardised(rows: Array) -> Array:
    """Rows with a mean of 0 and a norm of 1; one of equal numbers becomes 0."""
    centred = rows - rows.mean(axis=1, keepdims=True)
    norm = np.linalg.norm(centred, axis=1, keepdims=True)
    flat = norm <= 1e-9 * (1 + np.abs(rows).max(axis=1, initial=0, keepdims=True))
    return np.asarray(np.where(flat, 0, centred / np.where(flat, 1, norm)))
