"""Figures of many sets of tables."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from bench.examples import run
from malibo.bench.runs import Run
from malibo.errors import InputError

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure

from malibo.bench.figures import tables
from malibo.bench.overall import pooled, ranks

STEPS = 12


def runs(*methods: str, scale: float = 1.0) -> list[Run]:
    rng = np.random.default_rng(0)
    return [
        run(method, task, seed, (scale * rng.uniform(size=STEPS)).tolist())
        for method in methods
        for task in "ab"
        for seed in range(4)
    ]


NAMES = ("malibo", "tpe", "random")
RESULTS = {
    "fcnet": runs(*NAMES),
    "other": runs(*NAMES, "gp", scale=0.01),
    "hpobench_mlp": runs(*NAMES),
    "branin": runs(*NAMES),
    "hartmann3d-flipped": runs(*NAMES),
    "other-flipped": runs(*NAMES),
    "hpob": runs(*NAMES),
    "empty": [],
}


def titles(figure: Figure) -> list[str]:
    return [axes.get_title(loc="left").strip() for axes in figure.axes]


def test_sets_of_tables_are_neither_made_up_nor_hpob() -> None:
    assert list(tables.all_tables(RESULTS)) == ["fcnet", "other", "hpobench_mlp"]
    assert tables.other_tables(RESULTS) == ("other", "hpobench_mlp")


def test_there_is_a_panel_for_each_set_beside_the_benchmarks() -> None:
    for draw in (tables.rank_figure, tables.regret_figure):
        assert titles(draw(RESULTS)) == ["other", "HPOBench-MLP"]


def test_many_panels_are_legible_at_the_width_of_a_page() -> None:
    many = {f"a_set_with_a_long_name_{number}": runs(*NAMES) for number in range(10)}
    figure = tables.rank_figure(many)
    assert figure.get_figwidth() < 8.5
    for axes in figure.axes:
        assert axes.get_title(loc="left").endswith("\n")  # the second line is left to the note
        assert axes.get_title(loc="right") == "2 tasks, 4 seeds"


def test_all_sets_together_are_one_panel_of_ranks() -> None:
    figure = tables.overall_rank_figure(RESULTS)
    (axes,) = figure.axes
    assert axes.get_title(loc="left") == "3 sets"
    assert axes.get_title(loc="right") == "6 tasks, 24 runs a method"
    (line,) = [line for line in axes.lines if line.get_label() == "MALIBO"]
    found = pooled(tables.all_tables(RESULTS))
    wanted = [ranks(found, step)["malibo"].mean() for step in range(1, STEPS + 1)]
    assert_allclose(np.asarray(line.get_ydata(), dtype=float), wanted)
    assert {text.get_text() for text in figure.legends[0].get_texts()} == {
        *("MALIBO", "TPE", "Random"),
    }


def test_critical_differences_are_those_of_ranks_at_some_steps() -> None:
    figure = tables.cd_figure(RESULTS)
    said = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert [line for line in said if line.startswith("after")] == [
        "after 5 steps",
        "after 10 steps",
    ]
    found = ranks(pooled(tables.all_tables(RESULTS)), 10)
    labels = {f"{name.mean():.2f}" for name in found.values()}
    assert all(any(label in line for line in said) for label in labels)
    assert figure.texts[0].get_text().startswith("ranks of 3 sets, 6 tasks, 24 runs a method;")


def test_what_decides_is_the_rank_and_not_the_regret() -> None:
    """One set where malibo loses by much, and many small wins."""
    one = [run("malibo", "a", 0, [9.0] * 5), run("tpe", "a", 0, [1.0] * 5)]
    other = [
        run(method, "a", seed, [level] * 5)
        for method, level in (("malibo", 0.001), ("tpe", 0.002))
        for seed in range(9)
    ]
    figure = tables.cd_figure({"one": one, "other": other})
    assert any("MALIBO  1.10" in text.get_text() for text in figure.axes[0].texts)


def test_without_sets_the_error_names_a_command() -> None:
    for draw in (tables.rank_figure, tables.regret_figure):
        with pytest.raises(
            InputError, match="no results of other sets of tables; run: malibo bench run"
        ):
            draw({"fcnet": runs("malibo")})
    for draw in (tables.overall_rank_figure, tables.cd_figure):
        for results in ({"fcnet": runs("malibo", "tpe")}, {"fcnet": runs("tpe"), "b": runs("gp")}):
            with pytest.raises(InputError, match="no two sets of tables"):
                draw(results)
