"""malibo bench all: how long it takes, everything in one go, and what is said about failures."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bench.examples import write_set
from malibo.bench import estimate, everything, plan
from malibo.bench.methods import METHODS, Method
from malibo.bench.methods.optimizer import Told
from malibo.bench.plan import Batch, Experiment
from malibo.bench.runs import read_runs
from malibo.cli import main

SMALL_PLAN = (
    Experiment(
        "tables",
        "of a folder",
        3,
        (Batch(("small",), ("random", "past-best"), 2),),
        folder="the folder of tables",
    ),
    Experiment(
        "functions",
        "built in",
        3,
        (Batch(("quadratic",), ("random",), 1),),
        tasks={"quadratic": ("target 0", "target 1", "target 2")},
    ),
)
HOUR = 3600 / estimate.share(3)  # of 100 steps, so that three steps take an hour


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan of fifteen runs, and what they are said to take."""
    table = {"small": {"random": HOUR, "past-best": 2 * HOUR}, "quadratic": {"random": HOUR / 10}}
    monkeypatch.setattr(plan, "PLAN", SMALL_PLAN)
    monkeypatch.setattr(estimate, "read_reference", lambda: table)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_set(tmp_path / "data", "small")


def run_all(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["bench", "all", *map(str, arguments)])


def test_a_dry_run_prints_a_table_and_writes_nothing(tmp_path: Path, data: Path) -> None:
    results = tmp_path / "results"
    result = run_all("--dry-run", "--data", data, "--results", results, "--jobs", "2")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == [
        "experiment       runs  finished    time left",
        "functions           3         0  about 9 min",
        "tables             12         0  about 9.0 h",
        "all                15         0  about 9.2 h",
        "Times are for 2 runs at once.",
    ]
    assert result.stderr == ""
    assert not results.exists()


def test_a_dry_run_for_scripts(tmp_path: Path, data: Path) -> None:
    result = run_all("--dry-run", "--data", data, "--results", tmp_path / "results", "--json")
    facts = json.loads(result.stdout)
    assert facts["results"] == str(tmp_path / "results")
    assert (facts["skipped"], facts["jobs"]) == ([], 1)
    assert [each["experiment"] for each in facts["experiments"]] == ["functions", "tables"]
    assert facts["all"]["runs"] == 15
    assert facts["all"]["hours_left"] == pytest.approx(18.3)
    assert not (tmp_path / "results").exists()


def test_everything_is_run_and_nothing_twice(tmp_path: Path, data: Path) -> None:
    results = tmp_path / "results"
    arguments = ("--data", data, "--results", results)
    result = run_all(*arguments)
    assert result.exit_code == 0, result.output
    assert result.stdout == (
        f"15 new runs in {results}. Next: malibo bench report --results {results}\n"
    )
    lines = result.stderr.splitlines()
    assert lines[3].split()[:3] == ["all", "15", "0"]
    assert lines[5].startswith("functions: 3 new runs in ")
    assert lines[6].startswith("tables: 12 new runs in ")
    assert lines[6].endswith("; nothing is left")
    assert len(read_runs(results / "small.jsonl")[1]) == 12
    assert len(read_runs(results / "quadratic.jsonl")[1]) == 3
    again = run_all(*arguments, "--json")
    facts = json.loads(again.stdout)
    assert (facts["new_runs"], facts["failed"]) == (0, [])
    assert (facts["all"]["finished"], facts["all"]["hours_left"]) == (15, 0)


def test_by_default_results_are_where_the_report_looks(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run_all("--data", data, "--only", "functions")
    assert result.stdout == "3 new runs in results. Next: malibo bench report\n"


def test_only_some_experiments(tmp_path: Path) -> None:
    result = run_all("--only", "functions", "--results", tmp_path)
    assert result.stdout.startswith("3 new runs in ")
    assert [path.name for path in tmp_path.iterdir()] == ["quadratic.jsonl"]
    assert "skipped" not in result.stderr


def test_what_lacks_its_folder_is_skipped_with_a_line(tmp_path: Path) -> None:
    line = "tables: small not found; give the folder of tables: --data DIR"
    result = run_all("--dry-run", "--results", tmp_path, "--json")
    assert result.stderr == f"skipped: {line}\n"
    assert json.loads(result.stdout)["skipped"] == [line]
    nothing = run_all("--only", "tables", "--results", tmp_path)
    assert nothing.exit_code == 2
    assert nothing.stderr.splitlines() == [
        f"skipped: {line}",
        "malibo: there is nothing to run: all that was asked for is skipped, see above.",
    ]


def test_what_lacks_its_package_is_skipped_with_the_pip_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches = (Batch(("quadratic",), ("random", "gp"), 1),)
    monkeypatch.setattr(plan, "PLAN", (Experiment("functions", "built in", 3, batches),))
    monkeypatch.setitem(sys.modules, "torch", None)
    result = run_all("--dry-run", "--results", tmp_path)
    assert result.exit_code == 0
    assert result.stderr.startswith("skipped: gp: this needs the package 'torch'")
    assert result.stderr.endswith('run: pip install "malibo[baselines]"\n')
    assert result.stdout.splitlines()[-2].split()[:2] == ["all", "15"]


def test_quick_is_short_and_has_a_folder_of_its_own(tmp_path: Path, data: Path) -> None:
    folders = ("--data", data, "--results", tmp_path / "results")
    assert run_all(*folders).exit_code == 0
    result = run_all(*folders, "--quick")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith(f"6 new runs in {tmp_path / 'results' / 'quick'}. Next: ")
    run_set, runs = read_runs(tmp_path / "results" / "quick" / "small.jsonl")
    assert run_set.steps == 5
    assert {run.key for run in runs} == {
        (method, task, 0) for method in ("random", "past-best") for task in ("left", "middle")
    }


# -- what goes wrong -----------------------------------------------------------------------


class Broken(Told):
    """Fails at once."""

    def ask(self) -> dict[str, Any]:
        raise ZeroDivisionError("no more luck")


def test_failures_are_listed_with_their_command_at_the_end(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(METHODS, "past-best", Method("fails", Broken))
    result = run_all("--data", data, "--results", tmp_path / "out", "--json")
    assert result.exit_code == 1
    said, command = result.stderr.splitlines()[-2:]
    assert said.startswith("failed: small: 6 runs failed and will be tried again next time.")
    assert said.endswith("seed 0: ZeroDivisionError: no more luck")
    assert command == (
        "  malibo bench run small --methods past-best --seeds 2 --steps 3"
        f" --results {tmp_path / 'out'} --data {data}"
    )
    facts = json.loads(result.stdout)
    assert facts["new_runs"] == 9
    assert [(failed["suite"], failed["runs"]) for failed in facts["failed"]] == [("small", 6)]
    assert facts["failed"][0]["command"] == command.strip()


def test_stopped_by_hand_it_says_that_the_same_command_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(everything, "run_suite", interrupted)
    result = run_all("--only", "functions", "--results", tmp_path)
    assert result.exit_code == 130
    assert result.stdout == ""
    assert result.stderr.splitlines()[-1] == (
        f"malibo: stopped by Ctrl-C; what is finished is in {tmp_path}, and the same command"
        " goes on."
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--only functoins", "unknown experiment 'functoins'; known, nearest first: functions"),
        ("--only ,", "expected names separated by commas, got ','"),
        ("--jobs 0", "or -1 for all cores; got 0"),
        ("--data none", "there is no folder 'none'"),
    ],
)
def test_what_a_user_can_mend_is_one_line(
    arguments: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run_all(*arguments.split())
    assert result.exit_code == 2
    assert result.stderr.startswith("malibo: ")
    assert result.stderr.count("\n") == 1
    assert message in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_results_of_other_steps_are_refused(tmp_path: Path) -> None:
    run = ["bench", "run", "quadratic", "--methods", "random", "--seeds", "1", "--steps", "4"]
    done = CliRunner().invoke(main, [*run, "--tasks", "target 0", "--results", str(tmp_path)])
    assert done.exit_code == 0
    result = run_all("--only", "functions", "--results", tmp_path)
    assert result.exit_code == 2
    assert result.stderr.startswith(
        f"malibo: {tmp_path / 'quadratic.jsonl'} holds quadratic with 4"
    )
