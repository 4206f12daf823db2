"""Figures of a group: what they show, and that names do not cover each other."""

from __future__ import annotations

from io import BytesIO
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from bench.published_examples import own_run, write_curves
from malibo.bench.figures.style import PUBLISHED, style
from malibo.bench.metrics import average_ranks, mean_and_error
from malibo.bench.published import Group, group_figures, read_groups

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure

RUNS = [(space, "23", seed) for space in ("4796", "9", "5971") for seed in range(3)]
OPTFORMER = [name for name in PUBLISHED if "optformer" in name or name.islower()]


def make(folder: Path, methods: list[str], own: str = "") -> Group:
    """Curves that rise by chance from the same start."""
    rng = np.random.default_rng(0)

    def line(start: float) -> list[float]:
        return [start, *(start + (1 - start) * np.sort(rng.uniform(size=30)) * 0.99).tolist()]

    starts = rng.uniform(0.2, 0.6, len(RUNS))
    lines = {name: [line(start) for start in starts] for name in methods}
    write_curves(folder, "hpob_discrete", lines, RUNS)
    runs = [
        own_run(own, f"{space}/{task}", seed, line(start))
        for (space, task, seed), start in zip(RUNS, starts, strict=True)
        if own
    ]
    (group,) = read_groups(folder, runs)
    return group


def draw(group: Group, kind: str) -> Figure:
    _, make_figure = group_figures(group)[f"fig-{group.name}-{kind}"]
    return make_figure()


def texts(figure: Figure) -> list[str]:
    return [text.get_text() for axes in figure.axes for text in axes.texts]


def test_there_are_four_figures_with_a_line_on_each(tmp_path: Path) -> None:
    group = make(tmp_path, ["GP", "NAP"])
    found = group_figures(group)
    assert list(found) == [f"fig-hpob-discrete-{x}" for x in ("regret", "rank", "cd", "spaces")]
    assert all(group.title in line for line, _ in found.values())


def test_regret_shows_the_means_and_names_each_line_at_its_end(tmp_path: Path) -> None:
    group = make(tmp_path, ["GP", "optformer_ei"], own="gp")
    figure = draw(group, "regret")
    (axes,) = figure.axes
    assert set(texts(figure)) == {"GP", "GP (published)", "OptFormer, EI"}
    assert axes.get_yscale() == "log"
    for line, method in zip(axes.lines[:3], group.curves.methods, strict=True):
        assert_allclose(
            np.asarray(line.get_ydata(), float), mean_and_error(group.curves, method)[0]
        )
    assert len(axes.collections) == 3  # bands
    assert axes.get_title(loc="right") == "3 tasks, 3 seeds"


def test_ranks_are_drawn_as_they_are(tmp_path: Path) -> None:
    group = make(tmp_path, ["GP", "NAP"])
    (axes,) = draw(group, "rank").axes
    assert axes.get_yscale() == "linear"
    for line, ranks in zip(axes.lines[:2], average_ranks(group.curves).values(), strict=True):
        assert_allclose(np.asarray(line.get_ydata(), float), ranks)


@pytest.mark.parametrize("kind", ["regret", "rank", "cd"])
def test_no_two_names_of_many_overlap_or_are_cut_off(tmp_path: Path, kind: str) -> None:
    figure = draw(make(tmp_path, OPTFORMER, own="malibo"), kind)
    figure.savefig(BytesIO())
    labels = {style(method).label for method in [*OPTFORMER, "malibo"]}
    boxes = [
        text.get_window_extent()
        for axes in figure.axes
        for text in axes.texts
        if any(text.get_text().strip("0123456789. ") == label for label in labels)
    ]
    assert len(boxes) == len(labels) * len(figure.axes)
    assert not any(first.overlaps(second) for first, second in combinations(boxes, 2))
    assert all(figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1 for box in boxes)


def test_many_methods_have_no_bands(tmp_path: Path) -> None:
    figure = draw(make(tmp_path, OPTFORMER), "regret")
    assert figure.get_supxlabel() == "line: mean over tasks and seeds"
    (axes,) = figure.axes
    for band, line in zip(axes.collections, axes.lines, strict=False):
        heights = np.asarray(band.get_paths()[0].vertices, float)[:, 1]
        assert set(heights) == set(np.asarray(line.get_ydata(), float))


def test_diagrams_are_at_the_steps_of_the_tables(tmp_path: Path) -> None:
    found = texts(draw(make(tmp_path, ["GP", "NAP"]), "cd"))
    assert [text for text in found if text.startswith("after")] == [
        "after 5 steps",
        "after 25 steps",
    ]


def test_every_search_space_has_a_panel(tmp_path: Path) -> None:
    figure = draw(make(tmp_path, ["GP", "NAP"]), "spaces")
    titles = [axes.get_title(loc="left").strip() for axes in figure.axes]
    assert titles == ["9", "4796: decision tree", "5971: XGBoost"]
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["GP", "NAP"]
