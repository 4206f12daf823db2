"""Sets of a data folder, in all their formats."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from malibo import Categorical, Float, Int, Ordinal, Space
from malibo.bench.problems import folder
from malibo.bench.problems.tables import TableProblem
from malibo.errors import InputError, MissingDependencyError

NAN = np.nan
RNG = np.random.default_rng(0)
PARAMETERS: list[dict[str, Any]] = [
    {"name": "lr", "type": "float", "low": 0.001, "high": 1.0, "log": True, "note": "a remark"},
    {"name": "layers", "type": "int", "low": 1, "high": 4, "log": False},
    {"name": "batch", "type": "ordinal", "choices": [16, 32]},
    {"name": "optimizer", "type": "categorical", "choices": ["none", "sgd"]},
    {"name": "momentum", "type": "float", "low": 0, "high": 1, "when": {"optimizer": ["sgd"]}},
]
ROWS = """task,lr,layers,batch,optimizer,momentum,accuracy,runtime,comment
02,0.01,1,16,none,,0.5,10,x
1,0.1,4,32,sgd,0.25,0.75,20,
1,0.1,2,32.0,none,,0.25,,y
02,1,4,32,sgd,0.5,0.125,40,
"""


def description(**changes: Any) -> dict[str, Any]:
    plain = {
        "title": "Small networks",
        "parameters": PARAMETERS,
        "objective": {"column": "accuracy", "direction": "maximize"},
        "tasks": ["1", "02"],
    }
    return {key: value for key, value in (plain | changes).items() if value is not None}


def write_csv(path: Path, rows: str = ROWS, **changes: Any) -> Path:
    (path / "nets.json").write_text(json.dumps(description(**changes)))
    (path / "nets.csv.gz").write_bytes(gzip.compress(rows.encode()))
    return path


GRID: list[dict[str, Any]] = [
    {"name": "a", "type": "categorical", "choices": ["x", "y"]},
    {"name": "b", "type": "ordinal", "choices": [1, 10, 100]},
]
X = np.array([[i, j] for j in range(3) for i in range(2)], np.uint8)


def write_npz(path: Path, direction: str = "minimize", **arrays: Any) -> Path:
    losses = np.arange(36, dtype=np.float32).reshape(2, 6, 3)
    losses[0, 0] = [1, NAN, 5]
    losses[1, 2] = NAN
    plain = description(
        parameters=GRID, objective={"array": "val_loss", "direction": direction}, tasks=["s", "t"]
    )
    (path / "grid.json").write_text(json.dumps(plain))
    found = {"X": X, "val_loss": losses, "train_time": np.full((2, 6), 7.0), **arrays}
    np.savez(path / "grid.npz", **{name: a for name, a in found.items() if a is not None})
    return path


# -- what there is -------------------------------------------------------------------------


def test_a_set_is_a_description_with_a_table_beside_it(tmp_path: Path) -> None:
    write_npz(write_csv(tmp_path))
    (tmp_path / "lonely.json").write_text("{}")
    (tmp_path / "other.csv").write_text("task\n")
    assert folder.names(tmp_path) == ("grid", "nets")


def test_a_set_is_described_in_one_line(tmp_path: Path) -> None:
    assert folder.describe(write_csv(tmp_path), "nets") == "Small networks: 2 tasks, 5 parameters"
    write_csv(tmp_path, title=None)
    assert folder.describe(tmp_path, "nets") == "nets: 2 tasks, 5 parameters"


def test_the_space_is_the_declared_one() -> None:
    assert folder.space_of(description()) == Space(
        lr=Float(0.001, 1, log=True),
        layers=Int(1, 4),
        batch=Ordinal([16, 32]),
        optimizer=Categorical(["none", "sgd"]),
        momentum=Float(0, 1, when={"optimizer": ["sgd"]}),
    )


# -- rows of a CSV file --------------------------------------------------------------------


def test_a_csv_file_becomes_a_table_for_each_task(tmp_path: Path) -> None:
    tables = folder.load(write_csv(tmp_path), "nets").tables
    assert list(tables) == ["1", "02"]
    assert_array_equal(tables["1"].codes, [[0.1, 4, 1, 1, 0.25], [0.1, 2, 1, 0, NAN]])
    assert_array_equal(tables["02"].codes, [[0.01, 1, 0, 0, NAN], [1, 4, 1, 1, 0.5]])
    assert_array_equal(tables["1"].seconds, [20, NAN])


def test_a_score_is_turned_into_a_loss(tmp_path: Path) -> None:
    assert_array_equal(folder.load(write_csv(tmp_path), "nets").tables["1"].losses, [-0.75, -0.25])


def test_a_loss_stays_a_loss(tmp_path: Path) -> None:
    write_csv(tmp_path, objective={"column": "accuracy", "direction": "minimize"})
    assert_array_equal(folder.load(tmp_path, "nets").tables["1"].losses, [0.75, 0.25])


def test_a_plain_csv_file_is_read_too(tmp_path: Path) -> None:
    (write_csv(tmp_path) / "nets.csv.gz").unlink()
    (tmp_path / "nets.csv").write_text(ROWS)
    assert_array_equal(folder.load(tmp_path, "nets").tables["1"].losses, [-0.75, -0.25])


def test_repeated_configurations_are_averaged(tmp_path: Path) -> None:
    write_csv(tmp_path, ROWS + "1,0.1,4,32,sgd,0.25,0.25,60,\n")
    table = folder.load(tmp_path, "nets").tables["1"]
    row = table.look_up(np.array([0.1, 4, 1, 1, 0.25]))
    assert (len(table.losses), row.loss, row.seconds) == (2, -0.5, 40)


def test_rows_without_an_objective_are_left_out(tmp_path: Path) -> None:
    write_csv(tmp_path, ROWS + "1,0.5,4,32,sgd,0.25,,60,\n")
    assert len(folder.load(tmp_path, "nets").tables["1"].losses) == 2


def test_the_objective_is_not_taken_for_the_training_time(tmp_path: Path) -> None:
    write_csv(tmp_path, objective={"column": "runtime", "direction": "minimize"})
    table = folder.load(tmp_path, "nets").tables["02"]
    assert_array_equal(table.losses, [10, 40])
    assert np.isnan(table.seconds).all()


def test_an_empty_cell_without_a_condition_is_unknown(tmp_path: Path) -> None:
    write_csv(tmp_path, ROWS + "1,,4,32,sgd,0.25,0.5,60,\n1,,4,32,sgd,0.25,0.25,60,\n")
    table = folder.load(tmp_path, "nets").tables["1"]
    assert len(table.losses) == 3
    assert table.look_up(np.array([NAN, 4, 1, 1, 0.25])).loss == -0.375


def test_a_value_of_an_inactive_parameter_is_dropped(tmp_path: Path) -> None:
    write_csv(tmp_path, ROWS + "1,0.5,4,32,none,0.25,0.5,60,\n")
    table = folder.load(tmp_path, "nets").tables["1"]
    assert table.look_up(np.array([0.5, 4, 1, 0, NAN])).loss == -0.5


def test_an_empty_cell_is_the_choice_none_where_there_is_one(tmp_path: Path) -> None:
    depth = {"name": "depth", "type": "categorical", "choices": [None, 3, True, "4"]}
    rows = "task,depth,y\na,,1\na,3,2\na,true,3\nb,4,4\nb,True,5\n"
    objective = {"column": "y", "direction": "minimize"}
    write_csv(tmp_path, rows, parameters=[depth], objective=objective, tasks=["a", "b"])
    tables = folder.load(tmp_path, "nets").tables
    assert tables["a"].codes.ravel().tolist() == [0, 1, 2]
    assert tables["b"].codes.ravel().tolist() == [3, 2]


def test_every_row_is_found_again_by_its_configuration(tmp_path: Path) -> None:
    near = ROWS.replace("1,0.1,4", "1,1.0000000001,4.0000000001")
    tables = folder.load(write_csv(tmp_path, near), "nets")
    assert 1.0 in tables.tables["1"].codes[:, 0]
    for task in tables.tables:
        problem = TableProblem(tables, task)
        rows = problem.search.candidates(RNG, set())
        assert len(rows) == 2
        for config in tables.space.configs(rows):
            assert -0.75 <= problem.evaluate(tables.space.codes([config])[0], RNG).loss <= -0.125


def test_a_set_is_read_once(tmp_path: Path) -> None:
    write_csv(tmp_path)
    assert folder.load(tmp_path, "nets") is folder.load(tmp_path, "nets")


# -- complete grids ------------------------------------------------------------------------


def test_a_grid_is_averaged_over_its_repeats(tmp_path: Path) -> None:
    tables = folder.load(write_npz(tmp_path), "grid").tables
    assert list(tables) == ["s", "t"]
    assert_array_equal(tables["s"].codes, X)
    assert_allclose(tables["s"].losses, [3, 4, 7, 10, 13, 16])
    assert_array_equal(tables["s"].seconds, np.full(6, 7.0))


def test_a_configuration_without_any_repeat_is_left_out(tmp_path: Path) -> None:
    table = folder.load(write_npz(tmp_path), "grid").tables["t"]
    assert_array_equal(table.codes, np.delete(X, 2, axis=0))
    assert_allclose(table.losses, [19, 22, 28, 31, 34])


def test_a_grid_of_scores_is_turned(tmp_path: Path) -> None:
    scores = np.arange(12.0).reshape(2, 6)
    write_npz(tmp_path, "maximize", val_loss=scores, train_time=None)
    table = folder.load(tmp_path, "grid").tables["t"]
    assert_array_equal(table.losses, -scores[1])
    assert np.isnan(table.seconds).all()


def test_a_complete_grid_is_searched_as_a_space(tmp_path: Path) -> None:
    tables = folder.load(write_npz(tmp_path), "grid")
    assert TableProblem(tables, "s").search.table is None
    assert TableProblem(tables, "t").search.table is tables.tables["t"].codes


# -- what is refused -----------------------------------------------------------------------


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no folder '.*absent'"):
        folder.names(tmp_path / "absent")


def test_an_unknown_set_names_the_nearest_and_the_known(tmp_path: Path) -> None:
    write_npz(write_csv(tmp_path))
    for ask in (folder.load, folder.describe):
        with pytest.raises(InputError, match=r"set 'net': not in .*nearest first: nets, grid\."):
            ask(tmp_path, "net")


def test_a_folder_without_sets_says_so(tmp_path: Path) -> None:
    assert folder.names(tmp_path) == ()
    with pytest.raises(InputError, match="there is none at all"):
        folder.load(tmp_path, "nets")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tasks": ["1"]}, "at least 2 tasks, each listed once, got '1'"),
        ({"tasks": ["1", "02", "1"]}, "at least 2 tasks, each listed once, got '1', '02', '1'"),
        ({"tasks": None}, "needs 'tasks', a list, got None"),
        ({"tasks": ["1", "3"]}, "task '02' in line 2 is not listed in 'tasks'"),
        ({"tasks": ["1", "02", "3"]}, "task '3' has no row with a number as 'accuracy'"),
        ({"parameters": None}, "needs 'parameters', a list"),
        ({"parameters": [{"type": "int"}]}, "needs 'name', a str"),
        ({"parameters": [PARAMETERS[0], PARAMETERS[0]]}, "parameter 'lr' is listed twice"),
        ({"parameters": [{"name": "lr", "type": "real"}]}, "'lr': unknown parameter type 'real'"),
        ({"parameters": [{"name": "lr", "type": "float"}]}, "'lr': incomplete float parameter"),
        ({"objective": {"direction": "minimize"}}, "needs 'column', a str"),
        ({"objective": {"column": "accuracy"}}, "needs 'direction', a str"),
        ({"objective": {"column": "accuracy", "direction": "up"}}, "'maximize', got 'up'"),
        ({"objective": {"column": "error", "direction": "minimize"}}, "no column 'error'; it has"),
    ],
)
def test_a_wrong_description_is_refused(
    changes: dict[str, Any], message: str, tmp_path: Path
) -> None:
    write_csv(tmp_path, **changes)
    with pytest.raises(InputError, match=message) as caught:
        folder.load(tmp_path, "nets")
    assert str(caught.value).startswith("set 'nets': ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("1,0.1,4", "1,2,4", "'lr', line 3: expected a number from 0.001 to 1.0, got 2.0"),
        ("1,0.1,4", "1,0.1,1.5", "'layers', line 3: expected an integer from 1 to 4, got 1.5"),
        ("1,0.1,4", "1,fast,4", "'lr', line 3: expected a number, got 'fast'"),
        ("sgd", "adam", "'optimizer', line 3: expected one of 'none', 'sgd', got 'adam'"),
        ("32,", "33,", "'batch', line 3: expected one of 16, 32, got '33'"),
        ("0.75", "good", "'accuracy', line 3: expected a number, got 'good'"),
        ("layers", "depth", "has no column 'layers'; it has 'task', 'lr', 'depth'"),
    ],
)
def test_a_wrong_cell_is_named(before: str, after: str, message: str, tmp_path: Path) -> None:
    write_csv(tmp_path, ROWS.replace(before, after, 1))
    with pytest.raises(InputError, match=message):
        folder.load(tmp_path, "nets")


@pytest.mark.parametrize("text", ["{", "", "\udcff"])
def test_a_broken_description_is_named(text: str, tmp_path: Path) -> None:
    content = text.encode("utf-8", "surrogateescape")
    (write_csv(tmp_path) / "nets.json").write_bytes(content)
    with pytest.raises(InputError, match=r"set 'nets': nets\.json cannot be read as JSON"):
        folder.load(tmp_path, "nets")


def test_a_description_that_is_a_list_is_refused(tmp_path: Path) -> None:
    (write_csv(tmp_path) / "nets.json").write_text("[]")
    with pytest.raises(InputError, match="needs 'tasks'"):
        folder.load(tmp_path, "nets")


@pytest.mark.parametrize("content", [b"", b"task", gzip.compress(ROWS.encode(), mtime=0)[:-20]])
def test_a_damaged_table_is_named(content: bytes, tmp_path: Path) -> None:
    (write_csv(tmp_path) / "nets.csv.gz").write_bytes(content)
    with pytest.raises(InputError, match=r"set 'nets': nets\.csv\.gz cannot be read as CSV"):
        folder.load(tmp_path, "nets")


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"X": X + 1}, "X, row 1: 2 is no index of a choice of 'a'"),
        ({"X": X[:, :1]}, r"X must be \(n, 2\), got shape \(6, 1\)"),
        ({"X": None}, r"grid\.npz has no array 'X'; it has 'val_loss', 'train_time'"),
        ({"val_loss": None}, "has no array 'val_loss'"),
        ({"val_loss": np.zeros((3, 6))}, r"array 'val_loss' must be \(2, 6\)"),
        ({"train_time": np.zeros(6)}, r"array 'train_time' must be \(2, 6\)"),
        ({"val_loss": np.full((2, 6), "a")}, "cannot be read as arrays"),
        ({"val_loss": np.array([print])}, "cannot be read as arrays"),
    ],
)
def test_wrong_arrays_are_refused(arrays: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"set 'grid': .*{message}"):
        folder.load(write_npz(tmp_path, **arrays), "grid")


@pytest.mark.parametrize("keep", [0, 10, 200])
def test_a_damaged_grid_is_named(keep: int, tmp_path: Path) -> None:
    path = write_npz(tmp_path) / "grid.npz"
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(InputError, match=r"grid\.npz cannot be read as arrays"):
        folder.load(tmp_path, "grid")


def test_without_pandas_there_is_a_pip_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingDependencyError, match=r'pip install "malibo\[bench\]"'):
        folder.load(write_csv(tmp_path), "nets")
