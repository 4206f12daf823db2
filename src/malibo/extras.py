"""Optional packages: imported where they are used, and named when they are missing."""

from __future__ import annotations

import importlib
from types import ModuleType

from malibo.errors import MissingDependencyError


def require(package: str, extra: str) -> ModuleType:
    """Import an optional package, or say which pip line brings it."""
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package.split(".")[0]:
            raise
        raise MissingDependencyError(
            f"this needs the package {package!r}, which is not installed;"
            f' run: pip install "malibo[{extra}]"'
        ) from None
