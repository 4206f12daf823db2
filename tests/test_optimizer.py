"""Malibo: what ask gives, what tell takes, and that errors change nothing."""

from __future__ import annotations

import copy
import math
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import pdist

from malibo import (
    Categorical,
    Float,
    History,
    Int,
    Malibo,
    MetaModel,
    Space,
    SuggestConfig,
    Task,
    meta_train,
)
from malibo.errors import InputError, SpaceExhaustedError
from strategies import repeatable

if TYPE_CHECKING:
    from conftest import Objective

NAN = math.nan
FEW = SuggestConfig(random_candidates=64)
SMALL = Space(a=Int(1, 3), b=Categorical(["x", "y"]), c=Int(0, 1, when={"b": "y"}))  # 9 in all
GOOD = {"lr": 0.01, "layers": 2, "optimizer": "adam", "epochs": 10}


def distinct(configs: list[dict[str, Any]]) -> int:
    return len({repr(sorted(config.items())) for config in configs})


def same(one: Malibo, other: Malibo) -> bool:
    """Whether two optimizers show the same, and go on the same."""
    shown = [(each.results, each.pending, repr(each)) for each in (one, other)]
    return shown[0] == shown[1] and one.ask() == other.ask()


def three_told(model: MetaModel, objective: Objective) -> Malibo:
    """Three results told, one pending."""
    optimizer = Malibo(model, seed=1, config=FEW)
    for config in optimizer.ask(3):
        optimizer.tell(config, objective(config))
    optimizer.ask()
    return optimizer


@pytest.fixture
def optimizer(model: MetaModel, objective: Objective) -> Malibo:
    return three_told(model, objective)


@pytest.fixture
def twin(model: MetaModel, objective: Objective) -> Malibo:
    """Equal to ``optimizer``; the test leaves it alone."""
    return three_told(model, objective)


# -- ask -----------------------------------------------------------------------------------


@pytest.mark.parametrize("cold", [True, False])
def test_suggestions_are_valid_distinct_and_hold_the_fixed_values(
    cold: bool, model: MetaModel, objective: Objective
) -> None:
    optimizer = Malibo(MetaModel.uninformed(model.space) if cold else model, seed=0, config=FEW)
    for _ in range(15):
        config = optimizer.ask()
        assert model.space.configs(model.space.codes([config])) == [config]
        assert config["epochs"] == 10
        assert ("momentum" in config) == (config["optimizer"] == "sgd")
        optimizer.tell(config, objective(config))
    assert distinct([config for config, _ in optimizer.results]) == 15


def test_a_batch_equals_as_many_single_asks(model: MetaModel) -> None:
    one, other = (Malibo(model, seed=3, config=FEW) for _ in range(2))
    batch = one.ask(3)
    assert [other.ask() for _ in range(3)] == batch
    assert distinct(batch) == 3
    assert one.pending == other.pending == batch
    assert one.ask(1) == [other.ask()]


@pytest.mark.parametrize("n", [0, -1, 2.0, True, "3"])
def test_a_wrong_number_is_refused(n: Any, optimizer: Malibo, twin: Malibo) -> None:
    with pytest.raises(InputError, match=r"ask\(n\) takes a whole number >= 1, got"):
        optimizer.ask(n)
    assert same(optimizer, twin)


@repeatable
@given(order=st.permutations(range(10)))
def test_ten_asks_and_ten_tells_in_any_order(
    order: list[int], model: MetaModel, objective: Objective
) -> None:
    optimizer, straight = (Malibo(model, seed=2, config=FEW) for _ in range(2))
    configs = optimizer.ask(10)
    assert straight.ask(10) == configs
    for number, index in enumerate(order):
        optimizer.tell(configs[index], objective(configs[index]))
        straight.tell(configs[number], objective(configs[number]))
    assert optimizer.pending == []
    new = optimizer.ask()
    assert new == straight.ask()
    assert distinct([*configs, new]) == 11
    best = min(objective(config) for config in configs)
    assert optimizer.best[1] == pytest.approx(best)


@pytest.mark.parametrize("size", [1, 5, 9, 5120])
def test_a_finite_space_gives_each_configuration_once_and_then_says_so(size: int) -> None:
    optimizer = Malibo(space=SMALL, seed=0, config=SuggestConfig(random_candidates=size))
    configs = []
    for trial in range(9):
        configs.append(optimizer.ask())
        if trial % 2:
            optimizer.tell(configs[-1], float(trial))
    assert distinct(configs) == 9
    before = (optimizer.results, optimizer.pending)
    for n in (None, 4):
        with pytest.raises(SpaceExhaustedError, match="all 9 configurations of the space have"):
            optimizer.ask(n)  # type: ignore[arg-type]
    assert (optimizer.results, optimizer.pending) == before


def test_a_batch_larger_than_what_is_left_changes_nothing() -> None:
    optimizer, twin = (Malibo(space=SMALL, seed=0) for _ in range(2))
    assert optimizer.ask(5) == twin.ask(5)
    with pytest.raises(SpaceExhaustedError):
        optimizer.ask(5)
    assert same(optimizer, twin)
    assert distinct([*optimizer.pending, *optimizer.ask(3)]) == 9


# -- tell ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "loss", "message"),
    [
        ({"learning_rate": 1}, 1.0, "unknown parameter 'learning_rate'"),
        ({"layer": 1}, 1.0, "unknown parameter 'layer'.* Did you mean 'layers'"),
        ({"lr": ...}, 1.0, "parameter 'lr' is missing"),
        ({"lr": "high"}, 1.0, "parameter 'lr': expected a number .* got 'high'"),
        ({"layers": 2.5}, 1.0, r"parameter 'layers': expected an integer from 1 to 4, got 2\.5"),
        ({"lr": 5.0}, 1.0, r"parameter 'lr': expected .* 0\.0001 to 0\.1, got 5\.0"),
        ({"optimizer": "lamb"}, 1.0, "'optimizer': expected one of 'adam', 'sgd', got 'lamb'"),
        ({"momentum": 0.5}, 1.0, "'momentum' is inactive here: it needs optimizer='sgd'"),
        ({"epochs": 11}, 1.0, "'epochs': expected the fixed value 10, got 11"),
        ({}, "0.3", r"loss must be a number, or None .* got '0\.3' \(str\)"),
        ({}, True, r"loss must be a number.* got True \(bool\)"),
        ({}, [1.0], r"loss must be a number.* got \[1\.0\] \(list\)"),
        ({}, np.array([1.0, 2.0]), r"loss must be a number.*\(ndarray\)"),
        ({}, 1j, r"loss must be a number.* got 1j"),
    ],
)
def test_a_wrong_result_is_named_and_changes_nothing(
    change: dict[str, Any], loss: Any, message: str, optimizer: Malibo, twin: Malibo
) -> None:
    config = {k: v for k, v in {**GOOD, **change}.items() if v is not ...}
    with pytest.raises(InputError, match=message):
        optimizer.tell(config, loss)
    assert same(optimizer, twin)


@pytest.mark.parametrize("failure", [None, NAN, math.inf, -math.inf, np.float32("nan"), 10**400])
def test_a_failed_trial_is_told_without_a_number(failure: Any, optimizer: Malibo) -> None:
    best = optimizer.best
    optimizer.tell(optimizer.pending[0], failure)
    assert optimizer.results[-1][1] is None
    assert optimizer.best == best
    assert optimizer.pending == []
    assert optimizer.ask() != optimizer.results[-1][0]


@pytest.mark.parametrize("loss", [1, 1.5, np.float32(1.5), np.int64(2), np.array(1.5), np.ones(1)])
def test_any_real_number_is_a_loss(loss: Any, optimizer: Malibo) -> None:
    optimizer.tell(GOOD, loss)
    assert optimizer.results[-1] == (GOOD, float(np.asarray(loss).item()))


def test_a_configuration_never_asked_for_may_be_told(optimizer: Malibo) -> None:
    pending = optimizer.pending
    optimizer.tell(GOOD, -7.0)
    optimizer.tell(GOOD, -6.0)  # and once more: noise
    assert optimizer.best == (GOOD, -7.0)
    assert optimizer.pending == pending
    assert len(optimizer.results) == 5


def test_told_configurations_are_not_suggested() -> None:
    optimizer = Malibo(space=Space(a=Int(1, 3)), seed=0)
    optimizer.tell({"a": 2}, 0.0)
    assert sorted(str(config["a"]) for config in optimizer.ask(2)) == ["1", "3"]


def test_the_best_follows_the_direction(tuning_space: Space) -> None:
    for direction, value in (("minimize", 0.2), ("maximize", 0.9)):
        optimizer = Malibo(space=tuning_space, direction=direction)  # type: ignore[arg-type]
        with pytest.raises(InputError, match="no best configuration yet: 0 results were told"):
            _ = optimizer.best
        optimizer.tell(GOOD, None)
        with pytest.raises(InputError, match="1 results were told, none valid"):
            _ = optimizer.best
        for layers, score in ((1, 0.5), (2, 0.2), (3, 0.9)):
            optimizer.tell({**GOOD, "layers": layers}, score)
        layers = 2 if direction == "minimize" else 3
        assert optimizer.best == ({**GOOD, "layers": layers}, value)
        assert [value for _, value in optimizer.results] == [None, 0.5, 0.2, 0.9]


def test_maximizing_scores_is_minimizing_their_negatives(model: MetaModel) -> None:
    up = Malibo(replace(model, direction="maximize"), seed=0, config=FEW)
    down = Malibo(model, seed=0, config=FEW)
    for trial in range(7):
        config = up.ask()
        assert down.ask() == config
        up.tell(config, float(trial % 4))
        down.tell(config, -float(trial % 4))


# -- construction --------------------------------------------------------------------------


def test_the_direction_is_that_of_the_past_unless_said_otherwise(model: MetaModel) -> None:
    maximised = replace(model, direction="maximize")
    assert Malibo(maximised).direction == "maximize"
    assert Malibo(maximised, direction="maximize").direction == "maximize"
    assert Malibo(model).direction == "minimize"
    assert Malibo(replace(model, direction=None)).direction == "minimize"


def test_a_past_told_the_other_way_is_worth_a_warning(model: MetaModel) -> None:
    with pytest.warns(UserWarning, match="past runs were told to minimize and") as caught:
        assert Malibo(model, direction="maximize").direction == "maximize"
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"explor": "map"}, "unknown option 'explor'; .* Did you mean 'explore'"),
        ({"explore": "all"}, "explore must be one of 'thompson', 'probit', 'map', got 'all'"),
        ({"seed": -1}, "seed must be a whole number >= 0 or None, got -1"),
        ({"seed": 1.5}, r"seed must be a whole number >= 0 or None, got 1\.5"),
        ({"seed": True}, "seed must be a whole number"),
        ({"seed": "0"}, "seed must be a whole number"),
        ({"direction": "up"}, "must be 'minimize' or 'maximize', got 'up'"),
        ({"space": {"lr": 1}}, r"space must be a malibo\.Space, got dict"),
        ({"space": SMALL}, "made for another space: 'a' is missing; .* and 3 more. Train one"),
        ({"model": SMALL}, r"must be a malibo\.MetaModel, got Space\. Write Malibo\(space="),
        ({"model": None}, r"give a MetaModel, or space=\.\.\. to start without past runs"),
    ],
)
def test_wrong_arguments_are_named(options: dict[str, Any], message: str, model: MetaModel) -> None:
    with pytest.raises(InputError, match=message):
        Malibo(**({"model": model} | options))


def test_options_are_fields_of_the_config(model: MetaModel) -> None:
    assert Malibo(model, config=FEW, explore="map").config == replace(FEW, explore="map")


def test_a_space_equal_to_the_models_is_welcome(model: MetaModel) -> None:
    optimizer = Malibo(model, space=Space(dict(model.space)), seed=np.int64(3))  # type: ignore[arg-type]
    assert optimizer.space == model.space
    assert optimizer.seed == 3


def test_the_text_of_an_optimizer_counts(optimizer: Malibo) -> None:
    assert (
        repr(optimizer) == "<Malibo on <MetaModel: 3 past tasks, 5 parameters>: 3 told, 1 pending>"
    )
    assert "no past" in repr(Malibo(space=SMALL))


# -- threads and copies --------------------------------------------------------------------


def test_threads_that_ask_at_once_get_distinct_configurations(model: MetaModel) -> None:
    optimizer = Malibo(model, seed=0, config=FEW)
    with ThreadPoolExecutor(8) as pool:
        configs = list(pool.map(lambda _: optimizer.ask(), range(16)))
    assert distinct(configs) == 16
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda config: optimizer.tell(config, 1.0), configs))
    assert optimizer.pending == []
    assert len(optimizer.results) == 16


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda o: pickle.loads(pickle.dumps(o))]
)
def test_a_copy_goes_its_own_way(copied: Any, optimizer: Malibo, twin: Malibo) -> None:
    other = copied(optimizer)
    assert other.results == optimizer.results
    other.tell(GOOD, 3.0)
    other.ask()
    assert same(optimizer, twin)


def test_asking_for_more_than_there_are_says_how_many_are_left() -> None:
    optimizer = Malibo(space=Space(x=Int(1, 6)), seed=0)
    with pytest.raises(
        SpaceExhaustedError, match="10 configurations were asked for and 6 are left"
    ):
        optimizer.ask(10)
    assert optimizer.pending == []
    assert distinct(optimizer.ask(6)) == 6


@pytest.mark.parametrize("change", [lambda v: float(np.float32(v)), lambda v: float(f"{v:.6g}")])
def test_a_configuration_that_lost_digits_is_no_longer_pending(change: Any) -> None:
    optimizer = Malibo(space=Space(lr=Float(1e-5, 1e-1, log=True), n=Int(1, 9)), seed=0)
    first, second = optimizer.ask(2)
    optimizer.tell({**second, "lr": change(second["lr"])}, 1.0)
    assert optimizer.pending == [first]


def test_a_neighbour_of_a_pending_integer_leaves_it_pending() -> None:
    optimizer = Malibo(space=Space(n=Int(0, 10**7)), seed=0)
    config = optimizer.ask()
    optimizer.tell({"n": config["n"] + 1}, 1.0)
    assert optimizer.pending == [config]


# -- trust ---------------------------------------------------------------------------------


@pytest.mark.parametrize("trust", [0.3, 0.8, 1.0])
def test_before_any_result_the_trust_is_that_of_the_options(trust: float, model: MetaModel) -> None:
    optimizer = Malibo(model, seed=0, config=FEW, trust=trust)
    assert optimizer.trust == trust
    optimizer.ask(2)
    assert optimizer.trust == trust


def test_without_a_past_there_is_nothing_to_trust() -> None:
    optimizer = Malibo(space=SMALL, seed=0)
    assert optimizer.trust == 0.0
    optimizer.tell(optimizer.ask(), 1.0)
    assert optimizer.trust == 0.0


@pytest.mark.parametrize("loss", [None, 1.0, 1e308])
def test_after_each_result_the_trust_is_a_probability(
    loss: float | None, model: MetaModel, objective: Objective
) -> None:
    optimizer = Malibo(model, seed=0, config=FEW)
    for trial in range(12):
        config = optimizer.ask()
        optimizer.tell(config, loss if trial % 3 == 0 else objective(config))
        found = optimizer.trust
        assert type(found) is float
        assert 0 <= found <= 1
        assert optimizer.trust == found


def test_full_trust_is_kept(model: MetaModel, objective: Objective) -> None:
    optimizer = Malibo(model, seed=0, config=FEW, trust=1)
    for config in optimizer.ask(8):
        optimizer.tell(config, -objective(config))
        assert optimizer.trust == pytest.approx(1)


def test_trust_tells_a_related_task_from_a_flipped_one(
    model: MetaModel, objective: Objective
) -> None:
    found = {}
    for sign in (1, -1):
        optimizer = Malibo(model, seed=0, config=FEW)
        for _ in range(8):
            config = optimizer.ask()
            optimizer.tell(config, sign * objective(config))
        found[sign] = optimizer.trust
    assert found[-1] < min(0.5, found[1])


def test_a_past_of_which_all_that_it_recommends_is_equally_bad_is_found_out() -> None:
    """Nothing contradicts it there; with a past that nobody doubts, seed 1 stays for 30 trials."""
    space = Space(x=Float(0, 1), y=Float(0, 1), z=Float(0, 1))
    rng = np.random.default_rng(0)
    tasks = []
    for number in range(6):
        codes, centre = space.sample(rng, 80), 0.25 + 0.05 * rng.standard_normal(3)
        tasks.append(Task(f"bowl {number}", space, codes, ((codes - centre) ** 2).sum(axis=1)))
    model = meta_train(History(tasks), steps=300, progress=False)
    for seed in range(3):
        optimizer, noise = Malibo(model, seed=seed), np.random.default_rng(seed)
        for _ in range(12):
            config = optimizer.ask()
            far = math.dist(config.values(), (0.25, 0.25, 0.25))
            loss = 1.0 if far < 0.6 else 1 - far
            optimizer.tell(config, loss + 0.01 * noise.standard_normal())
        assert optimizer.best[1] < 0
        assert optimizer.trust < 0.5


def test_trust_does_not_depend_on_the_order_or_the_direction(
    model: MetaModel, objective: Objective
) -> None:
    configs = model.space.configs(model.space.sample(np.random.default_rng(0), 9))
    straight, back = (Malibo(model, seed=seed, config=FEW) for seed in (0, 1))
    up = Malibo(replace(model, direction="maximize"), config=FEW)
    for config, other in zip(configs, configs[::-1], strict=True):
        straight.tell(config, objective(config))
        back.tell(other, objective(other))
        up.tell(config, -objective(config))
    assert straight.trust == back.trust == up.trust


def test_the_trust_of_a_copy_is_the_same(optimizer: Malibo) -> None:
    before = optimizer.trust
    other = pickle.loads(pickle.dumps(optimizer))
    assert other.trust == before
    other.tell(GOOD, 3.0)
    assert optimizer.trust == before


def test_asking_for_the_trust_changes_no_suggestion(optimizer: Malibo, twin: Malibo) -> None:
    _ = optimizer.trust
    assert same(optimizer, twin)


@pytest.mark.parametrize("surrogate", ["process", "classifier"])
@pytest.mark.parametrize("told", [0, 8])
def test_what_is_asked_for_in_parallel_is_not_nearly_the_same(
    surrogate: Any, told: int, model: MetaModel, objective: Objective
) -> None:
    optimizer = Malibo(model, seed=0, surrogate=surrogate)
    for _ in range(told):
        config = optimizer.ask()
        optimizer.tell(config, objective(config))
    batch = optimizer.ask(4)
    assert distinct(batch) == 4
    unit = model.space.encode(model.space.codes(batch))
    assert pdist(unit).min() > 1e-3 * np.sqrt(unit.shape[1])


def test_what_is_expected_is_pending_until_it_is_told(model: MetaModel) -> None:
    asked = Malibo(model, seed=0)
    configs = asked.ask(2)
    restarted = Malibo(model, seed=0)
    for config in configs:
        restarted.expect(config)
    assert restarted.pending == configs
    assert restarted.ask() == asked.ask()
    restarted.tell(configs[0], 0.5)
    assert restarted.pending[0] == configs[1]
    with pytest.raises(InputError, match="layers"):
        restarted.expect({**configs[0], "layers": 99})
    assert len(restarted.pending) == 2


def test_observations_are_minimised_whatever_the_direction(tuning_space: Space) -> None:
    optimizer = Malibo(space=tuning_space, seed=0, direction="maximize")
    first, second = optimizer.ask(2)
    optimizer.tell(first, 0.9)
    known = optimizer.observations
    assert known.losses.tolist() == [-0.9]
    np.testing.assert_array_equal(known.codes, tuning_space.codes([first]))
    np.testing.assert_array_equal(known.pending, tuning_space.codes([second]))
