"""The acquisition, step by step: what is drawn is what malibo would do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit

from malibo import Float, Int, Malibo, MetaModel, Ordinal, Space
from malibo.errors import InputError
from malibo.plots import acquisition_figure
from malibo.plots.lines import lines_figure
from malibo.plots.slices import cut
from malibo.plots.steps import foreseen_values, steps_of
from plots.artists import dots, line, names, note, title

SAMPLES = "Thompson samples of the meta-model"


def losses(optimizer: Malibo) -> list[float]:
    return [np.nan if value is None else value for _, value in optimizer.results]


def cold_tuning(results: int, **options: Any) -> Malibo:
    """Of one parameter, without a past."""
    optimizer = Malibo(space=Space(x=Float(0, 1)), seed=0, **options)
    for _ in range(results):
        config = optimizer.ask()
        optimizer.tell(config, (config["x"] - 0.3) ** 2)
    return optimizer


def test_a_cold_tuning_foresees_without_a_past() -> None:
    cold = cold_tuning(6)
    shown = cut(cold.model, "x", np.array([0.5]))
    other = replace_trust(cold, 0.1)
    (step,), (same,) = (steps_of(one, shown, None, 0, 0) for one in (cold, other))
    assert step.foreseen is not None
    assert same.foreseen is not None
    assert_array_equal(step.foreseen, same.foreseen)  # whatever trust there would be in one


def replace_trust(optimizer: Malibo, trust: float) -> Malibo:
    """The same results with another trust in the past."""
    found = Malibo(optimizer.model, seed=0, trust=trust)
    for config, value in optimizer.results:
        found.tell(config, value)
    return found


def test_the_classifier_foresees_no_values(model: MetaModel, tuned: Malibo) -> None:
    optimizer = Malibo(model, seed=0, surrogate="classifier")
    for config, value in tuned.results:
        optimizer.tell(config, value)
    assert "foreseen, 80 %" not in names(acquisition_figure(optimizer, "lr"))


# -- one parameter ---------------------------------------------------------------------------


def test_results_are_above_and_the_acquisition_below(tuned: Malibo) -> None:
    figure = acquisition_figure(tuned, "lr")
    top, bottom = figure.axes
    told = [(config["lr"], value) for config, value in tuned.results if value is not None]
    assert_allclose(dots(top, "result"), told)
    assert_allclose(dots(top, "failed trial"), [(tuned.results[3][0]["lr"], top.get_ylim()[1])])
    assert top.get_title(loc="left") == "after 8 results"
    assert (top.get_ylabel(), bottom.get_ylabel()) == ("value", "acquisition")
    assert bottom.get_xlabel() == "lr"
    assert bottom.get_xscale() == "log"
    assert title(figure) == "Results and acquisition along lr"
    assert {"foreseen, 80 %", SAMPLES, "its mean", "what is maximised"} <= names(figure)
    assert "results differ in other parameters" in note(figure)


def test_the_expected_improvement_is_shown_by_its_highest(tuned: Malibo) -> None:
    bottom = acquisition_figure(tuned, "lr").axes[1]
    heights = line(bottom, "what is maximised")[1]
    assert heights.max() == 1
    assert 0 <= heights.min() < 0.5
    place, height = line(bottom, "chosen next")[:, 0]
    x = line(bottom, "what is maximised")[0]
    assert place == pytest.approx(x[np.argmax(heights)])
    assert height == 1


def test_the_mark_is_the_next_suggestion_where_the_picture_shows_all(model: MetaModel) -> None:
    line_model = model.for_space(Space(lr=Float(1e-4, 1e-1, log=True)))
    grid = [{"lr": float(code)} for code in cut(line_model, "lr").codes[:, 0]]
    optimizer = Malibo(line_model, candidates=grid, seed=3)
    for loss in (0.3, 0.2, 0.4):
        optimizer.tell(optimizer.ask(), loss)
    place = line(acquisition_figure(optimizer, "lr").axes[1], "chosen next")[0, 0]
    assert place == optimizer.ask()["lr"]


def test_mean_and_samples_are_those_of_the_meta_model(tuned: Malibo) -> None:
    figure = acquisition_figure(tuned, "lr", steps=[0], samples=7)
    bottom = figure.axes[1]
    shown = cut(tuned.model, "lr", tuned.space.codes([tuned.best[0]])[0])
    offset = tuned.model.points(shown.codes).offset
    assert_allclose(line(bottom, "its mean")[1], expit(offset), atol=1e-6)  # q(z) is the prior
    assert_allclose(line(bottom, "what is maximised")[1], expit(offset))
    samples = [one for one in bottom.lines if one.get_linestyle() == "--"]
    assert len(samples) == 7
    assert figure.axes[0].get_title(loc="left") == "before the first result"
    assert [text.get_text() for text in figure.axes[0].texts] == ["no results yet"]
    assert SAMPLES not in names(acquisition_figure(tuned, "lr", steps=[0], samples=0))


def test_the_samples_depend_on_the_seed_and_on_nothing_else(tuned: Malibo) -> None:
    first, again, other = (
        line(acquisition_figure(tuned, "lr", seed=seed, steps=[4]).axes[1], SAMPLES)
        for seed in (1, 1, 2)
    )
    assert_array_equal(first, again)
    assert not np.allclose(first, other)


def test_steps_show_the_first_results_only(tuned: Malibo) -> None:
    figure = acquisition_figure(tuned, "layers", steps=[1, 2, 3, 5, 8])
    tops = [axes for axes in figure.axes if axes.get_title(loc="left")]
    titles = [f"after {count} result{'s' * (count > 1)}" for count in (1, 2, 3, 5, 8)]
    assert [axes.get_title(loc="left") for axes in tops] == titles
    for axes, count in zip(tops, (1, 2, 3, 5, 8), strict=True):
        valid = np.isfinite(losses(tuned)[:count]).sum()
        shown = dots(axes, "result")[:, 1]
        assert len(shown) + len(dots(axes, "off the scale")) == valid
        assert set(shown) <= set(losses(tuned)[:count])
    assert len(figure.axes) == 10


def test_what_is_foreseen_passes_near_the_results() -> None:
    optimizer = cold_tuning(12, random_first=12)
    shown = cut(optimizer.model, "x")
    (step,) = steps_of(optimizer, shown, None, 0, 0)
    foreseen = foreseen_values(step, optimizer)
    assert foreseen is not None
    low, middle, high = foreseen
    assert (low <= middle).all()
    assert (middle <= high).all()
    configs, values = zip(*optimizer.results, strict=True)
    at = np.interp([config["x"] for config in configs], shown.axes[0].codes, middle)
    assert_allclose(at, values, atol=0.03)
    top = acquisition_figure(optimizer).axes[0]
    assert_allclose(line(top, "foreseen, median")[1], middle)


def test_what_is_foreseen_far_below_the_results_does_not_flatten_them() -> None:
    optimizer = Malibo(space=Space(x=Float(0, 1)), seed=0)
    for x, loss in ((0.2, 3.0), (0.5, 1.0), (0.8, 2.0)):
        optimizer.tell({"x": x}, loss)
    shown = cut(optimizer.model, "x")
    (step,) = steps_of(optimizer, shown, None, 0, 0)
    assert step.foreseen is not None
    deep = replace(step, foreseen=step.foreseen - 100)
    low, high = lines_figure(optimizer, shown, [deep]).axes[0].get_ylim()
    assert (low, high) == pytest.approx((-0.15, 3.15))  # half a range below the best, and room


def test_scores_that_are_maximised_are_shown_as_they_were_told() -> None:
    optimizer = Malibo(space=Space(x=Float(0, 1)), seed=0, direction="maximize")
    for x, score in ((0.1, 5.0), (0.5, 9.0), (0.9, None), (0.7, 6.0)):
        optimizer.tell({"x": x}, score)
    top, bottom = acquisition_figure(optimizer, "x").axes
    assert_allclose(dots(top, "result"), [(0.1, 5), (0.5, 9), (0.7, 6)])
    assert_allclose(dots(top, "failed trial"), [(0.9, top.get_ylim()[0])])
    middle = line(top, "foreseen, median")
    assert middle[1].min() >= 5
    assert [text.get_text() for text in bottom.texts] == ["chosen at random"]


def test_without_a_past_there_is_no_meta_model_to_show() -> None:
    figure = acquisition_figure(cold_tuning(6, random_first=3), "x")
    assert names(figure) >= {"what is maximised", "chosen next", "result"}
    assert not names(figure) & {SAMPLES, "its mean"}


def test_choices_have_their_names_below(tuned: Malibo) -> None:
    bottom = acquisition_figure(tuned, "optimizer", steps=[2]).axes[1]
    assert [text.get_text() for text in bottom.get_xticklabels()] == ["adam", "sgd"]
    assert_array_equal(line(bottom, "what is maximised")[0], [0, 1])


def test_others_are_held_at_the_best_or_as_told(tuned: Malibo) -> None:
    best = acquisition_figure(tuned, "lr", steps=[0]).axes[1]
    other = acquisition_figure(tuned, "lr", steps=[0], at={"layers": 4}).axes[1]
    config = {**tuned.best[0], "layers": 4}
    shown = cut(tuned.model, "lr", tuned.space.codes([config])[0])
    expected = expit(tuned.model.points(shown.codes).offset)
    assert_allclose(line(other, "what is maximised")[1], expected)
    assert not np.allclose(line(best, "what is maximised")[1], expected)


# -- two parameters --------------------------------------------------------------------------


def test_two_parameters_are_maps_with_the_results_and_the_choice(tuned: Malibo) -> None:
    figure = acquisition_figure(tuned, ["lr", "layers"], steps=[2, 5])
    first, second, bar = figure.axes
    told = [(config["lr"], config["layers"]) for config, _ in tuned.results]
    assert_allclose(dots(first, "result"), told[:2])
    assert_allclose(dots(second, "result"), [told[0], told[1], told[2], told[4]])
    assert_allclose(dots(second, "failed trial"), [told[3]])
    assert len(dots(first, "chosen next")) == 1
    assert (first.get_xlabel(), first.get_ylabel()) == ("lr", "layers")
    assert second.get_ylabel() == ""
    assert bar.get_ylabel() == "acquisition, share of its highest"
    assert title(figure) == "Acquisition over lr and layers"


def test_a_map_of_cells_has_the_shares_as_colours(tuned: Malibo) -> None:
    axes = acquisition_figure(tuned, ["lr", "layers"]).axes[0]
    (mesh,) = [one for one in axes.collections if one.get_array() is not None]
    shares = np.asarray(mesh.get_array())
    shown = cut(tuned.model, ["lr", "layers"], tuned.space.codes([tuned.best[0]])[0])
    (step,) = steps_of(tuned, shown, None, 0, 0)
    expected = np.clip(step.acquisition, 1e-3, 1).reshape(shown.shape).T
    assert_allclose(shares.reshape(expected.shape), expected)
    (chosen,) = dots(axes, "chosen next")
    assert_allclose(chosen, shown.place(int(np.argmax(step.acquisition))))


def test_two_continuous_parameters_are_contours() -> None:
    optimizer = Malibo(space=Space(x=Float(0, 1), y=Float(0, 1)), seed=0, random_first=2)
    for _ in range(6):
        config = optimizer.ask()
        optimizer.tell(config, config["x"] + config["y"])
    figure = acquisition_figure(optimizer, steps=[1, 6])
    assert [text.get_text() for text in figure.axes[0].texts] == ["chosen at random"]
    assert figure.axes[1].get_xlim() == (0, 1)
    assert note(figure) == "acquisition: σ(logit)"
    assert len(acquisition_figure(optimizer, steps=[1]).axes) == 1  # chance has no colours


# -- wrong input -----------------------------------------------------------------------------


def test_wrong_input_is_named(tuned: Malibo, model: MetaModel) -> None:
    with pytest.raises(InputError, match=r"unknown parameter 'layer'.*Did you mean 'layers'"):
        acquisition_figure(tuned, "layer")
    with pytest.raises(InputError, match="one or two names"):
        acquisition_figure(tuned, ["lr", "layers", "optimizer"])
    with pytest.raises(InputError, match="from 0 to 8 by now; got 9"):
        acquisition_figure(tuned, "lr", steps=[1, 9])
    for steps in ([1.5], [True], [-1]):
        with pytest.raises(InputError, match="steps are numbers of results"):
            acquisition_figure(tuned, "lr", steps=steps)  # type: ignore[arg-type]
    wrong: Any
    for wrong in (3, [], "12"):
        with pytest.raises(InputError, match="steps must be a list"):
            acquisition_figure(tuned, "lr", steps=wrong)
    with pytest.raises(InputError, match="samples must be a whole number"):
        acquisition_figure(tuned, "lr", samples=-1)
    with pytest.raises(InputError, match=r"expected a malibo\.Malibo, got MetaModel"):
        acquisition_figure(model)  # type: ignore[arg-type]


def test_a_slice_that_was_tried_altogether_has_nothing_left_to_choose() -> None:
    optimizer = Malibo(space=Space(a=Ordinal([1, 2]), b=Int(1, 3)), seed=0)
    for value in (1, 2):
        optimizer.tell({"a": value, "b": 1}, float(value))
    with pytest.raises(InputError, match="all 2 configurations of this picture have been tried"):
        acquisition_figure(optimizer, "a")
    acquisition_figure(optimizer, "a", at={"b": 2})


def test_what_was_tried_is_said_not_to_be_chosen_again() -> None:
    optimizer = Malibo(space=Space(a=Int(1, 5), b=Int(1, 9)), seed=0, random_first=0)
    for a in (1, 2, 3, 4):
        optimizer.tell({"a": a, "b": 1}, float(a))
        optimizer.tell({"a": a, "b": 9}, float(a))
    figure = acquisition_figure(optimizer, "a")
    place, height = line(figure.axes[1], "chosen next")[:, 0]
    assert place == 5
    assert height < line(figure.axes[1], "what is maximised")[1].max()
    assert "what was tried is not chosen again" in note(figure)


def test_the_optimizer_is_left_as_it_was(tuned: Malibo) -> None:
    before = (tuned.results, tuned.pending)
    acquisition_figure(tuned, "lr", steps=[1, 8])
    assert (tuned.results, tuned.pending) == before
