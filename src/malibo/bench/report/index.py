"""The index: how everything was made, tables over all suites, and the way to the pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from malibo.bench.figures.style import style
from malibo.bench.figures.tables import all_tables
from malibo.bench.overall import overall_table
from malibo.bench.report.ahead import STEPS, who_is_ahead
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
from malibo.bench.summary import Row

WRITTEN = (
    Link("findings.md", "What the runs showed", "in words"),
    Link("ablation-beyond.md", "Beyond the paper", "what was changed, and what it brought"),
)
PREFACE = (
    "Each task of a suite is the new one in turn. The past is random observations of its other"
    " tasks, and for a seed all methods see the same.",
    "Regret is how far the best so far is from the best of the table, as a share of the distance"
    " between the best and the worst. Means are over tasks and seeds.",
    "± is one standard error over seeds, where there are several. The best at the last step comes"
    " first.",
    "Ranks are among all methods of a table, on the tasks and seeds that all of them have.",
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
        who_is_ahead(_by_kind(main)),
    ]
    return Index(PREFACE, sections, pages, written, {name: page_of(name) for name in main})


def _by_kind(main: Mapping[str, Measured]) -> dict[str, dict[str, Sequence[Row]]]:
    """Rows by suite, and suites by what they are; without variants."""
    kinds: dict[str, dict[str, Sequence[Row]]] = {}
    for name, found in main.items():
        rows = [row for row in found.rows if not is_variant(str(row["method"]))]
        kinds.setdefault(_KINDS[page_of(name)], {})[name] = rows
    return kinds


def _together(results: Mapping[str, Sequence[Run]], pictures: Pictures) -> list[Section]:
    """All suites of tables, if there are several."""
    real = all_tables(results)
    cells = overall_table(real, STEPS) if len(real) > 1 else []
    if not cells:
        return []
    caption = (
        f"average rank over {', '.join(real)}; a star where MALIBO is significantly ahead"
        " (Wilcoxon on the ranks of all runs, Holm's correction, p < 0.05)"
    )
    header, *lines = cells
    named = [[style(name).label, *rest] for name, *rest in lines]
    drawn = [pictures[name] for name in ("fig-tables-overall-rank",) if name in pictures]
    return [Section("All tables together", tables={caption: [header, *named]}, pictures=drawn)]
