"""Trust over trials."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from malibo import Malibo, MetaModel, Space
from malibo.errors import InputError
from malibo.plots import trust_figure
from malibo.suggest import SOURCES
from plots.artists import dots, line, names, title


@dataclass
class Trial:
    """As a study has them."""

    trust: float | None
    source: str | None = None


def test_the_trust_of_an_optimizer_is_worked_out_after_each_result(
    model: MetaModel, objective: Callable[[Mapping[str, Any]], float]
) -> None:
    optimizer = Malibo(model, seed=1)
    expected = [optimizer.trust]
    for _ in range(4):
        config = optimizer.ask()
        optimizer.tell(config, objective(config))
        expected.append(optimizer.trust)
    figure = trust_figure(optimizer)
    assert_allclose(line(figure.axes[0], "trust in the past"), [range(5), expected])
    assert title(figure) == f"Trust in the past: {expected[-1]:.2f} after 4 results"
    assert figure.axes[0].get_xlabel() == "results told"


def test_the_prior_and_the_threshold_are_marked() -> None:
    axes = trust_figure([0.7, 0.4]).axes[0]
    assert_allclose(line(axes, "before the first result (0.8)")[1], 0.8)
    levels = [one.get_ydata()[0] for one in axes.lines if one.get_linestyle() == "--"]  # type: ignore[index]
    assert levels == [0.5]
    assert "before the first result (0.6)" in names(trust_figure([0.7], prior=0.6))


def test_numbers_are_shown_from_the_first_trial_on() -> None:
    figure = trust_figure([0.8, None, 0.6])
    axes = figure.axes[0]
    assert_array_equal(line(axes, "trust in the past"), [(1, 2, 3), (0.8, np.nan, 0.6)])
    assert axes.get_xlabel() == "trial"
    assert axes.get_ylim()[0] < 0 < 1 < axes.get_ylim()[1]
    assert title(figure) == "Trust in the past: 0.60 at trial 3"
    assert title(trust_figure([0.8, None])) == "Trust in the past: 0.80 at trial 1"


def test_dots_say_what_chose_a_trial() -> None:
    trials = [Trial(0.8, "past"), Trial(0.4, "process"), Trial(None, "random"), Trial(0.9)]
    figure = trust_figure(trials)
    axes = figure.axes[0]
    assert_allclose(dots(axes, "chosen by: past"), [(1, 0.8)])
    assert_allclose(dots(axes, "chosen by: process"), [(2, 0.4)])
    assert not any("random" in name or "booster" in name for name in names(figure))


def test_sources_of_an_optimizer_lie_at_the_trust_they_were_chosen_with(tuned: Malibo) -> None:
    axes = trust_figure(tuned, sources=["meta-model"] * 8).axes[0]
    expected = line(axes, "trust in the past")[:, :8].T
    assert_allclose(dots(axes, "chosen by: meta-model"), expected)


def test_every_source_that_is_recorded_has_a_colour_and_a_shape() -> None:
    trials = [Trial(0.5, source) for source in SOURCES]
    axes = trust_figure(trials).axes[0]
    assert len(dots(axes, "chosen by: repeat")) == len(dots(axes, "chosen by: own")) == 1
    found = [one for one in axes.collections if str(one.get_label()).startswith("chosen by")]
    assert len({str(one.get_facecolor()) for one in found}) == len(SOURCES)
    assert len({one.get_paths()[0].vertices.tobytes() for one in found}) == len(SOURCES)  # type: ignore[union-attr]


def test_a_source_of_another_name_is_drawn_as_ones_own() -> None:
    axes = trust_figure([0.5, 0.6], sources=["zebra", "own"]).axes[0]
    assert_allclose(dots(axes, "chosen by: zebra"), [(1, 0.5)])
    zebra, own = (
        next(one for one in axes.collections if one.get_label() == f"chosen by: {name}")
        for name in ("zebra", "own")
    )
    assert_array_equal(zebra.get_facecolor(), own.get_facecolor())


def test_wrong_input_is_named(tuned: Malibo, tuning_space: Space, model: MetaModel) -> None:
    with pytest.raises(InputError, match="the model knows no past"):
        trust_figure(Malibo(space=tuning_space))
    with pytest.raises(InputError, match="no results yet"):
        trust_figure(Malibo(model))
    with pytest.raises(InputError, match="there are 8 trials, but 1 sources"):
        trust_figure(tuned, sources=["past"])
    with pytest.raises(InputError, match="a source must be a name or None, got 3"):
        trust_figure([0.5], sources=[3])  # type: ignore[list-item]
    with pytest.raises(InputError, match="none of 2 trials has a trust"):
        trust_figure([None, None])
    wrong: Any
    for wrong in (1.5, "high", True):
        with pytest.raises(InputError, match="from 0 to 1, or None; got"):
            trust_figure([wrong])
    with pytest.raises(InputError, match=r"expected a malibo\.Malibo, trials, or a list"):
        trust_figure(0.5)  # type: ignore[arg-type]
