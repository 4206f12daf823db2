"""Malibo: ask for a configuration, tell its loss. The only mutable state of the library."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from malibo.config import SuggestConfig, with_options
from malibo.errors import InputError
from malibo.history import Direction, sign
from malibo.maximize import Pool, key
from malibo.metamodel import MetaModel
from malibo.space import Config, Space
from malibo.space.parameters import Array
from malibo.suggest import Observations, suggest

if TYPE_CHECKING:
    import pandas as pd

Candidates = Sequence[Mapping[str, Any]]


class Malibo:
    """Transfer hyperparameter optimisation by ask and tell.

    model        a MetaModel; without one, ``space=...`` starts cold, as plain LFBO
    candidates   a DataFrame or list of dicts: choose only among its rows
    seed         with the same model, results and seed come the same suggestions,
                 in another process and after a restart as well
    direction    "maximize" if ``tell`` gets scores in place of losses
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
        self.model = _checked_model(model, space)
        self.config = with_options(SuggestConfig, config, options)
        self.seed = _checked_seed(seed)
        self.direction = _checked_direction(direction, self.model)
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
        found: list[Array] = []
        for _ in range(n or 1):
            found.append(self._next(found))
        self._pending += found  # only now: an error on the way changes nothing
        configs = self.space.configs(np.stack(found))
        return configs[0] if n is None else configs

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
        value = _checked_loss(loss) * sign(self.direction)
        asked = [i for i, other in enumerate(self._pending) if key(other) == key(row)]
        if asked:
            del self._pending[asked[0]]
        self._rows.append(row)
        self._losses.append(value)

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
    def results(self) -> list[tuple[Config, float | None]]:
        """All configurations told, in order, with their loss; None for a failed one."""
        factor = sign(self.direction)
        values = [factor * loss if np.isfinite(loss) else None for loss in self._losses]
        return list(zip(self._configs(self._rows), values, strict=True))

    @property
    def pending(self) -> list[Config]:
        """Configurations asked for and not told yet."""
        return self._configs(self._pending)

    def __repr__(self) -> str:
        past = f"{len(self.model.tasks)} past tasks" if self.model.informed else "no past"
        told, pending = len(self._rows), len(self._pending)
        return f"<Malibo: {past}, {len(self.space)} parameters, {told} told, {pending} pending>"

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

            codes = frame_codes(candidates, self.space)  # type: ignore[arg-type]
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


def _checked_model(model: MetaModel | None, space: Space | None) -> MetaModel:
    if model is not None and not isinstance(model, MetaModel):
        hint = " Write Malibo(space=...)." if isinstance(model, Space) else ""
        raise InputError(f"model must be a malibo.MetaModel, got {type(model).__name__}.{hint}")
    if space is not None and not isinstance(space, Space):
        raise InputError(f"space must be a malibo.Space, got {type(space).__name__}.")
    if model is None:
        if space is None:
            raise InputError("give a MetaModel, or space=... to start without past runs.")
        return MetaModel.uninformed(space)
    if space is not None and (other := model.made_for_another(space)):
        raise InputError(other)
    return model


def _checked_seed(seed: int | None) -> int:
    if seed is None:
        return int(np.random.SeedSequence().entropy)  # type: ignore[arg-type]
    if isinstance(seed, bool) or not isinstance(seed, numbers.Integral) or seed < 0:
        raise InputError(f"seed must be a whole number >= 0 or None, got {seed!r}.")
    return int(seed)


def _checked_direction(direction: Direction | None, model: MetaModel) -> Direction:
    if direction is None:
        if model.direction == "maximize":
            warnings.warn(
                "the past runs were maximised, and tell() takes losses, to be minimised: pass"
                " direction='maximize' to tell scores, or direction='minimize' to tell losses.",
                stacklevel=3,
            )
        return "minimize"
    sign(direction)
    return direction


def _checked_loss(loss: float | None) -> float:
    """The loss as a float; NaN for a failed trial."""
    if loss is None:
        return np.nan
    number = loss.item() if isinstance(loss, np.ndarray) and loss.size == 1 else loss
    if isinstance(number, bool | np.bool_) or not isinstance(number, numbers.Real):
        raise InputError(
            f"loss must be a number, or None for a failed trial; got {loss!r}"
            f" ({type(loss).__name__})."
        )
    try:
        value = float(number)
    except OverflowError:  # an integer beyond all floats
        value = np.inf
    return value if np.isfinite(value) else np.nan
