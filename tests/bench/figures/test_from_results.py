"""Figures of results: what they show, of whom, and what they say when there is nothing."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from bench.examples import run
from malibo.bench import metrics
from malibo.bench.metrics import curves, mean_and_error
from malibo.bench.runs import Run
from malibo.errors import InputError, MissingDependencyError

pytest.importorskip("matplotlib")

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from malibo.bench.figures import critical, from_results, style
from malibo.bench.figures.wallclock import over_time

STEPS = 30


def tuned(method: str, seeds: int = 3, tasks: str = "ab", speed: float = 1.0) -> list[Run]:
    """Runs that come nearer to the optimum by chance."""
    rng = np.random.default_rng([ord(letter) for letter in method])
    return [
        run(
            method,
            task,
            seed,
            (10 * rng.uniform(size=STEPS) ** (speed * np.arange(1, STEPS + 1) / 10)).tolist(),
            seconds=rng.uniform(1, 5, STEPS).tolist(),
            suggest=rng.uniform(0.1, 0.2, STEPS).tolist(),
        )
        for task in tasks
        for seed in range(seeds)
    ]


RUNS = tuned("random") + tuned("malibo", speed=4) + tuned("tpe", speed=2)
PAPER = style.style("malibo-paper").label
RESULTS = {"fcnet": RUNS, "nasbench201": RUNS}


def y_of(axes: Axes, label: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Values of the line with a label."""
    (line,) = [line for line in axes.lines if line.get_label() == label]
    return np.asarray(line.get_ydata(), dtype=float)


def labels(figure: Figure) -> list[str]:
    """Texts of the legend below."""
    (legend,) = figure.legends
    return [text.get_text() for text in legend.get_texts()]


def test_regret_has_a_panel_for_each_suite_and_a_line_for_each_method() -> None:
    figure = from_results.regret_figure(RESULTS, ["fcnet", "nasbench201", "branin"])
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["HPOBench", "NASBench201"]
    assert labels(figure) == ["MALIBO", "TPE", "Random"]
    axes = figure.axes[0]
    assert axes.get_yscale() == "log"
    assert axes.get_title(loc="right") == "2 tasks, 3 seeds"
    mean, error = mean_and_error(curves(RUNS, metrics.normalised_regret), "malibo")
    assert_allclose(y_of(axes, "MALIBO"), mean)
    band = np.asarray(axes.collections[0].get_paths()[0].vertices)
    assert band[:, 1].max() == pytest.approx((mean + error).max())


def test_the_logarithm_is_averaged_in_its_own_figure() -> None:
    axes = from_results.log_regret_figure(RESULTS, ["fcnet"]).axes[0]
    mean, _ = mean_and_error(curves(RUNS, metrics.log10_regret), "tpe")
    assert axes.get_yscale() == "linear"
    assert_allclose(y_of(axes, "TPE"), mean)


def test_seeds_that_differ_are_told() -> None:
    results = {"fcnet": tuned("random", seeds=2) + tuned("malibo", seeds=5)}
    axes = from_results.regret_figure(results, ["fcnet"]).axes[0]
    assert axes.get_title(loc="right") == "2 tasks, 2 to 5 seeds"


def test_averages_are_over_the_tasks_that_all_methods_have() -> None:
    results = {"fcnet": tuned("random", tasks="ab") + tuned("malibo", tasks="b")}
    axes = from_results.regret_figure(results, ["fcnet"]).axes[0]
    mean, _ = mean_and_error(
        curves(tuned("random"), metrics.normalised_regret).on_tasks(["b"]), "random"
    )
    assert_allclose(y_of(axes, "Random"), mean)
    assert axes.get_title(loc="right") == "1 of 2 tasks, 3 seeds"


def test_methods_without_a_common_task_are_refused() -> None:
    results = {"fcnet": tuned("random", tasks="a") + tuned("malibo", tasks="b")}
    with pytest.raises(InputError, match="bench run fcnet --methods malibo,random"):
        from_results.regret_figure(results, ["fcnet"])
    with pytest.raises(InputError, match="no task and seed was run with all of malibo, random"):
        from_results.rank_figure(results, ["fcnet"])


def test_a_regret_of_zero_leaves_the_panel_at_its_bottom(tmp_path: Path) -> None:
    found = [run("malibo", "a", seed, [1.0, 0.1, 0.0]) for seed in range(2)]
    figure = from_results.regret_figure({"fcnet": found}, ["fcnet"])
    low, high = figure.axes[0].get_ylim()
    assert 0 < low < 0.01 < 0.1 < high
    figure.savefig(tmp_path / "zero.png")
    nothing_left = [run("malibo", "a", 0, [0.0, 0.0])]
    from_results.regret_figure({"fcnet": nothing_left}, ["fcnet"]).savefig(tmp_path / "all.png")


def test_ablation_shows_malibo_and_its_variants() -> None:
    results = {"fcnet": RUNS + tuned("malibo-paper") + tuned("malibo-ts") + tuned("malibo-d4")}
    assert labels(from_results.ablation_figure(results, ["fcnet"])) == [PAPER, "MALIBO (TS)"]


def test_dimensions_come_in_order_and_malibo_has_its_place_among_them() -> None:
    results = {"fcnet": RUNS + tuned("malibo-paper") + tuned("malibo-d64") + tuned("malibo-d4")}
    figure = from_results.dimension_figure(results, ["fcnet"])
    assert labels(figure) == ["d = 4", PAPER, "d = 64"]


def test_inference_has_figures_of_regret_and_of_time() -> None:
    results = {"nasbench201": RUNS + tuned("malibo-paper") + tuned("malibo-hmc")}
    assert labels(from_results.inference_figure(results)) == [PAPER, "MALIBO (HMC)"]
    figure = from_results.inference_runtime_figure(results)
    assert figure.axes[0].get_ylabel() == "seconds for a step"


def test_ranks_are_averaged_over_common_runs() -> None:
    axes = from_results.rank_figure(RESULTS, ["fcnet"]).axes[0]
    ranks = metrics.average_ranks(curves(RUNS, metrics.normalised_regret))
    assert_allclose(y_of(axes, "MALIBO"), ranks["malibo"])
    assert axes.get_yscale() == "linear"


def test_runtime_is_a_median_between_quartiles() -> None:
    axes = from_results.runtime_figure(RESULTS, ["fcnet"]).axes[0]
    times = curves(RUNS, metrics.runtime).values["random"]
    assert_allclose(y_of(axes, "Random"), np.median(times, axis=0))


def test_immediate_regret_has_a_panel_for_each_task() -> None:
    figure = from_results.immediate_figure(RESULTS, "fcnet")
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["a", "b"]
    mean, _ = mean_and_error(curves(RUNS, metrics.immediate_regret).on_tasks(["b"]), "tpe")
    assert_allclose(y_of(figure.axes[1], "TPE"), mean)


def test_only_outer_panels_name_their_axes() -> None:
    results = {"fcnet": tuned("random", tasks="abcdefg")}
    figure = from_results.immediate_figure(results, "fcnet")
    assert [bool(axes.get_xlabel()) for axes in figure.axes] == [False] * 4 + [True] * 3
    named = [axes.get_title(loc="left").strip() for axes in figure.axes if axes.get_ylabel()]
    assert named == ["a", "d", "g"]


@pytest.mark.parametrize(("count", "columns"), [(1, 1), (2, 2), (3, 3), (4, 2), (7, 3), (10, 3)])
def test_no_figure_is_wider_than_a_page(count: int, columns: int) -> None:
    figure, grid = style.panels(count)
    assert len(grid) == count
    assert len({axes.get_position().x0 for axes in grid}) == columns
    assert figure.get_figwidth() < 8.5


def test_many_methods_do_not_take_the_room_of_the_panels() -> None:
    heights = []
    for names in (("malibo", "tpe"), from_results.METHODS):
        runs = [found for name in names for found in tuned(name)]
        figure = from_results.regret_figure(
            {"fcnet": runs, "nasbench201": runs}, ["fcnet", "nasbench201"]
        )
        figure.draw_without_rendering()
        heights.append(figure.axes[0].get_position().height * figure.get_figheight())
    assert len(labels(figure)) == len(from_results.METHODS)
    assert heights[1] > 0.9 * heights[0]


@pytest.mark.parametrize(("worst", "shown"), [(2.0, True), (9e4, False)])
def test_numbers_between_powers_of_ten_are_shown_where_there_are_few(
    worst: float, shown: bool
) -> None:
    found = [run("malibo", "a", 0, [worst, 0.5])]
    (axes,) = from_results.immediate_figure({"fcnet": found}, "fcnet").axes
    texts = axes.yaxis.get_minor_formatter().format_ticks([0.5, 0.7, 1.0, 2.0])
    assert [bool(text) for text in texts] == [shown, False, False, shown]


def test_wall_clock_is_on_a_logarithmic_axis() -> None:
    figure = from_results.wallclock_figure(RESULTS, "fcnet")
    assert [axes.get_xscale() for axes in figure.axes] == ["log", "log"]
    finals = [metrics.immediate_regret(r)[-1] for r in RUNS if r.key[:2] == ("malibo", "a")]
    assert y_of(figure.axes[0], "MALIBO")[-1] == pytest.approx(np.mean(finals))


def test_over_time_a_run_keeps_its_best_until_the_next() -> None:
    slow = run("tpe", "a", 0, [4.0, 2.0, 1.0], seconds=[4.0, 4.0, 8.0], suggest=0.0)
    quick = run("tpe", "a", 1, [8.0, 6.0, 5.0], seconds=1.0, suggest=0.0)
    times, regret = over_time([slow, quick])
    assert times[0] == 4
    assert times[-1] == pytest.approx(16)
    assert_allclose(regret[1], 5)
    assert_allclose(regret[0, times < 8], 4)
    assert_allclose(regret[0, (times >= 8) & (times < 16)], 2)


def test_the_last_result_of_the_last_run_is_on_the_time_axis() -> None:
    for seconds in (0.1, 0.3, 0.7):
        times, regret = over_time([run("tpe", "a", 0, [3.0, 2.0, 1.0], seconds=seconds)])
        assert regret[0, -1] == 1
        assert times[-1] == pytest.approx(3 * (seconds + 0.25))


def test_without_times_there_is_no_wall_clock() -> None:
    results = {"branin": [run("malibo", "a", 0, [1.0], seconds=math.nan)]}
    with pytest.raises(InputError, match="times of evaluations in branin are not known"):
        from_results.wallclock_figure(results, "branin")


def test_noise_has_three_panels_with_one_vertical_axis() -> None:
    results = {
        "branin": RUNS,
        "branin-noise-0.1": tuned("malibo", speed=2),
        "branin-noise-1": tuned("malibo"),
    }
    axes = from_results.noise_figure(results, "branin").axes
    titles = ["Branin, ε = 0", "Branin, ε = 0.1", "Branin, ε = 1"]
    assert [panel.get_title(loc="left").strip() for panel in axes] == titles
    assert len({panel.get_ylim() for panel in axes}) == 1


def test_critical_differences_are_shown_at_the_steps_that_were_reached() -> None:
    figure = from_results.cd_figure(RESULTS, "fcnet")
    (axes,) = figure.axes
    texts = [text.get_text() for text in axes.texts]
    assert "after 25 steps" in texts
    ranks = metrics.average_ranks(curves(RUNS, metrics.normalised_regret))
    assert f"MALIBO  {ranks['malibo'][24]:.2f}" in texts
    assert f"{ranks['random'][24]:.2f}  Random" in texts
    assert "2 tasks, 3 seeds" in figure.texts[0].get_text()


def test_short_runs_are_compared_at_their_last_step() -> None:
    results = {"fcnet": [run(name, "a", 0, [1.0, 2.0]) for name in ("malibo", "tpe")]}
    figure = from_results.cd_figure(results, "fcnet")
    assert "after 2 steps" in [text.get_text() for text in figure.axes[0].texts]


def test_labels_of_many_methods_do_not_overlap() -> None:
    ranks = {name: 1 + place / 100 for place, name in enumerate(style.STYLES)}
    names = list(ranks)
    figure = critical.diagrams([(25, ranks, [names[:20], names[10:]])], "note")
    figure.canvas.draw()
    shown = [text for text in figure.axes[0].texts if "  " in text.get_text()]
    boxes = [text.get_window_extent() for text in shown]
    assert len(boxes) == len(ranks)
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    page = figure.bbox
    assert all(page.x0 <= box.x0 and box.x1 <= page.x1 and box.y0 >= page.y0 for box in boxes)


def test_bars_that_come_near_each_other_lie_on_different_levels() -> None:
    ranks = {"a": 1.0, "b": 2.0, "c": 2.05, "d": 4.0}
    assert critical.bar_levels(ranks, [("a", "b"), ("c", "d")]) == 2
    assert critical.bar_levels(ranks | {"c": 3.0}, [("a", "b"), ("c", "d")]) == 1
    assert critical.bar_levels(ranks, []) == 0


def test_the_error_names_the_command_that_makes_the_results() -> None:
    wanted = (
        "no results for this figure; run: malibo bench run nasbench201 --methods"
        " malibo-paper,malibo-variational,malibo-hmc"
    )
    with pytest.raises(InputError, match=wanted):
        from_results.inference_figure({"nasbench201": tuned("random")})
    with pytest.raises(InputError, match="bench run fcnet --methods malibo,tpe"):
        from_results.cd_figure({}, "fcnet", ["malibo", "tpe"])


def test_no_two_methods_look_the_same() -> None:
    looks = [(look.colour, look.line) for look in style.STYLES.values()]
    assert len(set(looks)) == len(looks)
    assert style.style("malibo").plot()["color"] == "#0072b2"
    assert style.style("something else").label == "something else"


def test_every_method_has_a_style() -> None:
    from malibo.bench.methods import METHODS

    assert set(METHODS) == set(style.STYLES)


def test_without_matplotlib_there_is_a_pip_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingDependencyError, match=r'pip install "malibo\[plots\]"'):
        from_results.regret_figure(RESULTS, ["fcnet"])
    with pytest.raises(MissingDependencyError, match=r'pip install "malibo\[plots\]"'):
        from_results.cd_figure(RESULTS, "fcnet")
