"""Parts: the plan with what is here, and a line for what is not."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from bench.examples import TASKS, write_set
from malibo.bench.parts import Part, prepare
from malibo.bench.plan import PLAN, Batch, Experiment
from malibo.bench.suites import suites
from malibo.errors import InputError

BUILT_IN = Experiment(
    "functions",
    "built in",
    30,
    (
        Batch(("quadratic", "branin"), ("random", "gp"), 2),
        Batch(("quadratic",), ("rgpe",), 1),
    ),
)
OF_FOLDER = Experiment(
    "tables",
    "of a folder",
    50,
    (Batch(("small", "other"), ("random", "past-best"), 3),),
    tasks={"small": ("right", "left")},
    folder="the folder of tables",
)


def of_folder(folder: Path) -> Part:
    (part,) = prepare([OF_FOLDER], [write_set(folder, "small")]).parts
    return part


def test_a_part_is_a_batch_on_one_suite() -> None:
    pytest.importorskip("torch")
    work = prepare([BUILT_IN])
    assert work.skipped == ()
    assert [(part.suite.name, part.methods, part.seeds) for part in work.parts] == [
        ("quadratic", ("random", "gp"), 2),
        ("branin", ("random", "gp"), 2),
        ("quadratic", ("rgpe",), 1),
    ]
    first = work.parts[0]
    assert (first.experiment, first.steps, first.tasks, first.data) == ("functions", 30, None, None)
    assert len(first.run_keys()) == len(set(first.run_keys())) == 2 * 15 * 2


def test_methods_without_their_package_are_skipped_with_the_pip_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    work = prepare([BUILT_IN])
    assert [(part.suite.name, part.methods) for part in work.parts] == [
        ("quadratic", ("random",)),
        ("branin", ("random",)),
    ]
    assert work.skipped == (
        "gp, rgpe: this needs the package 'torch', which is not installed;"
        ' run: pip install "malibo[baselines]"',
    )


def test_suites_of_folders_are_found_and_others_skipped(tmp_path: Path) -> None:
    folder = write_set(tmp_path / "data", "small")
    work = prepare([OF_FOLDER], [folder])
    (part,) = work.parts
    assert (part.suite.name, part.data, part.tasks) == ("small", folder, ("right", "left"))
    assert set(part.run_keys()) == {
        (method, task, seed)
        for method in ("random", "past-best")
        for task in ("left", "right")
        for seed in range(3)
    }
    assert work.skipped == ("tables: other not found; give the folder of tables: --data DIR",)


def test_without_a_folder_its_experiment_is_one_line(tmp_path: Path) -> None:
    work = prepare([OF_FOLDER])
    assert work.parts == ()
    assert work.skipped == (
        "tables: small, other not found; give the folder of tables: --data DIR",
    )


def test_of_two_folders_the_first_counts(tmp_path: Path) -> None:
    one, two = write_set(tmp_path / "one", "small"), write_set(tmp_path / "two", "small")
    write_set(two, "other")
    work = prepare([OF_FOLDER], [one, two])
    assert [(part.suite.name, part.data) for part in work.parts] == [("small", one), ("other", two)]
    assert work.skipped == ()


def test_a_folder_does_not_take_the_place_of_what_is_built_in(tmp_path: Path) -> None:
    folder = write_set(tmp_path / "data", "quadratic")
    plan = [Experiment("functions", "built in", 30, (Batch(("quadratic",), ("random",), 1),))]
    (part,) = prepare(plan, [folder]).parts
    assert part.suite is suites()["quadratic"]
    assert part.data is None


def test_a_built_in_suite_does_not_take_the_place_of_a_folder(tmp_path: Path) -> None:
    batches = (Batch(("quadratic",), ("random",), 1),)
    plan = [Experiment("tables", "of a folder", 30, batches, folder="a folder")]
    assert prepare(plan, [write_set(tmp_path / "data", "small")]).parts == ()
    (part,) = prepare(plan, [write_set(tmp_path / "data", "quadratic")]).parts
    assert part.suite.tasks() == TASKS


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no folder"):
        prepare([OF_FOLDER], [tmp_path / "none"])


def test_few_tasks_are_the_first_ones(tmp_path: Path) -> None:
    few = Experiment("few", "", 3, BUILT_IN.batches, most_tasks=2)
    assert prepare([few]).parts[0].tasks == ("target 0", "target 1")
    named = Experiment(
        "few", "", 3, OF_FOLDER.batches, OF_FOLDER.tasks, most_tasks=1, folder="a folder"
    )
    (part,) = prepare([named], [write_set(tmp_path, "small")]).parts
    assert part.tasks == ("right",)


def test_the_command_of_a_part_says_all(tmp_path: Path) -> None:
    part = of_folder(tmp_path / "my data")
    command = part.command(["past-best"], tmp_path / "my results")
    assert shlex.split(command) == [
        *("malibo", "bench", "run", "small", "--methods", "past-best", "--seeds", "3"),
        *("--steps", "50", "--results", str(tmp_path / "my results")),
        *("--data", str(tmp_path / "my data"), "--tasks", "right,left"),
    ]
    assert part.path(tmp_path) == tmp_path / "small.jsonl"
    built_in = prepare([BUILT_IN]).parts[0]
    assert built_in.command(["random"], Path("results")) == (
        "malibo bench run quadratic --methods random --seeds 2 --steps 30 --results results"
    )


def test_the_whole_plan_can_be_prepared_without_any_folder() -> None:
    work = prepare(PLAN)
    lines = [line for line in work.skipped if "--data DIR" in line]
    assert [line.partition(":")[0] for line in lines] == ["tables", "hpob"]
    named = {part.experiment for part in work.parts}
    assert {"real", "variants", "inference", "dimension", "noise", "misleading"} == named
