"""Files of tables: CSV and its relatives, Parquet. What a file is, its content says.

A text file is read as text throughout: what a cell means is decided where it is known what
is looked for, and "007" stays the name of a task.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import os
import re
import warnings
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from malibo.errors import HistoryError, listing
from malibo.extras import require
from malibo.sources.tables.commas import with_points
from malibo.sources.tables.empty import EMPTY

if TYPE_CHECKING:
    import pandas as pd

_MARKS = (",", ";", "\t", "|")
_LOOK = 50  # records from which the separator is found
_START = 2**16  # bytes in which the header is looked for first
_PARQUET = b"PAR1"
_OTHERS = {b"SQLite format 3\0": "a database", b"PK\x03\x04": "a ZIP or Excel file; save it as CSV"}


@dataclass(frozen=True, eq=False)
class FileContent:
    """What a file holds.

    lines     the line of the file on which each row begins, if it has lines
    short     for lines with fewer cells than the header, how many they have
    notes     sentences on how the cells were read
    unclear   columns with commas that may be decimal or not, each with such a cell
    """

    frame: pd.DataFrame
    lines: NDArray[np.intp] | None = None
    short: Mapping[int, int] = field(default_factory=dict)
    notes: Sequence[str] = ()
    unclear: Mapping[str, str] = field(default_factory=dict)


def read_file(path: str | PathLike[str]) -> FileContent:
    """The table in a file."""
    require("pandas", "table")
    name = os.fspath(path)
    if _content(name, 4) == _PARQUET:
        return FileContent(_read_parquet(name))
    return _read_text(_decoded(_content(name), name), name)


def columns_of(path: str | PathLike[str]) -> list[str]:
    """The names of the columns of a file; of a text file the beginning alone is read."""
    name = os.fspath(path)
    if _content(name, 4) == _PARQUET:
        parquet = require("pyarrow.parquet", "parquet")
        try:
            return [str(column) for column in parquet.read_schema(name).names]
        except (ValueError, OSError) as error:
            raise _unreadable(name, "Parquet", error) from None
    header, _ = _header(io.StringIO(_beginning(name), newline=""), name)
    return header


def _beginning(name: str) -> str:
    """Whole lines from the start of a text file: so many that the header is among them."""
    most = _START
    while True:
        start = _content(name, most)
        whole = len(start) < most
        text = _decoded(start, name, whole)
        if whole or "\n" in text.lstrip():
            return text if whole else text[: text.rfind("\n") + 1]
        most *= 4


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


def _decoded(content: bytes, name: str, whole: bool = True) -> str:
    """The text of a file: UTF-8, or UTF-16 that says so at its beginning.

    Of one that is not whole, the last letter may be cut in two, and is left out.
    """
    for start, kind in _OTHERS.items():
        if content.startswith(start):
            raise HistoryError(f"{name!r} cannot be read as CSV: it is {kind}.")
    if b'"malibo"' in content[8 : 2**16] and content[8:9] == b"{":
        raise HistoryError(f"{name!r} is a model of malibo, not a table of past runs.")
    wide = content[:2] in (b"\xff\xfe", b"\xfe\xff")
    if b"\0" in content[:4096] and not wide:
        raise HistoryError(f"{name!r} cannot be read as CSV: it is not a text file.")
    try:
        decoder = codecs.getincrementaldecoder("utf-16" if wide else "utf-8-sig")()
        return decoder.decode(content, final=whole)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise HistoryError(
            f"{name!r} cannot be read as CSV: line {line} is not UTF-8; save the file as UTF-8."
        ) from None


# -- text ----------------------------------------------------------------------------------


def _read_text(text: str, name: str) -> FileContent:
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
    lines = first + _lines(frame, text.count("\n", start) + (not text.endswith("\n")))
    there = frame.notna().any(axis=1).to_numpy()
    cut = there & frame.iloc[:, -1].isna().to_numpy()
    short = _short(text, lines, np.flatnonzero(cut), mark, len(columns))
    frame = frame[there].reset_index(drop=True)
    if mark == ",":
        return FileContent(frame, lines[there], short)
    frame, notes, unclear = with_points(frame)
    return FileContent(frame, lines[there], short, notes, unclear)


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


def _lines(frame: pd.DataFrame, count: int) -> NDArray[np.intp]:
    """On which line each row begins, counted from the first: a cell may have several lines."""
    lines = np.arange(len(frame), dtype=np.intp)
    if count <= len(frame):
        return lines
    for column in frame:
        more = frame[column].str.count("\n").fillna(0).to_numpy(dtype=np.intp)
        lines[1:] += np.cumsum(more)[:-1]
    return lines


def _short(
    text: str, lines: NDArray[np.intp], rows: NDArray[np.intp], mark: str, columns: int
) -> dict[int, int]:
    """Of the rows that end in an empty cell, those with too few cells: line to number of cells.

    The parser fills them up. A file that was cut off in its last line would else end in a run
    that seems to have failed.
    """
    if not len(rows):
        return {}
    every = text.split("\n")
    ends = [*(lines[1:] - 1).tolist(), len(every)]
    found: dict[int, int] = {}
    for row in rows.tolist():
        begin = int(lines[row])
        record = "\n".join(every[begin - 1 : ends[row]]).rstrip("\r\n")
        if record.count(mark) >= columns - 1 and '"' not in record:
            continue
        cells = _count(record, mark)
        if 0 < cells < columns:
            found[begin] = cells
    return found


def _count(record: str, mark: str) -> int:
    """The number of cells in a record; 0 where it cannot be told."""
    records = csv.reader(io.StringIO(record, newline=""), delimiter=mark, skipinitialspace=True)
    try:
        return len(next(records, []))
    except csv.Error:
        return 0


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
