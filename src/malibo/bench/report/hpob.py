"""HPO-B: curves that others published, and own runs beside them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from malibo.bench import published
from malibo.bench.figures.tables import HPOB
from malibo.bench.published import Group
from malibo.bench.report.content import Page, Section
from malibo.bench.report.layout import HPOB_PAGE
from malibo.bench.report.pages import Measured, network_note
from malibo.bench.report.pictures import Drawings, draw_all
from malibo.bench.report.sections import commands, suite_section

_NOTES = (
    "HPO-B-v3 has tables of 16 search spaces with a split and initial configurations of their own."
    " Its raw tables are not shipped with malibo.",
    "Own curves are added by `malibo bench run hpob --data hpob-data`, where `hpob-data` is the"
    " official folder; the next report has them.",
)


def hpob_page(
    groups: Sequence[Group], own: Measured | None, output: Path, progress: bool
) -> tuple[Page | None, list[Path]]:
    """A section for each comparison, and the files beside the page; None if there is nothing."""
    sections, files = _sections(groups, output, progress)
    if own:
        sections.append(suite_section(HPOB, own.rows))
    if not sections:
        return None, files
    made_by = list(commands(own.run_set, own.runs)) if own else []
    notes = [*_NOTES, *network_note([own] if own else [])]
    line = "published curves of many methods, compared where they start alike"
    return Page(HPOB_PAGE, "HPO-B", line, sections, notes, made_by), files


def _sections(
    groups: Sequence[Group], output: Path, progress: bool
) -> tuple[list[Section], list[Path]]:
    sections, files = [], []
    for group in groups:
        drawn = draw_all(_untitled(group), output, progress)
        pictures = list(drawn.values())
        table = output / f"{group.name}.csv"
        published.write_group_csv(group, table)
        files += [table, *(picture.path for picture in pictures)]
        shown, folded = _first(published.group_tables(group))
        sections.append(Section(group.title, group.notes, shown, folded, pictures))
    return sections, files


def _untitled(group: Group) -> Drawings:
    """Figures whose lines do not repeat the title under which they stand."""
    return {
        name: (line.removesuffix(f", {group.title}"), draw)
        for name, (line, draw) in published.group_figures(group).items()
    }


def _first(
    tables: dict[str, list[list[str]]],
) -> tuple[dict[str, list[list[str]]], dict[str, list[list[str]]]]:
    """The first table is for everybody to see, the others for those who open them."""
    (caption, cells), *rest = tables.items()
    return {caption: cells}, dict(rest)
