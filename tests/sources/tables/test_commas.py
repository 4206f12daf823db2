"""Commas in numbers: decimal, in doubt, or no number at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from malibo import Categorical, Float, History, Int, Ordinal
from malibo.errors import HistoryError
from malibo.sources.tables.commas import with_points
from malibo.sources.tables.files import read_file


def read(**columns: list[str]) -> tuple[dict[Any, Any], list[str], dict[str, str]]:
    frame, notes, unclear = with_points(pd.DataFrame(columns, dtype=str))
    return frame.to_dict("list"), notes, unclear


def test_a_comma_that_groups_no_digits_is_decimal() -> None:
    cells, notes, unclear = read(a=["0,5", "-2,25E+1"], b=["1", "2"])
    assert cells == {"a": ["0.5", "-2.25E+1"], "b": ["1", "2"]}
    assert notes == ["commas in 'a' were read as decimal points"]
    assert unclear == {}


@pytest.mark.parametrize("cell", ["0,512", "1234,567", "0,5", "1,02", "12,3456"])
def test_one_such_comma_decides_on_the_whole_file(cell: str) -> None:
    cells, notes, unclear = read(a=[cell, "1,985"], b=["1,024", "512"])
    assert cells == {"a": [cell.replace(",", "."), "1.985"], "b": ["1.024", "512"]}
    assert notes == ["commas in 'a', 'b' were read as decimal points"]
    assert unclear == {}


@pytest.mark.parametrize("others", [["1", "2"], ["0.5", "1.5"], ["x", "y"]])
def test_a_comma_before_three_digits_is_in_doubt(others: list[str]) -> None:
    cells, notes, unclear = read(a=["512", "1,024"], b=["2,048,000", "7"], c=others)
    assert cells == {"a": ["512", "1,024"], "b": ["2,048,000", "7"], "c": others}
    assert notes == []
    assert unclear == {"a": "1,024", "b": "2,048,000"}


def test_where_numbers_have_points_commas_are_not_decimal() -> None:
    cells, notes, unclear = read(kernel=["3,3", "5,5"], lr=["0.1", "1e-3"])
    assert cells["kernel"] == ["3,3", "5,5"]
    assert notes == []
    assert unclear == {}


def test_texts_with_commas_stay_texts() -> None:
    cells, notes, unclear = read(a=["1,x", "2,5"], b=["u, v", "w"])
    assert cells == {"a": ["1,x", "2,5"], "b": ["u, v", "w"]}
    assert (notes, unclear) == ([], {})


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=9))
def test_numbers_with_thousands_marked_never_become_smaller(numbers: list[int]) -> None:
    cells, _, unclear = read(n=[f"{number:,}" for number in numbers])
    assert cells == {"n": [f"{number:,}" for number in numbers]}
    assert bool(unclear) == any(number >= 1000 for number in numbers)


NUMBERS = [f"{i},5" for i in range(20)]


@pytest.mark.parametrize("odd", ["n.d.", "RT", "<0,5", "12,5 min", "NA", "None", "inf", "- "])
def test_an_odd_cell_hides_no_decimal_commas(odd: str) -> None:
    cells, notes, unclear = read(a=[*NUMBERS, odd])
    assert cells == {"a": [*(cell.replace(",", ".") for cell in NUMBERS), odd]}
    assert notes == ["commas in 'a' were read as decimal points"]
    assert unclear == {}


def test_half_of_the_cells_and_ten_must_be_numbers() -> None:
    assert read(a=[*NUMBERS, *["n.d."] * 20])[0]["a"][0] == "0.5"
    assert read(a=[*NUMBERS, *["n.d."] * 21])[0]["a"][0] == "0,5"
    assert read(a=[*NUMBERS[:10], "n.d."])[0]["a"][0] == "0.5"
    assert read(a=[*NUMBERS[:9], "n.d."])[0]["a"][0] == "0,5"
    assert read(a=[*NUMBERS[:3], *["NA"] * 20])[0]["a"][0] == "0.5"  # an empty cell is not odd


def test_a_longer_list_says_that_the_others_are_lists() -> None:
    for cell in ("64,64,64", "(64, 64, 64)"):
        assert read(a=[*NUMBERS, cell])[0] == {"a": [*NUMBERS, cell]}


def test_an_odd_cell_hides_no_points_either() -> None:
    points = [cell.replace(",", ".") for cell in NUMBERS]
    cells, notes, _ = read(kernel=["3,3"] * 21, lr=[*points, "n.d."])
    assert (cells["kernel"][0], notes) == ("3,3", [])


def test_thousands_are_in_doubt_although_a_cell_is_odd() -> None:
    assert read(a=[*["1,024"] * 10, "n.d."])[2] == {"a": "1,024"}
    assert read(a=[*["1,024"] * 9, "n.d."])[2] == {}


def test_a_point_among_decimal_commas_is_in_doubt_before_three_digits() -> None:
    assert read(a=[*NUMBERS, "1.024"])[2] == {"a": "1.024"}
    assert read(a=[*NUMBERS, "65.0"])[2] == {}


# -- in a table ----------------------------------------------------------------------------


def written(path: Path, lines: list[str]) -> Path:
    path.write_text("\n".join(["task\tbatch\tlr\tcost\ty", *lines]) + "\n")
    return path


def table(path: Path, batch: str = "1,024", cost: str = "1,5", y: str = "0.5") -> Path:
    lines = [
        f"{'ab'[i % 2]}\t{batch if i % 3 else 512}\t{i * 7 % 19 / 20}\t{cost}\t{float(y) + i}"
        for i in range(30)
    ]
    return written(path, lines)


def test_doubtful_numbers_of_a_parameter_are_refused_with_what_to_do(tmp_path: Path) -> None:
    path = table(tmp_path / "runs.tsv")
    message = (
        r"runs\.tsv: column 'batch' has '1,024', and nothing tells if the comma is a decimal point"
        r" or stands between thousands; write the numbers without it, or ignore the column\."
    )
    for space in (None, {"batch": Int(1, 4096)}):
        with pytest.raises(HistoryError, match=message):
            History.from_table(path, task="task", objective="y", space=space)


def test_doubtful_numbers_that_nobody_needs_do_no_harm(tmp_path: Path) -> None:
    path = table(tmp_path / "runs.tsv")
    ignored = History.from_table(path, task="task", objective="y", ignore=["batch"])
    assert list(ignored.space) == ["lr"]
    listed = Ordinal([512, 1024])
    texts = Categorical(["512", "1,024"])
    found = History.from_table(path, task="task", objective="y", space={"batch": texts})
    assert found.space["batch"] == texts
    assert len(found) == 30
    with pytest.raises(HistoryError, match="column 'batch'"):
        History.from_table(path, task="task", objective="y", space={"batch": listed})
    renamed = {"rename": {"batch": "runtime"}}
    assert "runtime" not in History.from_table(path, task="task", objective="y", **renamed).space  # type: ignore[arg-type]
    with pytest.raises(HistoryError, match="column 'size' has '1,024'"):
        History.from_table(path, task="task", objective="y", rename={"batch": "size"})


def test_a_doubtful_objective_is_refused(tmp_path: Path) -> None:
    lines = [f"a\t{i}\t0.{i + 1}\t1\t{'951' if i % 2 else '1,985'}" for i in range(9)]
    path = written(tmp_path / "runs.tsv", lines)
    with pytest.raises(HistoryError, match="column 'y' has '1,985'"):
        History.from_table(path, task="task", objective="y")


@pytest.mark.parametrize("mark", [",", "."])
def test_odd_rows_are_the_same_with_commas_and_with_points(tmp_path: Path, mark: str) -> None:
    lines = [f"a\t{i % 7}\t0.{i * 7 % 31 + 10}\t1\t{i * 11 % 31}.5" for i in range(31)]
    lines[3] = "a\t1\t0.5\t1\tn/d"
    lines[5] = "a\t1\tRT\t1\t2.5"
    path = written(tmp_path / "runs.tsv", [line.replace(".", mark) for line in lines])
    given: dict[str, Any] = {"task": "task", "objective": "y"}
    with pytest.raises(HistoryError, match=r"2 rows .* line 5, column 'y'.*; line 7, column 'lr'"):
        History.from_table(path, **given)
    history = History.from_table(path, **given, on_error="skip")
    assert len(history) == 29
    assert history.space["lr"] == Float(0.1, 0.4)


def test_a_point_that_may_be_of_thousands_is_refused(tmp_path: Path) -> None:
    lines = [f"a\t{i}\t0,{i + 1}\t1\t{i},5" for i in range(19)]
    path = written(tmp_path / "runs.tsv", [*lines, "a\t19\t0,5\t1\t1.024"])
    with pytest.raises(
        HistoryError, match=r"column 'y' has '1\.024', .* if the point is a decimal"
    ):
        History.from_table(path, task="task", objective="y")


def test_what_was_made_of_commas_is_told(tmp_path: Path) -> None:
    lines = [f"a\t{i}\t0,{i + 1}\t1\t{i},5" for i in range(9)]
    path = written(tmp_path / "runs.tsv", lines)
    history = History.from_table(path, task="task", objective="y")
    assert "- commas in 'lr', 'y' were read as decimal points (all tasks)" in history.describe()
    assert read_file(path).frame.y.tolist() == [f"{i}.5" for i in range(9)]
