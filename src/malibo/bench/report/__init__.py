"""The report: pages of tables and figures, a CSV file a suite, and one page with everything.

content    pages, sections and pictures, before they are Markdown or HTML
index      the first page, with tables over all suites
layout     which suites, methods and figures are on which page
pages      what was measured and drawn, put there
sections   the tables of a suite, and the commands that made its results
ahead      who is ahead in each suite
misled     MALIBO and a cold start, where the past misleads
hpob       published curves
pictures   all figures, drawn
markdown   pages as Markdown
html       all of them in one file
"""

from __future__ import annotations

from pathlib import Path

from malibo.bench.figures.tables import HPOB
from malibo.bench.published import read_groups
from malibo.bench.report.content import Index, Page
from malibo.bench.report.hpob import hpob_page
from malibo.bench.report.html import report_page
from malibo.bench.report.index import WRITTEN, index
from malibo.bench.report.layout import place
from malibo.bench.report.markdown import index_text, page_text
from malibo.bench.report.pages import measured, suite_pages, variants
from malibo.bench.report.pictures import draw_all, drawings
from malibo.bench.runs import Run, RunSet, read_runs
from malibo.bench.summary import summary, write_csv
from malibo.errors import InputError

Sets = dict[str, tuple[RunSet, list[Run]]]


def make_report(
    folder: Path, output: Path, progress: bool = True, published: Path | None = None
) -> list[Path]:
    """Write everything that the results of a folder give; returns the files.

    ``published`` is a folder of curves on HPO-B that others put online.
    """
    sets = _read(folder, needed=published is None)
    own = sets[HPOB][1] if HPOB in sets else []
    groups = read_groups(published, own) if published else []
    _make_folder(output)
    tables = _write_tables(sets, output)
    pictures = draw_all(
        drawings({name: runs for name, (_, runs) in sets.items()}), output, progress
    )
    main = {name: measured(*found) for name, found in sets.items()}
    changed = {name: found for name in sets if (found := variants(*sets[name]))}
    pages = suite_pages(main, changed, pictures)
    hpob, files = hpob_page(groups, main.get(HPOB), output, progress)
    pages += [hpob] if hpob else []
    written = [link for link in WRITTEN if (output / link.file).exists()]
    texts = _write_pages(index(main, pages, pictures, written), pages, output)
    return [*texts, *tables, *(picture.path for picture in pictures.values()), *files]


def _read(folder: Path, needed: bool) -> Sets:
    """Results by suite, in the order in which they are shown; published curves need none."""
    found = {}
    for path in sorted(folder.glob("*.jsonl")):
        run_set, runs = read_runs(path)
        if runs:
            found[run_set.suite] = run_set, runs
    if needed and not found:
        raise InputError(
            f"there are no results in {folder}; run: malibo bench run fcnet --methods malibo,random"
        )
    return {name: found[name] for name in sorted(found, key=place)}


def _make_folder(output: Path) -> None:
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write to {output}: {error.strerror}.") from None


def _write_tables(sets: Sets, output: Path) -> list[Path]:
    """A CSV file for each suite, with all methods."""
    files = []
    for name, (_, runs) in sets.items():
        files.append(output / f"{name}.csv")
        write_csv(summary(runs), files[-1])
    return files


def _write_pages(first: Index, pages: list[Page], output: Path) -> list[Path]:
    texts = {"README.md": index_text(first)}
    texts |= {f"{page.name}.md": page_text(page) for page in pages}
    texts["report.html"] = report_page(first)
    for name, text in texts.items():
        (output / name).write_text(text, encoding="utf-8")
    return [output / name for name in texts]
