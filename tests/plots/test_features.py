"""What a model has learned, along one or two parameters."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from malibo import MetaModel, Space
from malibo.errors import InputError
from malibo.plots import features_figure
from malibo.plots.features import varied
from malibo.plots.slices import cut
from plots.artists import title


def test_the_features_that_vary_most_come_first() -> None:
    phi = np.array([[0.0, 1.0, 5.0], [0.0, 2.0, -5.0]])
    assert_array_equal(varied(phi), [2, 1, 0])


def test_along_one_parameter_every_feature_is_a_line_over_the_mean(model: MetaModel) -> None:
    figure = features_figure(model, "lr")
    top, bottom = figure.axes
    shown = cut(model, "lr")
    points = model.points(shown.codes)
    assert len(top.lines) == points.phi.shape[1] == 50
    drawn = np.array([one.get_ydata() for one in top.lines], dtype=float)
    coloured = points.phi[:, varied(points.phi)[:5]].T
    assert_allclose(drawn[-5:], coloured)
    assert len({one.get_color() for one in top.lines[-5:]}) == 5
    assert_allclose(np.asarray(bottom.lines[0].get_ydata(), dtype=float), points.offset)
    assert bottom.get_xscale() == "log"
    assert (top.get_ylabel(), bottom.get_ylabel()) == ("features Φ", "mean logit m(Φ)")
    assert title(figure) == "What was learned from the past, along lr"
    assert "the 50 features, the 5 that vary most" in figure.get_supxlabel()


def test_over_two_parameters_the_mean_and_the_most_varying_features_are_maps(
    model: MetaModel,
) -> None:
    figure = features_figure(model, ["lr", "layers"])
    shown = cut(model, ["lr", "layers"])
    points = model.points(shown.codes)
    order = varied(points.phi)[:7]
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == ["mean logit m(Φ)", *(f"feature {number + 1}" for number in order)]
    for axes, heights in zip(figure.axes, (points.offset, *points.phi[:, order].T), strict=True):
        (mesh,) = axes.collections
        assert_allclose(
            np.asarray(mesh.get_array()).ravel(), heights.reshape(shown.shape).T.ravel()
        )
    assert [axes.get_ylabel() for axes in figure.axes[:5]] == ["layers", "", "", "", "layers"]


def test_others_can_be_held_elsewhere(model: MetaModel) -> None:
    bottom = features_figure(model, "lr", at={"layers": 4}).axes[1]
    expected = model.points(cut(model, "lr", at={"layers": 4}).codes).offset
    assert_allclose(np.asarray(bottom.lines[0].get_ydata(), dtype=float), expected)


def test_without_names_two_parameters_are_shown(model: MetaModel) -> None:
    assert len(features_figure(model).axes) == 8


def test_wrong_input_is_named(model: MetaModel, tuning_space: Space) -> None:
    with pytest.raises(InputError, match="knows no past, so it has no features"):
        features_figure(MetaModel.uninformed(tuning_space))
    with pytest.raises(InputError, match=r"model must be a malibo\.MetaModel, got Space"):
        features_figure(tuning_space)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"unknown parameter 'layer'.*Did you mean 'layers'"):
        features_figure(model, "layer")
