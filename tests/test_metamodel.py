"""MetaModel: points of the target on the joint scale, and the model that knows no past."""

from __future__ import annotations

import gc
import pickle
import weakref
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.testing import assert_allclose, assert_array_equal

import malibo
from malibo import Categorical, Fixed, Float, History, Int, MetaModel, Space, Task
from malibo.alignment import joint_space
from malibo.config import GAMMA
from malibo.errors import ModelFileError
from malibo.maximize import taken_rows
from malibo.metamodel import Points, Scale, TrainingLog
from malibo.network import Array, Network, centred, initial_weights
from malibo.threads import one_thread
from points import all_of
from strategies import repeatable, seeds, spaces


def test_a_trained_model_knows_where_it_comes_from(model: MetaModel, past: History) -> None:
    assert model.informed
    assert model.tasks == past.names
    assert (model.space, model.joint) == (past.space, past.joint)
    assert model.embeddings.shape == (3, model.config.features)
    assert model.config.steps == 100


def test_points_are_the_features_of_the_network(model: MetaModel) -> None:
    codes = model.space.sample(np.random.default_rng(0), 7)
    points = model.points(codes)
    assert model.network is not None
    phi, offset = model.network.features_and_mean(centred(points.unit))
    assert_array_equal(points.unit, model.joint.encode(codes))
    assert_array_equal(points.phi, phi)
    assert_array_equal(points.offset, offset)


def test_no_points_have_no_features(model: MetaModel) -> None:
    points = model.points(np.empty((0, len(model.space))))
    assert points.phi.shape == (0, model.config.features)
    assert points.offset.shape == (0,)


def test_points_of_the_target_stand_on_the_joint_scale() -> None:
    target = Space(a=Float(1, 2), b=Fixed(3))
    model = MetaModel(space=target, joint=Space(a=Float(0, 4), b=Int(1, 5, default=3)))
    assert_allclose(model.points(np.array([[1.0, 0], [2.0, 0]])).unit, [[0.25, 0.5], [0.5, 0.5]])


def test_an_uninformed_model_says_the_same_everywhere(tuning_space: Space) -> None:
    model = MetaModel.uninformed(tuning_space)
    assert not model.informed
    assert model.space == model.joint == tuning_space
    assert model.tasks == ()
    points = model.points(tuning_space.sample(np.random.default_rng(0), 5))
    assert_allclose(points.offset, np.log(GAMMA))
    assert points.phi.shape == (5, 0)


def test_a_model_is_frozen(tuning_space: Space) -> None:
    model = MetaModel.uninformed(tuning_space)
    with pytest.raises(FrozenInstanceError):
        model.tasks = ("other",)  # type: ignore[misc]


def test_the_best_look_of_the_log_is_the_one_with_the_least_loss() -> None:
    log = TrainingLog("tasks", (10, 20, 30), (0.1, 0.2, 0.3), (0.7, 0.5, 0.6))
    assert log.best == 1


def test_a_model_for_another_space_is_refused_with_the_difference(
    tuning_space: Space, tmp_path: Path
) -> None:
    path = tmp_path / "model.malibo"
    MetaModel.uninformed(tuning_space).save(path)
    assert MetaModel.load(path, tuning_space).space == tuning_space
    other = Space({**tuning_space, "layers": Int(1, 9), "dropout": Float(0, 1)})
    message = r"made for another space: 'dropout' is missing; 'layers': high is 4, not 9\. Train"
    with pytest.raises(ModelFileError, match=message):
        MetaModel.load(path, other)
    many = Space({**tuning_space, **{f"p{number}": 1 for number in range(9)}})
    with pytest.raises(ModelFileError, match="'p4' is missing and 4 more"):
        MetaModel.load(path, many)


def test_a_look_that_is_no_number_is_not_the_best() -> None:
    log = TrainingLog("tasks", (1, 2, 3), (0.1, 0.2, 0.3), (0.5, float("nan"), 0.4))
    assert log.best == 2


# -- what is promising, and on which scale -------------------------------------------------


@pytest.fixture(scope="module")
def listed() -> MetaModel:
    """A model of a space of 30 configurations."""
    space = Space(a=Int(0, 9), b=Categorical(["x", "y", "z"]))
    codes = space.enumerate(100)
    tasks = [Task(f"task {i}", space, codes, (codes[:, 0] - i) ** 2) for i in range(3)]
    return malibo.meta_train(History(tasks), steps=20, progress=False)


def test_promising_configurations_come_best_first_and_are_not_too_many(model: MetaModel) -> None:
    offset = model.points(model.promising).offset
    assert 1 < len(offset) <= 512
    assert (np.diff(offset) < 1e-5).all()
    random = model.space.sample(np.random.default_rng(1), 5000)
    assert offset[0] >= np.quantile(model.points(random).offset, 0.999)
    assert not model.space.unknown(model.promising).any()


def test_of_a_small_space_all_configurations_are_listed_best_first(listed: MetaModel) -> None:
    everything = listed.space.enumerate(100)
    assert len(listed.promising) == 30
    assert taken_rows(listed.promising) == taken_rows(everything)
    offset = listed.points(listed.promising).offset
    assert_allclose(offset, np.sort(listed.points(everything).offset)[::-1], atol=1e-5)


def test_of_a_space_that_can_be_listed_the_best_are_found() -> None:
    space = Space(a=Int(0, 99), b=Int(0, 99))
    codes = space.sample(np.random.default_rng(0), 50)
    tasks = [Task(f"task {i}", space, codes, (codes**2).sum(axis=1)) for i in range(2)]
    trained = malibo.meta_train(History(tasks), steps=5, progress=False)
    offset = trained.points(trained.promising).offset
    everything = trained.points(space.enumerate(10**5)).offset
    assert_allclose(offset, np.sort(everything)[::-1][: len(offset)], atol=1e-5)
    assert len(taken_rows(trained.promising)) == len(offset) == 512


def test_what_is_promising_does_not_depend_on_when_it_is_asked(
    model: MetaModel, past: History
) -> None:
    again = malibo.meta_train(past, steps=100, progress=False)
    assert_array_equal(again.promising, model.promising)
    for one, other in zip(again.scales, model.scales, strict=True):
        assert one.spread == pytest.approx(other.spread, rel=1e-6)


def test_the_scales_are_those_of_random_configurations(model: MetaModel) -> None:
    points = model.points(model.space.sample(np.random.default_rng(5), 4000))
    assert len(model.scales) == model.voices == 2
    for number, scale in enumerate(model.scales):
        expected, phi = points.voice(number)
        z = np.random.default_rng(6).standard_normal((phi.shape[1], 400))
        drawn = expected[:, None] + phi @ z
        assert scale.expected == pytest.approx(expected.mean(), abs=0.1)
        assert_allclose(scale.phi, phi.mean(axis=0), atol=0.1)
        assert scale.spread == pytest.approx(np.sqrt(drawn.var(axis=0).mean()), rel=0.15)


def test_a_voice_that_says_the_same_everywhere_has_a_spread_of_one() -> None:
    scale = Scale.of(np.full(10, 1 / 3), np.full((10, 2), 0.1))
    assert scale.spread == 1
    assert scale.expected == pytest.approx(1 / 3)


def test_functions_that_hardly_vary_in_a_space_are_not_magnified() -> None:
    space = Space(x=Float(0, 1), y=Float(0, 1))
    codes = np.random.default_rng(0).uniform(size=(120, 2))
    past = History(
        [Task(f"t{c}", space, codes, (codes[:, 0] - c) ** 2) for c in (0.2, 0.4, 0.6, 0.8)], space
    )
    model = malibo.meta_train(past, steps=20, progress=False)
    assert model.scales[1].spread > 0.5
    along_y = model.for_space(Space(y=Float(0, 1)))  # along which nothing changes
    assert np.ptp(along_y.points(np.linspace(0, 1, 50)[:, None]).functions[:, 0]) < 0.2
    assert along_y.scales[1].spread == 0.3


def test_the_best_of_a_listed_space_is_plausible() -> None:
    space = Space(k=Categorical(["a", "b", "c"]), n=Int(1, 2))
    for seed in range(12):
        rng = np.random.default_rng(seed)
        codes = space.sample(rng, 40)
        past = History([Task("one", space, codes, codes.sum(axis=1) + 0.1 * rng.uniform(size=40))])
        model = malibo.meta_train(past, steps=2, progress=False)
        points = model.points(space.enumerate(100))
        assert model.plausible(points)[np.argmin(points.functions[:, 0])]


def test_what_it_says_does_not_depend_on_the_number_of_threads(model: MetaModel) -> None:
    """Else suggestions would differ by what was computed first, and outside of a suggestion."""
    codes = model.space.sample(np.random.default_rng(0), 4096)
    free = all_of(model.points(codes))
    with one_thread():
        alone = all_of(model.points(codes))
    for mine, its in zip(free, alone, strict=True):
        assert_array_equal(mine, its)


def test_of_points_the_network_and_the_functions_are_asked_once_and_only_if_need_be() -> None:
    asked = []

    def network() -> tuple[Array, Array]:
        asked.append("network")
        return np.ones((2, 3)), np.zeros(2)

    def functions() -> Array:
        asked.append("functions")
        return np.full((2, 4), 5.0)

    points = Points(np.empty((2, 1)), network, functions)
    assert asked == []
    assert points.phi.shape == (2, 3)
    assert points.offset.shape == (2,)
    assert asked == ["network"]
    both = points.joined(Points(np.empty((2, 1)), network, functions))
    assert both.unit.shape == (4, 1)
    assert asked == ["network"]
    expected, deviations = both.voice(1)
    assert (expected.shape, deviations.shape) == ((4,), (4, 3))
    assert asked == ["network", "functions", "functions"]
    assert both.phi.shape == (4, 3)
    assert asked == ["network", "functions", "functions", "network"]


def test_a_model_pickles_with_what_it_has_found_so_far(model: MetaModel) -> None:
    promising = all_of(model.promising_points)
    copy = pickle.loads(pickle.dumps(model))
    assert "functions" in vars(vars(copy)["promising_points"])
    for mine, its in zip(promising, all_of(copy.promising_points), strict=True):
        assert_array_equal(mine, its)


def test_a_model_is_gone_when_nobody_has_it(past: History) -> None:
    model = malibo.meta_train(past, steps=5, progress=False)
    assert len(all_of(model.promising_points)[0]) == len(model.promising)
    assert len(model.scales) == 2
    gone = weakref.ref(model)
    gc.disable()
    try:
        del model
        assert gone() is None
    finally:
        gc.enable()


def test_without_a_past_no_voice_speaks(tuning_space: Space) -> None:
    assert MetaModel.uninformed(tuning_space).scales == ()


def test_a_model_that_forgot_its_past_has_its_spaces_still(model: MetaModel) -> None:
    cold, codes = model.forgotten, model.space.sample(np.random.default_rng(0), 5)
    assert not cold.informed
    assert (cold.space, cold.joint) == (model.space, model.joint)
    assert cold.tasks == ()
    assert_array_equal(cold.points(codes).unit, model.points(codes).unit)
    assert_array_equal(cold.points(codes).offset, np.log(GAMMA))


# -- for another space ---------------------------------------------------------------------


def changed_space(model: MetaModel, **changes: Any) -> Space:
    """The space of a model with other, more or (None) fewer parameters."""
    changed = {**model.space, **changes}
    return Space({name: parameter for name, parameter in changed.items() if parameter is not None})


def configs(space: Space, count: int = 20) -> list[dict[str, Any]]:
    return space.configs(space.sample(np.random.default_rng(3), count))


def points_of(model: MetaModel, configs: list[dict[str, Any]]) -> Points:
    return model.points(model.space.codes(configs))


def test_for_the_same_space_a_model_is_itself(model: MetaModel) -> None:
    assert model.for_space(model.space) is model
    assert model.for_space(Space(dict(model.space))) is model
    cold = MetaModel.uninformed(model.space)
    assert cold.for_space(model.space) is cold


def test_for_another_space_the_knowledge_is_the_same(model: MetaModel) -> None:
    wide = model.for_space(changed_space(model, lr=Float(1e-6, 1, log=True)))
    assert wide.network is model.network
    assert (wide.tasks, wide.config, wide.direction) == (model.tasks, model.config, "minimize")
    assert wide.informed
    assert model.view is None
    assert model.space["lr"] == Float(1e-4, 1e-1, log=True)


def test_in_a_wider_range_known_values_promise_the_same(model: MetaModel) -> None:
    wide = model.for_space(changed_space(model, lr=Float(1e-6, 1, log=True)))
    known, seen = points_of(model, configs(model.space)), points_of(wide, configs(model.space))
    assert_allclose(seen.phi, known.phi, atol=1e-5)
    assert_allclose(seen.offset, known.offset, atol=1e-4)
    assert not np.allclose(seen.unit, known.unit)


def test_beyond_the_range_of_the_past_only_the_models_of_the_new_task_see(
    model: MetaModel,
) -> None:
    wide = model.for_space(changed_space(model, lr=Float(1e-6, 1, log=True)))
    config = {"layers": 2, "optimizer": "adam", "epochs": 10}
    points = points_of(wide, [{"lr": lr, **config} for lr in (0.1, 0.5, 1.0)])
    assert_array_equal(points.phi, points.phi[[0, 0, 0]])
    assert len(np.unique(points.unit, axis=0)) == 3


def test_in_a_narrower_range_the_scale_stays(model: MetaModel) -> None:
    narrow = model.for_space(changed_space(model, lr=Float(1e-3, 1e-2, log=True)))
    some = configs(narrow.space)
    for mine, known in zip(
        all_of(points_of(narrow, some)), all_of(points_of(model, some)), strict=True
    ):
        assert_allclose(mine, known, atol=1e-5)


def test_an_added_parameter_is_seen_by_the_models_of_the_new_task_alone(model: MetaModel) -> None:
    more = model.for_space(changed_space(model, decay=Float(0, 1)))
    (config,) = configs(model.space, 1)
    points = points_of(more, [{**config, "decay": decay} for decay in (0.1, 0.9)])
    assert not np.array_equal(points.unit[0], points.unit[1])
    assert_array_equal(points.phi[0], points.phi[1])
    assert points.offset[0] == points.offset[1]
    assert_allclose(points.phi[0], points_of(model, [config]).phi[0], atol=1e-5)
    assert points.unit.shape[1] == model.joint.dimension + 1


def test_a_removed_parameter_is_taken_where_it_promised_most(model: MetaModel) -> None:
    fewer = model.for_space(changed_space(model, layers=None))
    layers = model.space.configs(model.promising[:1])[0]["layers"]
    some = configs(fewer.space)
    points = points_of(fewer, some)
    known = points_of(model, [{**config, "layers": layers} for config in some])
    assert_allclose(points.phi, known.phi, atol=1e-5)
    assert_allclose(points.offset, known.offset, atol=1e-4)
    assert points.unit.shape[1] == model.joint.dimension - 1


def test_a_removed_constant_changes_nothing(model: MetaModel) -> None:
    fewer = model.for_space(changed_space(model, epochs=None))
    known = configs(model.space)
    some = [{n: v for n, v in config.items() if n != "epochs"} for config in known]
    assert_allclose(points_of(fewer, some).phi, points_of(model, known).phi, atol=1e-5)


def test_the_order_of_the_parameters_does_not_matter_to_the_network(model: MetaModel) -> None:
    turned = model.for_space(Space(dict(list(model.space.items())[::-1])))
    some = configs(model.space)
    assert_allclose(points_of(turned, some).phi, points_of(model, some).phi, atol=1e-5)
    assert turned.forgotten.joint.names == turned.space.names


def test_a_new_choice_is_told_from_others_by_the_models_of_the_new_task(model: MetaModel) -> None:
    choices = Categorical(["adam", "lion", "adagrad", "sgd"])
    more = model.for_space(changed_space(model, optimizer=choices))
    some: list[dict[str, Any]] = [
        {"lr": 1e-3, "layers": 2, "optimizer": name, "epochs": 10}
        for name in ("adam", "lion", "adagrad")
    ]
    points = points_of(more, some)
    assert len(np.unique(points.unit, axis=0)) == 3
    assert_array_equal(points.phi[1], points.phi[2])
    assert_allclose(points.phi[0], points_of(model, some[:1]).phi[0], atol=1e-5)


def test_a_kind_that_changed_is_matched_by_value(model: MetaModel) -> None:
    listed = model.for_space(changed_space(model, layers=Categorical([1, 4, "auto"])))
    known = [c for c in configs(model.space, 40) if c["layers"] in (1, 4)]
    assert_allclose(points_of(listed, known).phi, points_of(model, known).phi, atol=1e-5)


def test_a_model_without_a_past_fits_every_space(model: MetaModel) -> None:
    space = Space(other=Float(-1, 1))
    cold = MetaModel.uninformed(model.space, gamma=0.2).for_space(space)
    assert not cold.informed
    assert cold.space == cold.joint == space
    assert cold.view is None
    assert_allclose(cold.points(np.array([[0.0]])).unit, [[0.5]])
    assert_allclose(cold.points(np.array([[0.0]])).offset, np.log(0.2))


def test_in_a_space_that_shares_nothing_with_the_past_there_is_none(model: MetaModel) -> None:
    other = model.for_space(Space(a=Float(0, 1), b=Categorical(["x", "y"])))
    assert not other.informed
    assert other.joint == other.space


def test_what_is_promising_is_of_the_new_space(model: MetaModel) -> None:
    space = changed_space(model, layers=None, decay=Int(1, 3), lr=Float(1e-6, 1e-3, log=True))
    other = model.for_space(space)
    assert not space.unknown(other.promising).any()
    codes = space.codes(space.configs(other.promising))
    assert_allclose(codes, other.promising)
    assert (np.diff(other.points(other.promising).offset) < 1e-5).all()  # float32


def test_a_model_for_another_space_that_forgot_its_past_still_sees_that_space(
    model: MetaModel,
) -> None:
    more = model.for_space(changed_space(model, decay=Float(0, 1)))
    codes = more.space.sample(np.random.default_rng(0), 5)
    assert_array_equal(more.forgotten.points(codes).unit, more.points(codes).unit)
    assert not more.forgotten.informed


def test_suggestions_in_another_space_stay_warm(model: MetaModel) -> None:
    space = changed_space(model, lr=Float(1e-6, 10, log=True), decay=Float(0, 1), layers=None)
    config = malibo.Malibo(model.for_space(space), seed=0).ask()
    assert set(config) == set(space)
    assert config["optimizer"] == "sgd"
    assert 3e-4 < config["lr"] < 3e-2


def untrained(space: Space, past: Space, seed: int) -> MetaModel:
    """A model with random weights, which cost no time."""
    joint = joint_space(space, [past])
    weights = initial_weights(joint.dimension, 8, 1, 4, np.random.default_rng(seed))
    return MetaModel(space=space, joint=joint, network=Network(weights))


@settings(parent=repeatable, max_examples=25)
@given(spaces(), spaces(), spaces(), seeds)
def test_any_model_fits_any_space_and_finds_back(
    mine: Space, past: Space, target: Space, seed: int
) -> None:
    original = untrained(mine, past, seed)
    there = original.for_space(target)
    points = there.points(target.sample(np.random.default_rng(seed), 20))
    assert there.space == target
    assert all(np.isfinite(array).all() for array in all_of(points))
    assert ((points.unit >= 0) & (points.unit <= 1)).all()
    codes = mine.sample(np.random.default_rng(seed), 20)
    back = there.for_space(mine).points(codes)
    assert_allclose(back.phi, original.points(codes).phi, atol=1e-5)


# -- another space, with conditions ---------------------------------------------------------

PAST = Space(lr=Float(0, 1), opt=Categorical(["adam", "sgd"]), m=Float(0, 1, when={"opt": "sgd"}))


def points_at(model: MetaModel, *configs: dict[str, Any]) -> Points:
    return model.points(model.space.codes(configs))


def with_branch(best: str) -> MetaModel:
    """A model of a past in which one choice was better."""
    rng, tasks = np.random.default_rng(0), []
    for i in range(3):
        codes = PAST.sample(rng, 60)
        worse = codes[:, 1] != PAST["opt"].to_code(best)
        losses = (codes[:, 0] - 0.5) ** 2 + worse + 0.3 * np.nan_to_num(codes[:, 2])
        tasks.append(Task(str(i), PAST, codes, losses))
    return malibo.meta_train(History(tasks), steps=200, progress=False)


@pytest.mark.parametrize("best", ["adam", "sgd"])
def test_a_removed_parameter_stays_inactive_where_it_was(best: str) -> None:
    model = with_branch(best)
    fewer = model.for_space(Space(lr=PAST["lr"], opt=PAST["opt"]))
    config = {"lr": 0.5, "opt": "adam"}
    assert_allclose(points_at(fewer, config).phi, points_at(model, config).phi, atol=1e-5)


@pytest.mark.parametrize("best", ["adam", "sgd"])
def test_a_removed_parameter_has_a_value_where_it_was_active(best: str) -> None:
    model = with_branch(best)
    fewer = model.for_space(Space(lr=PAST["lr"], opt=PAST["opt"]))
    known = points_at(model, *({"lr": 0.5, "opt": "sgd", "m": m} for m in np.linspace(0, 1, 101)))
    found = points_at(fewer, {"lr": 0.5, "opt": "sgd"}).offset
    assert known.offset.min() - 1e-4 <= found <= known.offset.max() + 1e-4


@pytest.mark.parametrize("best", ["adam", "sgd"])
def test_where_the_past_had_a_condition_the_network_sees_it(best: str) -> None:
    model = with_branch(best)
    free = model.for_space(Space({**PAST, "m": Float(0, 1)}))
    found = points_at(free, *({"lr": 0.5, "opt": "adam", "m": m} for m in (0.1, 0.9)))
    known = points_at(model, {"lr": 0.5, "opt": "adam"})
    assert_allclose(found.phi, known.phi[[0, 0]], atol=1e-5)
    assert not np.array_equal(found.unit[0], found.unit[1])


def test_none_may_be_what_promised_most() -> None:
    space = Space(x=Float(0, 1), d=Categorical([None, "a"]))
    codes = space.sample(np.random.default_rng(0), 60)
    tasks = [Task(str(i), space, codes, (codes[:, 0] - 0.5) ** 2 + codes[:, 1]) for i in range(3)]
    model = malibo.meta_train(History(tasks), steps=100, progress=False)
    fewer = model.for_space(Space(x=Float(0, 1)))
    known = points_at(model, {"x": 0.5, "d": None})
    assert_allclose(points_at(fewer, {"x": 0.5}).phi, known.phi, atol=1e-5)


# -- the best of the past ----------------------------------------------------------------------


def close_together(dimensions: int) -> MetaModel:
    """Of runs in a corner that random configurations do not reach."""
    space = Space({f"x{i}": Float(0, 1) for i in range(dimensions)})
    rng = np.random.default_rng(0)
    tasks = []
    for i in range(3):
        codes = rng.uniform(0.7, 0.8, (120, dimensions))
        losses = ((codes - 0.75) ** 2).sum(axis=1)
        tasks.append(Task(f"task {i}", space, codes, losses))
    return malibo.meta_train(History(tasks), progress=False)


def test_where_the_past_lies_close_together_promise_is_found_there() -> None:
    model = close_together(8)
    assert model.best is not None
    assert len(model.best) == len(model.past) == 36
    assert np.abs(model.promising[:20] - 0.75).max() < 0.3
    forgetful = replace(model, best=None)
    assert len(forgetful.past) == 0
    assert np.abs(forgetful.promising[:20] - 0.75).max() > 0.4


def test_the_past_is_seen_from_the_target() -> None:
    model = close_together(2)
    narrow = model.for_space(Space(x1=Float(0, 0.72), new=Int(1, 3)))
    assert 0 < len(narrow.past) <= 36
    assert not narrow.space.unknown(narrow.past).any()
    assert narrow.past[:, 0].max() <= 0.72
    assert_array_equal(narrow.space.codes(narrow.space.configs(narrow.past)), narrow.past)


def test_a_model_of_an_older_file_knows_no_best() -> None:
    assert len(MetaModel.uninformed(Space(x=Float(0, 1))).past) == 0


def test_the_promising_ones_of_a_small_branch_are_there_once() -> None:
    space = Space(
        c=Categorical(["p", "q"]), a=Int(1, 6), b=Int(1, 6), d=Float(0, 1, when={"c": "p"})
    )
    rng = np.random.default_rng(0)
    tasks = []
    for number in range(4):
        codes = space.sample(rng, 60)
        tasks.append(Task(f"task {number}", space, codes, codes[:, 1] - 3 * codes[:, 0]))
    model = malibo.meta_train(History(tasks), steps=50, progress=False)
    for codes in (model.past, model.promising):
        keys = {row.tobytes() for row in codes}
        assert len(keys) == len(codes)
    small = model.promising[np.isnan(model.promising[:, 3])]
    assert 1 <= len(small) <= 36  # as many as there are
