"""New names for parameters of the past, as a user gives them."""

from __future__ import annotations

from collections.abc import Mapping

from malibo.errors import HistoryError


def checked_rename(rename: object) -> dict[str, str]:
    """What was given as ``rename``: old names to new ones; empty for None."""
    if rename is None:
        return {}
    if not isinstance(rename, Mapping) or not all(map(_is_name, (*rename, *rename.values()))):
        raise HistoryError(f"rename must map old names to new ones, got {rename!r}.")
    return dict(rename)


def _is_name(name: object) -> bool:
    return isinstance(name, str) and bool(name)
