"""Malibo: ask for a configuration, tell its loss. The only mutable state of the library."""

from __future__ import annotations

import numbers
import secrets
import warnings
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from malibo.config import GAMMA, SuggestConfig, with_options
from malibo.errors import InputError, SpaceExhaustedError
from malibo.maximize import Pool, key
from malibo.metamodel import MetaModel
from malibo.observations import Observations
from malibo.process import Process
from malibo.space import Config, Float, Space
from malibo.space.parameters import Array
from malibo.suggest import suggest
from malibo.task import Direction, read_loss, sign
from malibo.threads import one_thread

if TYPE_CHECKING:
    import pandas as pd

_DIGITS = 1e-5  # in the unit cube: what rounding to six digits, or to float32, may change

Candidates = Sequence[Mapping[str, Any]]


class Malibo:
    """Transfer hyperparameter optimisation by ask and tell.

    model        a MetaModel; without one, ``space=...`` starts cold, as plain LFBO
    candidates   a DataFrame or list of dicts: choose only among its rows
    seed         with the same model, results and seed come the same suggestions,
                 in another process and after a restart as well
    direction    "maximize" if ``tell`` gets scores in place of losses; without it, as the
                 past was told
    options      fields of SuggestConfig: ``Malibo(model, explore="probit")``
    """

    def __init__(
        self,
        model: MetaModel | None = None,
        *,
        space: Space | None = None,
        candidates: Candidates | pd.DataFrame | None = None,
        seed: int | None = None,
        direction: Direction | None = None,
        config: SuggestConfig | None = None,
        **options: Any,
    ) -> None:
        self.config = with_options(SuggestConfig, config, options)
        self.model = _checked_model(model, space, self.config.gamma or GAMMA)
        self.seed = checked_seed(seed)
        self.direction = _checked_direction(direction, self.model)
        self._lock = Lock()
        self._rows: list[Array] = []
        self._losses: list[float] = []
        self._pending: list[Array] = []
        self._pool = None if candidates is None else self._table(candidates)

    @property
    def space(self) -> Space:
        """The space in which configurations are suggested."""
        return self.model.space

    # -- ask and tell --------------------------------------------------------------------------

    @overload
    def ask(self) -> Config: ...
    @overload
    def ask(self, n: int) -> list[Config]: ...
    def ask(self, n: int | None = None) -> Config | list[Config]:
        """The next configuration, or a list of ``n`` distinct ones to run in parallel.

        Asking again before telling is fine: what was asked for is not suggested twice.
        """
        if n is not None and (isinstance(n, bool) or not isinstance(n, numbers.Integral) or n < 1):
            raise InputError(f"ask(n) takes a whole number >= 1, got {n!r}.")
        with self._lock:
            found = self._suggestions(n or 1)
            self._pending += found  # only now: an error on the way changes nothing
        configs = self.space.configs(np.stack(found))
        return configs[0] if n is None else configs

    def _suggestions(self, n: int) -> list[Array]:
        found: list[Array] = []
        try:
            for _ in range(n):
                found.append(self._next(found))
        except SpaceExhaustedError as error:
            if not found:
                raise
            raise SpaceExhaustedError.with_some_left(n, len(found)) from error
        return found

    def _next(self, found: list[Array]) -> Array:
        """One suggestion; its randomness comes from the seed and the number of the trial."""
        observations = self._observations(found)
        rng = np.random.default_rng([self.seed, observations.trials])
        return np.asarray(suggest(self.model, observations, self.config, rng, pool=self._pool)[0])

    def tell(self, config: Mapping[str, Any], loss: float | None) -> None:
        """Report the loss of a configuration; None, NaN or infinite for a failed trial.

        Any configuration of the space will do, asked for or not.
        """
        row = self.space.codes([config])[0]
        value = read_loss(loss) * sign(self.direction)
        with self._lock:
            self._forget_pending(row)
            self._rows.append(row)
            self._losses.append(value)

    def expect(self, config: Mapping[str, Any]) -> None:
        """Say that a configuration is being run, asked for or not: its result will be told.

        After a restart, for what was running; or for a run of one's own choice.
        """
        row = self.space.codes([config])[0]
        with self._lock:
            self._pending.append(row)

    def _forget_pending(self, row: Array) -> None:
        """Take a configuration from the pending ones, also if some digits were lost on its way."""
        if not self._pending:
            return
        pending = np.stack(self._pending)
        distance = np.abs(self.space.encode(pending) - self.space.encode(row[None]))
        furthest = distance.max(axis=1, initial=0.0)
        exact = [not isinstance(parameter, Float) for parameter in self.space.values()]
        differs = np.any((pending != row) & exact & ~(np.isnan(pending) & np.isnan(row)), axis=1)
        furthest[differs] = np.inf  # only real numbers lose digits
        nearest = int(np.argmin(furthest))
        if furthest[nearest] <= _DIGITS:
            del self._pending[nearest]

    @property
    def best(self) -> tuple[Config, float]:
        """The best configuration told so far, and its loss (or score)."""
        losses = np.array(self._losses)
        if not np.isfinite(losses).any():
            raise InputError(
                f"there is no best configuration yet: {len(losses)} results were told, none valid."
            )
        index = int(np.nanargmin(losses))
        value = float(losses[index]) * sign(self.direction)
        return self.space.configs(self._rows[index])[0], value

    @property
    def trust(self) -> float:
        """Probability, given the results so far, that the past helps with this task.

        The evidence of the models that use the past against that of those that do not
        (malibo.process): how well each foresaw the results, at most 64 of them. 0 without a past.
        """
        if not self.model.informed:
            return 0.0
        known = self.observations
        if not len(known.losses):
            return self.config.trust
        with one_thread():
            return Process(self.model, known.in_order(), self.config.trust).trust

    @property
    def results(self) -> list[tuple[Config, float | None]]:
        """All configurations told, in order, with their loss; None for a failed one."""
        factor = sign(self.direction)
        values = [factor * loss if np.isfinite(loss) else None for loss in self._losses]
        return list(zip(self._configs(self._rows), values, strict=True))

    @property
    def pending(self) -> list[Config]:
        """Configurations asked for and not told yet."""
        return self._configs(self._pending)

    @property
    def observations(self) -> Observations:
        """What is known, as the models see it: losses are minimised (malibo.explain takes it)."""
        with self._lock:
            return self._observations([])

    def __repr__(self) -> str:
        told, pending = len(self._rows), len(self._pending)
        return f"<Malibo on {self.model!r}: {told} told, {pending} pending>"

    def __getstate__(self) -> dict[str, Any]:
        """All but the lock, so that an optimizer can be copied and sent to another process."""
        with self._lock:
            state = {**self.__dict__, "_rows": [*self._rows], "_losses": [*self._losses]}
            return {**state, "_pending": [*self._pending], "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=Lock())

    # -- behind --------------------------------------------------------------------------------

    def _configs(self, rows: list[Array]) -> list[Config]:
        return self.space.configs(np.stack(rows)) if rows else []

    def _observations(self, found: list[Array]) -> Observations:
        width = len(self.space)
        return Observations(
            np.array(self._rows).reshape(-1, width),
            np.array(self._losses),
            np.array(self._pending + found).reshape(-1, width),
        )

    def _table(self, candidates: Candidates | pd.DataFrame) -> Pool:
        """The given candidates, each once; their features are computed here and kept."""
        if hasattr(candidates, "columns"):
            from malibo.sources.tables import frame_codes

            frame: Any = candidates  # a DataFrame, by its columns; pandas may not be there
            codes = frame_codes(frame, self.space)
        elif isinstance(candidates, Sequence) and not isinstance(candidates, str):
            codes = self.space.codes(candidates)
        else:
            raise InputError(
                f"candidates must be a DataFrame or a list of dicts, got {candidates!r}. Their"
                " number in a search without a table is random_candidates=...."
            )
        if len(codes) == 0:
            raise InputError("candidates is empty; give at least one configuration.")
        distinct = {key(row): i for i, row in reversed(list(enumerate(codes)))}
        return Pool.of(self.model, codes[sorted(distinct.values())])


def _checked_model(model: MetaModel | None, space: Space | None, gamma: float) -> MetaModel:
    if model is not None and not isinstance(model, MetaModel):
        hint = {Space: " Write Malibo(space=...).", str: " Read it: MetaModel.load(...)."}
        raise InputError(
            f"model must be a malibo.MetaModel, got {type(model).__name__}."
            f"{hint.get(type(model), '')}"
        )
    if space is not None and not isinstance(space, Space):
        raise InputError(f"space must be a malibo.Space, got {type(space).__name__}.")
    if model is None:
        if space is None:
            raise InputError("give a MetaModel, or space=... to start without past runs.")
        return MetaModel.uninformed(space, gamma)
    if space is not None and (other := model.made_for_another(space)):
        raise InputError(other)
    return model


def checked_seed(seed: int | None) -> int:
    """A seed as given, or one of chance."""
    if seed is None:
        return secrets.randbits(64)
    if isinstance(seed, bool) or not isinstance(seed, numbers.Integral) or seed < 0:
        raise InputError(f"seed must be a whole number >= 0 or None, got {seed!r}.")
    return int(seed)


def _checked_direction(direction: Direction | None, model: MetaModel) -> Direction:
    """As given, else that of the past; a past that was told the other way is worth a warning."""
    if direction is None:
        return model.direction or "minimize"
    sign(direction)
    if model.informed and model.direction not in (None, direction):
        warnings.warn(
            f"the past runs were told to {model.direction} and the new ones are to {direction}: if"
            " they are of one kind, the direction was forgotten when the past was loaded.",
            stacklevel=3,
        )
    return direction
