"""Suites by name."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from bench.examples import TASKS, write_set
from malibo.bench.problems import packaged
from malibo.bench.problems.ensembles import FAMILIES, TARGETS
from malibo.bench.problems.misleading import PASTS, MisledProblem
from malibo.bench.problems.tables import PAST_SIZE
from malibo.bench.suites import (
    FamilySuite,
    FolderSuite,
    HpobSuite,
    MisledSuite,
    PackagedSuite,
    misleading_past,
    suite,
    suites,
)
from malibo.errors import InputError


def test_the_names_are_those_of_the_documentation() -> None:
    families = [
        f"{family}{noise}" for family in FAMILIES for noise in ("", "-noise-0.1", "-noise-1")
    ]
    misled = [f"{name}-{past}" for name in ("hartmann3d", "nasbench201") for past in PASTS]
    assert list(suites()) == ["fcnet", "nasbench201", "hpobench_mlp", *families, *misled]


def test_every_suite_has_its_name_a_line_and_tasks() -> None:
    for name, found in suites().items():
        assert found.name == name
        assert found.line
        assert "\n" not in found.line
        assert len(set(found.tasks())) == len(found.tasks()) > 1


def test_a_suite_can_be_sent_to_another_process() -> None:
    for found in suites().values():
        assert pickle.loads(pickle.dumps(found)) == found
        assert hash(found) == hash(pickle.loads(pickle.dumps(found)))


@pytest.mark.parametrize(
    ("name", "tables"), [("fcnet", packaged.FCNET), ("nasbench201", packaged.NASBENCH201)]
)
def test_packaged_tables_are_each_the_new_task_in_turn(
    name: str, tables: packaged.Packaged
) -> None:
    found = suite(name)
    assert isinstance(found, PackagedSuite)
    assert found.tasks() == tables.tasks
    assert found.past_size == PAST_SIZE


def test_a_family_has_fixed_functions_and_its_noise() -> None:
    found = suite("quadratic-noise-0.1")
    assert isinstance(found, FamilySuite)
    assert (found.family, found.noise) == ("quadratic", 0.1)
    assert found.tasks() == tuple(f"target {number}" for number in range(TARGETS))
    problem = found.problem("target 7")
    assert problem.task == "target 7"
    assert problem.reference == suite("quadratic").problem("target 7").reference
    assert problem.reference != found.problem("target 8").reference


@pytest.mark.parametrize("past", list(PASTS))
@pytest.mark.parametrize("name", ["hartmann3d", "nasbench201"])
def test_a_misled_suite_has_the_tasks_of_the_suite(name: str, past: str) -> None:
    found = suite(f"{name}-{past}")
    assert isinstance(found, MisledSuite)
    assert (found.suite, found.past) == (suite(name), past)
    assert found.tasks() == suite(name).tasks()
    assert past in found.line


def test_a_problem_of_a_misled_suite_is_that_of_the_suite_with_another_past() -> None:
    problem, true = (suite(n).problem("target 3") for n in ("hartmann3d-flipped", "hartmann3d"))
    assert isinstance(problem, MisledProblem)
    assert (problem.task, problem.reference) == (true.task, true.reference)


def test_an_unknown_past_is_an_unknown_suite() -> None:
    with pytest.raises(InputError, match=r"unknown suite 'hartmann3d-fliped'.*hartmann3d-flipped"):
        suite("hartmann3d-fliped")


def test_any_suite_can_have_a_misleading_past(tmp_path: Path) -> None:
    for name, data in (("fcnet", None), ("mine", write_set(tmp_path, "mine"))):
        found = suite(f"{name}-one-good", data)
        assert isinstance(found, MisledSuite)
        assert (found.name, found.suite, found.past) == (
            f"{name}-one-good",
            suite(name, data),
            "one-good",
        )
        assert found.name not in suites(data)  # they are many, and made when asked for


def test_a_set_that_is_named_so_is_itself(tmp_path: Path) -> None:
    data = write_set(write_set(tmp_path, "mine"), "mine-flipped")
    assert not isinstance(suite("mine-flipped", data), MisledSuite)


@pytest.mark.parametrize("name", ["fcnet-flipped-flipped", "nothing-flipped", "-flipped"])
def test_no_past_misleads_twice_or_without_a_suite(name: str) -> None:
    with pytest.raises(InputError, match=f"unknown suite '{name}'"):
        suite(name)


@pytest.mark.parametrize(
    ("name", "past"), [("a-b-one-good", "one-good"), ("fcnet", None), ("flipped", None)]
)
def test_a_misleading_past_shows_in_the_name(name: str, past: str | None) -> None:
    assert misleading_past(name) == past


# -- a folder of data ----------------------------------------------------------------------


def test_every_set_of_a_folder_is_a_suite(tmp_path: Path) -> None:
    write_set(write_set(tmp_path, "first"), "second")
    found = suites(tmp_path)
    assert list(found) == [*suites(), "first", "second"]
    assert isinstance(found["first"], FolderSuite)
    assert found["first"].line == "Small tables: 3 tasks, 2 parameters"
    assert found["first"].tasks() == TASKS
    assert found["first"].problem("middle").task == "middle"


def test_a_set_of_the_folder_takes_the_place_of_a_built_in_suite(tmp_path: Path) -> None:
    found = suite("fcnet", write_set(tmp_path, "fcnet"))
    assert isinstance(found, FolderSuite)
    assert found.tasks() == TASKS


def test_the_folder_of_hpob_is_known_by_its_files(tmp_path: Path) -> None:
    (tmp_path / "meta-test-dataset.json").write_text(json.dumps({}))
    found = suite("hpob", tmp_path)
    assert isinstance(found, HpobSuite)
    assert list(suites(tmp_path)) == [*suites(), "hpob"]


# -- what is refused -----------------------------------------------------------------------


def test_an_unknown_suite_is_named_with_the_known_ones_nearest_first() -> None:
    with pytest.raises(InputError, match=r"unknown suite 'fcnets'.*nearest first: fcnet, ") as e:
        suite("fcnets")
    assert str(e.value).endswith("More of them come from a folder: --data DIR.")


def test_with_a_folder_its_sets_are_among_the_known(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"unknown suite 'firts'.*nearest first: first, ") as e:
        suite("firts", write_set(tmp_path, "first"))
    assert "--data" not in str(e.value)


def test_a_folder_that_is_not_there_or_has_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no folder '.*none'"):
        suites(tmp_path / "none")
    with pytest.raises(InputError, match=r"neither sets of tables .* nor the files of hpob-data"):
        suites(tmp_path)
