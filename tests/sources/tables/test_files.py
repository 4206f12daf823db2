"""Files of tables: separators, packing, encodings, lines, and files that are something else."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from malibo import History
from malibo.errors import HistoryError
from malibo.sources.tables import files
from malibo.sources.tables.empty import EMPTY
from malibo.sources.tables.files import columns_of, read_file

TEXT = "task,lr,loss\na,0.1,1\nb,,nan\n"


def written(folder: Path, content: str | bytes, name: str = "runs.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def cells(path: Path) -> list[list[Any]]:
    frame = read_file(path).frame
    return [[None if pd.isna(cell) else cell for cell in row] for row in frame.to_numpy()]


# -- what is read --------------------------------------------------------------------------


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
@pytest.mark.parametrize("packed", [True, False])
def test_the_separator_and_the_packing_are_found(tmp_path: Path, mark: str, packed: bool) -> None:
    content = TEXT.replace(",", mark).encode()
    path = written(tmp_path, gzip.compress(content, mtime=0) if packed else content)
    assert cells(path) == [["a", "0.1", "1"], ["b", None, None]]
    assert columns_of(path) == ["task", "lr", "loss"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_text_is_unicode(tmp_path: Path, encoding: str) -> None:
    path = written(tmp_path, "größe,b\né,1\n".encode(encoding))
    assert columns_of(path) == ["größe", "b"]
    assert cells(path) == [["é", "1"]]


def test_cells_stay_texts(tmp_path: Path) -> None:
    assert cells(written(tmp_path, "a,b\n007,1e-3\nNA,None\n")) == [["007", "1e-3"], ["NA", "None"]]


def test_a_separator_within_quotes_separates_nothing(tmp_path: Path) -> None:
    path = written(tmp_path, 'a;b\n"x, y, z";1\n"p, q, r";2\n')
    assert cells(path) == [["x, y, z", "1"], ["p, q, r", "2"]]


def test_a_single_column_has_no_separator(tmp_path: Path) -> None:
    assert cells(written(tmp_path, "loss\n1\n2\n")) == [["1"], ["2"]]


def test_decimal_commas_become_points_in_columns_of_numbers(tmp_path: Path) -> None:
    path = written(tmp_path, "a;b;c\n0,5;1,x;3\n1e-3;2,5;4\n-2,25E+1;3;5\n")
    assert cells(path) == [["0.5", "1,x", "3"], ["1e-3", "2,5", "4"], ["-2.25E+1", "3", "5"]]


def test_lines_are_those_of_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, '\n\na,b\n1,"two\nlines"\n\n2,x\n,\n3,"y\n\n"\n4,z\n')
    found = read_file(path)
    frame, lines = found.frame, found.lines
    assert lines is not None
    assert frame.a.tolist() == ["1", "2", "3", "4"]
    assert_array_equal(lines, [4, 7, 9, 12])


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_may_end_in_either_way(tmp_path: Path, end: str) -> None:
    found = read_file(written(tmp_path, TEXT.replace("\n", end)))
    frame, lines = found.frame, found.lines
    assert list(frame.columns) == ["task", "lr", "loss"]
    assert lines is not None
    assert_array_equal(lines, [2, 3])


def test_a_column_without_a_name_gets_one(tmp_path: Path) -> None:
    path = written(tmp_path, ",lr\n0,0.1\n1,0.2\n")
    assert columns_of(path) == ["Unnamed: 0", "lr"]
    assert cells(path) == [["0", "0.1"], ["1", "0.2"]]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_rows_with_too_few_cells_are_found(tmp_path: Path, end: str) -> None:
    rows = ["", "a,b,c", "1,2", "3,4,", "", '5,"six, or', 'seven"', '8,"9,10",', "1,2,3", "1,2,3"]
    rows += ["1,2,3"] * 9 + ["0"]
    found = read_file(written(tmp_path, end.join(rows)))
    assert found.short == {3: 2, 6: 2, 20: 1}
    assert found.frame.shape == (16, 3)
    assert read_file(written(tmp_path, TEXT)).short == {}


def test_lines_that_end_as_on_an_old_mac_are_read(tmp_path: Path) -> None:
    path = written(tmp_path, 'a,b\r"x",\r2,"y"\r3,z\r')
    assert cells(path) == [["x", None], ["2", "y"], ["3", "z"]]
    assert read_file(path).short == {}


def test_a_row_that_was_cut_off_is_odd_and_no_failed_run(tmp_path: Path) -> None:
    whole = "".join(f"{'ab'[i % 2]},{i * 7 % 31 / 31},{i * 11 % 31}\n" for i in range(30))
    path = written(tmp_path, f"t,lr,y\n{whole}a,0.5")
    with pytest.raises(HistoryError, match="line 32, column 'y': the row has 2 cells, the head"):
        History.from_table(path, task="t", objective="y")
    history = History.from_table(path, task="t", objective="y", on_error="skip")
    assert len(history) == 30
    assert sum(task.failed for task in history) == 0
    assert "1 row left out: line 32" in history.describe()


def test_of_a_large_file_the_beginning_tells_the_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, "a,b\n" + "1,ü\n" * 40_000)
    asked: list[int] = []
    read = files._content

    def watched(name: str, most: int = -1) -> bytes:
        asked.append(most)
        return read(name, most)

    monkeypatch.setattr(files, "_content", watched)
    assert columns_of(path) == ["a", "b"]
    assert asked == [4, 2**16]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("packed", [True, False])
def test_a_large_header_is_read_whole(tmp_path: Path, encoding: str, packed: bool) -> None:
    names = [f"spalte_größe_{i}" for i in range(9_000)]
    row = ",".join("1" * len(names))
    content = f"{','.join(names)}\n{row}\n{row}\n".encode(encoding)
    path = written(tmp_path, gzip.compress(content, mtime=0) if packed else content)
    assert columns_of(path) == names


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_letter_that_is_cut_in_two_does_no_harm(tmp_path: Path, encoding: str) -> None:
    for shift in range(4):
        text = "a,b\n" + "x" * shift + "1,𝄞é\n" * 30_000
        assert columns_of(written(tmp_path, text.encode(encoding))) == ["a", "b"]


def test_of_parquet_the_first_bytes_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "runs.parquet"
    pd.DataFrame({"lr": [0.5, 0.25]}).to_parquet(path)
    asked: list[int] = []
    read = files._content

    def watched(name: str, most: int = -1) -> bytes:
        asked.append(most)
        return read(name, most)

    monkeypatch.setattr(files, "_content", watched)
    read_file(path)
    assert asked == [4]


def test_parquet_keeps_its_types_and_has_no_lines(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "runs.csv"  # the name does not matter
    pd.DataFrame({"lr": [0.5, 0.25], "n": [1, 2]}, index=[5, 5]).to_parquet(path)
    found = read_file(path)
    frame, lines = found.frame, found.lines
    assert lines is None
    assert frame.to_dict("list") == {"lr": [0.5, 0.25], "n": [1, 2]}
    assert "lr" in columns_of(path)


printable = st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=5)


@given(
    st.lists(st.tuples(st.integers(), printable), min_size=1, max_size=8),
    st.sampled_from(",;\t|"),
)
def test_what_pandas_writes_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, str]], mark: str
) -> None:
    path = tmp_path_factory.mktemp("any") / "runs.csv"
    frame = pd.DataFrame(rows, columns=["number", "text"]).assign(more="x")
    frame.to_csv(path, index=False, sep=mark, quoting=1)
    found = read_file(path).frame
    assert found.number.tolist() == [str(number) for number, _ in rows]
    texts = ["" if pd.isna(text) else text for text in found.text]
    assert [text.strip() for text in texts] == [
        "" if text in EMPTY else text.strip() for _, text in rows
    ]


# -- what is refused -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"runs\.csv' cannot be read as CSV: it is empty"),
        (b"\n\n  \n", "it is empty"),
        (bytes(range(256)), "it is not a text file"),
        (b"SQLite format 3\0" + b"\0" * 99, "it is a database"),
        (b"PK\x03\x04....", "it is a ZIP or Excel file; save it as CSV"),
        ("a,b\nx,1\né,2\n".encode("latin-1"), "line 3 is not UTF-8; save the file as UTF-8"),
        (b"\x1f\x8b\x08 broken", "cannot be read as CSV"),
        (gzip.compress(TEXT.encode(), mtime=0)[:-6], "cannot be read as CSV"),
        (b"a,b,a\n1,2,3\n", r"runs\.csv' has the column 'a' more than once"),
        (b"a,b\n1,2\n1,2\n1,2,3,4\n1,2\n1,2\n", "line 4 has 4 cells, the header 2"),
        (b"a,b\n1,2,3\n4,5,6\n", "rows have more cells than the header, which has 2"),
        (b'a,b\n1,"x\n2,y\n3,z\n', "a quote is never closed"),
    ],
)
def test_a_wrong_file_is_refused_in_one_line(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(HistoryError, match=message) as caught:
        read_file(written(tmp_path, content))
    assert "\n" not in str(caught.value)


def test_a_damaged_parquet_file_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = written(tmp_path, b"PAR1 and nothing more")
    for read in (read_file, columns_of):
        with pytest.raises(HistoryError, match=r"runs\.csv' cannot be read as Parquet: "):
            read(path)


def test_a_model_in_place_of_a_table_is_told(tmp_path: Path, model: Any) -> None:
    model.save(tmp_path / "tuning.malibo")
    with pytest.raises(HistoryError, match="is a model of malibo, not a table of past runs"):
        read_file(tmp_path / "tuning.malibo")


def test_a_missing_file_and_a_folder_are_told(tmp_path: Path) -> None:
    for read in (read_file, columns_of):
        with pytest.raises(HistoryError, match=r"there is no file '.*none\.csv'"):
            read(tmp_path / "none.csv")
        with pytest.raises(HistoryError, match=r"cannot be read as CSV: .*directory"):
            read(tmp_path)
