"""MetaModel: points of the target on the joint scale, and the model that knows no past."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import malibo
from malibo import Categorical, Fixed, Float, History, Int, MetaModel, Space, Task
from malibo.config import GAMMA
from malibo.errors import ModelFileError
from malibo.maximize import taken_rows
from malibo.metamodel import TrainingLog
from malibo.network import centred


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
    assert (np.diff(offset) <= 0).all()
    random = model.space.sample(np.random.default_rng(1), 5000)
    assert offset[0] >= np.quantile(model.points(random).offset, 0.999)
    assert not model.space.unknown(model.promising).any()


def test_of_a_small_space_all_configurations_are_listed_best_first(listed: MetaModel) -> None:
    everything = listed.space.enumerate(100)
    assert len(listed.promising) == 30
    assert taken_rows(listed.promising) == taken_rows(everything)
    offset = listed.points(listed.promising).offset
    assert_allclose(offset, np.sort(listed.points(everything).offset)[::-1])


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
    assert again.scale.spread == model.scale.spread


def test_the_scale_is_that_of_random_configurations(model: MetaModel) -> None:
    points = model.points(model.space.sample(np.random.default_rng(5), 4000))
    z = np.random.default_rng(6).standard_normal((model.config.features, 400))
    logits = points.offset[:, None] + points.phi @ z
    assert model.scale.offset == pytest.approx(points.offset.mean(), abs=0.1)
    assert_allclose(model.scale.phi, points.phi.mean(axis=0), atol=0.1)
    assert model.scale.spread == pytest.approx(np.sqrt(logits.var(axis=0).mean()), rel=0.1)


def test_a_model_that_says_the_same_everywhere_has_a_spread_of_one(tuning_space: Space) -> None:
    scale = MetaModel.uninformed(tuning_space).scale
    assert scale.offset == pytest.approx(np.log(GAMMA))
    assert scale.phi.shape == (0,)
    assert scale.spread == pytest.approx(1)


def test_a_model_that_forgot_its_past_has_its_spaces_still(model: MetaModel) -> None:
    cold, codes = model.forgotten, model.space.sample(np.random.default_rng(0), 5)
    assert not cold.informed
    assert (cold.space, cold.joint) == (model.space, model.joint)
    assert cold.tasks == ()
    assert_array_equal(cold.points(codes).unit, model.points(codes).unit)
    assert_array_equal(cold.points(codes).offset, np.log(GAMMA))
