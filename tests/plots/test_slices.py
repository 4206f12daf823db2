"""Parameters as axes: places, edges, what is held, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from numpy.testing import assert_allclose, assert_array_equal

from malibo import Categorical, Float, Int, MetaModel, Ordinal, Space
from malibo.errors import InputError
from malibo.plots.slices import Axis, cut
from strategies import repeatable, spaces

SPACE = Space(
    lr=Float(1e-4, 1e-1, log=True),
    width=Int(16, 512, log=True),
    depth=Int(1, 4),
    optimizer=Categorical(["adam", "sgd"]),
    momentum=Float(0, 0.9, when={"optimizer": "sgd"}),
    batch=Ordinal([16, 32, 128]),
    epochs=10,
)
COLD = MetaModel.uninformed(SPACE)


def test_the_places_of_an_axis_are_values_of_its_parameter() -> None:
    assert_allclose(Axis.of(SPACE, "lr", 4).codes, [1e-4, 1e-3, 1e-2, 1e-1])
    assert_array_equal(Axis.of(SPACE, "depth", 50).codes, [1, 2, 3, 4])
    assert_array_equal(Axis.of(SPACE, "batch", 50).codes, [0, 1, 2])
    assert_array_equal(Axis.of(SPACE, "optimizer", 50).codes, [0, 1])


def test_edges_lie_between_the_places() -> None:
    assert_allclose(Axis.of(SPACE, "depth", 50).edges, [0.5, 1.5, 2.5, 3.5, 4.5])
    between = [1e-4, 10**-3.5, 10**-2.5, 10**-1.5, 1e-1]
    assert_allclose(Axis.of(SPACE, "lr", 4).edges, between)
    assert_allclose(Axis.of(SPACE, "lr", 4).limits(1 / 3), (1e-5, 1))


def test_sides_of_a_panel_are_dressed_by_kind() -> None:
    axes = Figure().subplots()
    Axis.of(SPACE, "lr", 9).dress(axes, "x")
    Axis.of(SPACE, "batch", 9).dress(axes, "y")
    assert axes.get_xscale() == "log"
    assert axes.get_xlim() == pytest.approx((1e-4, 1e-1))
    assert axes.get_xlabel() == "lr"
    assert axes.get_ylabel() == "batch"
    assert [text.get_text() for text in axes.get_yticklabels()] == ["16", "32", "128"]
    assert axes.get_ylim() == (-0.5, 2.5)


def test_a_short_logarithmic_axis_has_more_ticks_than_powers_of_ten() -> None:
    figure = Figure()
    axes = figure.subplots()
    Axis.of(SPACE, "width", 9).dress(axes, "x")
    figure.draw_without_rendering()
    shown = {text.get_text() for text in axes.get_xticklabels()}
    assert {"20", "50", "100", "200", "500"} <= shown


def test_a_slice_of_two_parameters_is_a_grid_and_the_rest_is_held() -> None:
    base = SPACE.codes([{"lr": 0.01, "width": 64, "depth": 2, "optimizer": "adam", "batch": 32}])[0]
    found = cut(COLD, ["depth", "batch"], base, {"lr": 0.1})
    assert found.shape == (4, 3)
    configs = SPACE.configs(found.codes)
    assert configs[0] == {
        "lr": 0.1, "width": 64, "depth": 1, "optimizer": "adam", "batch": 16, "epochs": 10
    }  # fmt: skip
    assert [(config["depth"], config["batch"]) for config in configs[:4]] == [
        (1, 16), (1, 32), (1, 128), (2, 16)
    ]  # fmt: skip
    assert_array_equal(found.place(5), [2, 2])
    assert found.find(found.codes[5]) == 5
    assert_array_equal(found.along(found.codes[5:6]), [(2, 2)])


def test_what_becomes_active_is_in_the_middle_of_its_range() -> None:
    configs = SPACE.configs(cut(COLD, "optimizer").codes)
    assert "momentum" not in configs[0]
    assert configs[1]["momentum"] == pytest.approx(0.45)


def test_a_conditional_parameter_is_shown_where_it_is_active() -> None:
    with pytest.raises(InputError, match=r"'momentum' is inactive here: it needs .*at=\{"):
        cut(COLD, "momentum", at={"optimizer": "adam"})
    shown = cut(COLD, "momentum", at={"optimizer": "sgd"})
    assert shown.codes[:, 4].min() == 0
    assert shown.codes[:, 4].max() == 0.9


def test_without_names_those_are_shown_along_which_the_model_varies_most(
    model: MetaModel,
) -> None:
    shown = cut(model, None)
    assert len(shown.axes) == 2
    spread = {}
    for name in ("lr", "layers", "optimizer", "momentum"):
        codes = cut(model, name).codes
        spread[name] = model.points(codes).offset.std()
    expected = sorted(spread, key=lambda name: -spread[name])[:2]
    assert {axis.name for axis in shown.axes} == set(expected)
    assert_array_equal(cut(model, "lr").codes[0, 1:], model.promising[0, 1:])


def test_wrong_names_and_values_are_refused() -> None:
    with pytest.raises(InputError, match=r"unknown parameter 'widht'.*Did you mean 'width'"):
        cut(COLD, "widht")
    with pytest.raises(InputError, match="one or two names that differ, got 'lr', 'width'"):
        cut(COLD, ["lr", "width", "depth"])
    with pytest.raises(InputError, match="one or two names that differ, got 'lr', 'lr'"):
        cut(COLD, ["lr", "lr"])
    with pytest.raises(InputError, match="one or two names that differ, got nothing"):
        cut(COLD, [])
    with pytest.raises(InputError, match="'epochs' has one value only"):
        cut(COLD, "epochs")
    with pytest.raises(InputError, match=r"unknown parameter 'dept'.*Did you mean 'depth'"):
        cut(COLD, "lr", at={"dept": 3})
    with pytest.raises(InputError, match="at: parameter 'depth': expected an integer from 1 to 4"):
        cut(COLD, "lr", at={"depth": 9})
    with pytest.raises(InputError, match="'lr' is an axis of the picture"):
        cut(COLD, "lr", at={"lr": 0.1})
    with pytest.raises(InputError, match="every parameter of the space has one value only"):
        cut(MetaModel.uninformed(Space(a=1)), None)


@settings(parent=repeatable, max_examples=40)
@given(spaces(), st.data())
def test_every_configuration_of_a_slice_is_one_of_the_space(
    space: Space, data: st.DataObject
) -> None:
    several = [name for name in space if space[name].count > 1 and not space[name].when]
    if not several:
        return
    names = data.draw(st.lists(st.sampled_from(several), min_size=1, max_size=2, unique=True))
    shown = cut(MetaModel.uninformed(space), names)
    assert len(shown.codes) == np.prod(shown.shape)
    some = shown.codes[:: max(len(shown.codes) // 20, 1)]
    assert_array_equal(space.codes(space.configs(some)), some)
