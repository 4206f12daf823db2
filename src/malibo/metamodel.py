"""MetaModel: what was learned from the past, ready to be used, saved and loaded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from malibo.alignment import joint_space, translate
from malibo.config import GAMMA, TrainConfig
from malibo.errors import ModelFileError, plural
from malibo.functions import Functions
from malibo.network import Array, Array32, Network, centred
from malibo.space import Float, Int, Space
from malibo.space.rows import unique_rows
from malibo.task import Direction
from malibo.threads import one_thread

_LOOK, _LIST = 2**14, 2**16  # configurations among which the promising ones are found
_PROMISING = 512  # of them
_AROUND, _WIDTHS = 4, (0.1, 0.02)  # neighbours of each of the past's best, by two widths
_SAMPLE = 2048  # configurations from which the scale of a space is taken
_LEAST_SPREAD = 0.3  # of the functions, in standard deviations of the scores of the past
_ROUNDING = 1e-3  # by which the same configuration may seem to differ, in single precision
_PLAUSIBLE = 0.05  # of them, by the mean of the past's functions


@dataclass(frozen=True)
class TrainingLog:
    """How training went: a look at the validation loss every few steps.

    held_out   "tasks", "observations", or "nothing" where there was too little to spare
    """

    held_out: str = "nothing"
    steps: tuple[int, ...] = ()
    seconds: tuple[float, ...] = ()
    validation: tuple[float, ...] = ()

    @property
    def best(self) -> int:
        """Number of the look whose weights were kept."""
        return int(np.nanargmin(self.validation))


@dataclass(frozen=True, eq=False)
class Points:
    """Configurations of the target's space with all that a score needs.

    unit             (n, D) unit cube of the joint space
    ask_network      finds Φ (n, d) and m(Φ) (n,)
    ask_functions    finds the mean of the past tasks' functions, and deviations from it
                     (n, 1 + k); (n, 0) if they are not known

    Both take time, and often one of them is not listened to: they are asked when it comes to it.
    """

    unit: Array
    ask_network: Callable[[], tuple[Array, Array]]
    ask_functions: Callable[[], Array]

    @cached_property
    def _network(self) -> tuple[Array, Array]:
        return self.ask_network()

    @property
    def phi(self) -> Array:
        """(n, d) features."""
        return self._network[0]

    @property
    def offset(self) -> Array:
        """(n,) m(Φ)."""
        return self._network[1]

    @cached_property
    def functions(self) -> Array:
        """(n, 1 + k) mean and deviations of the past tasks' functions."""
        return self.ask_functions()

    def voice(self, number: int) -> tuple[Array, Array]:
        """What a part of the past says: the score (n,) to expect, and how it may differ.

        The network, number 0, speaks of logits, which are high where scores are low; the
        functions are number 1.
        """
        if number == 0:
            return -self.offset, self.phi
        return self.functions[:, 0], self.functions[:, 1:]

    def joined(self, other: Points) -> Points:
        """These configurations and others."""
        both = (self, other)
        unit = np.concatenate([points.unit for points in both])
        return Points(unit, partial(_networks, both), partial(_functions, both))


def _networks(parts: Sequence[Points]) -> tuple[Array, Array]:
    phi = np.concatenate([points.phi for points in parts])
    return phi, np.concatenate([points.offset for points in parts])


def _functions(parts: Sequence[Points]) -> Array:
    return np.concatenate([points.functions for points in parts])


@dataclass(frozen=True, eq=False)
class Scale:
    """Where the scores of a voice of the past lie in a space, and how far they spread.

    expected, phi   the means of the score it expects and of Φ
    spread          standard deviation of that score plus zᵀΦ from place to place, z ~ N(0, I)
    """

    expected: float
    phi: Array
    spread: float

    @classmethod
    def of(cls, expected: Array, phi: Array, least: float = 0.0) -> Scale:
        """Of a voice that is heard at many places; its spread is ``least`` at least."""
        variance = expected.var() + phi.var(axis=0).sum()
        flat = variance <= 1e-12 * (1 + expected[0] ** 2)  # a constant, up to rounding
        spread = 1.0 if flat else max(float(np.sqrt(variance)), least)
        return cls(expected.mean(), phi.mean(axis=0), spread)


@dataclass(frozen=True, eq=False)
class MetaModel:
    """What was learned from past tasks.

    space        the space of the new task, in which suggestions are made
    joint        the space in which the network sees it: wide enough for the past
    view         the space in which the models of the new task see it, if that is another one
    absent       codes that the network sees of parameters that the new task lacks
    best         (n, P) the best configurations of the past, as codes of the joint space
    network      φ and m; None for a model that knows no past
    functions    the past tasks' losses as functions; None if they were not learned
    embeddings   (T, d) the embedding z of each past task
    tasks        the names of the past tasks
    sizes        how many observations each of them had; empty in files of older versions
    config       how it was trained
    direction    how the past was told: "minimize", "maximize", or None for both
    """

    space: Space
    joint: Space
    network: Network | None = None
    functions: Functions | None = None
    embeddings: Array32 = field(default_factory=lambda: np.empty((0, 0), np.float32))
    tasks: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()
    config: TrainConfig = field(default_factory=TrainConfig)
    direction: Direction | None = "minimize"
    log: TrainingLog = field(default_factory=TrainingLog)
    view: Space | None = None
    absent: Mapping[str, float] = field(default_factory=dict)
    best: Array | None = None

    @classmethod
    def uninformed(cls, space: Space, gamma: float = GAMMA) -> MetaModel:
        """A model without a past: the same logit ln γ everywhere, and no features."""
        return cls(space=space, joint=space, config=TrainConfig(gamma=gamma))

    @cached_property
    def forgotten(self) -> MetaModel:
        """The same spaces without a past."""
        config = TrainConfig(gamma=GAMMA)
        return MetaModel(space=self.space, joint=self.view or self.joint, config=config)

    @cached_property
    def network_alone(self) -> MetaModel:
        """The same without the functions, which cost time and are of no use to the classifier."""
        return replace(self, functions=None) if self.functions else self

    def for_space(self, space: Space) -> MetaModel:
        """The same knowledge for another target; parameters are matched by their names.

        What the past did not know, the network does not see, while the models of the new task do.
        A parameter that the target lacks is taken to be where it promised most.
        """
        if space == self.space:
            return self
        if not self.informed:
            return replace(self, space=space, joint=space, view=None)
        if not set(space) & set(self.joint):
            return MetaModel.uninformed(space)
        view = joint_space(space, [self.joint])
        return replace(
            self,
            space=space,
            view=None if view == self.joint else view,
            absent=self._most_promising([name for name in self.joint if name not in space]),
        )

    def _most_promising(self, names: list[str]) -> dict[str, float]:
        """Codes of some parameters where they promise most, among configurations that have them."""
        sample = self.space.sample(np.random.default_rng(0), _SAMPLE)
        order = np.argsort(-self.points(sample).offset, kind="stable")
        codes = self._known(np.concatenate([self.promising, sample[order]]))
        found = {}
        for name in names:
            column = codes[:, self.joint.names.index(name)]
            if np.isfinite(column).any():
                found[name] = float(column[np.isfinite(column)][0])
        return found

    def __repr__(self) -> str:
        past = plural(len(self.tasks), "past task") if self.informed else "no past"
        return f"<MetaModel: {past}, {plural(len(self.space), 'parameter')}>"

    @property
    def informed(self) -> bool:
        """Whether there is a past to learn from."""
        return self.network is not None

    @property
    def voices(self) -> int:
        """How many parts of the past have something to say: the network, and the functions."""
        return 0 if self.network is None else 1 + (self.functions is not None)

    def points(self, codes: Array) -> Points:
        """What the models see of configurations of the target's space."""
        view = self.view or self.joint
        unit = view.encode(codes if view == self.space else translate(codes, self.space, view))
        seen = unit if self.view is None else self.joint.encode(self._known(codes))
        of_network = partial(_network_says, self.network, self.config.target_gamma, seen)
        return Points(unit, of_network, partial(_functions_say, self.functions, seen))

    def _known(self, codes: Array) -> Array:
        """Configurations as codes of the joint space, with what is absent filled in."""
        joint = translate(codes, self.space, self.joint)
        for name, code in self.absent.items():
            joint[:, self.joint.names.index(name)] = code
        return self.joint.complete(joint)

    @cached_property
    def past(self) -> Array:
        """The best configurations of the past in the target's space, each once."""
        if self.best is None or not len(self.best):
            return np.empty((0, len(self.space)))
        codes = translate(self.best, self.joint, self.space)
        for index, parameter in enumerate(self.space.values()):
            if isinstance(parameter, Float | Int):  # the joint space may know no steps
                codes[:, index] = parameter.snapped(codes[:, index])
        return unique_rows(self.space.complete(codes, np.random.default_rng(0)))

    @cached_property
    def promising(self) -> Array:
        """Codes of the configurations with the highest m(Φ), best first.

        Of all, where they can be listed; else of random ones, and of the best of the past and
        their neighbours: where the past lies close together, chance does not get there.
        """
        if self.space.countable and len(every := self.space.enumerate(_LIST + 1)) <= _LIST:
            codes = every
        else:
            rng = np.random.default_rng(0)
            codes = self.space.sample(rng, _LOOK)
            around = np.repeat(self.past, _AROUND, axis=0)
            near = [self.space.neighbours(around, rng, width) for width in _WIDTHS if len(around)]
            codes = np.concatenate([codes, self.past, *near])
            if self.space.countable or np.isnan(codes).any():  # what is listed comes often
                codes = unique_rows(codes)
        return np.asarray(codes[np.argsort(-self.points(codes).offset, kind="stable")[:_PROMISING]])

    @cached_property
    def promising_points(self) -> Points:
        """Of ``promising``, once for all suggestions."""
        return self.points(self.promising)

    @cached_property
    def scales(self) -> tuple[Scale, ...]:
        """Of each voice of the past in the target's space, from random configurations.

        Functions are scores already: where they hardly vary, that is not to be magnified.
        """
        least = (0.0, _LEAST_SPREAD)[: self.voices]
        return tuple(Scale.of(*self._sample.voice(i), spread) for i, spread in enumerate(least))

    def plausible(self, points: Points) -> NDArray[np.bool_]:
        """(n,) where the mean of the past tasks' functions is among the lowest twentieth.

        The network learns from the lowest losses alone, and where noise grows with the loss those
        may lie anywhere; the functions learn from all. Everywhere, if they are not known.
        """
        if not self.functions:
            return np.ones(len(points.unit), dtype=bool)
        known = self._sample.functions[:, 0]
        lowest = np.quantile(known, _PLAUSIBLE) + _ROUNDING * known.std()
        return np.asarray(points.functions[:, 0] <= lowest)

    @cached_property
    def _sample(self) -> Points:
        """Random configurations of the target's space."""
        return self.points(self.space.sample(np.random.default_rng(0), _SAMPLE))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model file (safetensors), whole or not at all."""
        from malibo.modelfile import write_model

        write_model(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str], space: Space | None = None) -> MetaModel:
        """Read a model file; with ``space``, refuse one that was made for another space."""
        from malibo.modelfile import read_model

        model = read_model(path)
        if space is not None and (other := model.made_for_another(space)):
            raise ModelFileError(f"{path}: {other}")
        return model

    def made_for_another(self, space: Space) -> str:
        """A sentence on how ``space`` differs from the one this was made for; empty if not."""
        found = space.differences(self.space)
        if not found:
            return ""
        rest = f" and {len(found) - 5} more" if len(found) > 5 else ""
        return (
            f"the model was made for another space: {'; '.join(found[:5])}{rest}."
            " Train one for this space: meta_train(history.for_space(space))."
        )


def _network_says(network: Network | None, gamma: float, seen: Array) -> tuple[Array, Array]:
    """Φ and m(Φ) at points of the joint space; without a network, what γ says."""
    if network is None:
        return np.empty((len(seen), 0)), np.full(len(seen), np.log(gamma))
    with one_thread():  # with several, the last digit would depend on how many
        return network.features_and_mean(centred(seen))


def _functions_say(functions: Functions | None, seen: Array) -> Array:
    """Mean and deviations of the functions at points of the joint space."""
    if functions is None:
        return np.empty((len(seen), 0))
    with one_thread():
        return functions(seen)
