"""The report: tables, and one page that needs nothing else."""

from __future__ import annotations

import base64
import csv
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from bench.examples import run
from malibo.bench import report
from malibo.bench.figures import FIGURES, Named
from malibo.bench.report import make_report
from malibo.bench.runs import Run, RunSet, open_runs
from malibo.errors import InputError

pytest.importorskip("matplotlib")


def nothing(*_: object) -> None:
    raise InputError("there are no results for this figure")


CHOSEN = {"fig-regret": FIGURES["fig-regret"], "fig-none": Named("has no results", nothing)}  # type: ignore[arg-type]
RUNS = [
    run(method, task, seed, [start - seed, start / 2, 1.0, 1.0, last])
    for method, start, last in (("random", 8.0, 0.75), ("malibo", 4.0, 0.5))
    for task in ("a", "b")
    for seed in (0, 1)
]


@pytest.fixture(autouse=True, scope="module")
def _quick() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report, "FIGURES", CHOSEN)
        yield


def write(folder: Path, suite: str, runs: list[Run], steps: int = 5) -> None:
    with open_runs(folder / f"{suite}.jsonl", RunSet(suite, steps)) as file:
        for finished in runs:
            file.append(finished)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of two suites."""
    results, made = tmp_path_factory.mktemp("results"), tmp_path_factory.mktemp("report")
    write(results, "fcnet", RUNS)
    write(results, "quadratic", RUNS[:2] + RUNS[4:6])
    files = make_report(results, made, progress=False)
    assert set(files) == set(made.iterdir())
    return made


def test_there_is_a_page_a_text_tables_and_the_figures_that_have_results(made: Path) -> None:
    assert {path.name for path in made.iterdir()} == {
        "README.md",
        "report.html",
        "fcnet.csv",
        "quadratic.csv",
        "fig-regret.png",
    }


def test_the_text_has_the_command_and_a_table_of_methods(made: Path) -> None:
    lines = (made / "README.md").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "# Results"
    start = lines.index("## fcnet")
    command = "malibo bench run fcnet --methods random,malibo --seeds 2 --steps 5"
    assert lines[start + 2 : start + 5] == ["```", command, "```"]
    table = lines.index("Mean normalised regret, the best first:", start) + 2
    assert lines[table : table + 4] == [
        "| method | seeds | step 1 | step 5 |",
        "|---|---|---|---|",
        "| MALIBO | 2 | 3.5e-01 ± 5e-02 | 5.0e-02 ± 0e+00 |",
        "| Random | 2 | 7.5e-01 ± 5e-02 | 7.5e-02 ± 0e+00 |",
    ]
    assert "![fig-regret](fig-regret.png)" in lines


def test_methods_with_fewer_seeds_have_a_command_of_their_own(tmp_path: Path) -> None:
    write(tmp_path, "fcnet", [*RUNS, run("tpe", "a", 0, [1.0] * 5), run("tpe", "b", 0, [1.0] * 5)])
    make_report(tmp_path, tmp_path / "out", progress=False)
    text = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "--methods random,malibo --seeds 2 --steps 5\nmalibo bench run fcnet" in text
    assert "--methods tpe --seeds 1 --steps 5\n" in text
    assert re.search(r"\| TPE \| 1 \| 1\.0e-01 \| 1\.0e-01 \|", text)  # a seed has no error


def test_a_suite_of_a_folder_says_which_tasks_were_run(tmp_path: Path) -> None:
    write(tmp_path, "my_tables", RUNS)
    make_report(tmp_path, tmp_path / "out", progress=False)
    text = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "malibo bench run my_tables --methods random,malibo --seeds 2 --steps 5" in text
    assert "--steps 5 --data DIR --tasks a,b\n" in text
    assert "All tables together" not in text  # there is one suite only


def test_several_suites_of_tables_have_ranks_together(tmp_path: Path) -> None:
    write(tmp_path, "my_tables", RUNS)
    write(tmp_path, "fcnet", RUNS)
    write(tmp_path, "forrester", RUNS)  # functions do not count
    make_report(tmp_path, tmp_path / "out", progress=False)
    lines = (tmp_path / "out" / "README.md").read_text(encoding="utf-8").splitlines()
    start = lines.index("## All tables together")
    assert lines[start + 2].startswith("Average rank over fcnet, my_tables; a star where MALIBO")
    assert lines[start + 4] == "| method | step 1 | step 5 |"
    assert lines[start + 6].startswith("| MALIBO | 1.00 |")


def test_the_csv_file_has_every_task_and_all(made: Path) -> None:
    with (made / "fcnet.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["task"] for row in rows} == {"a", "b", "all"}
    assert {row["method"] for row in rows} == {"malibo", "random"}
    assert {row["step"] for row in rows} == {"1", "5"}


# -- the page ------------------------------------------------------------------------------


class Page(HTMLParser):
    """What a page refers to, and whether its tags are closed."""

    def __init__(self) -> None:
        super().__init__()
        self.sources: list[str] = []
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.sources += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def page(path: Path) -> Page:
    parsed = Page()
    parsed.feed((path / "report.html").read_text(encoding="utf-8"))
    assert parsed.open == []
    return parsed


def test_the_page_needs_nothing_else(made: Path) -> None:
    content = (made / "report.html").read_text(encoding="utf-8")
    for foreign in ("http://", "https://", "<script", "<link", "@import", "url("):
        assert foreign not in content
    (source,) = page(made).sources
    head, data = source.split(",")
    assert head == "data:image/png;base64"
    assert base64.b64decode(data) == (made / "fig-regret.png").read_bytes()


def test_the_page_says_what_the_text_says(made: Path) -> None:
    shown = page(made).text
    for line in (made / "README.md").read_text(encoding="utf-8").splitlines():
        if line.startswith(("| MALIBO", "| Random")):
            for cell in line.strip("| ").split(" | "):
                assert cell in shown
    assert "malibo bench run fcnet --methods random,malibo --seeds 2 --steps 5" in shown


def test_names_are_escaped_in_the_page(tmp_path: Path) -> None:
    runs = [run("<b>&", task, 0, [1.0] * 5) for task in ("a", "b")]
    write(tmp_path, "fcnet", [*RUNS, *runs])
    make_report(tmp_path, tmp_path / "out", progress=False)
    assert "<b>&" in page(tmp_path / "out").text
    assert "<b>" not in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


# -- what is missing -----------------------------------------------------------------------


def test_methods_on_different_tasks_have_no_common_table(tmp_path: Path) -> None:
    write(tmp_path, "quadratic", [run("random", "a", 0, [1.0] * 5), run("tpe", "b", 0, [1.0] * 5)])
    make_report(tmp_path, tmp_path / "out", progress=False)
    text = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "| method | seeds |\n|---|---|\n\n" in text
    assert "random" in (tmp_path / "out" / "quadratic.csv").read_text(encoding="utf-8")


def test_a_file_without_runs_is_left_out(tmp_path: Path) -> None:
    write(tmp_path, "fcnet", RUNS)
    write(tmp_path, "branin", [])
    make_report(tmp_path, tmp_path / "out", progress=False)
    assert not (tmp_path / "out" / "branin.csv").exists()


def test_a_folder_without_results_names_a_command(tmp_path: Path) -> None:
    write(tmp_path, "fcnet", [])
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(InputError, match=r"there are no results in .*; run: malibo bench run"):
            make_report(folder, tmp_path / "out", progress=False)
    assert not (tmp_path / "out").exists()


def test_an_output_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "fcnet", RUNS)
    (tmp_path / "out").write_text("")
    with pytest.raises(InputError, match=r"cannot write to .*out"):
        make_report(tmp_path, tmp_path / "out", progress=False)
