"""Tasks from DataFrames and CSV files."""

from __future__ import annotations

import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from malibo import Categorical, Fixed, Float, History, Int, Ordinal, Space
from malibo.errors import HistoryError, InputError
from malibo.sources.tables import frame_codes

NAN = np.nan
SPACE = Space(
    lr=Float(1e-4, 1e-1, log=True),
    batch=Ordinal([16, 32, 64]),
    optimizer=Categorical(["adam", "sgd"]),
    momentum=Float(0, 0.9, when={"optimizer": "sgd"}),
)


def good_frame() -> pd.DataFrame:
    """Two tasks, rows mixed; an inactive parameter has no value."""
    return pd.DataFrame(
        {
            "data": ["iris", "wine", "iris", "wine"],
            "lr": [0.1, 0.01, 0.001, 0.02],
            "batch": [16, 32, 64, 64],
            "optimizer": ["adam", "sgd", "sgd", "adam"],
            "momentum": [NAN, 0.5, 0.9, NAN],
            "loss": [0.5, 0.4, NAN, 0.25],
            "comment": ["", "x", "y", ""],
        }
    )


def read(source: Any, space: Space = SPACE, **options: Any) -> History:
    arguments = {"task": "data", "objective": "loss", "space": space} | options
    return History.from_table(source, **arguments)


def changed(column: str, row: int, value: Any) -> pd.DataFrame:
    frame = good_frame().astype({column: object})
    frame.loc[row, column] = value
    return frame


# -- what is read --------------------------------------------------------------------------


def test_a_frame_becomes_one_task_for_each_name() -> None:
    history = read(good_frame())
    assert history.names == ("iris", "wine")
    assert history.space == SPACE
    iris, wine = history.tasks
    assert_array_equal(iris.codes, [[0.1, 0, 0, NAN], [0.001, 2, 1, 0.9]])
    assert_array_equal(wine.codes, [[0.01, 1, 1, 0.5], [0.02, 2, 0, NAN]])
    assert_array_equal(iris.losses, [0.5, NAN])
    assert_array_equal(wine.losses, [0.4, 0.25])


@pytest.mark.parametrize("as_text", [True, False])
def test_a_csv_file_gives_the_same_tasks_as_the_frame(tmp_path: Path, as_text: bool) -> None:
    path = tmp_path / "runs.csv"
    good_frame().to_csv(path, index=False)
    from_file = read(str(path) if as_text else path)
    assert from_file.names == ("iris", "wine")
    for one, other in zip(from_file, read(good_frame()), strict=True):
        assert_array_equal(one.codes, other.codes)
        assert_array_equal(one.losses, other.losses)


def test_an_index_of_its_own_does_not_disturb() -> None:
    frame = good_frame().set_index(pd.Index([7, 7, 3, 1]))
    assert_array_equal(read(frame).codes, read(good_frame()).codes)


def test_maximize_turns_the_sign() -> None:
    history = read(good_frame(), direction="maximize")
    assert_array_equal(history.losses, [-0.5, NAN, -0.4, -0.25])
    assert history.direction == "maximize"


@pytest.mark.parametrize(
    ("cells", "failed", "note"),
    [
        ([1.0, np.inf, -np.inf], 2, "2 infinite objectives count as failed"),
        (["1", "2", "-Infinity"], 1, "1 infinite objective counts as failed"),
        (["1", "NA", "inf"], 2, "1 infinite objective counts as failed"),
        (["1", "2", None], 1, None),
    ],
)
def test_infinite_objectives_are_told_of(cells: list[Any], failed: int, note: str | None) -> None:
    frame = pd.DataFrame({"t": "a", "x": [0.1, 0.2, 0.3], "y": cells})
    history = History.from_table(frame, task="t", objective="y", space={"x": Float(0, 1)})
    told = [sentence for sentence in history.repairs if "infinite" in sentence]
    assert told == ([] if note is None else [note])
    assert history.tasks[0].failed == failed


def test_an_infinite_objective_of_a_failed_run_is_no_news() -> None:
    frame = good_frame().assign(state=["ok", "ok", "failed", "ok"], loss=[1, 2, np.inf, 3])
    assert not any("infinite" in sentence for sentence in read(frame).repairs)


@pytest.mark.parametrize("failure", [None, NAN, np.inf, -np.inf])
def test_an_objective_without_a_number_is_a_failed_trial(failure: float | None) -> None:
    history = read(changed("loss", 3, failure), direction="maximize")
    assert_array_equal(history.losses, [-0.5, NAN, -0.4, NAN])
    assert [task.failed for task in history] == [1, 1]


def test_values_of_inactive_parameters_are_left_out() -> None:
    assert np.isnan(read(changed("momentum", 0, 0.3)).codes[0, 3])


def test_choices_that_look_like_numbers_are_read_from_text(tmp_path: Path) -> None:
    space = Space(
        depth=Categorical(["1", "2"]),
        size=Ordinal([1, 2.5]),
        flag=Categorical([True, False]),
        none=Categorical([None, "None!", "NA"]),
    )
    path = tmp_path / "runs.csv"
    path.write_text("data,loss,depth,size,flag,none\nx,1,2,1,True,\nx,2,1,2.5,False,NA\n")
    assert_array_equal(read(path, space).codes, [[1, 0, 0, 0], [0, 1, 1, 2]])


def test_an_empty_cell_is_the_choice_none_where_there_is_one() -> None:
    space = Space(norm=Categorical(["batch", None]), on=Fixed(None))
    frame = pd.DataFrame({"data": "x", "loss": [1, 2], "norm": [None, "batch"]})
    assert_array_equal(read(frame, space).codes, [[1, 0], [0, 0]])


def test_task_names_that_are_numbers_become_text() -> None:
    assert read(good_frame().assign(data=[3, 31, 3, 31])).names == ("3", "31")


def test_fixed_values_and_defaults_need_no_column() -> None:
    space = Space({**SPACE, "epochs": Fixed(10), "decay": Float(0, 1, default=0.25)})
    history = read(good_frame(), space)
    assert_array_equal(history.codes[:, 4:], [[0, 0.25]] * 4)
    assert "'decay' is empty: filled with its default 0.25 (all tasks)" in history.describe()
    assert "epochs" not in history.describe().partition("Repairs")[2]


def test_a_column_empty_for_one_task_is_a_parameter_that_it_lacks() -> None:
    history = read(good_frame().assign(lr=[NAN, 0.01, NAN, 0.02]))
    assert_array_equal(history.codes[:, 0], [NAN, NAN, 0.01, 0.02])
    sentence = "'lr' is empty: its value is unknown, drawn uniformly and anew as training goes on"
    assert f"- {sentence} ('iris')" in history.describe()


def test_a_lacking_parameter_with_a_default_gets_it() -> None:
    space = Space({**SPACE, "lr": Float(1e-4, 1e-1, log=True, default=1e-3)})
    history = read(good_frame().assign(lr=[NAN, 0.01, NAN, 0.02]), space)
    assert_array_equal(history.codes[:, 0], [1e-3, 1e-3, 0.01, 0.02])
    assert "- 'lr' is empty: filled with its default 0.001 ('iris')" in history.describe()


def test_a_conditional_parameter_may_be_lacking_too() -> None:
    frame = good_frame()
    rows = frame.optimizer == "sgd"
    assert rows.any()
    history = read(frame.assign(momentum=NAN))
    assert_array_equal(np.isnan(history.codes[:, 3]), np.ones(4))
    assert "'momentum' is empty: its value is unknown" in history.describe()
    space = Space({**SPACE, "momentum": Float(0, 0.9, default=0.5, when={"optimizer": "sgd"})})
    filled = read(frame.drop(columns="momentum"), space)
    made = filled.joint.complete(filled.codes, np.random.default_rng(0))
    active = filled.joint.active("momentum", made)
    assert_array_equal(made[active, 3], 0.5)
    assert np.isnan(made[~active, 3]).all()
    assert "'momentum' is empty: filled with its default 0.5" in filled.describe()


def test_a_gap_of_a_conditional_parameter_is_refused() -> None:
    frame = pd.concat([good_frame()] * 2, ignore_index=True)
    gap = int(np.flatnonzero(frame.optimizer == "sgd")[0])
    frame.loc[gap, "momentum"] = NAN
    with pytest.raises(HistoryError, match=rf"row {gap + 1}, column 'momentum': it is empty"):
        read(frame)


def test_a_million_rows_are_read_as_columns() -> None:
    count = 1_000_000
    numbers = np.arange(count)
    frame = pd.DataFrame({f"p{i}": (numbers % (7 + i)) / 20 for i in range(5)})
    frame = frame.assign(data=np.array(list("abcdefghij"))[numbers % 10], loss=numbers / count)
    space = Space({f"p{i}": Float(0, 1) for i in range(5)})
    tracemalloc.start()
    try:
        blocks = sys.getallocatedblocks()
        history = read(frame, space)
        assert sys.getallocatedblocks() - blocks < 10_000
        assert tracemalloc.get_traced_memory()[1] < 400e6
    finally:
        tracemalloc.stop()
    assert len(history) == count
    assert history.tasks[3].losses[1] == 13 / count


# -- what is refused -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (changed("loss", 1, "bad"), r"row 2, column 'loss': expected a number .*got 'bad'"),
        (good_frame().assign(loss=True), "objective column 'loss' must be numeric .*got 'True'"),
        (good_frame().assign(loss="low"), "objective column 'loss' must be numeric .*got 'low'"),
        (good_frame().rename(columns={"lr": "lrs"}), "no column 'lr'; it .* mean 'lrs'"),
        (good_frame().rename(columns={"loss": "Loss"}), "no column 'loss'; .* mean 'Loss'"),
        (good_frame().rename(columns={"data": "date"}), "no column 'data'; .* mean 'date'"),
        (changed("lr", 2, None), r"row 3, column 'lr': it is empty although .* is active"),
        (
            changed("optimizer", 3, "lamb"),
            r"row 4, column 'optimizer': expected one of 'adam', 'sgd', got 'lamb'",
        ),
        (changed("batch", 0, 17), r"row 1, column 'batch': expected one of 16, 32, 64, got 17"),
        (changed("lr", 0, 0.5), r"row 1, column 'lr': .*from 0.0001 to 0.1, got 0.5"),
        (changed("lr", 1, "fast"), r"row 2, column 'lr': .*got 'fast'"),
        (changed("data", 2, None), r"row 3, column 'data': it is empty; name the task"),
        (good_frame().iloc[:0], "the table has no rows; there is nothing to learn from"),
        (good_frame().assign(loss=[NAN, 1, NAN, 1]), "task 'iris' has no valid observation"),
        (pd.concat([good_frame(), good_frame()["lr"]], axis=1), "column 'lr' more than once"),
    ],
)
def test_a_wrong_frame_is_refused(frame: pd.DataFrame, message: str) -> None:
    with pytest.raises(HistoryError, match=message):
        read(frame)


def test_a_truth_value_is_no_objective() -> None:
    with pytest.raises(HistoryError, match=r"row 2, column 'loss': expected a number .*got True"):
        read(changed("loss", 1, True))


def test_rows_of_a_file_are_named_by_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    changed("lr", 1, 7.0).to_csv(path, index=False)
    with pytest.raises(HistoryError, match=r"1 row of .*runs\.csv cannot be read: line 3, column"):
        read(path)


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(InputError, match="direction must be 'minimize' or 'maximize', got 'up'"):
        read(good_frame(), direction="up")
    for task, objective in ((["dataset"], "loss"), ("dataset", 3)):
        with pytest.raises(HistoryError, match="task and objective name one column each"):
            History.from_table(good_frame(), task=task, objective=objective, space=SPACE)  # type: ignore[arg-type]
    with pytest.raises(HistoryError, match="must be different columns"):
        History.from_table(good_frame(), task="dataset", objective="lr", space=SPACE)
    with pytest.raises(HistoryError, match=r"space must be a malibo\.Space, a dict .*got 5"):
        read(good_frame(), 5)  # type: ignore[arg-type]
    with pytest.raises(HistoryError, match="expected a path or a pandas DataFrame, got dict"):
        read({"data": [1]})


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(HistoryError, match=r"there is no file '.*runs\.csv'"):
        read(tmp_path / "runs.csv")


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n\x00\xff\xfe", b'a,b\n"1,2\n3,4'])
def test_a_file_that_is_no_csv_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "runs.csv"
    path.write_bytes(content)
    with pytest.raises(HistoryError, match=r"runs\.csv' cannot be read as CSV"):
        read(path)


def test_a_folder_is_no_csv(tmp_path: Path) -> None:
    with pytest.raises(HistoryError, match="cannot be read as CSV"):
        read(tmp_path)


def test_a_file_with_a_header_only_has_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    good_frame().iloc[:0].to_csv(path, index=False)
    with pytest.raises(HistoryError, match=r"runs\.csv has no rows"):
        read(path)


# -- candidates ----------------------------------------------------------------------------


def test_frame_codes_ignores_other_columns() -> None:
    codes = frame_codes(good_frame(), SPACE)
    assert_array_equal(codes[:2], [[0.1, 0, 0, NAN], [0.01, 1, 1, 0.5]])


def test_frame_codes_knows_no_lacking_parameter() -> None:
    with pytest.raises(HistoryError, match="column 'lr' is empty in row 1"):
        frame_codes(good_frame().assign(lr=NAN), SPACE)


def test_a_number_that_is_no_integer_is_refused_for_an_int() -> None:
    with pytest.raises(
        HistoryError, match=r"column 'n', row 2: .*an integer from 1 to 3, got 1\.5"
    ):
        frame_codes(pd.DataFrame({"n": [1, 1.5]}), Space(n=Int(1, 3)))
