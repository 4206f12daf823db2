"""PFNs4BO's own network, where its package and its weights are installed.

The package ``pfns4bo`` (0.1.5) comes without the weights and downloads them when one of its
attributes is read. Nothing is downloaded here: the file is looked for where the package would
put it, and used if it is there.

This adapter was written after the package's documented interface and tested with a stand-in
for it. It was not run with the published weights.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from malibo.extras import require
from malibo.space.parameters import Array

PUBLISHED = "pfns4bo's published weights"
OWN = "a small network of malibo's own, trained on a GP prior"
MOST_COLUMNS = 18  # for which it was trained
CHUNK = 5000  # points that are scored at once

_FOLDER = "final_models"  # of the package
_FILE = "model_hebo_morebudget_9_unused_features_3.pt"  # HEBO+, the paper's default


def which() -> str:
    """Which network the method ``pfn`` uses here, in words; imports neither of them."""
    return OWN if weights() is None else PUBLISHED


def weights() -> Path | None:
    """The file with the published weights, if it is there."""
    package = find_spec("pfns4bo")
    if package is None or package.origin is None:
        return None
    path = Path(package.origin).parent / _FOLDER / _FILE
    return path if path.is_file() else None


class PublishedPfn:
    """The published network, ready to score points by their expected improvement."""

    columns = MOST_COLUMNS

    def __init__(self, path: Path) -> None:
        network = require("torch", "baselines").load(path, map_location="cpu", weights_only=False)
        interface = import_module("pfns4bo.scripts.acquisition_functions")
        self._method = interface.TransformerBOMethod(network, device="cpu:0")

    def score(self, seen: Array, losses: Array) -> Callable[[Array], Array]:
        """The expected improvement at points of the unit cube, given points with their losses."""
        values = (losses.max() - losses) / (losses.max() - losses.min())  # it maximises

        def improvement(points: Array) -> Array:
            _, found = self._method.observe_and_suggest(seen, values, points, return_actual_ei=True)
            return np.asarray(found, dtype=float)

        return lambda points: np.concatenate(
            [improvement(points[at : at + CHUNK]) for at in range(0, len(points), CHUNK)]
        )
