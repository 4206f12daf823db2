"""The table of results."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from bench.examples import run
from malibo.bench.summary import summary, write_csv
from malibo.errors import InputError

RUNS = [
    run("malibo", "a", 0, [2.0, 1.0], train=[4.0, 0.0]),
    run("malibo", "a", 1, [4.0, 1.0], train=[6.0, 0.0]),
    run("malibo", "b", 0, [1.0, 0.0], train=[5.0, 0.0]),
    run("malibo", "b", 1, [1.0, 0.0], train=[5.0, 0.0]),
    run("random", "a", 0, [5.0, 4.0], seconds=math.nan),
    run("random", "a", 1, [3.0, 2.0], seconds=math.nan),
]


def test_there_is_a_row_for_each_method_task_and_step() -> None:
    rows = summary(RUNS, steps=(1, 2, 5))
    assert [(row["task"], row["method"], row["step"]) for row in rows] == [
        ("a", "malibo", 1),
        ("a", "malibo", 2),
        ("a", "random", 1),
        ("a", "random", 2),
        ("b", "malibo", 1),
        ("b", "malibo", 2),
        ("all", "malibo", 1),  # random lacks task b
        ("all", "malibo", 2),
    ]


def test_a_row_holds_the_metrics_at_its_step() -> None:
    row = summary(RUNS, steps=[1])[0]
    assert row == pytest.approx(
        {
            "method": "malibo",
            "task": "a",
            "step": 1,
            "seeds": 2,
            "regret": 0.3,
            "regret_se": 0.1,
            "log10_regret": (math.log10(0.2) + math.log10(0.4)) / 2,
            "log10_regret_se": math.log10(2) / 2,
            "immediate": 3.0,
            "better": 0.5,
            "rank": 1.5,
            "seconds": 6.25,
            "suggest_ms": 250.0,
            "train_s": 5.0,
        }
    )


def test_unknown_times_are_empty_in_the_file(tmp_path: Path) -> None:
    write_csv(summary(RUNS), tmp_path / "summary.csv")
    lines = (tmp_path / "summary.csv").read_text().splitlines()
    assert lines[0] == (
        "method,task,step,seeds,regret,regret_se,log10_regret,log10_regret_se,immediate,better,"
        "rank,seconds,suggest_ms,train_s"
    )
    assert lines[2] == "random,a,1,2,0.4,0.1,-0.412,0.1109,4,0.5,1.5,,250,0"


def test_step_zero_has_no_runtime() -> None:
    rows = summary([run("random", "a", 0, [1.0, 1.0], initial=1)], steps=[0, 1])
    assert [row["step"] for row in rows] == [0, 1, 0, 1]
    assert math.isnan(float(rows[0]["suggest_ms"]))
    assert rows[1]["suggest_ms"] == 250


def test_no_runs_make_an_empty_table(tmp_path: Path) -> None:
    assert summary([]) == []
    write_csv([], tmp_path / "summary.csv")
    assert (tmp_path / "summary.csv").read_text() == "\n"


def test_a_path_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot write"):
        write_csv([], tmp_path / "none" / "summary.csv")


def test_a_method_of_few_seeds_has_no_rank_and_limits_nobody() -> None:
    runs = [run("a", "t", seed, [1.0]) for seed in range(5)]
    runs += [run("b", "t", seed, [2.0]) for seed in range(5)]
    runs += [run("few", "t", 0, [0.0])]
    found = {row["method"]: float(row["rank"]) for row in summary(runs) if row["task"] == "t"}
    assert (found["a"], found["b"]) == (1, 2)
    assert math.isnan(found["few"])
