"""What is on each page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from bench.examples import run
from malibo.bench.report.content import Page, Picture
from malibo.bench.report.index import WRITTEN, index
from malibo.bench.report.pages import (
    Measured,
    gaps,
    measured,
    network_note,
    suite_pages,
    variants,
)
from malibo.bench.runs import Run, RunSet
from malibo.bench.summary import summary

STEPS = 30


def runs(*methods: str, tasks: str = "ab") -> list[Run]:
    return [
        run(method, task, seed, [5.0 - place] * STEPS)
        for place, method in enumerate(methods)
        for task in tasks
        for seed in (0, 1)
    ]


def found(suite: str, *methods: str) -> Measured:
    return measured(RunSet(suite, STEPS), runs(*methods))


def picture(name: str) -> Picture:
    return Picture(name, name, Path(f"{name}.png"))


def made(
    *suites: Measured, changed: Sequence[Measured] = (), pictures: Sequence[str] = ()
) -> dict[str, Page]:
    main = {one.run_set.suite: one for one in suites}
    other = {one.run_set.suite: one for one in changed}
    drawn = {name: picture(name) for name in pictures}
    return {page.name: page for page in suite_pages(main, other, drawn)}


def methods(rows: Measured | None) -> set[str]:
    assert rows is not None
    return {str(row["method"]) for row in rows.rows}


def test_pages_without_anything_to_show_are_not_made() -> None:
    assert list(made(found("fcnet", "gp"))) == ["benchmarks"]
    assert list(made(found("mine", "gp"), found("branin", "gp"))) == ["tables", "synthetic"]
    assert list(made(pictures=["fig-acquisition", "fig-regret"])) == ["benchmarks", "illustrations"]


def test_figures_come_before_suites() -> None:
    page = made(found("fcnet", "gp"), pictures=["fig-rank", "fig-regret"])["benchmarks"]
    assert [section.title for section in page.sections] == ["Figures", "fcnet"]
    assert [one.name for one in page.sections[0].pictures] == ["fig-regret", "fig-rank"]
    assert page.sections[1].notes == ["HPOBench: two-layer networks, 4 × 62,208."]
    assert list(page.commands) == ["malibo bench run fcnet --methods gp --seeds 2 --steps 30"]


def test_variants_have_a_page_of_their_own_on_the_benchmarks_of_the_paper() -> None:
    of_all = RunSet("fcnet", STEPS), runs("gp", "malibo", "malibo-paper", "malibo-ts")
    assert methods(measured(*of_all)) == {"gp", "malibo", "malibo-paper"}
    assert methods(variants(*of_all)) == {"malibo", "malibo-paper", "malibo-ts"}
    assert variants(RunSet("fcnet", STEPS), runs("gp", "malibo")) is None
    shown = variants(*of_all)
    assert shown is not None
    page = made(changed=[shown])["variants"]
    assert [section.title for section in page.sections] == ["fcnet"]


def test_elsewhere_variants_stay_where_they_are() -> None:
    of_branin = RunSet("branin", STEPS), runs("gp", "malibo-classifier")
    assert methods(measured(*of_branin)) == {"gp", "malibo-classifier"}
    assert variants(*of_branin) is None


def test_ranks_are_among_the_methods_that_are_shown() -> None:
    shown = found("fcnet", "malibo", "gp", "malibo-ts")
    assert {row["rank"] for row in shown.rows if row["method"] == "malibo"} == {2.0}


def test_a_past_that_misleads_is_compared_with_a_cold_start() -> None:
    page = made(found("hartmann3d-flipped", "malibo", "lfbo"))["misleading"]
    first, second = page.sections
    assert first.title == "MALIBO and a cold start"
    ((_, line),) = first.tables.values()
    assert line == [
        "hartmann3d-flipped",
        "4",
        "0.5000 ± 0.0000",
        "0.4000 ± 0.0000",
        "1.25 ± 0.00",
    ]
    assert second.title == "hartmann3d-flipped"


def test_pages_with_the_fitted_network_say_which_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("malibo.bench.report.pages.which", lambda: "a small one")
    said = ["PFN is a small one, as on the machine that made this page."]
    assert network_note([found("branin", "pfn", "random")]) == said
    assert network_note([found("branin", "random")]) == []


def test_methods_that_lack_a_task_are_named() -> None:
    runs = [run(name, task, 0, [1.0]) for name in ("gp", "tpe") for task in "ab"]
    assert gaps(summary(runs)) == []
    said = "Not run on every task, so only in figures and in the CSV file: GP."
    assert gaps(summary([one for one in runs if (one.method, one.task) != ("gp", "a")])) == [said]


# -- the index -----------------------------------------------------------------------------


def test_the_index_has_ranks_over_all_tables_and_who_is_ahead() -> None:
    names = ("fcnet", "mine", "branin")
    main = {name: found(name, "random", "malibo", "malibo-ts") for name in names}
    overall = picture("fig-tables-overall-rank")
    made = index(main, [], {overall.name: overall}, WRITTEN)
    together, ahead = made.sections
    assert together.title == "All tables together"
    ((caption, cells),) = together.tables.items()
    assert caption.startswith("average rank over fcnet, mine, of the methods that were run")
    assert cells[1][:2] == ["MALIBO", "1.00"]
    assert list(together.pictures) == [overall]
    assert "10 of 10 cells of tables (up to 2 methods), 5 of 5 cells" in ahead.notes[0]
    assert made.suites == {"fcnet": "benchmarks", "mine": "tables", "branin": "synthetic"}


def test_one_suite_of_tables_has_no_ranks_over_all() -> None:
    main = {name: found(name, "random", "malibo") for name in ("fcnet", "branin")}
    assert [section.title for section in index(main, [], {}, ()).sections] == ["Who is ahead"]
