"""The map of tasks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from malibo import Float, Malibo, MetaModel, Space
from malibo.errors import InputError
from malibo.explain import resemblance, similarities, task_similarities
from malibo.observations import Observations
from malibo.plots import similarity_figure
from malibo.plots.told import told
from plots.artists import dots, names, note, title


def test_past_tasks_lie_by_their_names(model: MetaModel) -> None:
    figure = similarity_figure(model)
    axes = figure.axes[0]
    assert len(dots(axes, "past task")) == 3
    assert {text.get_text() for text in axes.texts} == set(model.tasks)
    assert title(figure) == "3 past tasks, near if alike"
    assert names(figure) == {"past task"}
    for text, place in zip(axes.texts, dots(axes, "past task"), strict=False):
        near = [np.allclose(other.xy, place) for other in axes.texts]  # type: ignore[attr-defined]
        assert sum(near) == 1, text


def test_three_tasks_have_exactly_the_distances_of_their_similarities(model: MetaModel) -> None:
    places = dots(similarity_figure(model).axes[0], "past task")  # three points fit into a plane
    distances = np.linalg.norm(places[:, None] - places[None], axis=2)
    assert_allclose(distances, np.sqrt(2 - 2 * task_similarities(model)), atol=1e-6)


def test_the_shares_of_the_axes_are_all_there_is_for_three_tasks(model: MetaModel) -> None:
    axes = similarity_figure(model).axes[0]
    shares = [int(label.split()[2]) for label in (axes.get_xlabel(), axes.get_ylabel())]
    assert 99 <= sum(shares) <= 101
    assert shares[0] >= shares[1]


def test_the_new_task_is_a_point_a_cloud_and_an_ellipse(model: MetaModel, tuned: Malibo) -> None:
    figure = similarity_figure(model, tuned)
    axes = figure.axes[0]
    draws = dots(axes, "draws of the new task")
    assert len(draws) == 256
    assert len(dots(axes, "new task, on average")) == 1
    (ellipse,) = axes.patches
    inside = ellipse.get_path().transformed(ellipse.get_patch_transform()).contains_points(draws)
    assert np.mean(inside) == pytest.approx(0.9, abs=0.02)
    assert "90 % of the draws" in note(figure)
    assert title(figure).startswith("After 8 results")


def test_observations_say_the_same_as_the_optimizer(model: MetaModel, tuned: Malibo) -> None:
    one = dots(similarity_figure(model, tuned).axes[0], "draws of the new task")
    other = dots(similarity_figure(model, told(tuned)).axes[0], "draws of the new task")
    assert_allclose(one, other)


def test_a_task_that_is_a_past_one_lies_near_it(model: MetaModel) -> None:
    rng = np.random.default_rng(0)
    codes = model.space.sample(rng, 400)
    points = model.points(codes)
    far = np.float32(12) * model.embeddings  # tasks that are much more their own
    clear = replace(model, embeddings=far)
    logits = points.offset + points.phi @ far[0]
    known = Observations(codes, -logits, codes[:0])
    axes = similarity_figure(clear, known).axes[0]
    (new,) = dots(axes, "new task, on average")
    distance = np.linalg.norm(dots(axes, "past task") - new, axis=1)
    assert int(np.argmin(distance)) == 0
    figure = similarity_figure(clear, known)
    found = similarities(clear, known)
    assert resemblance(found) == (model.tasks[0], "surely")
    sure = 100 * max(item.nearest for item in found)
    expected = f"After 400 results the new task is most like {model.tasks[0]!r} ({sure:.0f} %)"
    assert title(figure) == expected


def test_the_title_says_what_the_report_says(
    model: MetaModel, tuned: Malibo, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, certainty = resemblance(similarities(model, told(tuned)))
    assert ("open" in title(similarity_figure(model, tuned))) == (certainty == "open")
    assert name is None or name in title(similarity_figure(model, tuned))
    second = similarities(model, told(tuned))[1]

    def probably(_: object) -> tuple[str, str]:
        return second.task, "probably"

    monkeypatch.setattr("malibo.plots.similarity.resemblance", probably)
    assert title(similarity_figure(model, tuned)) == (
        f"After 8 results the new task is probably most like {second.task!r}"
        f" ({100 * second.nearest:.0f} %)"
    )


def test_before_any_result_the_new_task_may_be_anywhere(model: MetaModel) -> None:
    figure = similarity_figure(model, Malibo(model))
    assert len(dots(figure.axes[0], "draws of the new task")) == 256
    assert title(figure) == "3 past tasks, near if alike"


def test_of_many_tasks_some_are_named(model: MetaModel) -> None:
    rng = np.random.default_rng(0)
    many = tuple(f"a data set with a very long name, number {number}" for number in range(40))
    embeddings = rng.standard_normal((40, 50)).astype(np.float32)
    axes = similarity_figure(replace(model, tasks=many, embeddings=embeddings)).axes[0]
    assert len(dots(axes, "past task")) == 40
    assert len(axes.texts) == 25
    assert all(len(text.get_text()) <= 20 for text in axes.texts)


@pytest.mark.parametrize("count", [1, 2])
def test_one_or_two_tasks_have_a_map_too(model: MetaModel, count: int, tuned: Malibo) -> None:
    few = replace(model, tasks=model.tasks[:count], embeddings=model.embeddings[:count])
    for observations in (None, tuned):
        axes = similarity_figure(few, observations).axes[0]
        assert np.isfinite(dots(axes, "past task")).all()
        assert len(dots(axes, "past task")) == count


def test_wrong_input_is_named(model: MetaModel, tuning_space: Space) -> None:
    with pytest.raises(InputError, match="knows no past tasks to compare"):
        similarity_figure(MetaModel.uninformed(tuning_space))
    with pytest.raises(InputError, match=r"model must be a malibo\.MetaModel, got Malibo"):
        similarity_figure(Malibo(model))  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"expected a malibo\.Malibo or Observations, got list"):
        similarity_figure(model, [1.0])  # type: ignore[arg-type]
    other = Malibo(space=Space(x=Float(0, 1)))
    with pytest.raises(InputError, match="the model was made for another space"):
        similarity_figure(model, other)


def test_the_new_task_lies_in_the_middle_of_its_draws(model: MetaModel, tuned: Malibo) -> None:
    axes = similarity_figure(model, tuned).axes[0]
    expected = dots(axes, "draws of the new task").mean(axis=0)
    assert_allclose(dots(axes, "new task, on average"), [expected])
