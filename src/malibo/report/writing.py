"""The file of a report: written whole or not at all, and never over something else."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from os import PathLike
from pathlib import Path

from malibo.errors import InputError
from malibo.report.page import GENERATOR

_HEAD = 2048  # bytes at the beginning of a page, in which it says who made it


def check_output(path: str | PathLike[str]) -> Path:
    """The path, if a report may be written there: nothing is there yet, or an older report."""
    output = Path(path)
    if output.is_dir():
        raise InputError(f"{output} is a folder; name a file, such as {output / 'report.html'}.")
    if not output.parent.is_dir():
        raise InputError(f"there is no folder {str(output.parent)!r} to write {output.name} into.")
    if output.exists() and not _is_report(output):
        raise InputError(
            f"{output} is there and is no report of malibo, so it is left as it is; name another"
            " file."
        )
    return output


def write_report(page: str, path: str | PathLike[str]) -> int:
    """Write a page beside its path and move it into place; the number of bytes."""
    output = check_output(path)
    content = page.encode("utf-8")
    try:
        handle, part = tempfile.mkstemp(dir=output.parent, prefix=output.name, suffix=".part")
    except OSError as error:
        raise InputError(f"cannot write {output}: {error.strerror}.") from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(part, 0o666 & ~_umask())
        os.replace(part, output)
    except OSError as error:
        raise InputError(f"cannot write {output}: {error.strerror}.") from None
    finally:
        with suppress(FileNotFoundError):
            os.unlink(part)
    return len(content)


def _is_report(path: Path) -> bool:
    """Whether a file is empty, or a page that says of itself to be from malibo."""
    try:
        with path.open("rb") as file:
            start = file.read(_HEAD)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}.") from None
    return not start or GENERATOR.encode() in start


def _umask() -> int:
    """What new files are not allowed, by the user's setting."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
