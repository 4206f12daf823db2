"""Pictures of a report: every figure for which there are results, in small files."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tqdm import tqdm

from malibo.bench.figures import FIGURES
from malibo.bench.figures.lines import Results
from malibo.bench.report.content import Picture
from malibo.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Drawings = Mapping[str, tuple[str, Callable[[], "Figure"]]]  # by name: one line, how it is drawn

DPI = 110  # small files
COLOURS = 255


def drawings(results: Results) -> Drawings:
    """All figures by name, as functions of these results."""
    return {name: (known.line, partial(known.draw, results)) for name, known in FIGURES.items()}


def draw_all(wanted: Drawings, output: Path, progress: bool) -> dict[str, Picture]:
    """Every figure for which there are results."""
    drawn = {}
    for name in tqdm(wanted, "figures", unit="figure", disable=not progress or None):
        line, draw = wanted[name]
        try:
            figure = draw()
        except InputError:
            continue  # no results for this one
        drawn[name] = Picture(name, line, output / f"{name}.png")
        _save_small(figure, drawn[name].path)
    return drawn


def _save_small(figure: Figure, path: Path) -> None:
    """As a PNG of few colours: a third of the size, and nobody sees it."""
    from PIL import Image

    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=DPI)
    with Image.open(buffer) as picture:
        picture.convert("RGB").quantize(COLOURS).save(path, optimize=True)
