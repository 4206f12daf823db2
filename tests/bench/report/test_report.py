"""The whole report: pages, tables, pictures, and one page that needs nothing else."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.examples import run
from bench.published_examples import write_curves
from malibo.bench.figures import FIGURES, Named
from malibo.bench.report import make_report, pictures
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
        patch.setattr(pictures, "FIGURES", CHOSEN)
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
    assert len(set(files)) == len(files)
    return made


def text(folder: Path, name: str) -> str:
    return (folder / name).read_text(encoding="utf-8")


def test_there_are_pages_tables_and_the_figures_that_have_results(made: Path) -> None:
    assert {path.name for path in made.iterdir()} == {
        *("README.md", "benchmarks.md", "synthetic.md", "report.html"),
        *("fcnet.csv", "quadratic.csv", "fig-regret.png"),
    }


def test_a_page_has_the_table_and_the_figure_of_its_suite(made: Path) -> None:
    page = text(made, "benchmarks.md")
    assert "| MALIBO | 2 | 3.5e-1 ± 5e-2 | 5.0e-2 ± 0 |" in page
    assert "![normalised regret on the real benchmarks](fig-regret.png)" in page
    assert "malibo bench run fcnet --methods random,malibo --seeds 2 --steps 5\n" in page
    assert "## quadratic" in text(made, "synthetic.md")
    assert "fcnet" not in text(made, "synthetic.md")


def test_links_lead_to_files_and_headings(made: Path) -> None:
    links = re.findall(r"\]\(([^)]+)\)", text(made, "README.md"))
    assert {"benchmarks.md", "synthetic.md", "benchmarks.md#fcnet"} <= set(links)
    for link in links:
        file, _, heading = link.partition("#")
        assert f"## {heading}" in text(made, file)


def test_one_page_has_everything(made: Path) -> None:
    whole = text(made, "report.html")
    for page in ("README.md", "benchmarks.md", "synthetic.md"):
        for line in text(made, page).splitlines():
            if line.startswith(("| MALIBO", "| Random")):
                for cell in line.strip("| ").split(" | "):
                    assert f"<td>{cell}</td>" in whole
    assert whole.count("data:image/png;base64,") == 1


def test_the_csv_file_has_every_task_and_all(made: Path) -> None:
    with (made / "fcnet.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["task"] for row in rows} == {"a", "b", "all"}
    assert {row["method"] for row in rows} == {"malibo", "random"}
    assert {row["step"] for row in rows} == {"1", "5"}


def test_the_csv_file_has_variants_that_the_page_leaves_to_another(tmp_path: Path) -> None:
    write(tmp_path, "fcnet", [*RUNS, *(run("malibo-ts", task, 0, [1.0] * 5) for task in "ab")])
    make_report(tmp_path, tmp_path / "out", progress=False)
    assert "malibo-ts," in text(tmp_path / "out", "fcnet.csv")
    assert "MALIBO (TS)" not in text(tmp_path / "out", "benchmarks.md")
    assert "MALIBO (TS)" in text(tmp_path / "out", "variants.md")


def test_pages_written_by_hand_are_kept_and_named_first(tmp_path: Path) -> None:
    write(tmp_path, "fcnet", RUNS)
    out = tmp_path / "out"
    out.mkdir()
    (out / "findings.md").write_text("by hand", encoding="utf-8")
    files = make_report(tmp_path, out, progress=False)
    assert text(out, "findings.md") == "by hand"
    assert out / "findings.md" not in files
    index = text(out, "README.md")
    assert index.index("[What the runs showed](findings.md)") < index.index("(benchmarks.md)")
    assert "ablation-beyond" not in index


def test_published_curves_need_no_results(tmp_path: Path) -> None:
    lines = {name: [[0.5, 0.6, 0.7]] for name in ("GP", "RGPE")}
    curves = write_curves(tmp_path / "curves", "hpob_small", lines, [("1", "a", 0)])
    make_report(tmp_path, tmp_path / "out", progress=False, published=curves)
    assert "(hpob.md)" in text(tmp_path / "out", "README.md")
    assert "Who is ahead" not in text(tmp_path / "out", "README.md")


def test_published_curves_have_their_page(tmp_path: Path) -> None:
    write(tmp_path, "fcnet", RUNS)
    lines = {name: [[0.5, 0.6, 0.7]] * 2 for name in ("GP", "RGPE")}
    curves = write_curves(tmp_path / "curves", "hpob_small", lines, [("1", "a", s) for s in (0, 1)])
    files = make_report(tmp_path, tmp_path / "out", progress=False, published=curves)
    assert set(files) == set((tmp_path / "out").iterdir())
    assert "| RGPE |" in text(tmp_path / "out", "hpob.md")
    assert "(hpob.md)" in text(tmp_path / "out", "README.md")


# -- what is missing -----------------------------------------------------------------------


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


def test_a_folder_without_curves_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    write(tmp_path, "fcnet", RUNS)
    with pytest.raises(InputError, match="none"):
        make_report(tmp_path, tmp_path / "out", progress=False, published=tmp_path / "none")
    assert not (tmp_path / "out").exists()


def test_an_output_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "fcnet", RUNS)
    (tmp_path / "out").write_text("")
    with pytest.raises(InputError, match=r"cannot write to .*out"):
        make_report(tmp_path, tmp_path / "out", progress=False)
