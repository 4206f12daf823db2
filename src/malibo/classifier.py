"""Algorithm 1 of the paper: logits of candidates from the past and the new task's labels."""

from __future__ import annotations

import numpy as np

from malibo.acquisition import drawn_logits, embedding, probit_logits
from malibo.config import SuggestConfig
from malibo.labels import Labels, label
from malibo.metamodel import MetaModel, Points
from malibo.observations import Observations
from malibo.posterior import Evidence, Posterior, hmc, laplace, variational
from malibo.residual import Observed, fit_residual
from malibo.space.parameters import Array


def classifier_logits(
    model: MetaModel,
    observations: Observations,
    config: SuggestConfig,
    rng: np.random.Generator,
    points: Points,
) -> tuple[Array, Array]:
    """Logits of the candidates before the residual model and after it: C_GB of Equation 10."""
    if not model.informed and observations.trials < config.random_first:
        random = rng.permutation(len(points.offset)).astype(float)
        return random, random
    if model.informed and model.config.mean_layer and observations.trials == 0:
        return points.offset, points.offset  # x₀ = argmax g(x)
    labels = _labels(model, observations, config)
    seen = model.points(observations.codes)
    base_seen, base = _base_logits(model, seen, labels, config, rng, points)
    if len(observations.losses) < config.residual_after:
        return base, base
    observed = Observed(seen.unit, base_seen, labels.p, labels.n)
    residual = fit_residual(config.residual, observed, rng, early_stopping=model.informed)
    return base, residual.correct(base, points.unit)


def posterior_of(
    model: MetaModel, observations: Observations, config: SuggestConfig, rng: np.random.Generator
) -> Posterior:
    """q(z), what the observations say of the new task's embedding; the prior if there are none.

    The model must know past tasks and tell them apart.
    """
    labels = _labels(model, observations, config)
    return task_posterior(model.points(observations.codes), labels, config, rng)


def _labels(model: MetaModel, observations: Observations, config: SuggestConfig) -> Labels:
    """Which observations count as good, and how much, by the options or as the model learned."""
    gamma = model.config.target_gamma if config.gamma is None else config.gamma
    return label(observations.losses, gamma, config.utility or model.config.utility)


def _base_logits(
    model: MetaModel,
    seen: Points,
    labels: Labels,
    config: SuggestConfig,
    rng: np.random.Generator,
    points: Points,
) -> tuple[Array, Array]:
    """Meta-learned logits of the observations and of the candidates, under one and the same z."""
    if not model.informed or not model.config.task_layer:
        return seen.offset, points.offset
    posterior = task_posterior(seen, labels, config, rng)
    if config.explore == "probit":
        return (
            probit_logits(posterior, seen.phi, seen.offset),
            probit_logits(posterior, points.phi, points.offset),
        )
    z = embedding(posterior, config.explore, rng)
    return drawn_logits(z, seen.phi, seen.offset), drawn_logits(z, points.phi, points.offset)


def task_posterior(
    seen: Points, labels: Labels, config: SuggestConfig, rng: np.random.Generator
) -> Posterior:
    """q(z) from labelled observations, by the configured method."""
    evidence = Evidence(seen.phi, seen.offset, labels.p, labels.n)
    if config.inference == "hmc":
        return hmc(evidence, rng)
    return variational(evidence) if config.inference == "variational" else laplace(evidence)
