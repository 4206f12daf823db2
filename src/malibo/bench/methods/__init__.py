"""Who tunes: every method by its name, with one line on what it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from malibo.bench.methods.malibo import Cold, Warm
from malibo.bench.methods.optimizer import Factory, Optimizer
from malibo.bench.searchspace import SearchSpace
from malibo.config import SuggestConfig, TrainConfig
from malibo.errors import InputError, nearest_first
from malibo.extras import require
from malibo.history import History

DIMENSIONS = (4, 8, 16, 32, 64, 128)  # of the task embedding, beside the default 50


@dataclass(frozen=True)
class Lazy:
    """A class of a module of this package, imported when it is first used.

    needs     an optional package without which there is no use in importing it
    updates   of its training on the past, for those that have any; None: its own default
    """

    module: str
    name: str
    needs: str | None = None
    updates: int | None = None

    def __call__(self, space: SearchSpace, history: History, rng: np.random.Generator) -> Optimizer:
        """Import and build."""
        self.check()
        build = getattr(import_module(f"{__name__}.{self.module}"), self.name)
        options = {} if self.updates is None else {"updates": self.updates}
        optimizer: Optimizer = build(space, history, rng, **options)
        return optimizer

    def check(self) -> None:
        """Refuse, with the pip line, if what it needs is not installed."""
        if self.needs:
            require(self.needs, "baselines" if self.needs == "torch" else "bench")


@dataclass(frozen=True)
class Method:
    """A method: one line on what it is, and its factory."""

    line: str
    factory: Factory


def _paper(line: str, train: Mapping[str, Any] | None = None, **suggest: str) -> Method:
    """MALIBO as the paper has it, with some options changed."""
    options = TrainConfig(recipe="paper", **(train or {}))
    return Method(line, Warm(options, SuggestConfig.paper(**suggest)))


METHODS: dict[str, Method] = {
    "random": Method("random search", Lazy("random", "RandomSearch")),
    "tpe": Method("Optuna's TPE with its defaults", Lazy("tpe", "Tpe", "optuna")),
    "bore": Method("BORE: a boosted classifier of good points", Cold(SuggestConfig(utility="pi"))),
    "lfbo": Method("LFBO: the same, weighted by improvement; MALIBO without a past", Cold()),
    "lfbo-bb": Method(
        "LFBO in the bounding box of the best past configurations", Lazy("lfbo_bb", "LfboBox")
    ),
    "gp": Method("Gaussian process, Matérn 5/2, EI", Lazy("gp", "GaussianProcess", "torch")),
    "rgpe": Method("ranking-weighted ensemble of GPs of the past", Lazy("rgpe", "Rgpe", "torch")),
    "ablr": Method(
        "adaptive Bayesian linear regression on a shared network", Lazy("ablr", "Ablr", "torch")
    ),
    "gc3p": Method("Gaussian copula process with a learned prior", Lazy("gc3p", "Gc3p", "torch")),
    "banner": Method(
        "BaNNER: meta-learned mean and features, linear regression, GP residual",
        Lazy("banner", "Banner", "torch"),
    ),
    "fsbo": Method(
        "FSBO: a deep kernel Gaussian process, fine-tuned at each step",
        Lazy("fsbo", "Fsbo", "torch"),
    ),
    "dre": Method("deep ranking ensembles", Lazy("dre", "RankingEnsemble", "torch")),
    "metabo": Method(
        "MetaBO: an acquisition function learned by reinforcement",
        Lazy("metabo", "MetaBo", "torch"),
    ),
    "pfn": Method("a network fitted to a prior over functions", Lazy("pfn", "Pfn", "torch")),
    "past-best": Method("the best past configurations, in turn", Lazy("past_best", "PastBest")),
    "malibo": Method("MALIBO with its defaults", Warm()),
    "malibo-classifier": Method(
        "the paper's classifier in place of the Gaussian process",
        Warm(suggest=SuggestConfig(surrogate="classifier")),
    ),
    "malibo-network": Method(
        "without the functions of past tasks", Warm(train=TrainConfig(functions=False))
    ),
    "malibo-trusting": Method(
        "with a trust of 1 in the past, whatever comes", Warm(suggest=SuggestConfig(trust=1.0))
    ),
    "malibo-paper": _paper("MALIBO as the paper has it, which the variants below change"),
    "malibo-probit": _paper(
        "averaged over the task's uncertainty, no boosting", explore="probit", residual="none"
    ),
    "malibo-ts": _paper("Thompson sampling, no boosting", residual="none"),
    "malibo-res": _paper("without the mean layer", {"mean_layer": False}),
    "malibo-mean": _paper("without the task layer", {"task_layer": False}),
    "malibo-rf": _paper("random forest in place of boosting", residual="forest"),
    "malibo-mlp": _paper("multi-layer perceptron in place of boosting", residual="mlp"),
    "malibo-variational": _paper("q(z) by variational inference", inference="variational"),
    "malibo-hmc": _paper("q(z) by Hamiltonian Monte Carlo", inference="hmc"),
    **{
        f"malibo-d{d}": _paper(f"embeddings of {d} dimensions", {"features": d}) for d in DIMENSIONS
    },
}

PUBLISHED: dict[str, str] = {
    "nap": "NAP (Maraval et al., 2023): published HPO-B curves only",
    "optformer": "OptFormer (Chen et al., 2022): published HPO-B curves only",
}


def method(name: str) -> Method:
    """A method by its name."""
    if name in PUBLISHED:
        raise InputError(
            f"{name!r} cannot be run: it is known only by its published curves on HPO-B;"
            " show them with: malibo bench report --published DIR"
        )
    if name not in METHODS:
        raise InputError(f"unknown method {name!r}; {nearest_first(name, METHODS)}.")
    return METHODS[name]


def check_installed(name: str) -> None:
    """Refuse, with the pip line, a method whose packages are not installed."""
    factory = method(name).factory
    if isinstance(factory, Lazy):
        factory.check()
