"""LFBO in the bounding box of the best configuration of each past task (Perrone et al., 2019)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from malibo.bench.methods.optimizer import Told
from malibo.bench.searchspace import CANDIDATES, SearchSpace
from malibo.config import SuggestConfig
from malibo.history import History
from malibo.maximize import Pool, key
from malibo.metamodel import MetaModel
from malibo.observations import Observations
from malibo.space import Categorical, Config, Space
from malibo.space.parameters import Array
from malibo.suggest import suggest


class LfboBox(Told):
    """LFBO whose candidates lie in the box; in the whole space once the box is used up."""

    def __init__(self, space: SearchSpace, history: History, rng: np.random.Generator) -> None:
        super().__init__(space, history, rng)
        self._model = MetaModel.uninformed(space.space)
        self._corners = np.array([task.codes[np.nanargmin(task.losses)] for task in history])

    def ask(self) -> Config:
        """One suggestion of LFBO out of the candidates of the box."""
        rng = self.rng()
        observations = Observations(self.codes, self.losses, np.empty((0, self.codes.shape[1])))
        pool = Pool.of(self._model, self._candidates(rng))
        row = suggest(self._model, observations, SuggestConfig(), rng, pool=pool)
        return self.config(row[0])

    def _candidates(self, rng: np.random.Generator) -> Array:
        """Fresh configurations of the box, or of the whole space if there are none."""
        taken = self.taken
        space, table = self.search.space, self.search.table
        if table is None:
            box = sample_box(space, self._corners, rng, CANDIDATES)
        else:
            box = table[inside_box(space, self._corners, table)]
        fresh = [row for row in box if key(row) not in taken]
        return np.array(fresh) if fresh else self.search.candidates(rng, taken)


def sample_box(space: Space, corners: Array, rng: np.random.Generator, size: int) -> Array:
    """Uniform codes in the smallest box around some configurations (n, P)."""
    codes = np.empty((size, len(space)))
    for index, parameter in enumerate(space.values()):
        known = corners[np.isfinite(corners[:, index]), index]
        if isinstance(parameter, Categorical) and len(known):
            codes[:, index] = rng.choice(np.unique(known), size)
        elif parameter.width and len(known):
            unit = parameter.to_unit(known)
            half = 0.5 / parameter.count  # the two ends are as likely as what is between them
            low, high = unit.min(axis=0) - half, unit.max(axis=0) + half
            drawn = parameter.from_unit(np.clip(rng.uniform(low, high, (size, len(low))), 0, 1))
            codes[:, index] = np.clip(drawn, known.min(), known.max())
        else:
            codes[:, index] = parameter.sample(rng, size)
    return space.complete(codes, rng)


def inside_box(space: Space, corners: Array, codes: Array) -> NDArray[np.bool_]:
    """Which configurations lie in the box."""
    inside = np.ones(len(codes), dtype=bool)
    for index, parameter in enumerate(space.values()):
        known = corners[np.isfinite(corners[:, index]), index]
        column, active = codes[:, index], np.isfinite(codes[:, index])
        if len(known) == 0:
            continue
        if isinstance(parameter, Categorical):
            inside &= ~active | np.isin(column, known)
        else:
            inside &= ~active | ((column >= known.min()) & (column <= known.max()))
    return inside
