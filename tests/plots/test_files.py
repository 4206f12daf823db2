"""Where pictures can go."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from malibo import plots
from malibo.errors import InputError

pytest.importorskip("matplotlib")


@pytest.mark.parametrize(("ending", "start"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_the_ending_of_the_path_is_the_format(ending: str, start: bytes, tmp_path: Path) -> None:
    path = tmp_path / f"picture.{ending}"
    plots.check_path(path)
    plots.save(plots.regret_figure({"one": np.full((1, 3), 0.5)}, "title"), path)
    assert path.read_bytes().startswith(start)


def test_a_path_that_no_picture_can_go_to_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"there is no folder {tmp_path / 'none'}"):
        plots.check_path(tmp_path / "none" / "picture.png")
    for name in ("picture", "picture.xyz", ".png"):
        with pytest.raises(InputError, match=rf"as '{name}'; its ending must be one of .*'png'"):
            plots.check_path(tmp_path / name)
