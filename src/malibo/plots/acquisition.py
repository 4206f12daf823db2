"""What malibo thinks of a slice of the space, step by step: Figures 1, 8 and 9 of the paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from malibo.observations import Observations
from malibo.optimizer import Malibo
from malibo.plots.lines import lines_figure
from malibo.plots.maps import maps_figure
from malibo.plots.slices import cut
from malibo.plots.steps import steps_of
from malibo.plots.told import told
from malibo.space.parameters import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def acquisition_figure(
    optimizer: Malibo,
    parameters: str | Sequence[str] | None = None,
    *,
    samples: int = 5,
    steps: Sequence[int] | None = None,
    at: Mapping[str, Any] | None = None,
    seed: int = 0,
) -> Figure:
    """What is foreseen and how promising that is, along one or two parameters of a tuning.

    The others are held at the best configuration so far, or as ``at={"depth": 3}`` says. Without
    ``parameters``, those are shown along which the model's prediction varies most.

    ``steps=[1, 2, 5]`` goes through the tuning: a panel for the moment after each of these numbers
    of results. One parameter: above, the results and what malibo foresees; below, the prediction
    of the meta-model with so many Thompson ``samples`` of q(z), and the acquisition that is
    maximised. Two parameters: a map of that acquisition.

    The point that is marked is the best one of the picture. It is the next suggestion itself
    only where the picture shows all there is to choose.
    """
    known = told(optimizer)
    shown = cut(optimizer.model, parameters, _best(known), at)
    moments = steps_of(optimizer, shown, steps, samples, seed)
    draw = lines_figure if len(shown.axes) == 1 else maps_figure
    return draw(optimizer, shown, moments)


def _best(known: Observations) -> Array | None:
    """The best configuration so far; None before the first valid result."""
    if not np.isfinite(known.losses).any():
        return None
    return np.asarray(known.codes[int(np.nanargmin(known.losses))])
