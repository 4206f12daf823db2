"""Pages: what was measured and drawn, put where the layout has it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from malibo.bench.figures.style import style
from malibo.bench.figures.tables import BENCHMARKS
from malibo.bench.methods.published_pfn import which
from malibo.bench.metrics import in_natural_order
from malibo.bench.report.content import Page, Picture, Section
from malibo.bench.report.layout import (
    LAYOUTS,
    MISLEADING_PAGE,
    VARIANTS_PAGE,
    Layout,
    is_variant,
    page_of,
)
from malibo.bench.report.misled import STEP, ratio_table
from malibo.bench.report.sections import commands, suite_section
from malibo.bench.runs import Run, RunSet
from malibo.bench.suites import suites
from malibo.bench.summary import ALL, Row, summary

Pictures = Mapping[str, Picture]


@dataclass(frozen=True)
class Measured:
    """The results of a suite, and a summary of what is shown of them."""

    run_set: RunSet
    runs: Sequence[Run]
    rows: Sequence[Row]


def measured(run_set: RunSet, runs: Sequence[Run]) -> Measured:
    """Without variants on the benchmarks of the paper, where there are many."""
    shown = runs
    if run_set.suite in BENCHMARKS:
        shown = [run for run in runs if not is_variant(run.method)]
    return Measured(run_set, shown, summary(shown))


def variants(run_set: RunSet, runs: Sequence[Run]) -> Measured | None:
    """MALIBO, as it is and as in the paper, and its variants; None if there are none of these."""
    if run_set.suite not in BENCHMARKS or not any(is_variant(run.method) for run in runs):
        return None
    shown = [run for run in runs if run.method.split("-")[0] == "malibo"]
    return Measured(run_set, shown, summary(shown))


def suite_pages(
    main: Mapping[str, Measured], changed: Mapping[str, Measured], pictures: Pictures
) -> list[Page]:
    """All pages that something can be shown on; HPO-B has its own.

    changed   the benchmarks again, with the variants of MALIBO
    """
    pages = []
    for layout in LAYOUTS:
        chosen = {name: found for name, found in main.items() if page_of(name) == layout.name}
        if layout.name == VARIANTS_PAGE:
            chosen = dict(changed)
        pages.append(_page(layout, chosen, pictures))
    return [page for page in pages if page.sections]


def _page(layout: Layout, chosen: Mapping[str, Measured], pictures: Pictures) -> Page:
    """Figures first, then suite by suite."""
    drawn = [pictures[name] for name in layout.figures if name in pictures]
    sections = [Section("Figures", pictures=drawn)] if drawn else []
    sections += _ratios(chosen) if layout.name == MISLEADING_PAGE else []
    sections += [_suite(found) for found in chosen.values()]
    made_by = [line for found in chosen.values() for line in commands(found.run_set, found.runs)]
    notes = [*([layout.note] if layout.note else []), *network_note(chosen.values())]
    return Page(layout.name, layout.title, layout.line, sections, notes, made_by)


def _suite(found: Measured) -> Section:
    known = suites().get(found.run_set.suite)
    section = suite_section(found.run_set.suite, found.rows, known.line if known else "")
    return replace(section, notes=[*section.notes, *gaps(found.rows)])


def gaps(rows: Sequence[Row]) -> list[str]:
    """A note on methods that lack a task, as an average over other tasks would mislead."""
    everywhere = {row["method"] for row in rows if row["task"] == ALL}
    lacking = in_natural_order({str(row["method"]) for row in rows} - everywhere)
    if not lacking:
        return []
    names = ", ".join(style(method).label for method in lacking)
    return [f"Not run on every task, so only in figures and in the CSV file: {names}."]


def network_note(suites: Iterable[Measured]) -> list[str]:
    """Which network it was, if the method that depends on one is among those shown."""
    if not any(run.method == "pfn" for found in suites for run in found.runs):
        return []
    return [f"{style('pfn').label} is {which()}, as on the machine that made this page."]


def _ratios(misled: Mapping[str, Measured]) -> list[Section]:
    """How much worse MALIBO is than the same without a past."""
    cells = ratio_table({name: found.runs for name, found in misled.items()})
    caption = (
        f"mean normalised regret after {STEP} steps, and the ratio of MALIBO's to that of LFBO,"
        " which has no past; ± is one standard error over the runs that both have"
    )
    return [Section("MALIBO and a cold start", tables={caption: cells})] if cells else []
