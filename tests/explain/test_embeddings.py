"""Embeddings: draws of the new task, and what tasks are over the space."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from malibo import MetaModel, SuggestConfig
from malibo.explain import directions, drawn_embeddings, task_similarities
from malibo.explain.embeddings import _standardised
from malibo.observations import Observations


def test_directions_are_of_length_one_and_their_products_are_similarities(model: MetaModel) -> None:
    found = directions(model, model.embeddings)
    assert_allclose(np.linalg.norm(found, axis=1), 1)
    assert_allclose(found.mean(axis=1), 0, atol=1e-12)
    assert_allclose(found @ found.T, task_similarities(model), atol=1e-6)  # float32


def test_a_direction_does_not_depend_on_the_others_nor_on_its_length(model: MetaModel) -> None:
    both = directions(model, model.embeddings)
    assert_allclose(directions(model, 3 * model.embeddings[1:2])[0], both[1], atol=1e-6)
    assert (directions(model, model.embeddings, seed=1) != both).any()


def test_without_results_the_draws_are_those_of_the_prior(model: MetaModel) -> None:
    drawn = drawn_embeddings(model, Observations.none(len(model.space)), draws=2000)
    assert drawn.shape == (2000, model.embeddings.shape[1])
    assert_allclose(drawn.mean(axis=0), 0, atol=0.12)
    assert_allclose(drawn.std(axis=0), 1, atol=0.12)


def test_the_seed_and_the_options_decide_and_not_the_order(model: MetaModel) -> None:
    codes = model.space.sample(np.random.default_rng(0), 8)
    seen = Observations(codes, np.arange(8.0), codes[:0])
    turned = Observations(codes[::-1], np.arange(8.0)[::-1], codes[:0])
    found = drawn_embeddings(model, seen, draws=3)
    assert_array_equal(found, drawn_embeddings(model, turned, draws=3))
    assert (found != drawn_embeddings(model, seen, draws=3, seed=1)).any()
    other = drawn_embeddings(model, seen, draws=3, config=SuggestConfig(gamma=0.5))
    assert (found != other).any()


def test_what_is_the_same_everywhere_correlates_with_nothing() -> None:
    found = _standardised(np.array([np.full(5, 1e6), np.arange(5.0)]))
    assert_array_equal(found[0], 0)
    assert found[1] @ found[1] == pytest.approx(1)
    assert found[1].sum() == pytest.approx(0)
