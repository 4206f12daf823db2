"""Files of tables: CSV and its relatives, Parquet. What a file is, its content says.

A text file is read as text throughout: what a cell means is decided where it is known what
is looked for, and "007" stays the name of a task.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import warnings
import zlib
from itertools import islice
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from malibo.errors import HistoryError, listing
from malibo.extras import require

if TYPE_CHECKING:
    import pandas as pd

EMPTY = ("", "nan", "NaN")  # cells without a value

_MARKS = (",", ";", "\t", "|")
_LOOK = 50  # records from which the separator is found
_COMMA_NUMBER = r"[+-]?\d+(,\d+)?([eE][+-]?\d+)?"
_OTHERS = {b"SQLite format 3\0": "a database", b"PK\x03\x04": "a ZIP or Excel file; save it as CSV"}


def read_file(path: str | PathLike[str]) -> tuple[pd.DataFrame, NDArray[np.intp] | None]:
    """The table in a file, and the line of the file on which each row begins, if it has lines."""
    require("pandas", "table")
    name = os.fspath(path)
    content = _content(name)
    if content[:4] == b"PAR1":
        return _read_parquet(name), None
    return _read_text(_decoded(content, name), name)


def columns_of(path: str | PathLike[str]) -> list[str]:
    """The names of the columns of a file; of a text file the beginning alone is read."""
    name = os.fspath(path)
    start = _content(name, 2**16)
    if start[:4] == b"PAR1":
        parquet = require("pyarrow.parquet", "parquet")
        try:
            return [str(column) for column in parquet.read_schema(name).names]
        except (ValueError, OSError) as error:
            raise _unreadable(name, "Parquet", error) from None
    text = start[: start.rfind(b"\n") + 1] if len(start) == 2**16 else start
    header, _ = _header(io.StringIO(_decoded(text, name), newline=""), name)
    return header


def _content(name: str, most: int = -1) -> bytes:
    """The bytes of a file, unpacked if they are packed by gzip; the first of them alone."""
    if not os.path.exists(name):
        raise HistoryError(f"there is no file {name!r}.")
    try:
        with open(name, "rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            if not packed:
                return file.read(most)
            with gzip.open(file) as unpacked:
                return unpacked.read(most)
    except (OSError, EOFError, zlib.error) as error:
        raise _unreadable(name, "CSV", error) from None


def _decoded(content: bytes, name: str) -> str:
    """The text of a file: UTF-8, or UTF-16 that says so at its beginning."""
    for start, kind in _OTHERS.items():
        if content.startswith(start):
            raise HistoryError(f"{name!r} cannot be read as CSV: it is {kind}.")
    if b'"malibo"' in content[8 : 2**16] and content[8:9] == b"{":
        raise HistoryError(f"{name!r} is a model of malibo, not a table of past runs.")
    wide = content[:2] in (b"\xff\xfe", b"\xfe\xff")
    if b"\0" in content[:4096] and not wide:
        raise HistoryError(f"{name!r} cannot be read as CSV: it is not a text file.")
    try:
        return content.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise HistoryError(
            f"{name!r} cannot be read as CSV: line {line} is not UTF-8; save the file as UTF-8."
        ) from None


# -- text ----------------------------------------------------------------------------------


def _read_text(text: str, name: str) -> tuple[pd.DataFrame, NDArray[np.intp]]:
    pandas = require("pandas", "table")
    stream = io.StringIO(text, newline="")
    columns, mark = _header(stream, name)
    start = stream.tell()
    first = text.count("\n", 0, start) + 1
    options: dict[str, Any] = {"names": columns, "sep": mark, "header": None, "index_col": False}
    options |= {"dtype": str, "keep_default_na": False, "na_values": list(EMPTY)}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pandas.errors.ParserWarning)
            frame = pandas.read_csv(
                stream, **options, skipinitialspace=True, skip_blank_lines=False
            )
    except pandas.errors.EmptyDataError:
        frame = pandas.DataFrame({column: [] for column in columns}, dtype=str)
    except pandas.errors.ParserWarning:
        reason = f"rows have more cells than the header, which has {len(columns)}"
        raise HistoryError(f"{name!r} cannot be read as CSV: {reason}.") from None
    except (ValueError, OSError) as error:
        raise _unreadable(name, "CSV", _explained(error, first)) from None
    lines = first + _lines(frame, text.count("\n", start))
    there = frame.notna().any(axis=1).to_numpy()
    frame = frame[there].reset_index(drop=True)
    return (_with_points(frame) if mark != "," else frame), lines[there]


def _explained(error: Exception, first: int) -> Exception:
    """What the parser says of a row, by the lines of the file; it counts from the first row."""
    if found := re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(error)):
        columns, line, cells = map(int, found.groups())
        return ValueError(f"line {line + first - 1} has {cells} cells, the header {columns}")
    if found := re.search(r"EOF inside string starting at row (\d+)", str(error)):
        return ValueError(f"a quote is never closed, in line {int(found[1]) + first} or above")
    return error


def _header(stream: io.StringIO, name: str) -> tuple[list[str], str]:
    """The names of the columns, and what separates them; the stream stands behind them."""
    mark = _separator(stream.getvalue())
    for record in _records(stream, mark, name):
        names = [cell.strip() for cell in record]
        if any(names):
            break
    else:
        raise HistoryError(f"{name!r} cannot be read as CSV: it is empty.")
    if twice := sorted({column for column in names if column and names.count(column) > 1}):
        raise HistoryError(f"{name!r} has the column {listing(twice)} more than once; keep one.")
    return [column or f"Unnamed: {i}" for i, column in enumerate(names)], mark


def _records(stream: io.StringIO, mark: str, name: str) -> Any:
    """Records one by one, so that the stream is read no further than asked for."""
    lines = iter(stream.readline, "")
    try:
        yield from csv.reader(lines, delimiter=mark, skipinitialspace=True)
    except csv.Error as error:
        raise _unreadable(name, "CSV", error) from None


def _separator(text: str) -> str:
    """The mark that cuts the first records into the most columns, all into as many."""

    def columns(mark: str) -> int:
        records = csv.reader(io.StringIO(text, newline=""), delimiter=mark, skipinitialspace=True)
        try:
            sizes = [len(record) for record in islice(records, _LOOK) if record]
        except csv.Error:
            return 0
        alike = sum(size == sizes[0] for size in sizes)
        return sizes[0] if sizes and alike >= 0.8 * len(sizes) else 1

    return max(_MARKS, key=columns)


def _lines(frame: pd.DataFrame, newlines: int) -> NDArray[np.intp]:
    """On which line each row begins, counted from the first: a cell may have several lines."""
    lines = np.arange(len(frame), dtype=np.intp)
    if newlines <= len(frame):
        return lines
    for column in frame:
        more = frame[column].str.count("\n").fillna(0).to_numpy(dtype=np.intp)
        lines[1:] += np.cumsum(more)[:-1]
    return lines


def _with_points(frame: pd.DataFrame) -> pd.DataFrame:
    """Numbers with a decimal comma, in a column of nothing else, with a point."""
    for column in frame:
        cells = frame[column].dropna()
        if cells.str.contains(",", regex=False).any() and cells.str.fullmatch(_COMMA_NUMBER).all():
            frame[column] = frame[column].str.replace(",", ".", regex=False)
    return frame


# -- Parquet -------------------------------------------------------------------------------


def _read_parquet(name: str) -> pd.DataFrame:
    require("pyarrow", "parquet")
    pandas = require("pandas", "table")
    try:
        frame: pd.DataFrame = pandas.read_parquet(name, engine="pyarrow")
    except (ValueError, OSError) as error:
        raise _unreadable(name, "Parquet", error) from None
    return frame.reset_index(drop=True)


def _unreadable(name: str, kind: str, error: Exception) -> HistoryError:
    reason = " ".join(str(error).split()).rstrip(".") or type(error).__name__
    return HistoryError(f"{name!r} cannot be read as {kind}: {reason}.")
