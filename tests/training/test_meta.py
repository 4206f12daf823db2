"""Meta-training on small histories: repeatable, the best weights kept, something learned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import spearmanr

from malibo import Float, History, MetaModel, Space, Task, TrainConfig, meta_train
from malibo.network import centred
from malibo.posterior import Evidence
from malibo.training import meta
from malibo.training.data import encode, label_history
from malibo.training.loss import EMBEDDINGS, Loss
from malibo.training.meta import _Run
from malibo.training.recipes import Optimizer
from malibo.training.regularizer import empirical_cdf
from training.examples import OPTIMUM, SQUARE, noise, quadratics

SMALL = {"hidden_units": 16, "hidden_layers": 2, "features": 6, "steps": 200}
FEW, MANY = quadratics(3, 60), quadratics(12, 30)


def train(history: History, seed: Any = 0, **options: Any) -> MetaModel:
    return meta_train(history, seed=seed, progress=False, **{**SMALL, **options})


def weights_of(model: MetaModel) -> dict[str, Any]:
    assert model.network is not None
    return {**model.network.weights, EMBEDDINGS: model.embeddings}


def logit_at(model: MetaModel, *points: Any) -> Any:
    return model.points(np.array(points)).offset


@pytest.fixture(scope="module")
def model() -> MetaModel:
    return train(FEW)


@pytest.fixture(scope="module")
def model_of_many() -> MetaModel:
    return train(MANY)


def test_the_same_seed_gives_the_same_weights_to_the_bit(model: MetaModel) -> None:
    again, other = weights_of(train(FEW)), weights_of(train(FEW, seed=1))
    for name, w in weights_of(model).items():
        assert_array_equal(w, again[name])
    assert not np.array_equal(other["features.weight"], again["features.weight"])


def test_the_model_tells_what_it_is(model: MetaModel) -> None:
    assert model.tasks == ("t0", "t1", "t2")
    assert model.space == model.joint == SQUARE
    assert model.config == TrainConfig(**SMALL)  # type: ignore[arg-type]
    assert model.embeddings.shape == (3, 6)
    assert model.informed
    assert {w.dtype for w in weights_of(model).values()} == {np.dtype(np.float32)}


def test_the_log_tells_how_it_went(model: MetaModel) -> None:
    log = model.log
    assert log.held_out == "observations"
    assert log.steps == tuple(range(5, 201, 5))
    assert len(log.validation) == len(log.seconds) == 40
    assert list(log.seconds) == sorted(log.seconds)
    assert log.best == np.argmin(log.validation)
    assert min(log.validation) < log.validation[0]


@pytest.mark.parametrize("steps", [1, 7, 201])
@pytest.mark.parametrize("recipe", ["fast", "paper"])
def test_no_step_too_many(steps: int, recipe: str) -> None:
    log = train(FEW, steps=steps, recipe=recipe, batch_size=50).log
    assert log.steps[-1] == steps


def test_the_weights_of_the_best_look_are_kept_not_the_last() -> None:
    history = noise(3, 40)
    found = train(history, steps=400, gamma=1 / 3)
    assert found.log.best < len(found.log.steps) - 10  # noise is learned by heart
    validate = _Run(history, found.config, 0).validate
    assert_allclose(validate(weights_of(found)), min(found.log.validation), rtol=1e-6)
    assert found.log.validation[-1] > 1.05 * min(found.log.validation)


def test_the_paper_stops_when_nothing_better_comes() -> None:
    log = train(noise(3, 40), recipe="paper", steps=5000).log
    assert log.steps[-1] < 5000
    assert len(log.steps) == log.best + 101


@pytest.mark.parametrize("utility", ["ei", "pi"])
@pytest.mark.parametrize("history", [FEW, MANY], ids=["few tasks", "many tasks"])
def test_the_shared_optimum_is_foreseen(history: History, utility: str) -> None:
    found = train(history, utility=utility, gamma=1 / 3)  # the order of all, not of the best
    points = np.random.default_rng(0).uniform(size=(300, 2))
    distance = ((points - OPTIMUM) ** 2).sum(axis=1)
    assert spearmanr(-distance, logit_at(found, *points)).statistic > 0.85
    best, corner = logit_at(found, OPTIMUM, [0, 1])
    assert best > corner + 2


@pytest.mark.parametrize("tasks", [2, 12])
def test_embeddings_tell_tasks_apart(tasks: int) -> None:
    """Optima at opposite ends by turns: each task's own z finds its own."""
    rng = np.random.default_rng(0)
    made = []
    for number in range(tasks):
        codes = rng.uniform(size=(80, 2))
        made.append(Task(str(number), SQUARE, codes, (codes[:, 0] - (0.2, 0.8)[number % 2]) ** 2))
    found = train(History(made), steps=400)
    points = found.points(np.array([[0.2, 0.5], [0.8, 0.5]]))
    logits = points.offset + found.embeddings @ points.phi.T
    assert (logits[::2, 0] > logits[::2, 1] + 1).all()
    assert (logits[1::2, 1] > logits[1::2, 0] + 1).all()


@pytest.mark.parametrize("history", [FEW, MANY], ids=["few tasks", "many tasks"])
def test_no_row_is_both_trained_and_held_out(history: History) -> None:
    run = _Run(history, TrainConfig(), 0)
    held_out = centred(history.codes[run.held_out])
    rows = np.concatenate([run.training.x, held_out])
    assert 0 < len(held_out) < len(rows) == len(history)
    assert len(np.unique(rows, axis=0)) == len(history)


def test_a_task_weighs_the_same_whatever_its_size() -> None:
    history = History([quadratics(1, 100).tasks[0], FEW.tasks[1], FEW.tasks[2]])
    run = _Run(history, TrainConfig(), 0)
    weight = np.bincount(run.training.task, run.share)
    assert_allclose(weight, len(run.training) / 3, rtol=1e-5)


@pytest.mark.parametrize("background", [0.0, 0.3])
def test_a_stretch_is_so_many_steps_down_the_gradient(background: float) -> None:
    config = TrainConfig(**SMALL, background=background)  # type: ignore[arg-type]
    run, same = (_Run(MANY, config, 0) for _ in range(2))
    extra = round(background * same.recipe.batch)
    random = same._background(max(50 * extra, 1))
    found, expected = (Optimizer(each._initial(), each.recipe) for each in (run, same))
    run._stretch(found, 50)
    for step in range(50):
        if step % 8 == 0:  # ranks are kept in between
            cdf = empirical_cdf(expected.weights[EMBEDDINGS])
        rows = next(same.stream)
        batch, share = same.training.rows(rows), same.share[rows]
        if extra:
            batch = batch.joined(random.rows(slice(step * extra, (step + 1) * extra)))
            share = np.append(share, np.ones(extra, np.float32))
        loss = Loss(same.config, 0.01)
        expected.step(loss.value_and_gradient(expected.weights, batch, share, cdf)[1])
    for name, w in expected.weights.items():
        assert_array_equal(found.weights[name], w)


def test_the_background_is_anywhere_in_the_space_of_any_task_and_not_good() -> None:
    run = _Run(MANY, TrainConfig(**SMALL), 0)  # type: ignore[arg-type]
    found = run._background(2000)
    assert_array_equal(found.p, np.zeros(2000))
    assert_array_equal(found.n, np.ones(2000))
    assert set(found.task) == set(range(len(run.trained_tasks)))
    assert np.abs(found.x).max() <= 1
    assert np.abs(found.x.mean(axis=0)).max() < 0.1
    assert not np.array_equal(found.x, run._background(2000).x)


def test_where_nobody_went_there_is_no_promise() -> None:
    """Runs as an optimiser chooses them: near the optimum, and hardly any in the corners."""
    space = Space({f"x{i}": Float(0, 1) for i in range(8)})
    rng, tasks = np.random.default_rng(0), []
    for i in range(5):
        center = rng.uniform(0.3, 0.7, 8)
        chosen = np.clip(rng.normal(center, 0.1, (30, 8)), 0, 1)
        codes = np.concatenate([rng.uniform(size=(10, 8)), chosen])
        tasks.append(Task(f"t{i}", space, codes, ((codes - center) ** 2).sum(axis=1)))

    def furthest(background: float) -> float:
        """How far from the middle the most promising configuration lies, as a rule."""
        options = TrainConfig(background=background, functions=False)
        models = [meta_train(History(tasks), options, seed=s, progress=False) for s in range(7)]
        return float(np.median([np.abs(model.promising[0] - 0.5).max() for model in models]))

    assert furthest(0.3) < 0.4
    assert furthest(0.0) > 0.45  # on the rim, where nothing is known


def test_many_tasks_are_judged_by_whole_tasks(model_of_many: MetaModel) -> None:
    assert model_of_many.log.held_out == "tasks"
    assert model_of_many.embeddings.shape == (12, 6)


def test_a_held_out_task_gets_its_most_probable_embedding(model_of_many: MetaModel) -> None:
    held_out = _Run(MANY, model_of_many.config, 0).held_out_tasks
    assert len(held_out) == 2
    p, n = label_history(MANY, model_of_many.config)
    for task in held_out:
        rows = MANY.task_index == task
        points = model_of_many.points(MANY.codes[rows])
        evidence = Evidence(points.phi, points.offset, p[rows].astype(float), n[rows].astype(float))
        z = model_of_many.embeddings[task].astype(float)
        assert z.any()
        assert_allclose(evidence.gradient(z), 0, atol=1e-3)


def test_trained_embeddings_have_the_mean_zero(model: MetaModel) -> None:
    assert_allclose(model.embeddings.mean(axis=0), 0, atol=1e-6)
    assert model.embeddings.any()


def test_without_the_mean_layer_the_offset_is_zero() -> None:
    found = train(FEW, mean_layer=False)
    points = found.points(np.random.default_rng(0).uniform(size=(50, 2)))
    assert not points.offset.any()
    assert points.phi.any()
    best, corner = found.points(np.array([OPTIMUM, [0, 1]])).phi
    assert (found.embeddings @ best > found.embeddings @ corner + 1).all()


@pytest.mark.parametrize("history", [FEW, MANY], ids=["few tasks", "many tasks"])
def test_without_the_task_layer_embeddings_are_zero(history: History) -> None:
    found = train(history, task_layer=False)
    assert found.embeddings.shape == (len(history.tasks), 6)
    assert not found.embeddings.any()
    best, corner = logit_at(found, OPTIMUM, [0, 1])
    assert best > corner + 1


def test_the_paper_recipe_learns_too() -> None:
    found = train(FEW, recipe="paper", batch_size=64, steps=400)
    assert found.log.validation[-1] < found.log.validation[0]
    best, corner = logit_at(found, OPTIMUM, [0, 1])
    assert best > corner


def test_the_number_of_features_is_that_asked_for() -> None:
    found = train(FEW, features=4, steps=10)
    assert found.embeddings.shape == (3, 4)
    assert found.points(np.full((5, 2), 0.5)).phi.shape == (5, 4)


def test_options_replace_those_of_the_configuration() -> None:
    config = TrainConfig(steps=10, features=3, hidden_units=4)
    found = meta_train(FEW, config, features=2, progress=False)
    assert found.config == TrainConfig(steps=10, features=2, hidden_units=4)


@pytest.mark.parametrize(("tasks", "runs"), [(1, 1), (1, 4), (2, 1), (1, 30), (10, 1)])
def test_the_smallest_histories_can_be_trained(tasks: int, runs: int) -> None:
    found = train(noise(tasks, runs), steps=20)
    assert found.log.held_out == ("observations" if runs >= 5 else "nothing")
    assert all(np.isfinite(w).all() for w in weights_of(found).values())


def test_a_history_of_one_value_teaches_nothing_and_breaks_nothing() -> None:
    tasks = [Task(t.name, SQUARE, t.codes, np.ones(60)) for t in FEW]
    found = train(History(tasks))
    assert_allclose(logit_at(found, [0, 0], [1, 1], OPTIMUM), np.log(0.1), atol=0.7)


def test_failed_trials_count_as_bad() -> None:
    tasks = []
    for t in FEW:
        losses = np.where(t.codes[:, 0] > 0.5, np.nan, t.losses)
        tasks.append(Task(t.name, SQUARE, t.codes, losses))
    good, failed = logit_at(train(History(tasks)), [0.45, 0.3], [0.9, 0.3])
    assert good > failed + 1


def lacking() -> History:
    """A task as it should be, and one without b."""
    codes = np.random.default_rng(0).uniform(size=(60, 1))
    losses = ((codes - OPTIMUM[0]) ** 2).sum(axis=1)
    other = Task("lacks b", Space(a=Float(0, 1)), codes, losses)
    return History([FEW.tasks[0], other], SQUARE)


def test_unknown_values_do_not_hinder() -> None:
    first, again = train(lacking()), train(lacking())
    assert_array_equal(first.embeddings, again.embeddings)
    best, corner = logit_at(first, OPTIMUM, [0, 1])
    assert best > corner + 1


@pytest.mark.parametrize(("history", "draws"), [(lacking(), 41), (FEW, 1)])
def test_only_unknown_values_are_drawn_anew_after_each_look(
    history: History, draws: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = []

    def recorded(*arguments: Any) -> Any:
        drawn.append(encode(*arguments))
        return drawn[-1]

    monkeypatch.setattr(meta, "encode", recorded)
    train(history, background=0)
    assert len({each.tobytes() for each in drawn}) == draws


@pytest.mark.parametrize(
    ("options", "learned"),
    [
        ({}, True),
        ({"functions": False}, False),
        ({"recipe": "paper"}, False),
        ({"recipe": "paper", "functions": True}, True),
    ],
)
def test_functions_are_learned_unless_it_is_the_papers_recipe(
    options: dict[str, Any], learned: bool
) -> None:
    found = train(FEW, steps=2, **options)
    assert (found.functions is not None) == learned
    assert len(found.scales) == 1 + learned


def test_functions_do_not_change_the_network() -> None:
    with_them, without = (train(FEW, steps=5, functions=each) for each in (True, False))
    assert_array_equal(with_them.embeddings, without.embeddings)
    assert_array_equal(with_them.promising, without.promising)
