"""Files in general: written whole or not at all, and what is in the way of that.

Nothing here knows what is in a file; who writes or reads one has its own checks besides.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from os import PathLike
from pathlib import Path

from malibo.errors import InputError

_SQLITE = b"SQLite format 3\0"


def write_whole(
    path: str | PathLike[str], content: bytes, error: type[InputError] = InputError
) -> None:
    """Write beside the path, then move into place: a reader sees the old file or the new one."""
    target = Path(path)
    try:
        part = part_beside(target)
        try:
            with part.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, target)
        finally:
            with suppress(FileNotFoundError):
                part.unlink()
    except OSError as reason:
        raise error(f"cannot write {target}: {reason.strerror}.") from None


def part_beside(path: Path) -> Path:
    """A new empty file in the same folder, with the permissions that the user's new files have.

    The system sets them as it makes the file. To ask for the umask is to change it for a
    moment, and a file that another thread makes in this moment would be open to everyone.
    """
    part = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    return part


def check_writable(path: str | PathLike[str], error: type[InputError] = InputError) -> None:
    """Refuse a path where no file can be written, before the work for it is done."""
    target = Path(path)
    folder = target.parent
    if os.path.isdir(target):
        raise error(f"cannot write {target}: it is a folder; name a file in it.")
    if not os.path.isdir(folder):
        raise error(f"cannot write {target}: there is no folder {folder}.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise error(f"cannot write {target}: no permission to write in {folder}.")
    try:
        target.lstat()
    except FileNotFoundError:
        return
    except OSError as reason:  # a name that is too long, for example
        raise error(f"cannot write {target}: {reason.strerror}.") from None


def is_sqlite(path: str | PathLike[str]) -> bool:
    """Whether a file is a database of SQLite, by how it begins."""
    with open(path, "rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE
