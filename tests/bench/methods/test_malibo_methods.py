"""MALIBO, its variants, LFBO and BORE by name: each is the library with the right options."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from malibo import Float, History, Malibo, Space, SuggestConfig, Task, TrainConfig, meta_train
from malibo.bench.methods import DIMENSIONS, METHODS, malibo
from malibo.bench.methods.malibo import Cold, Warm
from malibo.bench.searchspace import SearchSpace

SPACE = Space(x=Float(0, 1))
STEPS = TrainConfig(steps=20)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def past() -> History:
    codes = SPACE.sample(rng(), 30)
    return History(
        [Task(f"task {best}", SPACE, codes, (codes[:, 0] - best) ** 2) for best in (0.6, 0.7, 0.8)]
    )


DEFAULTS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "malibo": ({}, {}),
    "malibo-classifier": ({}, {"surrogate": "classifier"}),
    "malibo-network": ({"functions": False}, {}),
    "malibo-trusting": ({}, {"trust": 1.0}),
}
PAPER: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "malibo-paper": ({}, {}),
    "malibo-probit": ({}, {"explore": "probit", "residual": "none"}),
    "malibo-ts": ({}, {"explore": "thompson", "residual": "none"}),
    "malibo-res": ({"mean_layer": False}, {}),
    "malibo-mean": ({"task_layer": False}, {}),
    "malibo-rf": ({}, {"residual": "forest"}),
    "malibo-mlp": ({}, {"residual": "mlp"}),
    "malibo-variational": ({}, {"inference": "variational"}),
    "malibo-hmc": ({}, {"inference": "hmc"}),
    **{f"malibo-d{d}": ({"features": d}, {}) for d in DIMENSIONS},
}


def test_every_variant_is_listed_here() -> None:
    assert {name for name in METHODS if name.startswith("malibo")} == {*DEFAULTS, *PAPER}


@pytest.mark.parametrize("name", DEFAULTS)
def test_some_differ_from_the_defaults_in_their_own_options(name: str) -> None:
    train, suggest = DEFAULTS[name]
    assert METHODS[name].factory == Warm(TrainConfig(**train), SuggestConfig(**suggest))


@pytest.mark.parametrize("name", PAPER)
def test_the_paper_s_variants_differ_from_the_paper_in_their_own_options(name: str) -> None:
    train, suggest = PAPER[name]
    expected = Warm(TrainConfig(recipe="paper", **train), SuggestConfig.paper(**suggest))
    assert METHODS[name].factory == expected


def test_lfbo_and_bore_are_a_cold_start() -> None:
    assert METHODS["lfbo"].factory == Cold()
    assert METHODS["bore"].factory == Cold(SuggestConfig(utility="pi"))


# -- warm ----------------------------------------------------------------------------------


def test_a_warm_start_is_the_library_by_hand() -> None:
    seed = int(rng(3).integers(2**31))
    model = meta_train(past(), config=STEPS, seed=seed, progress=False)
    by_hand = Malibo(model, seed=seed)
    optimizer = Warm(STEPS)(SearchSpace(SPACE), past(), rng(3))
    for _ in range(7):
        config = optimizer.ask()
        assert config == by_hand.ask()
        for each in (optimizer, by_hand):
            each.tell(config, (config["x"] - 0.7) ** 2)


def test_a_warm_start_knows_where_the_past_was_good() -> None:
    found = [
        Warm(TrainConfig(steps=200))(SearchSpace(SPACE), past(), rng(seed)).ask()["x"]
        for seed in range(3)
    ]
    assert min(found) > 0.5
    assert max(found) < 0.9


def test_options_reach_training_and_suggesting(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def watched(*arguments: Any, **options: Any) -> Any:
        seen.append(options["config"])
        return meta_train(*arguments, **options)

    monkeypatch.setattr(malibo, "meta_train", watched)
    train = TrainConfig(steps=5, features=4)
    optimizer = Warm(train, SuggestConfig(residual="none"))(SearchSpace(SPACE), past(), rng())
    assert seen == [train]
    assert isinstance(optimizer, Malibo)
    assert optimizer.config == SuggestConfig(residual="none")


# -- cold ----------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [SuggestConfig(), SuggestConfig(utility="pi")])
def test_a_cold_start_is_the_library_by_hand_and_blind_to_the_past(options: SuggestConfig) -> None:
    seed = int(rng(3).integers(2**31))
    by_hand = Malibo(space=SPACE, seed=seed, config=options)
    other = History([Task("other", SPACE, np.array([[0.5], [0.1]]), np.array([1.0, 2.0]))])
    one, two = (Cold(options)(SearchSpace(SPACE), found, rng(3)) for found in (past(), other))
    for _ in range(12):
        config = by_hand.ask()
        assert one.ask() == two.ask() == config
        for each in (one, two, by_hand):
            each.tell(config, (config["x"] - 0.3) ** 2)


@pytest.mark.parametrize("factory", [Cold(), Warm(STEPS)])
def test_a_table_is_handed_on(factory: Cold | Warm) -> None:
    table = np.array([[0.1], [0.5], [0.9]])
    optimizer = factory(SearchSpace(SPACE, table), past(), rng())
    found = []
    for _ in range(3):
        config = optimizer.ask()
        optimizer.tell(config, 1.0)
        found.append(config["x"])
    assert_array_equal(sorted(found), table.ravel())
