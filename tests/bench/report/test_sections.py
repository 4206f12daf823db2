"""The tables of a suite, and the commands that made its results."""

from __future__ import annotations

from bench.examples import run
from malibo.bench.report.sections import commands, scientific, suite_section, table
from malibo.bench.runs import Run, RunSet
from malibo.bench.summary import summary


def runs(steps: int = 5) -> list[Run]:
    return [
        run(method, task, seed, [start - seed, start / 2, *[1.0] * (steps - 3), last])
        for method, start, last in (("random", 8.0, 0.75), ("malibo", 4.0, 0.5))
        for task in ("a", "b")
        for seed in (0, 1)
    ]


def test_a_table_has_the_best_at_the_last_step_first() -> None:
    assert table(summary(runs()), "regret") == [
        ["method", "seeds", "step 1", "step 5"],
        ["MALIBO", "2", "3.5e-1 ± 5e-2", "5.0e-2 ± 0"],
        ["Random", "2", "7.5e-1 ± 5e-2", "7.5e-2 ± 0"],
    ]
    assert table(summary(runs()), "rank")[1] == ["MALIBO", "2", "1.00", "1.00"]


def test_numbers_are_short() -> None:
    numbers = (0.0, 1e-17, 1.0, 0.0123, 4.5e-13, 12.0)
    assert [scientific(number, 1) for number in numbers] == [
        *("0", "0", "1.0e0", "1.2e-2", "4.5e-13", "1.2e1"),
    ]
    assert scientific(0.096, 0) == "1e-1"


def test_a_single_seed_has_no_error() -> None:
    found = [*runs(), *(run("tpe", task, 0, [1.0] * 5) for task in ("a", "b"))]
    assert ["TPE", "1", "1.0e-1", "1.0e-1"] in table(summary(found), "regret")


def test_long_runs_have_fewer_of_the_early_steps() -> None:
    assert table(summary(runs(30)), "regret")[0][2:] == [
        f"step {step}" for step in (1, 5, 10, 20, 25, 30)
    ]
    assert table(summary(runs(60)), "regret")[0][2:] == [
        f"step {step}" for step in (1, 5, 10, 25, 50)
    ]


def test_methods_on_different_tasks_have_no_common_table() -> None:
    found = [run("random", "a", 0, [1.0] * 5), run("tpe", "b", 0, [1.0] * 5)]
    assert table(summary(found), "regret") == [["method", "seeds"]]


def test_regret_is_open_and_the_rest_is_folded() -> None:
    section = suite_section("fcnet", summary(runs()), "networks")
    assert section.notes == ["networks."]
    assert list(section.tables) == ["mean normalised regret"]
    assert list(section.folded) == ["mean log10 regret", "average rank"]
    assert suite_section("mine", summary(runs())).notes == []


def test_methods_with_as_many_seeds_share_a_command() -> None:
    found = [*runs(), run("tpe", "a", 0, [1.0] * 5)]
    assert list(commands(RunSet("fcnet", 5), found)) == [
        "malibo bench run fcnet --methods random,malibo --seeds 2 --steps 5",
        "malibo bench run fcnet --methods tpe --seeds 1 --steps 5",
    ]


def test_a_suite_of_a_folder_says_which_tasks_were_run() -> None:
    found = [run("tpe", task, 0, [1.0] * 5) for task in ("b 10", "b 9")]
    (line,) = commands(RunSet("my_tables", 5), found)
    assert line.endswith(
        "my_tables --methods tpe --seeds 1 --steps 5 --data DIR --tasks 'b 9,b 10'"
    )


def test_a_set_of_a_folder_that_has_the_name_of_a_built_in_one_says_so_too() -> None:
    found = [run("tpe", task, 0, [1.0] * 5) for task in ("kc1", "vehicle")]
    (line,) = commands(RunSet("hpobench_mlp", 5), found)
    assert line.endswith("--data DIR --tasks kc1,vehicle")
