"""A cache of columns: arrays in a safetensors file, checked whenever it is read.

What is there is only a copy: a file that is damaged, foreign or made from another source is
made anew.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from malibo.errors import InputError
from malibo.extras import require
from malibo.files import write_whole

Columns = Mapping[str, NDArray[Any]]


def folder() -> Path:
    """Where the cache lies: ``$MALIBO_CACHE``, or the user's cache folder."""
    if given := os.environ.get("MALIBO_CACHE"):
        return Path(given)
    return Path(require("platformdirs", "demo").user_cache_dir("malibo"))


def columns(name: str, source: str, make: Callable[[], Columns]) -> Columns:
    """The columns of ``name`` made from ``source`` (a digest): out of the cache, or made now."""
    path = folder() / f"{name}.safetensors"
    found = _read(path, source)
    if found is None:
        found = make()
        # a full or read-only disk costs time at the next start, no more
        with suppress(OSError, InputError):
            _write(path, source, found)
    return found


def _read(path: Path, source: str) -> Columns | None:
    """The columns, or None if they are not there, damaged, or of another source."""
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            if metadata.get("source") != source:
                return None
            names = file.keys()
            found = {name: file.get_tensor(name) for name in names}
    except (SafetensorError, OSError):
        return None
    return found if metadata == _metadata(source, found) else None


def _write(path: Path, source: str, found: Columns) -> None:
    """Whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = save(
        {name: np.ascontiguousarray(array) for name, array in found.items()},
        _metadata(source, found),
    )
    write_whole(path, content)


def _metadata(source: str, found: Columns) -> dict[str, str]:
    digest = hashlib.sha256()
    for name in sorted(found):
        digest.update(f"{name}{found[name].shape}{found[name].dtype}".encode())
        digest.update(np.ascontiguousarray(found[name]).tobytes())
    return {"source": source, "sha256": digest.hexdigest()}
