"""Pages as Markdown."""

from __future__ import annotations

from pathlib import Path

from malibo.bench.report.ahead import CAPTION
from malibo.bench.report.content import Index, Link, Page, Picture, Section, anchor
from malibo.bench.report.markdown import COMMENT, index_text, page_text

CELLS = [["method", "step 1"], ["GP", "0.5"]]
TABLE = ["| method | step 1 |", "|---|---|", "| GP | 0.5 |"]


def page(*sections: Section, commands: tuple[str, ...] = ()) -> list[str]:
    return page_text(Page("p", "Title", "line", sections, ["A note."], commands)).splitlines()


def test_a_page_begins_with_who_made_it_its_title_and_its_notes() -> None:
    assert page()[:5] == [COMMENT, "", "# Title", "", "A note."]
    assert "malibo bench report" in COMMENT
    assert "malibo bench all" in COMMENT


def test_a_section_has_notes_tables_and_pictures() -> None:
    picture = Picture("fig-x", "what it shows", Path("/somewhere/fig-x.png"))
    section = Section("Part", ["Said first."], {"average rank": CELLS}, pictures=[picture])
    assert page(section)[6:] == [
        *("## Part", "", "Said first.", "", "Average rank:", ""),
        *TABLE,
        *("", "What it shows (`fig-x`):", "", "![what it shows](fig-x.png)"),
    ]


def test_more_tables_are_folded() -> None:
    lines = page(Section("Part", folded={"one": CELLS, "two": CELLS}))
    start = lines.index('<details markdown="1"><summary>One and two</summary>')
    assert lines[start + 1 : start + 7] == ["", "One:", "", *TABLE]
    assert lines[-2:] == ["", "</details>"]


def test_commands_are_folded_at_the_end() -> None:
    lines = page(commands=("malibo bench run fcnet",))
    start = lines.index("## How the runs were made")
    assert lines[start + 4 :] == [
        '<details markdown="1"><summary>Commands</summary>',
        *("", "```", "malibo bench run fcnet", "```", "", "</details>"),
    ]
    assert "## How the runs were made" not in page()


def test_the_index_leads_to_pages_and_to_every_suite() -> None:
    ahead = Section("Who is ahead", tables={CAPTION: [["suite", "step 1"], ["a-noise-0.1", "GP"]]})
    index = Index(
        notes=["First.", "Second."],
        sections=[ahead],
        pages=[Page("p", "Title", "line", [])],
        written=[Link("findings.md", "Showed", "in words")],
        suites={"a-noise-0.1": "p"},
    )
    lines = index_text(index).splitlines()
    assert lines[:6] == [COMMENT, "", "# Results", "", "- First.", "- Second."]
    start = lines.index("## Pages")
    assert lines[start + 2 : start + 4] == [
        "- [Showed](findings.md): in words",
        "- [Title](p.md): line",
    ]
    assert lines[-1] == "| [a-noise-0.1](p.md#a-noise-01) | GP |"


def test_anchors_are_those_of_the_sites() -> None:
    assert anchor("HPO-B discrete: 10 methods") == "hpo-b-discrete-10-methods"
    assert anchor("hpobench_mlp") == "hpobench_mlp"
