"""The classifier: what the observations say of the new task's embedding."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from malibo import MetaModel, SuggestConfig
from malibo.classifier import classifier_logits, posterior_of
from malibo.observations import Observations


def observed(model: MetaModel, count: int) -> Observations:
    codes = model.space.sample(np.random.default_rng(count), count)
    return Observations(codes, np.arange(float(count)), codes[:0])


def test_without_observations_the_posterior_is_the_prior(model: MetaModel) -> None:
    found = posterior_of(model, observed(model, 0), SuggestConfig(), np.random.default_rng(0))
    assert_allclose(found.mean, 0)
    drawn = np.array([found.draw(np.random.default_rng(seed)) for seed in range(500)])
    assert_allclose(drawn.std(), 1, atol=0.05)


def test_logits_are_those_of_the_posterior(model: MetaModel) -> None:
    seen, config = observed(model, 4), SuggestConfig(explore="map", residual="none")
    points = model.points(model.space.sample(np.random.default_rng(9), 20))
    base, final = classifier_logits(model, seen, config, np.random.default_rng(0), points)
    posterior = posterior_of(model, seen, config, np.random.default_rng(0))
    assert_allclose(base, points.offset + points.phi @ posterior.mean)
    assert_array_equal(base, final)


def test_options_of_the_labels_come_before_those_of_the_model(model: MetaModel) -> None:
    seen, rng = observed(model, 9), np.random.default_rng(0)
    own = posterior_of(model, seen, SuggestConfig(), rng).mean
    same = SuggestConfig(gamma=model.config.target_gamma, utility=model.config.utility)
    assert_array_equal(posterior_of(model, seen, same, rng).mean, own)
    for other in (SuggestConfig(gamma=0.6), SuggestConfig(utility="pi")):
        assert (posterior_of(model, seen, other, rng).mean != own).any()
