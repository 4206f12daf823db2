"""The file of a report: written whole or not at all, and never over something else."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from malibo.errors import InputError
from malibo.files import check_writable, write_whole
from malibo.report.page import GENERATOR

_HEAD = 2048  # bytes at the beginning of a page, in which it says who made it


def check_output(path: str | PathLike[str]) -> Path:
    """The path, if a report may be written there: nothing is there yet, or an older report."""
    output = Path(path)
    check_writable(output)
    if output.exists() and not _is_report(output):
        raise InputError(
            f"{output} is there and is no report of malibo, so it is left as it is; name another"
            " file."
        )
    return output


def write_report(page: str, path: str | PathLike[str]) -> int:
    """Write a page, whole or not at all; the number of bytes."""
    output = check_output(path)
    content = page.encode("utf-8")
    write_whole(output, content)
    return len(content)


def _is_report(path: Path) -> bool:
    """Whether a file is empty, or a page that says of itself to be from malibo."""
    try:
        with path.open("rb") as file:
            start = file.read(_HEAD)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}.") from None
    return not start or GENERATOR.encode() in start
