"""HPO-B: problems out of the official files."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from malibo.bench.problems import hpob
from malibo.bench.problems.hpob import HpobProblem
from malibo.errors import InputError
from malibo.maximize import taken_rows

RNG = np.random.default_rng(0)
WIDTHS = {"4796": 3, "5527": 2}
Content = dict[str, Any]


def table(width: int, seed: int, size: int = 12) -> Content:
    rng = np.random.default_rng(seed)
    return {"X": rng.random((size, width)).tolist(), "y": rng.random((size, 1)).tolist()}


def tables(*data_sets: int) -> Content:
    return {
        space: {str(number): table(width, number) for number in data_sets}
        for space, width in WIDTHS.items()
    }


def contents() -> dict[str, Content]:
    """All four files; one of the test tasks has a configuration three times."""
    given = {f"test{seed}": [seed, seed + 1, 2, 0, 11] for seed in range(5)}
    test = tables(23, 31)
    rows = test["4796"]["23"]
    rows["X"] = [[0.5, 0.5, 0.5], [-1e-9, 0, 1 + 1e-9], *rows["X"][2:10], *[[0.5, 0.5, 0.5]] * 2]
    rows["y"] = [[0.2], [0.9], *rows["y"][2:10], [0.4], [0.6]]
    return {
        "meta-train-dataset": {**tables(1, 2, 3), "151": {"9": table(4, 9)}},
        "meta-validation-dataset": tables(4),
        "meta-test-dataset": test,
        "bo-initializations": {space: {"23": given, "31": given} for space in WIDTHS},
    }


def write(path: Path, changed: dict[str, Content]) -> Path:
    for name, content in changed.items():
        (path / f"{name}.json").write_text(json.dumps(content))
    return path


@pytest.fixture(autouse=True)
def _no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty cache on disk and in memory."""
    monkeypatch.setenv("MALIBO_CACHE", str(tmp_path / "cache"))
    forget()


def forget() -> None:
    hpob._read.cache_clear()
    hpob._columns.cache_clear()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A small hpob-data."""
    path = tmp_path / "hpob-data"
    path.mkdir()
    return write(path, contents())


def test_every_meta_test_task_is_a_problem(data: Path) -> None:
    assert hpob.tasks(data) == ("4796/23", "4796/31", "5527/23", "5527/31")
    for task in hpob.tasks(data):
        assert HpobProblem(data, task).task == task


def test_only_rows_of_the_table_can_be_evaluated(data: Path) -> None:
    problem = HpobProblem(data, "5527/31")
    rows = contents()["meta-test-dataset"]["5527"]["31"]
    assert list(problem.search.space) == ["x0", "x1"]
    assert_array_equal(problem.search.candidates(RNG, set()), rows["X"])
    for codes, (accuracy,) in zip(np.array(rows["X"]), rows["y"], strict=True):
        found = problem.evaluate(codes, RNG)
        assert found.loss == found.truth == -accuracy
        assert np.isnan(found.seconds)


def test_regret_is_measured_by_the_best_and_worst_of_the_task(data: Path) -> None:
    problem = HpobProblem(data, "5527/31")
    accuracies = np.ravel(contents()["meta-test-dataset"]["5527"]["31"]["y"])
    assert problem.reference.best == -accuracies.max()
    assert problem.reference.worst == -accuracies.min()


def test_the_past_is_the_other_splits_of_the_same_search_space(data: Path) -> None:
    past = HpobProblem(data, "5527/23").past(RNG)
    assert past.names == ("train/1", "train/2", "train/3", "validation/4")
    rows = contents()["meta-validation-dataset"]["5527"]["4"]
    assert taken_rows(past.tasks[3].codes) == taken_rows(np.array(rows["X"]))
    assert sorted(past.tasks[3].losses) == sorted(-np.ravel(rows["y"]))


def test_rows_of_the_past_keep_their_losses(data: Path) -> None:
    task = HpobProblem(data, "5527/23").past(RNG).tasks[0]
    rows = contents()["meta-train-dataset"]["5527"]["1"]
    losses = {tuple(x): -y for x, (y,) in zip(rows["X"], rows["y"], strict=True)}
    assert [losses[tuple(x)] for x in task.codes] == task.losses.tolist()


def test_the_past_can_be_limited_to_random_rows(data: Path) -> None:
    problem = HpobProblem(data, "5527/23", past_size=5)
    once, again, other = (problem.past(np.random.default_rng(seed)) for seed in (0, 0, 1))
    assert [len(task) for task in once] == [5, 5, 5, 5]
    assert_array_equal(once.codes, again.codes)
    assert (once.codes != other.codes).any()


def test_initial_configurations_are_those_of_the_seed(data: Path) -> None:
    problem = HpobProblem(data, "5527/31")
    rows = np.array(contents()["meta-test-dataset"]["5527"]["31"]["X"])
    for seed in range(5):
        assert_array_equal(problem.initial(seed), rows[[seed, seed + 1, 2, 0, 11]])
        assert_array_equal(problem.initial(seed + 5), problem.initial(seed))


def test_repeated_configurations_are_averaged(data: Path) -> None:
    problem = HpobProblem(data, "4796/23")
    assert len(problem.search.candidates(RNG, set())) == 10
    assert problem.evaluate(np.full(3, 0.5), RNG).loss == pytest.approx(-0.4)


def test_initial_rows_are_right_although_the_table_is_in_another_order(data: Path) -> None:
    problem = HpobProblem(data, "4796/23")
    first = problem.initial(0)
    assert_array_equal(first[[0, 3, 4]], np.full((3, 3), 0.5))
    assert_array_equal(first[1], [0, 0, 1])
    found = [problem.evaluate(row, RNG).loss for row in first]
    third = contents()["meta-test-dataset"]["4796"]["23"]["y"][2][0]
    assert found == pytest.approx([-0.4, -0.9, -third, -0.4, -0.4])


def test_a_row_is_found_again_by_its_configuration(data: Path) -> None:
    problem = HpobProblem(data, "4796/23")
    space = problem.search.space
    for config in space.configs(problem.search.candidates(RNG, set())):
        assert problem.evaluate(space.codes([config])[0], RNG).loss <= 0


def test_files_are_read_once(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = HpobProblem(data, "5527/31")
    forget()  # as in another process
    monkeypatch.setattr(hpob, "_read", lambda *_: pytest.fail("read again"))
    after = HpobProblem(data, "5527/31")
    assert_array_equal(after.initial(3), before.initial(3))
    assert_array_equal(after.past(RNG).names, before.past(RNG).names)
    assert after.reference == before.reference


def test_a_changed_file_is_read_again(data: Path) -> None:
    hpob.tasks(data)
    changed = contents()["meta-test-dataset"]
    del changed["5527"]["23"]
    write(data, {"meta-test-dataset": changed})
    assert hpob.tasks(data) == ("4796/23", "4796/31", "5527/31")


def test_a_touched_file_is_read_again(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hpob.tasks(data)
    os.utime(data / "bo-initializations.json", (0, 0))
    monkeypatch.setattr(hpob, "_names", lambda *_: {"names": np.frombuffer(b"anew", np.uint8)})
    assert hpob.tasks(data) == ("anew",)


def test_it_works_without_a_cache_on_disk(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MALIBO_CACHE", str(data / "bo-initializations.json"))
    assert len(HpobProblem(data, "5527/31").past(RNG)) == 48


# -- what is refused -----------------------------------------------------------------------


@pytest.mark.parametrize("name", list(contents()))
def test_a_missing_file_is_named(name: str, data: Path) -> None:
    (data / f"{name}.json").unlink()
    with pytest.raises(InputError, match=rf"no {name}\.json in .*official folder hpob-data"):
        hpob.tasks(data)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"in '.*absent'; expected the official .* HPO-B-v3\."):
        hpob.tasks(tmp_path / "absent")


@pytest.mark.parametrize("name", list(contents()))
@pytest.mark.parametrize("content", ["", '{"4796": {', "[1,"])
def test_a_damaged_file_is_named(name: str, content: str, data: Path) -> None:
    (data / f"{name}.json").write_text(content)
    with pytest.raises(InputError, match=rf"{name}\.json is damaged .*; download it again"):
        hpob.tasks(data)


@pytest.mark.parametrize("content", [[], {}])
def test_a_file_of_something_else_is_named(content: Any, data: Path) -> None:
    write(data, {"meta-test-dataset": content})
    with pytest.raises(InputError, match=r"meta-test-dataset\.json holds no search spaces"):
        hpob.tasks(data)


@pytest.mark.parametrize("name", ["meta-train-dataset", "meta-validation-dataset"])
def test_a_missing_search_space_is_named(name: str, data: Path) -> None:
    content = contents()[name]
    del content["5527"]
    write(data, {name: content})
    with pytest.raises(InputError, match=rf"{name}\.json has no search space '5527'; expected"):
        hpob.tasks(data)


def test_an_unknown_task_names_the_nearest(data: Path) -> None:
    with pytest.raises(InputError, match=r"no meta-test task '4796/32'\. Did you mean '4796/.*'\?"):
        HpobProblem(data, "4796/32")


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[0.5, 1.2]], [[0.1]], r"X is outside \[0, 1\] by 0\.2; expected"),
        ([[0.5, -0.2]], [[0.1]], r"X is outside \[0, 1\] by 0\.2; expected"),
        ([[0.5, None]], [[0.1]], "not finite"),
        ([[0.5, 0.1]], [[None]], "not finite"),
        ([[0.5, 0.1]], [[0.1], [0.2]], "one number for each row"),
        ([[0.5, 0.1], [0.5]], [[0.1], [0.2]], "one number for each row"),
        ([["a", 0.1]], [[0.1]], "one number for each row"),
        ([], [], "one number for each row"),
    ],
)
def test_a_wrong_table_is_named(X: Any, y: Any, message: str, data: Path) -> None:
    content = contents()["meta-train-dataset"]
    content["5527"]["2"] = {"X": X, "y": y}
    write(data, {"meta-train-dataset": content})
    with pytest.raises(InputError, match=rf"^meta-train-dataset\.json, 5527/2: .*{message}"):
        hpob.tasks(data)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, "needs 'test0', 'test1', 'test2', 'test3', 'test4', lists of row numbers"),
        ({"test0": [0]}, "lists of row numbers"),
        ({f"test{seed}": [0] * (seed + 1) for seed in range(5)}, "lists of row numbers"),
        ({f"test{seed}": [12] for seed in range(5)}, "must be from 0 to 11"),
        ({f"test{seed}": [-1] for seed in range(5)}, "must be from 0 to 11"),
    ],
)
def test_wrong_initial_rows_are_named(given: Any, message: str, data: Path) -> None:
    content = contents()["bo-initializations"]
    content["5527"]["31"] = given
    write(data, {"bo-initializations": content})
    with pytest.raises(InputError, match=rf"^bo-initializations\.json, 5527/31: .*{message}"):
        hpob.tasks(data)
