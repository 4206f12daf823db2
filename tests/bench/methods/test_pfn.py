"""The method with a prior-fitted network: training, its cache, and suggestions."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

pytest.importorskip("torch")

import torch
from torch import Generator

from malibo import Categorical, Float, History, Space, Task
from malibo.bench.methods import function_prior, pfn, pfn_training
from malibo.bench.methods.pfn import (
    AT_RANDOM,
    NEAREST,
    OwnPfn,
    Pfn,
    narrowed,
    normalized,
    scored_rows,
)
from malibo.bench.methods.pfn_training import WORTH_KEEPING, Training, batch_loss, trained
from malibo.bench.methods.prior_fitted import Size
from malibo.bench.methods.surrogate import one_core
from malibo.bench.searchspace import SearchSpace
from malibo.space.parameters import Array
from strategies import repeatable

SPACE = Space(a=Float(0, 1), b=Float(0, 1))
SHORT = Training(450, seen=(4, 18), new=16, rate=5e-3, warm_up=20, size=Size(32, 2, 4, 32))
TINY = Training(updates=WORTH_KEEPING, size=Size(8, 1, 2, 8))


@pytest.fixture(autouse=True)
def own_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No published weights, and an empty cache: its folder."""
    monkeypatch.setattr(pfn, "weights", lambda: None)
    monkeypatch.setenv("MALIBO_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def short() -> OwnPfn:
    """A network after a moment of training, on functions of two columns only."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(function_prior, "draw", partial(function_prior.draw, columns=2))
        return OwnPfn(trained(SHORT))


@pytest.fixture(scope="module")
def untrained() -> OwnPfn:
    return OwnPfn(trained(replace(SHORT, updates=0)))


# -- training and its cache ----------------------------------------------------------------


def test_training_brings_predictions_closer_to_the_prior(short: OwnPfn, untrained: OwnPfn) -> None:
    drawn = function_prior.draw(100, 15, 35, Generator().manual_seed(5), columns=2)
    with torch.no_grad():
        before, after = (float(batch_loss(own.network, drawn, 15)) for own in (untrained, short))
    assert before > 1.4  # as if nothing was seen
    assert after < 0.7


def test_training_is_the_same_each_time() -> None:
    first, second = (trained(replace(SHORT, updates=3)).state_dict() for _ in range(2))
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_a_network_is_trained_once_and_kept(
    own_network: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    monkeypatch.setattr(pfn_training, "train", lambda *arguments: calls.append(arguments))
    first, second = trained(TINY).state_dict(), trained(TINY).state_dict()
    assert len(calls) == 1
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert [path.name for path in own_network.iterdir()] == [
        f"pfn-{TINY.digest()[:16]}.safetensors"
    ]


def test_short_trainings_leave_nothing_behind(own_network: Path) -> None:
    trained(replace(TINY, updates=2))
    assert not own_network.exists()


def test_other_settings_are_another_network(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = [TINY, replace(TINY, updates=900), replace(TINY, size=Size(8, 2, 2, 8))]
    digests = {each.digest() for each in settings}
    monkeypatch.setattr(function_prior, "LENGTH_SPREAD", 2.0)
    assert len({*digests, TINY.digest()}) == 4


def test_the_learning_rate_rises_and_falls() -> None:
    rates = [pfn_training.rate(update, Training(updates=1000)) for update in range(1000)]
    top = int(np.argmax(rates))
    assert 90 <= top < 100
    assert (np.diff(rates[: top + 1]) > 0).all()
    assert (np.diff(rates[top:]) < 0).all()
    assert rates[-1] < 1e-7 < rates[top] <= 2e-3


# -- suggestions ---------------------------------------------------------------------------


def past(space: Space) -> History:
    """Any past: it is not looked at."""
    return History([Task("old", space, space.sample(np.random.default_rng(0), 1), np.zeros(1))])


def loss(codes: Array, best: Array) -> Array:
    return np.asarray(((codes - best) ** 2).sum(axis=1))


def better_ones(own: OwnPfn, seed: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many of 300 are better than the best of ten random ones and eight suggestions."""
    monkeypatch.setattr(pfn, "load", lambda updates: own)
    rng = np.random.default_rng(seed)
    best, table = rng.uniform(0.2, 0.8, 2), rng.random((300, 2))
    optimizer = Pfn(SearchSpace(SPACE, table), past(SPACE), rng)
    for config in SPACE.configs(table[:10]):
        optimizer.tell(config, float(loss(SPACE.codes([config]), best)[0]))
    for _ in range(8):
        config = optimizer.ask()
        optimizer.tell(config, float(loss(SPACE.codes([config]), best)[0]))
    return int((loss(table, best) < optimizer.losses.min()).sum())


def test_it_finds_better_ones_than_chance_and_only_when_trained(
    short: OwnPfn, untrained: OwnPfn, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, after = (
        np.mean([better_ones(own, seed, monkeypatch) for seed in range(12)])
        for own in (untrained, short)
    )
    assert after < 7  # 16 by chance; 1 to 4 with other seeds of training
    assert before > 12


def test_the_expected_improvement_is_the_same_in_chunks(
    short: OwnPfn, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    seen, points = rng.random((6, 3)), rng.random((11, 3))
    score = short.score(seen, rng.random(6))
    at_once = score(points)
    monkeypatch.setattr(pfn, "CHUNK", 4)
    assert_allclose(score(points), at_once, rtol=1e-4)
    assert (at_once > 0).all()


def test_suggestions_are_random_until_two_losses_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_score(*_: object) -> None:
        raise AssertionError("nothing to learn from yet")

    optimizer = Pfn(SearchSpace(SPACE), past(SPACE), np.random.default_rng(0), updates=0)
    monkeypatch.setattr(OwnPfn, "score", no_score)
    for told in (None, None, 0.5, 0.5):
        optimizer.tell(optimizer.ask(), told)
    optimizer.tell(optimizer.ask(), 0.6)
    with pytest.raises(AssertionError, match="nothing to learn"):
        optimizer.ask()


def test_the_past_is_of_no_use_to_it() -> None:
    codes = SPACE.sample(np.random.default_rng(0), 20)
    other = History([Task("old", SPACE, codes, loss(codes, np.zeros(2)))])
    asked = []
    for history in (other, past(SPACE)):
        optimizer = Pfn(SearchSpace(SPACE), history, np.random.default_rng(1), updates=0)
        for told in (1.0, 2.0):
            optimizer.tell(optimizer.ask(), told)
        asked.append(optimizer.ask())
    assert asked[0] == asked[1]


def test_a_space_may_have_more_columns_than_the_network() -> None:
    wide = Space(a=Categorical([f"{i}" for i in range(60)]), b=Float(0, 1))
    optimizer = Pfn(SearchSpace(wide), past(wide), np.random.default_rng(0), updates=0)
    for told in (1.0, 2.0, 3.0):
        optimizer.tell(optimizer.ask(), told)
    wide.codes([optimizer.ask()])


# -- what the network is given -------------------------------------------------------------


def test_few_columns_stay_as_they_are() -> None:
    points = np.random.default_rng(0).random((5, 40))
    assert narrowed(points, 40) is points


def test_many_columns_are_projected_and_distances_kept() -> None:
    points = np.random.default_rng(0).random((50, 200))
    found = narrowed(points, 40)
    assert found.shape == (50, 40)
    assert found.min() >= 0
    assert found.max() <= 1
    assert_allclose(narrowed(points[:3], 40), found[:3], atol=1e-12)
    points[1] = points[0] + 0.01
    near, far = (np.linalg.norm(narrowed(points, 40)[0] - narrowed(points, 40)[i]) for i in (1, 2))
    assert near < far / 10


def test_all_points_are_scored_if_they_are_few() -> None:
    points = np.random.default_rng(0).random((AT_RANDOM + NEAREST, 1))
    rows = scored_rows(points, points[0], np.random.default_rng(0))
    assert_array_equal(rows, np.arange(len(points)))


def test_of_many_points_those_next_to_the_best_are_scored_and_random_ones() -> None:
    points = np.random.default_rng(0).random((30_000, 2))
    rows = scored_rows(points, points[0], np.random.default_rng(0))
    nearest = np.argsort(np.abs(points - points[0]).sum(axis=1))[:NEAREST]
    assert {*nearest} <= {*rows}
    assert AT_RANDOM < len(rows) == len({*rows}) <= AT_RANDOM + NEAREST
    far = np.setdiff1d(rows, nearest)
    assert_allclose(points[far].mean(axis=0), points.mean(axis=0), atol=0.03)


def test_skewed_losses_become_normal_and_keep_their_order() -> None:
    losses = np.random.default_rng(0).lognormal(0, 1, 300)
    found = normalized(losses)
    assert_allclose([found.mean(), found.std()], [0, 1], atol=1e-9)
    assert abs((found**3).mean()) < 0.5 < (((losses - losses.mean()) / losses.std()) ** 3).mean()
    assert_array_equal(np.argsort(found), np.argsort(losses))


@repeatable
@given(st.lists(st.floats(-1e300, 1e300), min_size=2, max_size=12))
def test_any_losses_can_be_normalized(losses: list[float]) -> None:
    with one_core():
        found = normalized(np.array(losses))
    assert np.isfinite(found).all()
    assert found[np.argmin(losses)] == found.min()
