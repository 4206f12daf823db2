"""TPE of Optuna, with its defaults (Bergstra et al., 2011; Watanabe, 2023)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from malibo.bench.methods.optimizer import Told
from malibo.bench.searchspace import SearchSpace
from malibo.extras import require
from malibo.history import History
from malibo.space import Categorical, Config, Ordinal, Space
from malibo.space.parameters import Array

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

_TRIES = 10  # Optuna may suggest what it was told before; it is asked again, so many times


class Tpe(Told):
    """A study of Optuna over the codes of the space.

    What Optuna suggests is not always a row of the table: then the nearest fresh row is
    tried, and Optuna is told of that one.
    """

    def __init__(self, space: SearchSpace, history: History, rng: np.random.Generator) -> None:
        super().__init__(space, history, rng)
        optuna = require("optuna", "bench")
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._study = optuna.create_study()
        self._distributions = distributions(space.space)

    def ask(self) -> Config:
        """Optuna's suggestion, or a random configuration if it only repeats itself."""
        rng, taken = self.rng(), self.taken
        for _ in range(_TRIES):
            row = self.search.nearest(self._suggested(int(rng.integers(2**31))), taken)
            if row is not None:
                return self.config(row)
        return self.random_config(rng)

    def _suggested(self, seed: int) -> Array:
        """Codes of a suggestion; the trial that Optuna opened for it is closed at once."""
        import optuna

        self._study.sampler = optuna.samplers.TPESampler(seed=seed)
        trial = self._study.ask(self._distributions)
        self._study.tell(trial, state=optuna.trial.TrialState.FAIL)
        row = np.array([float(trial.params[name]) for name in self.search.space])
        return np.asarray(self.search.space.complete(row[None])[0])

    def tell(self, config: Mapping[str, Any], loss: float | None) -> None:
        """Add a finished trial to the study; a failed one is not shown to Optuna."""
        import optuna

        super().tell(config, loss)
        if np.isnan(self.losses[-1]):
            return
        known = {
            name: code
            for name, code in zip(self.search.space, self.codes[-1], strict=True)
            if np.isfinite(code)
        }
        trial = optuna.trial.create_trial(
            params={name: _plain(self._distributions[name], code) for name, code in known.items()},
            distributions={name: self._distributions[name] for name in known},
            value=float(self.losses[-1]),
        )
        self._study.add_trial(trial)


def distributions(space: Space) -> dict[str, BaseDistribution]:
    """Distributions of the codes: an ordinal is a whole number, its place in the order."""
    from optuna.distributions import CategoricalDistribution, IntDistribution

    found = space.to_optuna()
    for name, parameter in space.items():
        if isinstance(parameter, Ordinal):
            found[name] = IntDistribution(0, len(parameter.choices) - 1)
        elif isinstance(parameter, Categorical):
            found[name] = CategoricalDistribution(tuple(range(len(parameter.choices))))
        elif not parameter.width:  # a fixed value, of code 0
            found[name] = CategoricalDistribution((0,))
    return found


def _plain(distribution: BaseDistribution, code: float) -> float | int:
    """A code as Optuna's own kind of value."""
    from optuna.distributions import FloatDistribution

    return float(code) if isinstance(distribution, FloatDistribution) else round(code)
