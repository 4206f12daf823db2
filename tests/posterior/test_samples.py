"""A posterior of draws: its moments, and one of them at a time."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from malibo.posterior import Samples

Z = np.random.default_rng(0).standard_normal((40, 3))


def test_the_mean_is_that_of_the_draws() -> None:
    assert_allclose(Samples(Z).mean, [sum(column) / 40 for column in Z.T])


def test_the_variance_of_a_logit_is_that_over_the_draws() -> None:
    phi = np.random.default_rng(1).standard_normal((5, 3))
    expected = [np.mean([(row @ z - row @ Z.mean(axis=0)) ** 2 for z in Z]) for row in phi]
    assert_allclose(Samples(Z).variance(phi), expected)


def test_a_draw_is_one_of_the_draws_and_each_of_them_comes() -> None:
    rng = np.random.default_rng(2)
    drawn = {tuple(Samples(Z).draw(rng)) for _ in range(1000)}
    assert drawn == {tuple(z) for z in Z}


def test_a_draw_follows_the_generator() -> None:
    draws = [Samples(Z).draw(np.random.default_rng(3)) for _ in range(2)]
    assert_array_equal(draws[0], draws[1])
