"""``malibo evaluate``: the text, the facts, and one line for what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from malibo.cli import COMMANDS, main


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command is known."""
    monkeypatch.setitem(COMMANDS, "evaluate", "malibo.cli.evaluate")


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Two data sets of 12 runs, and one of 3."""
    rng = np.random.default_rng(0)
    lines = ["dataset,x,y,acc"]
    for name, count in (("a", 12), ("b", 12), ("c", 3)):
        for x, y in rng.uniform(size=(count, 2)):
            lines.append(f"{name},{x},{y},{1 - (x - 0.3) ** 2 - y**2}")
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(lines))
    return path


def run(path: Path, *options: str) -> Result:
    columns = ["--task", "dataset", "--objective", "acc", "--direction", "maximize"]
    return CliRunner().invoke(main, ["evaluate", str(path), *columns, *options])


def test_the_text_has_the_tasks_and_a_verdict(runs: Path) -> None:
    result = run(runs, "--trials", "4", "--seeds", "1")
    assert result.exit_code == 0, result.output
    assert (
        "Verdict: too few tasks to tell, because intervals need at least 5 tasks." in result.stdout
    )
    assert "Note: task 'c' is not tuned: 3 distinct valid configurations" in result.stdout
    assert "After 5 trials" not in result.stdout  # of 4


def test_json_is_one_object_and_nothing_else(runs: Path) -> None:
    result = run(runs, "--trials", "4", "--seeds", "2", "--json")
    facts = json.loads(result.stdout)
    assert [(task["task"], task["trials"]) for task in facts["tasks"]] == [("a", 4), ("b", 4)]
    assert all(len(task["warm"]) == 2 for task in facts["tasks"])
    assert facts["verdict"] == "too few tasks to tell"


def test_a_single_task_is_one_line_and_exit_code_2(runs: Path) -> None:
    result = run(runs, "--where", "dataset=a")
    assert result.exit_code == 2
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("malibo: evaluating needs at least 2 tasks, to leave one out, got 'a'")


def test_wrong_numbers_are_refused(runs: Path) -> None:
    result = run(runs, "--trials", "0")
    assert result.exit_code == 2
    assert "0 is not in the range x>=1" in result.stderr


def test_help_has_an_example() -> None:
    result = CliRunner().invoke(main, ["evaluate", "--help"])
    assert "malibo evaluate runs.csv --task dataset --objective val_loss" in result.stdout
    assert 'verdict is "worth it" if both intervals' in " ".join(result.stdout.split())
