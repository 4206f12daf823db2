"""Where everything is: each suite and each figure on one page."""

from __future__ import annotations

from collections import Counter

import pytest

from malibo.bench.figures import FIGURES
from malibo.bench.methods import METHODS
from malibo.bench.report.layout import LAYOUTS, is_variant, page_of, place


def test_every_figure_is_on_exactly_one_page() -> None:
    placed = Counter(name for layout in LAYOUTS for name in layout.figures)
    assert placed == Counter(list(FIGURES))


def test_illustrations_are_the_figures_that_need_no_runs() -> None:
    (page,) = [layout for layout in LAYOUTS if layout.name == "illustrations"]
    assert set(page.figures) == {name for name in FIGURES if not FIGURES[name].from_runs}


@pytest.mark.parametrize(
    ("suite", "page"),
    [
        ("fcnet", "benchmarks"),
        ("nasbench201", "benchmarks"),
        ("hpobench_mlp", "tables"),
        ("a_set_of_somebody", "tables"),
        ("forrester", "synthetic"),
        ("branin-noise-0.1", "synthetic"),
        ("hartmann3d-flipped", "misleading"),
        ("nasbench201-one-good", "misleading"),
        ("a_set_of_somebody-flipped", "misleading"),
        ("hpob", "hpob"),
    ],
)
def test_a_suite_has_its_page(suite: str, page: str) -> None:
    assert page_of(suite) == page


def test_variants_are_those_of_malibo_that_the_paper_does_not_have_as_its_own() -> None:
    names = {name for name in METHODS if is_variant(name)}
    assert {"malibo-ts", "malibo-d4", "malibo-classifier"} <= names
    assert not names & {"malibo", "malibo-paper", "lfbo", "random"}


def test_suites_come_in_the_order_of_the_pages() -> None:
    names = ["hpob", "branin-noise-1", "zebra", "branin", "ant", "hartmann3d-flipped", "fcnet"]
    order = sorted(names, key=place)
    assert order == [
        "fcnet",
        "ant",
        "zebra",
        "branin",
        "branin-noise-1",
        "hartmann3d-flipped",
        "hpob",
    ]
