"""MaliboSampler: Optuna's contract for samplers, on malibo's suggestions.

A suggestion is a function of the trials in the storage, the seed and the number of the trial.
What the sampler keeps is a cache, and the plans of trials under way.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np
from optuna.samplers import BaseSampler, RandomSampler
from optuna.trial import TrialState

from malibo.config import SuggestConfig, TrainConfig, with_options
from malibo.errors import InputError, SpaceError
from malibo.history import History
from malibo.integrations.optuna.cache import trained
from malibo.integrations.optuna.notes import enqueued
from malibo.integrations.optuna.plan import Plan
from malibo.integrations.optuna.planner import Moment, Planner
from malibo.integrations.optuna.target import can_be, without_condition
from malibo.integrations.optuna.telling import (
    tell_differences,
    tell_direction,
    tell_of_itself,
    tell_of_little,
)
from malibo.metamodel import MetaModel
from malibo.optimizer import checked_seed
from malibo.sources.optuna.trials import parameters_of
from malibo.space import Config, Fixed, Parameter, Space

if TYPE_CHECKING:
    from optuna import Study
    from optuna.distributions import BaseDistribution
    from optuna.storages import BaseStorage
    from optuna.trial import FrozenTrial

    SearchSpace = dict[str, BaseDistribution]


_MANY = 1e6  # combinations of values: no two trials will have the same by chance

_Key = tuple[str, int]  # a trial: the name of its study, and its number


class MaliboSampler(BaseSampler):
    """Optuna studies that start warm from past ones.

    model          what was learned from past runs (``malibo.meta_train``); without one, LFBO
    seed           the same seed and the same trials give the same suggestions, in another
                   process and after a restart as well
    search_space   what the objective will ask for: distributions of Optuna by name, or a
                   ``malibo.Space``; without it, what the past had, until trials tell more
    options        fields of SuggestConfig, or all of them as ``config``

    ``malibo:trust`` and ``malibo:source`` of every suggestion are attributes of its trial.
    """

    def __init__(
        self,
        model: MetaModel | None = None,
        *,
        seed: int | None = None,
        search_space: Space | SearchSpace | None = None,
        config: SuggestConfig | None = None,
        **options: Any,
    ) -> None:
        if model is not None and not isinstance(model, MetaModel):
            raise InputError(
                f"model must be a malibo.MetaModel, got {type(model).__name__}; read a file by"
                " malibo.MetaModel.load(...), past studies by MaliboSampler.from_studies(...)."
            )
        self.config = with_options(SuggestConfig, config, options)
        self.seed = checked_seed(seed)
        self.history: History | None = None
        space = as_space(search_space)
        self._expected = "what the past had" if space is None else "search_space"
        self._base = model.space if space is None and model is not None else space
        self.model = model.for_space(space) if model and space else model
        self._begun = False  # a study
        self._told = False  # of differences between the past and the objective
        self._forget()

    @classmethod
    def from_studies(
        cls,
        storage: str | BaseStorage,
        studies: Sequence[str] | None = None,
        *,
        exclude: Sequence[str] = (),
        rename: Mapping[str, str] | None = None,
        search_space: Space | SearchSpace | None = None,
        seed: int | None = None,
        cache: str | PathLike[str] | bool = True,
        train: TrainConfig | None = None,
        progress: bool = True,
        config: SuggestConfig | None = None,
        **options: Any,
    ) -> MaliboSampler:
        """Learn from past studies: all of a storage, or those named.

        exclude        studies to leave out, such as the one that is about to be tuned
        rename         names of parameters in the past to those of today
        cache          where trained models are kept, to be taken again for the same studies:
                       True for the user's cache folder, False for none, or a folder
        train          how the meta-model is trained

        ``sampler.history.describe()`` lists what was read, and what was repaired.
        """
        if not isinstance(train, TrainConfig | None):
            raise InputError(f"train must be a malibo.TrainConfig, got {train!r}.")
        if not isinstance(cache, str | PathLike | bool):
            raise InputError(f"cache must be True, False or a folder, got {cache!r}.")
        history = History.from_optuna(storage, studies, exclude=exclude, rename=rename)
        if (space := as_space(search_space)) is not None:
            history = history.for_space(space)
        model = trained(history, train or TrainConfig(), cache, progress)
        tell_of_little(history)
        sampler = cls(model, seed=seed, search_space=space, config=config, **options)
        sampler.history = history
        return sampler

    # -- the contract ----------------------------------------------------------------------

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """What this sampler chooses together: from the past at trial 0, then as asked for."""
        with self._lock:
            self._plans.pop(_key(study, trial), None)  # of another study by the same name
            moment = self._moments[_key(study, trial)] = self._planner.moment(study, trial)
            if not self._begun:
                self._begun = True
                tell_direction(self.model, study)
        snapshot, space = moment
        if space is None:
            return {}
        distributions = {**space.to_optuna(), **snapshot.distributions}
        return {name: distributions[name] for name, p in space.items() if not isinstance(p, Fixed)}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Values of the trial's plan, for the parameters that the study is known to ask for.

        The others wait for ``sample_independent``: should the objective want another kind of
        parameter by the same name, Optuna would refuse a value that was given before.
        """
        with self._lock:
            moment = self._moments.pop(_key(study, trial), None)
            moment = moment or self._planner.moment(study, trial)
            asked, _ = parameters_of(search_space)
            if not asked:
                return {}
            decided = {**enqueued(trial), **trial.params}
            space = Space(_chosen(moment.target or {}, asked, decided))
            seed = (self.seed, trial.number)
            plan = self._planner.plan(study, trial, moment.snapshot, space, decided, seed)
            sure = [name for name in asked if name in moment.snapshot.distributions]
            given = {
                name: asked[name].to_value(asked[name].to_code(plan.values[name]))
                for name in sure
                if name in plan.values
            }
            self._plans[_key(study, trial)] = replace(plan, given=given)
            return given

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """The value in the trial's plan; where that does not fit, in one made anew.

        A new plan keeps what has been fixed in this trial, and is as warm as the first.
        """
        with self._lock:
            found, refused = parameters_of({param_name: param_distribution})
            if refused:
                return self._at_random(study, trial, param_name, param_distribution)
            parameter = found[param_name]
            plan = self._plans.get(_key(study, trial))
            if plan is not None and self._nothing_known(plan, param_name):
                plan = self._extended(study, trial, plan, param_name, parameter)
            elif plan is None or not _fits(plan, param_name, parameter):
                plan = self._replan(study, trial, plan, param_name, parameter)
            return parameter.to_value(parameter.to_code(plan.values[param_name]))

    def after_trial(
        self,
        study: Study,
        trial: FrozenTrial,
        state: TrialState,
        values: Sequence[float] | None,
    ) -> None:
        """Forget the plan; after the first trial, say where the objective and the past differ."""
        with self._lock:
            self._plans.pop(_key(study, trial), None)
            self._moments.pop(_key(study, trial), None)
            if state in (TrialState.COMPLETE, TrialState.PRUNED) and not self._told:
                self._told = True
                tell_differences(self.model, self._base, self._expected, trial)
                tell_of_itself(self.model, study.study_name)

    def reseed_rng(self) -> None:
        """Take another seed; suggestions of parallel trials differ without it."""
        self.seed = secrets.randbits(64)

    def __getstate__(self) -> dict[str, Any]:
        """What it takes to go on; the past itself, which may be large, stays behind."""
        kept = ("config", "seed", "model", "_base", "_expected", "_begun", "_told")
        return {"history": None, **{name: self.__dict__[name] for name in kept}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget()

    # -- behind ----------------------------------------------------------------------------

    def _forget(self) -> None:
        self._lock = RLock()
        self._plans: dict[_Key, Plan] = {}
        self._moments: dict[_Key, Moment] = {}
        self._planner = Planner(self.model, self._base, self.config)

    def _replan(
        self,
        study: Study,
        trial: FrozenTrial,
        plan: Plan | None,
        name: str,
        parameter: Parameter,
    ) -> Plan:
        """A plan with a parameter that the objective asks for, whatever was expected."""
        moment = self._planner.moment(study, trial)
        expected = plan.space if plan else moment.target
        given = plan.given if plan else {}
        decided = {**enqueued(trial), **given, **trial.params}
        parameters = {**(expected or {}), name: parameter}
        try:
            space = Space(parameters)
        except SpaceError:  # a condition names values that its parent has no more
            space = Space({n: without_condition(p) for n, p in parameters.items()})
        attempt = plan.attempt + 1 if plan else 0
        seed = (self.seed, trial.number, *([attempt] if attempt else []))
        made = self._planner.plan(study, trial, moment.snapshot, space, decided, seed)
        made = replace(made, given=given, attempt=attempt)
        self._plans[_key(study, trial)] = made
        return made

    def _at_random(
        self, study: Study, trial: FrozenTrial, name: str, distribution: BaseDistribution
    ) -> Any:
        """A value of a distribution that malibo has no place for."""
        seed = np.random.default_rng([self.seed, trial.number, len(trial.params)])
        sampler = RandomSampler(seed=int(seed.integers(2**31)))
        return sampler.sample_independent(study, trial, name, distribution)

    def _nothing_known(self, plan: Plan, name: str) -> bool:
        """Whether a parameter is new to past and study, and no two trials will meet by chance.

        An objective with many of them would otherwise have a plan made for each.
        """
        known = self.model is not None and name in self.model.joint
        unseen = name not in plan.space and name not in plan.seen
        sizes = [parameter.count for parameter in plan.space.values()]
        return unseen and not known and math.prod(sizes) > _MANY

    def _extended(
        self, study: Study, trial: FrozenTrial, plan: Plan, name: str, parameter: Parameter
    ) -> Plan:
        """The plan with one more parameter of which nothing is known: any value."""
        attempt = plan.attempt + 1
        rng = np.random.default_rng([self.seed, trial.number, attempt])
        value = parameter.to_value(float(parameter.sample(rng, 1)[0]))
        plan = replace(
            plan,
            space=Space({**plan.space, name: parameter}),
            values={**plan.values, name: value},
            attempt=attempt,
        )
        self._plans[_key(study, trial)] = plan
        return plan


def as_space(space: Space | SearchSpace | None) -> Space | None:
    """A search space however it was given."""
    if space is None or isinstance(space, Space):
        return space
    if isinstance(space, dict):
        return Space.from_optuna(space)
    raise InputError(
        "search_space must be a dict of names and distributions of Optuna, or a malibo.Space; got"
        f" {space!r}."
    )


def _key(study: Study, trial: FrozenTrial) -> _Key:
    return study.study_name, trial.number


def _chosen(
    target: Mapping[str, Parameter], asked: Mapping[str, Parameter], decided: Config
) -> dict[str, Parameter]:
    """The target's parameters that are asked for, and those that are decided already."""
    kept = {name: p for name, p in target.items() if name in asked or name in decided}
    for name, parameter in asked.items():
        kept[name] = replace(parameter, when=kept[name].when if name in kept else {})
    if any(parent not in kept for p in kept.values() for parent in p.when):
        return {name: without_condition(parameter) for name, parameter in kept.items()}
    return kept


def _fits(plan: Plan, name: str, parameter: Parameter) -> bool:
    """Whether the plan's value of a parameter is one of what is asked for."""
    return name in plan.values and can_be(parameter, plan.values[name])
