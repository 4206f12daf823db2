"""From a study's trials to a plan that no other worker has."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from malibo.config import GAMMA, SuggestConfig
from malibo.integrations.optuna.notes import write_notes
from malibo.integrations.optuna.plan import REPEAT, Plan, make_plan
from malibo.integrations.optuna.snapshot import Reader, Snapshot
from malibo.integrations.optuna.target import target_space
from malibo.metamodel import MetaModel
from malibo.sources.optuna.trials import parameters_of
from malibo.space import Config, Space
from malibo.threads import one_thread

if TYPE_CHECKING:
    from optuna import Study
    from optuna.trial import FrozenTrial

_MODELS = 16  # spaces for which the model is kept ready
_ROUNDS = 40  # plans made anew because another worker has the same one, at most
_STUBBORN = 3  # rounds after which chance decides, or two workers might agree for ever


class Moment(NamedTuple):
    """The other trials when a trial is about to begin, and the space they tell of."""

    snapshot: Snapshot
    target: Space | None


class Planner:
    """Makes plans.

    model    what is known of the past, if anything
    base     the space that is expected before trials tell more, if anything is
    config   how suggestions are found
    """

    def __init__(self, model: MetaModel | None, base: Space | None, config: SuggestConfig) -> None:
        self._model, self._base, self._config = model, base, config
        self._reader = Reader()
        self._models: dict[Space, MetaModel] = {}

    def moment(self, study: Study, trial: FrozenTrial) -> Moment:
        """What a trial finds when it begins."""
        snapshot = Snapshot.of(study, trial)
        asked, _ = parameters_of(snapshot.distributions)
        return Moment(snapshot, target_space(self._base, asked, snapshot.whole))

    def plan(
        self,
        study: Study,
        trial: FrozenTrial,
        snapshot: Snapshot,
        space: Space,
        decided: Config,
        seed: tuple[int, ...],
    ) -> Plan:
        """The most promising configuration with the decided values.

        It is told to all, and made anew if another worker had the same idea: all write before
        they look, so that of two at least one will see it.
        """
        decided = {name: value for name, value in decided.items() if name in space}
        for round_ in range(_ROUNDS):
            rng = np.random.default_rng([*seed, round_] if round_ else seed)
            plan = self._promising(study, snapshot, space, decided, rng, round_ >= _STUBBORN)
            write_notes(study, trial, plan.values, plan.source, plan.trust)
            if plan.source == REPEAT or not snapshot.missed(study, trial, plan.values):
                break
            snapshot = Snapshot.of(study, trial)
        return replace(plan, seen=frozenset(snapshot.distributions))

    def _promising(
        self,
        study: Study,
        snapshot: Snapshot,
        space: Space,
        decided: Config,
        rng: np.random.Generator,
        by_chance: bool,
    ) -> Plan:
        model, config = self._model_for(space), self._config
        informed = model.informed
        if by_chance:
            model, config = model.forgotten, replace(config, random_first=2**31)
        observations = self._reader.observations(study.study_name, snapshot, space)
        with one_thread():
            plan = make_plan(model, observations, config, rng, decided)
        return plan if informed else replace(plan, trust=0.0)

    def _model_for(self, space: Space) -> MetaModel:
        if space not in self._models:
            if len(self._models) >= _MODELS:
                self._models.clear()
            if self._model is None:
                made = MetaModel.uninformed(space, self._config.gamma or GAMMA)
            else:
                made = self._model.for_space(space)
            self._models[space] = made
        return self._models[space]
