"""Where pictures go."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from malibo.errors import InputError, listing
from malibo.extras import require

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def check_path(path: Path) -> None:
    """Refuse a path that no picture can go to, before the work for it is done."""
    require("matplotlib", "plots")
    from matplotlib.figure import Figure

    if not path.parent.is_dir():
        raise InputError(f"cannot save the picture: there is no folder {path.parent}.")
    known = Figure().canvas.get_supported_filetypes()
    if path.suffix[1:].lower() not in known:
        raise InputError(
            f"cannot save the picture as {path.name!r}; its ending must be one of"
            f" {listing(known, 20)}."
        )


def save(figure: Figure, path: Path) -> None:
    """Write a picture, in the format of the path's ending."""
    figure.savefig(path, dpi=150)
