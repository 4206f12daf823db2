"""The index: how everything was made, tables over all suites, and the way to the pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from malibo.bench.figures.style import style
from malibo.bench.figures.tables import all_tables
from malibo.bench.overall import overall_table
from malibo.bench.report.ahead import shared_runs, who_is_ahead
from malibo.bench.report.content import Index, Link, Page, Section
from malibo.bench.report.layout import (
    BENCHMARKS_PAGE,
    HPOB_PAGE,
    MISLEADING_PAGE,
    SYNTHETIC_PAGE,
    TABLES_PAGE,
    is_variant,
    page_of,
)
from malibo.bench.report.pages import Measured, Pictures
from malibo.bench.runs import Run
from malibo.bench.summary import Row, summary

RANKED = (1, 5, 10, 25, 50, 100)  # steps
PAPER = "malibo-paper"
WRITTEN = (
    Link("findings.md", "What the runs showed", "in words"),
    Link("ablation-beyond.md", "Beyond the paper", "what was changed, and what it brought"),
)
PREFACE = (
    "Tasks of a suite, all or a choice of five, are the new one in turn. The past is random"
    " observations of its other tasks, of other functions of a family, or what HPO-B gives; for a"
    " seed all methods see the same.",
    "Regret is how far the best so far is from the best there is, as a share of the distance"
    " between the best and the worst. Means are over tasks and seeds.",
    "± is one standard error over seeds, where there are several. The best at the last step comes"
    " first. Methods may have different numbers of seeds.",
    "Ranks are among the methods of a table that have five seeds, or as many as any other, on the"
    " tasks and seeds that all of these have.",
    "The CSV file of each suite has every task by itself.",
)
_KINDS = {
    BENCHMARKS_PAGE: "tables",
    TABLES_PAGE: "tables",
    SYNTHETIC_PAGE: "functions",
    MISLEADING_PAGE: "pasts that mislead",
    HPOB_PAGE: "HPO-B",
}


def index(
    main: Mapping[str, Measured],
    pages: Sequence[Page],
    pictures: Pictures,
    written: Sequence[Link],
) -> Index:
    """Tables over all suites, and the way to the pages."""
    sections = [
        *_together({name: found.runs for name, found in main.items()}, pictures),
        *([_ahead(main)] if main else []),
    ]
    return Index(PREFACE, sections, pages, written, {name: page_of(name) for name in main})


def _ahead(main: Mapping[str, Measured]) -> Section:
    """Who is ahead on the runs that methods share; MALIBO once, without variants."""
    kinds: dict[str, dict[str, Sequence[Row]]] = {}
    samples = {}
    for name, found in main.items():
        runs = [run for run in found.runs if not is_variant(run.method) and run.method != PAPER]
        shared = shared_runs(runs)
        kinds.setdefault(_KINDS[page_of(name)], {})[name] = summary(shared)
        samples[name] = len({(run.task, run.seed) for run in shared})
    return who_is_ahead(kinds, samples=samples)


def _together(results: Mapping[str, Sequence[Run]], pictures: Pictures) -> list[Section]:
    """All suites of tables, if there are several."""
    real = all_tables(results)
    cells = overall_table(real, RANKED) if len(real) > 1 else []
    if not cells:
        return []
    caption = (
        f"average rank over {', '.join(real)}, of the methods that were run on all of them; a star"
        " where MALIBO is significantly ahead, a dagger where it is behind (Wilcoxon on the ranks"
        " of all runs, Holm's correction, p < 0.05; seeds of one task are not independent of each"
        " other, so that this says more of these tasks than of others)"
    )
    header, *lines = cells
    named = [[style(name).label, *rest] for name, *rest in lines]
    drawn = [pictures[name] for name in ("fig-tables-overall-rank",) if name in pictures]
    return [Section("All tables together", tables={caption: [header, *named]}, pictures=drawn)]
