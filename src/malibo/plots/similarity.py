"""A map of tasks: the past ones by their names, and where the new one may lie among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from malibo.config import SuggestConfig
from malibo.errors import InputError, plural
from malibo.explain import directions, drawn_embeddings, resemblance, similarities
from malibo.metamodel import MetaModel
from malibo.observations import Observations
from malibo.optimizer import Malibo
from malibo.plots.labels import place_labels
from malibo.plots.style import BLUE, NOTE, ORANGE, blank, legend, shortened, wrapped
from malibo.plots.told import told
from malibo.space.parameters import Array
from malibo.threads import one_thread

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_DRAWS = 256  # of the new task
_NAMED = 25  # tasks that have their names beside them, at most
_SHARE = 0.9  # of the draws that lie within the ellipse


def similarity_figure(
    model: MetaModel, observations: Observations | Malibo | None = None, *, seed: int = 0
) -> Figure:
    """The past tasks on a plane, near to each other if what makes them differ is alike.

    With ``observations``, or an optimizer that was told some, the new task lies among them: a
    cloud of draws from q(z), their mean, and an ellipse around most of them. Similarity is that of
    malibo.explain, the correlation of zᵀΦ over the space. Distances √(2 − 2 · similarity) are
    drawn as well as two axes can (classical scaling).
    """
    config = observations.config if isinstance(observations, Malibo) else SuggestConfig()
    known = _checked(model, observations)
    with one_thread():
        plane = _plane(model, known, config, seed)
    figure = blank(7, 6.6, _title(model, known, config, seed))
    axes = figure.subplots()
    if plane.draws is not None:
        _draw_new(axes, plane)
    x, y = plane.tasks.T
    axes.scatter(x, y, s=34, color=BLUE, ec="white", lw=0.6, zorder=4, label="past task")
    _dress(axes, plane)
    legend(figure, wrapped(figure, _note(plane)))
    _name_tasks(figure, axes, model, plane)
    return figure


@dataclass(frozen=True, eq=False)
class _Plane:
    """Places (n, 2) of the past tasks, of draws of the new one, and of their mean.

    shares   (2,) of the differences between the tasks that each axis shows
    """

    tasks: Array
    draws: Array | None
    mean: Array | None
    shares: Array


# -- numbers ---------------------------------------------------------------------------------


def _checked(model: MetaModel, observations: Any) -> Observations | None:
    if not isinstance(model, MetaModel):
        raise InputError(f"model must be a malibo.MetaModel, got {type(model).__name__}.")
    if not (model.informed and model.config.task_layer and len(model.tasks)):
        raise InputError("the model knows no past tasks to compare; train one from past runs.")
    if isinstance(observations, Malibo):
        if other := model.made_for_another(observations.space):
            raise InputError(other)
        return told(observations)
    if not isinstance(observations, Observations | None):
        raise InputError(
            f"expected a malibo.Malibo or Observations, got {type(observations).__name__}."
        )
    return observations


def _plane(
    model: MetaModel, known: Observations | None, config: SuggestConfig, seed: int
) -> _Plane:
    """Principal axes of what the tasks are over the space: that is classical scaling."""
    tasks = directions(model, model.embeddings, seed=seed)
    if known is None:
        new = draws = np.empty((0, tasks.shape[1]))
    else:
        z = drawn_embeddings(model, known, draws=_DRAWS, seed=seed, config=config)
        draws = directions(model, z, seed=seed)
        new = draws.mean(axis=0, keepdims=True)  # its products are the expected similarities
    centre = np.mean([*tasks, *new], axis=0)
    _, sizes, axes = np.linalg.svd(np.array([*tasks, *new]) - centre, full_matrices=False)
    shares = np.zeros(2)
    shares[: len(sizes)] = (sizes**2 / ((sizes**2).sum() or 1.0))[:2]
    ways = np.zeros((2, tasks.shape[1]))
    ways[: len(axes)] = axes[:2]
    places = [(rows - centre) @ ways.T for rows in (tasks, draws, new)]
    if known is None:
        return _Plane(places[0], None, None, shares)
    return _Plane(places[0], places[1], places[2][0], shares)


# -- drawing ---------------------------------------------------------------------------------


def _title(model: MetaModel, known: Observations | None, config: SuggestConfig, seed: int) -> str:
    if known is None or not len(known.losses):
        return f"{plural(len(model.tasks), 'past task')}, near if alike"
    found = similarities(model, known, seed=seed, config=config)
    task, certainty = resemblance(found)
    after = f"After {plural(len(known.losses), 'result')}"
    if task is None:
        return f"{after} it is open which past task the new one is most like"
    sure = next(item.nearest for item in found if item.task == task)
    probably = "" if certainty == "surely" else "probably "
    return f"{after} the new task is {probably}most like {shortened(task)!r} ({100 * sure:.0f} %)"


def _draw_new(axes: Axes, plane: _Plane) -> None:
    from matplotlib.patches import Ellipse

    assert plane.draws is not None
    assert plane.mean is not None
    x, y = plane.draws.T
    axes.scatter(x, y, s=7, color=ORANGE, alpha=0.25, lw=0, label="draws of the new task")
    x, y = plane.mean
    axes.scatter(
        x,
        y,
        marker="*",
        s=260,
        color=ORANGE,
        ec="white",
        lw=0.9,
        zorder=3,
        label="new task, on average",
    )
    middle, (width, height), angle = _ellipse(plane.draws)
    axes.add_patch(Ellipse(middle, width, height, angle=angle, fill=False, ec=ORANGE, lw=1.2))


def _ellipse(draws: Array) -> tuple[tuple[float, float], Array, float]:
    """Middle, both diameters and angle in degrees of what encloses most of the draws."""
    middle = draws.mean(axis=0)
    values, vectors = np.linalg.eigh(np.cov(draws.T))
    spread = np.sqrt(np.maximum(values, 1e-12))
    distance = np.linalg.norm((draws - middle) @ vectors / spread, axis=1)
    angle = np.degrees(np.arctan2(vectors[1, 0], vectors[0, 0]))
    return (float(middle[0]), float(middle[1])), 2 * spread * np.quantile(distance, _SHARE), angle


def _dress(axes: Axes, plane: _Plane) -> None:
    """One scale for both sides, without numbers: only distances mean something."""
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.12)
    axes.spines[:].set_color("#cccccc")
    axes.set_xticks([])
    axes.set_yticks([])
    first, second = plane.shares
    axes.set_xlabel(f"first axis: {100 * first:.0f} % of the differences", fontsize=9, color=NOTE)
    axes.set_ylabel(f"second axis: {100 * second:.0f} % of the differences", fontsize=9, color=NOTE)


def _note(plane: _Plane) -> str:
    if plane.draws is None:
        return "the nearer, the more alike is what makes two tasks differ from the others"
    return f"ellipse: {100 * _SHARE:.0f} % of the draws of q(z), where the new task may lie"


def _name_tasks(figure: Figure, axes: Axes, model: MetaModel, plane: _Plane) -> None:
    """Names of the tasks; if there are too many, of those nearest to the new one."""
    target = plane.tasks.mean(axis=0) if plane.mean is None else plane.mean
    distance = np.linalg.norm(plane.tasks - target, axis=1)
    chosen = np.argsort(distance, kind="stable")[:_NAMED]
    names = [shortened(model.tasks[number], 20) for number in chosen]
    avoid = plane.tasks if plane.mean is None else np.vstack([plane.tasks, plane.mean])
    place_labels(figure, axes, plane.tasks[chosen], names, avoid)
