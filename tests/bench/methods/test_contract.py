"""The contract of all methods (malibo.bench.methods.optimizer), one test for each of its lines."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from malibo import Categorical, Float, History, Int, Ordinal, Space, Task
from malibo.bench.methods import METHODS, Lazy, Method, check_installed, method
from malibo.bench.methods.malibo import Warm
from malibo.bench.methods.optimizer import Optimizer
from malibo.bench.searchspace import SearchSpace
from malibo.errors import InputError, MissingDependencyError

SPACE = Space(
    lr=Float(1e-4, 1e-1, log=True),
    layers=Int(1, 4),
    width=Ordinal([16, 64, 256]),
    optimizer=Categorical(["adam", "sgd"]),
    momentum=Float(0, 0.9, when={"optimizer": "sgd"}),
    epochs=10,
)
TRAINED = ("banner", "fsbo", "dre", "metabo", "pfn")
GRID = Space(a=Int(0, 3), b=Categorical(["x", "y", "z"]))


def installed(known: Method) -> bool:
    needs = known.factory.needs if isinstance(known.factory, Lazy) else None
    return needs is None or find_spec(needs) is not None


EVERY = [
    pytest.param(
        name, marks=pytest.mark.skipif(not installed(known), reason="its packages are missing")
    )
    for name, known in METHODS.items()
]


def losses(space: Space, codes: Any, shift: float = 0.0) -> Any:
    """Best in the middle of the space, moved a little from task to task."""
    return ((space.encode(codes) - 0.5 - shift) ** 2).sum(axis=1)


def past(space: Space) -> History:
    rng = np.random.default_rng(0)
    tasks = []
    for shift in (-0.1, 0.1):
        codes = space.sample(rng, 25)
        values = losses(space, codes, shift)
        values[0] = np.nan
        tasks.append(Task(f"task {shift}", space, codes, values))
    return History(tasks)


def build(name: str, search: SearchSpace, seed: int = 0) -> Optimizer:
    factory = METHODS[name].factory
    if isinstance(factory, Warm):  # a moment of training will do
        factory = Warm(type(factory.train)(**{**vars(factory.train), "steps": 20}), factory.suggest)
    if isinstance(factory, Lazy) and name in TRAINED:
        factory = replace(factory, updates=5)
    return factory(search, past(search.space), np.random.default_rng(seed))


def drive(optimizer: Optimizer, search: SearchSpace, steps: int) -> list[dict[str, Any]]:
    """Ask and tell; the third trial fails."""
    asked = []
    for step in range(steps):
        config = optimizer.ask()
        loss = float(losses(search.space, search.space.codes([config]))[0])
        optimizer.tell(config, None if step == 2 else loss)
        asked.append(config)
    return asked


def text(config: dict[str, Any]) -> str:
    return json.dumps(config, sort_keys=True)


@pytest.mark.parametrize("name", EVERY)
def test_configurations_are_of_the_space_and_never_twice(name: str) -> None:
    search = SearchSpace(SPACE)
    asked = drive(build(name, search), search, 13)
    SPACE.codes(asked)  # an error if one is outside
    assert len({text(config) for config in asked}) == 13


@pytest.mark.parametrize("name", EVERY)
def test_a_seed_gives_the_same_suggestions_again(name: str) -> None:
    search = SearchSpace(SPACE)
    first, again = (drive(build(name, search, seed=3), search, 12) for _ in range(2))
    assert first == again


@pytest.mark.parametrize("name", EVERY)
def test_a_new_optimizer_that_is_told_the_same_goes_on_in_the_same_way(name: str) -> None:
    search = SearchSpace(SPACE)
    optimizer = build(name, search)
    asked = drive(optimizer, search, 12)
    resumed = build(name, search)
    for step, config in enumerate(asked):
        loss = float(losses(SPACE, SPACE.codes([config]))[0])
        resumed.tell(config, None if step == 2 else loss)
    assert resumed.ask() == optimizer.ask()


@pytest.mark.parametrize("name", EVERY)
def test_only_rows_of_the_table_are_suggested_until_it_is_used_up(name: str) -> None:
    table = SPACE.sample(np.random.default_rng(1), 14)
    search = SearchSpace(SPACE, table)
    asked = drive(build(name, search), search, 14)
    allowed = {text(config) for config in SPACE.configs(table)}
    assert {text(config) for config in asked} == allowed


@pytest.mark.parametrize("name", EVERY)
def test_a_small_space_is_searched_to_its_end(name: str) -> None:
    search = SearchSpace(GRID)
    asked = drive(build(name, search), search, 12)
    assert len({text(config) for config in asked}) == 12


@pytest.mark.parametrize("name", EVERY)
def test_what_was_not_asked_for_can_be_told(name: str) -> None:
    search = SearchSpace(SPACE)
    optimizer = build(name, search)
    told = SPACE.configs(SPACE.sample(np.random.default_rng(5), 11))
    for config in told:
        optimizer.tell(config, float(losses(SPACE, SPACE.codes([config]))[0]))
    assert optimizer.ask() not in told


@pytest.mark.parametrize("name", EVERY)
def test_all_trials_may_fail(name: str) -> None:
    search = SearchSpace(SPACE)
    optimizer = build(name, search)
    for _ in range(12):
        optimizer.tell(optimizer.ask(), None)
    SPACE.codes([optimizer.ask()])


# -- by name -------------------------------------------------------------------------------


def test_the_names_are_those_of_the_documentation() -> None:
    names = (
        "random tpe bore lfbo lfbo-bb gp rgpe ablr gc3p banner fsbo dre metabo pfn past-best malibo"
        " malibo-classifier malibo-network malibo-trusting malibo-paper malibo-probit malibo-ts"
        " malibo-res malibo-mean malibo-rf malibo-mlp"
    )
    assert list(METHODS)[:26] == names.split()


def test_an_unknown_method_is_named_with_the_known_ones_nearest_first() -> None:
    with pytest.raises(InputError, match=r"unknown method 'maliboo'.*nearest first: malibo, "):
        method("maliboo")


def test_a_missing_package_comes_with_its_pip_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(MissingDependencyError, match=r'pip install "malibo\[baselines\]"'):
        check_installed("gp")
    check_installed("lfbo")
