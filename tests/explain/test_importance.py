"""Importance: total effects that are known are found, and what is not known is left open."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_allclose

from malibo import Categorical, Float, MetaModel, Space, SuggestConfig
from malibo.explain import Importance, importances
from malibo.explain.importance import _resampled, _total_effects
from malibo.observations import Observations
from malibo.space.parameters import Array

CUBE = Space(a=Float(0, 1), b=Float(0, 1), c=Float(0, 1))
SWITCH = Space(
    kind=Categorical(["on", "off"]),
    inner=Float(0, 1, when={"kind": "on"}),
    outer=Float(0, 1),
    fixed=7,
)


def observed(space: Space, function: Callable[[Array], Array], count: int) -> Observations:
    codes = space.sample(np.random.default_rng(count), count)
    return Observations(codes, function(codes), codes[:0])


def by_name(found: list[Importance]) -> dict[str, Importance]:
    return {importance.name: importance for importance in found}


def test_the_shares_of_a_sum_are_those_of_its_variance() -> None:
    seen = observed(CUBE, lambda codes: 3 * codes[:, 0] + codes[:, 1], 40)
    found = by_name(importances(MetaModel.uninformed(CUBE), seen))
    assert list(found) == ["a", "b", "c"]
    assert found["a"].share == pytest.approx(0.9, abs=0.06)
    assert found["b"].share == pytest.approx(0.1, abs=0.06)
    assert found["c"].high < 0.03


def test_parameters_that_work_together_sum_to_more_than_one() -> None:
    seen = observed(CUBE, lambda codes: (codes[:, 0] - 0.5) * (codes[:, 1] - 0.5), 100)
    found = by_name(importances(MetaModel.uninformed(CUBE), seen))
    assert found["a"].share > 0.8 < found["b"].share
    assert found["c"].share < 0.2


def test_few_results_leave_more_open_than_many() -> None:
    cold = MetaModel.uninformed(CUBE)
    widths = []
    for count in (0, 4, 60):
        found = importances(cold, observed(CUBE, lambda codes: codes[:, 0] ** 2, count))
        widths.append(np.mean([importance.high - importance.low for importance in found]))
    assert widths[0] > 0.4
    assert widths[1] > 4 * widths[2]


def test_a_conditional_parameter_matters_where_it_is_active() -> None:
    def loss(codes: Array) -> Array:
        return np.where(np.isnan(codes[:, 1]), 0.5, codes[:, 1])

    found = by_name(importances(MetaModel.uninformed(SWITCH), observed(SWITCH, loss, 80)))
    assert set(found) == {"kind", "inner", "outer"}  # a fixed one has no say
    # the variance is 1/24; inner is active in half of all cases: E[Var] = 1/2 · 1/12
    assert found["inner"].share == pytest.approx(1, abs=0.15)
    assert found["kind"].share == pytest.approx(0.5, abs=0.15)
    assert found["outer"].share < 0.1


def test_among_many_parameters_the_interval_holds_the_truth() -> None:
    """Chance in the configurations is part of the interval: it does not make it too sure."""
    space = Space({f"x{i}": Float(0, 1) for i in range(20)})
    seen = observed(space, lambda codes: 3 * codes[:, 0] + codes[:, 1], 40)
    found = by_name(importances(MetaModel.uninformed(space), seen))
    assert found["x0"].share == pytest.approx(0.9, abs=0.06)
    assert found["x0"].low <= 0.9 <= found["x0"].high
    assert found["x7"].high < 0.1


def test_how_far_the_past_is_trusted_is_as_told(model: MetaModel) -> None:
    nothing = Observations.none(len(model.space))
    found, same, doubtful = (
        importances(model, nothing, config=config)
        for config in (None, SuggestConfig(), SuggestConfig(trust=0.01))
    )
    assert found == same
    assert by_name(doubtful)["lr"].share < by_name(found)["lr"].share


def test_before_any_result_the_past_tells_what_matters(model: MetaModel) -> None:
    """In the past the learning rate decided over most of the loss."""
    found = by_name(importances(model, Observations.none(len(model.space))))
    assert set(found) == {"lr", "layers", "optimizer", "momentum"}
    cold = by_name(importances(model.forgotten, Observations.none(len(model.space))))
    assert found["lr"].share > cold["lr"].share


def test_shares_are_shares_in_order(model: MetaModel) -> None:
    codes = model.space.sample(np.random.default_rng(0), 6)
    for losses in (np.full(6, np.nan), np.zeros(6), np.array([1e308, -1e308, 0, 1, np.nan, 2])):
        found = importances(model, Observations(codes, losses, codes[:1]))
        assert [i.share for i in found] == sorted((i.share for i in found), reverse=True)
        assert all(0 <= i.low <= i.high <= 1 and 0 <= i.share <= 1 for i in found)


def test_the_seed_and_not_the_order_of_the_results_decides() -> None:
    cold = MetaModel.uninformed(CUBE)
    one = observed(CUBE, lambda codes: codes[:, 0] ** 2, 3)
    turned = Observations(one.codes[::-1], one.losses[::-1], one.pending)
    first = importances(cold, one)
    assert first == importances(cold, turned)
    assert first != importances(cold, one, seed=1)


def test_where_nothing_varies_nothing_matters() -> None:
    space = Space(a=1, b="x")
    assert importances(MetaModel.uninformed(space), Observations.none(2)) == []


def test_only_the_named_parameter_and_what_it_switches_is_drawn_anew() -> None:
    base, kind, outer = _resampled(SWITCH, ["kind", "outer"], 200, np.random.default_rng(0))
    changed = kind[:, 0] != base[:, 0]
    assert 60 < changed.sum() < 140
    assert_allclose(kind[:, 2], base[:, 2])
    assert_allclose(kind[~changed, 1], base[~changed, 1])
    assert (np.isnan(kind[:, 1]) == (kind[:, 0] == 1)).all()
    assert_allclose(outer[:, :2], base[:, :2])
    assert (outer[:, 2] != base[:, 2]).all()


def test_total_effects_are_half_the_mean_square_of_the_change_over_the_variance() -> None:
    one = [[0.0, 2.0, 2.0], [1.0, 2.0, 2.0], [0.0, 2.0, 2.0]]
    flat = [[1.0] * 3] * 3
    expected = 0.5 * (1 / 3) / float(np.var(one))
    assert_allclose(_total_effects(np.array([one, flat])), np.array([[expected, 0.0], [0.0, 0.0]]))


def test_chance_does_not_make_more_than_all() -> None:
    drawn = np.array([[[0.0, 2.0], [2.0, 0.0]]])
    assert_allclose(_total_effects(drawn), [[1.0]])
