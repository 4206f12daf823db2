"""Illustrations: what is drawn is what the method does."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit

from malibo import Malibo, MetaModel, SuggestConfig
from malibo.bench.figures import illustrations
from malibo.bench.figures.adaptation import (
    GRID,
    TARGETS,
    TRAINING,
    VARIANTS,
    adapt,
    grid,
    learned,
    mean_logits,
    past,
    prior,
    target,
    untaught,
)
from malibo.errors import InputError, MissingDependencyError
from malibo.labels import label
from malibo.space.parameters import Array
from malibo.suggest import suggest, suggestions

pytest.importorskip("matplotlib")

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STEPS = 20  # of training: enough for a model that is not flat

FIGURES: dict[str, tuple[int, Callable[[], Figure]]] = {  # number of panels, and the picture
    "meta_acquisition": (3, lambda: illustrations.meta_acquisition(steps=STEPS)),
    "exploration": (6, lambda: illustrations.exploration(steps=STEPS)),
    "features forrester": (3, lambda: illustrations.features("forrester", steps=STEPS)),
    "features quadratic": (3, lambda: illustrations.features("quadratic", steps=STEPS)),
    "variants forrester": (9, lambda: illustrations.variants("forrester", steps=STEPS)),
    "variants quadratic": (9, lambda: illustrations.variants("quadratic", steps=STEPS)),
    "without_meta": (12, illustrations.without_meta),
    "step_sequential": (16, lambda: illustrations.step_sequential(steps=STEPS)),
    "step_parallel": (8, lambda: illustrations.step_parallel(steps=STEPS)),
}
COMPARISONS = {
    "exploration": 10,
    "variants forrester": 10,
    "variants quadratic": 10,
    "without_meta": 16,
}


@pytest.fixture(scope="module")
def figures() -> dict[str, Figure]:
    """Every picture once."""
    return {name: make() for name, (_, make) in FIGURES.items()}


@pytest.fixture(scope="module")
def model() -> MetaModel:
    return learned("forrester", steps=STEPS)


def curves(axes: Axes) -> dict[str, Array]:
    """Curves over the whole grid by their names."""
    lines = [line for line in axes.lines if len(np.asarray(line.get_xdata())) == len(GRID)]
    return {str(line.get_label()): np.asarray(line.get_ydata()) for line in lines}


def triangles(axes: Axes) -> list[tuple[float, float]]:
    """Where the queries are marked on an acquisition."""
    marks = [line for line in axes.lines if line.get_marker() == "v"]
    return [(np.asarray(m.get_xdata())[0], np.asarray(m.get_ydata())[0]) for m in marks]


def dots(axes: Axes, number: int = -1) -> Array:
    """Places (n, 2) of the circles of one kind."""
    return np.asarray(axes.collections[number].get_offsets())


def data(figure: Figure) -> list[Array]:
    """Numbers of all lines and circles."""
    found = [np.asarray(line.get_xydata()) for axes in figure.axes for line in axes.lines]
    circles = [c.get_offsets() for axes in figure.axes for c in axes.collections]
    return found + [np.asarray(places) for places in circles]


# -- the numbers ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["LFBO", *VARIANTS])
@pytest.mark.parametrize("at_once", [1, 3])
def test_queries_are_those_of_the_optimizer(name: str, at_once: int, model: MetaModel) -> None:
    model = MetaModel.uninformed(model.space) if name == "LFBO" else model
    config, function = VARIANTS.get(name, SuggestConfig()), target("forrester")
    run = adapt(model, function, config, 12 // at_once, at_once, seed=5)
    optimizer = Malibo(model, candidates=[{"x": x} for x in GRID], seed=5, config=config)
    for iteration in run:
        configs = optimizer.ask(at_once)
        assert_array_equal([trial["x"] for trial in configs], iteration.queries)
        for trial in configs:
            optimizer.tell(trial, float(function(np.array([[trial["x"]]]))[0]))


def test_suggestions_are_what_suggest_returns_with_the_scores_behind(model: MetaModel) -> None:
    known = adapt(model, target("forrester"), SuggestConfig(), 8)[-1].known
    config = SuggestConfig(random_candidates=100)
    found = list(suggestions(model, known, config, np.random.default_rng(1), 3))
    assert_array_equal(
        [suggestion.row for suggestion in found],
        suggest(model, known, config, np.random.default_rng(1), 3),
    )
    for suggestion in found:
        chosen = suggestion.corrected[suggestion.pool.codes[:, 0] == suggestion.row[0]]
        assert chosen.max() >= suggestion.corrected.max() - 0.02


@pytest.mark.parametrize("name", VARIANTS)
def test_every_query_is_the_highest_candidate_that_is_left(name: str, model: MetaModel) -> None:
    for iteration in adapt(model, target("forrester"), VARIANTS[name], 9):
        (suggestion,) = iteration.chosen
        left = ~np.isin(GRID, iteration.known.codes)
        chosen = suggestion.corrected[suggestion.row[0] == GRID]
        assert chosen >= suggestion.corrected[left].max() - 0.02


def test_boosting_changes_nothing_before_its_first_trial(model: MetaModel) -> None:
    run = adapt(model, target("forrester"), VARIANTS["MALIBO"], 12)
    same = [np.array_equal(i.chosen[0].base, i.chosen[0].corrected) for i in run]
    assert all(same[:5])
    assert not all(same)


def test_before_the_first_observation_the_task_is_standard_normal(model: MetaModel) -> None:
    phi = grid(model).points.phi
    assert_allclose(prior(model).mean, 0)
    assert_allclose(prior(model).variance(phi), (phi**2).sum(axis=1))
    none = adapt(model, target("forrester"), VARIANTS["MALIBO"], 1)[0].known
    assert_array_equal(mean_logits(model, none), grid(model).points.offset)


def test_a_model_without_lessons_has_features_and_no_opinion() -> None:
    points = grid(untaught("forrester")).points
    assert_array_equal(points.offset, 0)
    assert points.phi.std(axis=0).min() > 0


def test_the_forrester_function_has_two_optima_of_which_the_left_one_is_lower() -> None:
    losses = target("forrester")(GRID[:, None])
    inner = np.flatnonzero((losses[1:-1] < losses[:-2]) & (losses[1:-1] < losses[2:])) + 1
    assert_allclose(GRID[inner], [0.11, 0.75], atol=0.03)
    assert losses[inner[0]] < losses[inner[1]]


def test_a_family_of_other_functions_is_refused() -> None:
    with pytest.raises(InputError, match=r"family must be one of .*'branin'"):
        illustrations.features("branin")
    assert set(TARGETS) == {"forrester", "quadratic"}


# -- the pictures --------------------------------------------------------------------------


@pytest.mark.parametrize("name", FIGURES)
def test_every_picture_has_its_panels_and_can_be_drawn(
    name: str, figures: dict[str, Figure]
) -> None:
    figure = figures[name]
    assert len(figure.axes) == FIGURES[name][0]
    assert 8 <= figure.get_figwidth() <= 10
    figure.draw_without_rendering()


def test_the_same_seed_gives_the_same_picture(figures: dict[str, Figure]) -> None:
    learned.cache_clear()
    for name in ("meta_acquisition", "exploration", "step_parallel"):
        again = FIGURES[name][1]()
        for one, other in zip(data(figures[name]), data(again), strict=True):
            assert_array_equal(one, other)


def test_another_seed_gives_other_queries(model: MetaModel) -> None:
    runs = [adapt(model, target("forrester"), VARIANTS["MALIBO"], 4, seed=s) for s in range(2)]
    one, other = ([iteration.queries[0] for iteration in run] for run in runs)
    assert one[0] == other[0]  # the best under the mean
    assert one != other


@pytest.mark.parametrize("name", COMPARISONS)
def test_the_last_query_is_where_the_drawn_acquisition_is_highest(
    name: str, figures: dict[str, Figure]
) -> None:
    columns = np.array(figures[name].axes).reshape(3, -1).T
    for top, middle, bottom in columns:
        places, order = dots(top), dots(middle)
        assert len(places) == COMPARISONS[name]
        assert_array_equal(places[:, 0], order[:, 0])
        assert_array_equal(order[:, 1], np.arange(1, len(order) + 1))
        left = ~np.isin(GRID, places[:-1, 0])
        acquisition = list(curves(bottom).values())[-1]  # the corrected one is drawn last
        ((x, height),) = triangles(bottom)
        assert x == places[-1, 0]
        assert height == acquisition[x == GRID]
        assert height >= acquisition[left].max() - 0.02


def test_queries_lie_on_the_function_and_are_all_different(figures: dict[str, Figure]) -> None:
    for axes in figures["variants quadratic"].axes[:3]:
        places = dots(axes)
        assert_allclose(places[:, 1], target("quadratic")(places[:, :1]))
        assert len(np.unique(places[:, 0])) == len(places)


def test_each_variant_shows_the_curves_it_has(figures: dict[str, Figure]) -> None:
    names = [list(curves(axes)) for axes in figures["without_meta"].axes[8:]]
    boosted = ["Thompson sample", "with boosting"]
    assert names == [["with boosting"], ["probit average"], ["Thompson sample"], boosted]


def test_the_best_of_each_past_task_has_its_colour(figures: dict[str, Figure]) -> None:
    good, others = figures["meta_acquisition"].axes[0].collections
    tasks = list(past("forrester"))[:10]
    k = [label(task.losses, TRAINING.past_gamma).k for task in tasks]
    assert len(np.asarray(good.get_offsets())) == np.sum(k)
    assert len(np.asarray(others.get_offsets())) == np.size(k) - np.sum(k)
    best = [task.losses.min() for task in tasks]
    assert np.isin(best, np.asarray(good.get_offsets())[:, 1]).all()


def test_all_features_are_drawn_and_the_most_varied_ones_in_colour(
    model: MetaModel, figures: dict[str, Figure]
) -> None:
    named = {axes.get_title(loc="left"): axes for axes in figures["features forrester"].axes}
    (panel,) = [axes for title, axes in named.items() if "features" in title]
    drawn = np.array([line.get_ydata() for line in panel.lines])
    assert_array_equal(np.sort(drawn, axis=0), np.sort(grid(model).points.phi.T, axis=0))
    assert drawn[-5:].var(axis=1).min() >= drawn[:-5].var(axis=1).max()
    assert len({line.get_color() for line in panel.lines[-5:]}) == 5


def test_steps_start_with_the_mean_and_end_with_boosting(
    model: MetaModel, figures: dict[str, Figure]
) -> None:
    panels = np.array(figures["step_sequential"].axes).reshape(4, 4)
    bottoms = [*panels[1], *panels[3]]
    run = adapt(model, target("forrester"), VARIANTS["MALIBO"], 8)
    counts = [len(curves(axes)) for axes in bottoms]
    assert counts == [1, 2, 2, 2, 2, 3, 3, 3]
    for axes, iteration in zip(bottoms, run, strict=True):
        (suggestion,) = iteration.chosen
        last = list(curves(axes).values())[-1]
        assert_array_equal(last, expit(suggestion.corrected))
        ((x, _),) = triangles(axes)
        assert x == suggestion.row[0]


def test_three_queries_at_once_have_an_acquisition_each(figures: dict[str, Figure]) -> None:
    panels = np.array(figures["step_parallel"].axes).reshape(2, 4)
    for number, (top, bottom) in enumerate(panels.T):
        known, new = dots(top, 0), dots(top, 1)
        assert (len(known), len(new)) == (3 * number, 3)
        lines = [line for line in bottom.lines if line.get_marker() != "v"]
        for line, (x, height), place in zip(lines, triangles(bottom), new, strict=True):
            assert x == place[0]
            assert height == np.asarray(line.get_ydata())[x == GRID]
        assert len(np.unique([*known[:, 0], *new[:, 0]])) == 3 * number + 3


def test_without_matplotlib_there_is_a_pip_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingDependencyError, match=r'pip install "malibo\[plots\]"'):
        illustrations.without_meta()
