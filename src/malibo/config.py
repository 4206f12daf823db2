"""The two classes of options. Every ablation of the paper is a field of one of them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypeVar, get_args

import numpy as np

from malibo.errors import InputError, listing, nearest

Recipe = Literal["fast", "paper"]
Utility = Literal["ei", "pi"]
Inference = Literal["laplace", "variational", "hmc"]
Exploration = Literal["thompson", "probit", "map"]
ResidualModel = Literal["boosting", "forest", "mlp", "none"]
Surrogate = Literal["process", "classifier"]

GAMMA = 1 / 3  # the share of observations that count as good, in the paper
_PAST_GAMMA: dict[Recipe, float] = {"fast": 0.1, "paper": GAMMA}
_TARGET_GAMMA: dict[Recipe, float] = {"fast": 0.2, "paper": GAMMA}


def _need(condition: bool, name: str, value: object, expected: str) -> None:
    if not condition:
        raise InputError(f"{name} must be {expected}, got {value!r}.")


def _is_int(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _is_real(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= sys.float_info.max  # neither NaN nor infinite


def _plain_numbers(config: Any) -> None:
    """Python's numbers in place of numpy's, which JSON does not know."""
    for field in fields(config):
        value = getattr(config, field.name)
        if isinstance(value, np.generic):
            object.__setattr__(config, field.name, value.item())


def _check_label_options(gamma: float | None, utility: str) -> None:
    good = gamma is None or (_is_real(gamma) and 0 < gamma < 1)
    _need(good, "gamma", gamma, "a number between 0 and 1")
    _need(utility in get_args(Utility), "utility", utility, f"one of {listing(get_args(Utility))}")


@dataclass(frozen=True)
class TrainConfig:
    """How the past is learned.

    recipe             "fast" (Muon and Adam, one cycle, averaged) or "paper" (Adam at 1e-3)
    gamma              share of a past task's observations that count as good (None: the
                       recipe's own, 0.1 for "fast" and 1/3 for "paper")
    utility            how much a good one counts: "ei" or "pi" (malibo.labels)
    hidden_layers, hidden_units, features
                       the network; ``features`` is d, the dimension of Φ and z
    mean_layer         False is the variant RES: no task-agnostic prediction
    task_layer         False is the variant MEAN: nothing but the task-agnostic prediction
    regularization     λ, the weight of the regulariser of the task embeddings
    prior_variance     weight of the mean of ‖Φ‖², the variance that the prior of z gives to
                       a logit (None: the recipe's own, 0.01 for "fast" and 0 for "paper")
    background         random configurations among the observations of a past task, as a share of
                       them, that count as not good: what nobody tried is presumed to be no
                       better than the rest (None: the recipe's own, 0 for "paper" and, for
                       "fast", by how few and how uneven the observations are)
    functions          whether the losses of past tasks are learned as functions too, for the
                       process (malibo.functions; None: the recipe's own, not for "paper")
    steps              at most so many gradient steps (None: the recipe's own)
    batch_size         None: the recipe's own
    """

    recipe: Recipe = "fast"
    gamma: float | None = None
    utility: Utility = "ei"
    hidden_layers: int = 4
    hidden_units: int = 64
    features: int = 50
    mean_layer: bool = True
    task_layer: bool = True
    regularization: float = 0.1
    prior_variance: float | None = None
    background: float | None = None
    functions: bool | None = None
    steps: int | None = None
    batch_size: int | None = None

    def __post_init__(self) -> None:
        _plain_numbers(self)
        recipes = get_args(Recipe)
        _need(self.recipe in recipes, "recipe", self.recipe, f"one of {listing(recipes)}")
        _check_label_options(self.gamma, self.utility)
        for name in ("hidden_layers", "hidden_units", "features"):
            _need(_is_int(getattr(self, name), 1), name, getattr(self, name), "a whole number >= 1")
        for name in ("steps", "batch_size"):
            value = getattr(self, name)
            _need(value is None or _is_int(value, 1), name, value, "a whole number >= 1, or None")
        for name in ("mean_layer", "task_layer"):
            value = getattr(self, name)
            _need(isinstance(value, bool), name, value, "True or False")
        value = self.functions
        _need(value is None or isinstance(value, bool), "functions", value, "True, False or None")
        if not (self.mean_layer or self.task_layer):
            raise InputError("mean_layer and task_layer cannot both be False: nothing is learned.")
        for name, optional in (
            ("regularization", False),
            ("prior_variance", True),
            ("background", True),
        ):
            value = getattr(self, name)
            good = (optional and value is None) or (_is_real(value) and value >= 0)
            _need(good, name, value, "a number >= 0")

    @property
    def with_functions(self) -> bool:
        """Whether the losses of past tasks are learned as functions."""
        return self.recipe == "fast" if self.functions is None else self.functions

    @property
    def past_gamma(self) -> float:
        """γ of the past tasks."""
        return _PAST_GAMMA[self.recipe] if self.gamma is None else self.gamma

    @property
    def target_gamma(self) -> float:
        """γ of the new task, unless its options say otherwise.

        What a warm start tries is good already: of that, a larger share is as good as
        the best of the past's random configurations.
        """
        return _TARGET_GAMMA[self.recipe] if self.gamma is None else self.gamma


@dataclass(frozen=True)
class SuggestConfig:
    """How the next configuration is found.

    surrogate          what adapts to the new task: a Gaussian "process" (malibo.process) or the
                       paper's "classifier" (malibo.classifier); without a past, the latter
    trust              of the process: probability that the past helps, before anything is
                       observed (under 1/2 it has to prove itself from the first result on);
                       1 trusts it whatever comes
    gamma              share of the observations that count as good; None: as the model was
                       trained if that was said, else 0.2 with a past and 1/3 without
    utility            how much a good one counts: "ei" or "pi"; None: as the model was trained
    inference          how q(z) is found: "laplace", "variational" or "hmc"
    explore            how q(z) is used: one "thompson" draw, "probit" average, or the "map"
    residual           what corrects the meta-model: "boosting", "forest", "mlp" or "none"
    residual_after     the correction starts at so many observations
    random_first       without past runs, so many random configurations come first
    random_candidates  number of random candidates over which the score is maximised (None: 5120,
                       or 2048 where the process adds promising ones)
    equal_logits       candidates whose corrected logits differ by less count as equal
    """

    surrogate: Surrogate = "process"
    trust: float = 0.8
    gamma: float | None = None
    utility: Utility | None = None
    inference: Inference = "laplace"
    explore: Exploration = "thompson"
    residual: ResidualModel = "boosting"
    residual_after: int = 5
    random_first: int = 10
    random_candidates: int | None = None
    equal_logits: float = 0.02

    @classmethod
    def paper(cls, **options: Any) -> SuggestConfig:
        """Algorithm 1 as the paper has it; use it with ``TrainConfig(recipe="paper")``."""
        return with_options(cls, cls(surrogate="classifier", equal_logits=0.0), options)

    def __post_init__(self) -> None:
        _plain_numbers(self)
        _check_label_options(self.gamma, "ei" if self.utility is None else self.utility)
        for name, kind in (
            ("surrogate", Surrogate),
            ("inference", Inference),
            ("explore", Exploration),
            ("residual", ResidualModel),
        ):
            value, known = getattr(self, name), get_args(kind)
            _need(value in known, name, value, f"one of {listing(known)}")
        for name, least in (("residual_after", 2), ("random_first", 0)):
            value = getattr(self, name)
            _need(_is_int(value, least), name, value, f"a whole number >= {least}")
        value = self.random_candidates
        good = value is None or _is_int(value, 1)
        _need(good, "random_candidates", value, "a whole number >= 1, or None")
        good = _is_real(self.trust) and 0 < self.trust <= 1
        _need(good, "trust", self.trust, "a number above 0, at most 1")
        good = _is_real(self.equal_logits) and self.equal_logits >= 0
        _need(good, "equal_logits", self.equal_logits, "a number >= 0")


AnyConfig = TypeVar("AnyConfig", TrainConfig, SuggestConfig)


def with_options(
    kind: type[AnyConfig], config: AnyConfig | None, options: Mapping[str, Any]
) -> AnyConfig:
    """The configuration, or the default one, with some fields replaced; a misspelt one is named."""
    config = kind() if config is None else config
    if not isinstance(config, kind):
        raise InputError(f"config must be a {kind.__name__}, got {config!r}.")
    known = [field.name for field in fields(config)]
    for name in options:
        if name not in known:
            raise InputError(
                f"unknown option {name!r}; {type(config).__name__} has {listing(known, 20)}."
                f"{nearest(name, known)}"
            )
    return replace(config, **options)
