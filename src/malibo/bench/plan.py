"""The plan: every experiment behind the published results, as data. ``malibo bench all`` runs it.

No suite has a method twice, and all experiments of a suite have as many steps: their runs share
one file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from malibo.bench.methods import DIMENSIONS
from malibo.bench.problems.misleading import PASTS
from malibo.bench.suites import NOISES
from malibo.errors import InputError, nearest_first


@dataclass(frozen=True)
class Batch:
    """Methods that are run on the same suites with as many seeds."""

    suites: tuple[str, ...]
    methods: tuple[str, ...]
    seeds: int


@dataclass(frozen=True)
class Experiment:
    """A question, and the runs that answer it.

    name         as on the command line
    title        one line on what is asked
    steps        of each run
    batches      what is run
    tasks        those of a suite that are tuned; all of a suite that is not named
    most_tasks   of these, only so many of a suite
    folder       what ``--data`` has to be, for suites that are not built in
    """

    name: str
    title: str
    steps: int
    batches: tuple[Batch, ...]
    tasks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    most_tasks: int | None = None
    folder: str | None = None


_REAL = ("fcnet", "nasbench201")
_CLEAN = ("forrester", "hartmann3d")
_NOISY = tuple(
    f"{family}-noise-{noise:g}" if noise else family
    for family in ("forrester", "branin", "hartmann3d")
    for noise in NOISES
)
_MISLED_FUNCTIONS = tuple(f"hartmann3d-{past}" for past in PASTS)
_HARD = ("flipped", "unrelated")  # pasts that cost most, and need more runs to tell how much
_LIGHT = ("random", "past-best", "tpe", "lfbo", "lfbo-bb", "malibo", "malibo-classifier")

#: Target tasks of the suites that have many. They were drawn once, and are kept.
_TABLES = {
    "openml100_adaboost": ("18", "3481", "3902", "9980", "146607"),
    "hpobench_xgb48": ("11", "21", "31", "34", "41"),
    "gc3p_xgboost": ("german.numer", "ijcnn1", "madelon", "skin_nonskin", "w6a"),
    "text_classification": ("n2", "n8", "o2", "o6", "o17"),
    "yahpo_lcbench": ("126029", "167185", "168910", "189906", "189909"),
    "yahpo_rbv2_rpart": ("22", "1220", "1479", "40496", "41212"),
    "sw_x264": (
        "azure_2762_32",
        "feature1_2762_8",
        "feature8_2762_8",
        "feature8_2762_32",
        "feature10_2744_32",
    ),
    "nmt_hpo": ("en-ja", "ja-en", "ru-en", "so-en", "sw-en"),
    "chem_suzuki": ("i", "ii", "iii", "iv"),
    "hpobench_mlp": ("australian", "kc1", "phoneme", "segment", "vehicle"),
}

PLAN: tuple[Experiment, ...] = (
    Experiment(
        name="real",
        title="MALIBO and what people would use instead, on two real benchmarks",
        steps=100,
        batches=(
            Batch(
                _REAL,
                ("random", "past-best", "tpe", "bore", "lfbo", "lfbo-bb", "malibo-classifier"),
                seeds=20,
            ),
            Batch(_REAL, ("malibo",), seeds=10),
            Batch(_REAL, ("malibo-paper", "malibo-network", "malibo-trusting"), seeds=5),
            Batch(_REAL, ("ablr", "gc3p", "gp", "rgpe"), seeds=5),
            Batch(_REAL, ("banner", "fsbo", "dre", "pfn", "metabo"), seeds=5),
        ),
    ),
    Experiment(
        name="tables",
        title="the same on ten sets of tables",
        steps=50,
        batches=(
            Batch(
                tuple(_TABLES),
                ("random", "past-best", "tpe", "lfbo", "lfbo-bb", "malibo", "gp", "gc3p", "rgpe"),
                seeds=10,
            ),
        ),
        tasks=_TABLES,
        folder="a folder with these sets of tables",
    ),
    Experiment(
        name="hpob",
        title="the same on HPO-B, by its own split",
        steps=100,
        batches=(Batch(("hpob",), ("random", "tpe", "lfbo", "malibo", "gp", "rgpe"), seeds=5),),
        folder="HPO-B's hpob-data",
    ),
    Experiment(
        name="variants",
        title="what each part of MALIBO contributes",
        steps=100,
        batches=(
            Batch(
                _REAL,
                ("malibo-probit", "malibo-ts", "malibo-res", "malibo-mean", "malibo-mlp"),
                seeds=5,
            ),
            Batch(_REAL, ("malibo-rf",), seeds=5),
        ),
    ),
    Experiment(
        name="inference",
        title="other ways to infer the task",
        steps=100,
        batches=(
            Batch(_REAL, ("malibo-variational",), seeds=5),
            Batch(("nasbench201",), ("malibo-hmc",), seeds=5),
        ),
    ),
    Experiment(
        name="dimension",
        title="embeddings of other sizes",
        steps=100,
        batches=(Batch(_REAL, tuple(f"malibo-d{d}" for d in DIMENSIONS), seeds=5),),
    ),
    Experiment(
        name="noise",
        title="synthetic functions with more and more noise",
        steps=30,
        batches=(
            Batch(_CLEAN, (*_LIGHT, "malibo-trusting"), seeds=3),
            Batch(tuple(name for name in _NOISY if name not in _CLEAN), _LIGHT, seeds=1),
            Batch(_NOISY, ("gp", "ablr", "gc3p", "rgpe"), seeds=1),
        ),
    ),
    Experiment(
        name="misleading",
        title="a past that misleads",
        steps=30,
        batches=(
            Batch(_MISLED_FUNCTIONS, ("lfbo", "malibo"), seeds=20),
            Batch(
                tuple(f"nasbench201-{past}" for past in PASTS if past not in _HARD),
                ("lfbo", "malibo"),
                seeds=20,
            ),
            Batch(tuple(f"nasbench201-{past}" for past in _HARD), ("lfbo", "malibo"), seeds=40),
        ),
        tasks={suite: tuple(f"target {i}" for i in range(6)) for suite in _MISLED_FUNCTIONS},
    ),
)

QUICK_METHODS = ("random", "past-best", "lfbo", "malibo")
QUICK_STEPS = 5
QUICK_TASKS = 2


def chosen(names: Sequence[str], plan: Sequence[Experiment] = PLAN) -> list[Experiment]:
    """The experiments of the given names, in the order of the plan."""
    known = [experiment.name for experiment in plan]
    for name in names:
        if name not in known:
            raise InputError(f"unknown experiment {name!r}; {nearest_first(name, known)}.")
    return [experiment for experiment in plan if experiment.name in names]


def quick(plan: Sequence[Experiment] = PLAN) -> list[Experiment]:
    """The plan made small, to try it: one seed, few steps and tasks, and methods that are fast."""
    return [
        replace(
            experiment,
            steps=QUICK_STEPS,
            batches=_quick_batches(experiment),
            most_tasks=QUICK_TASKS,
        )
        for experiment in plan
        if _quick_batches(experiment)
    ]


def _quick_batches(experiment: Experiment) -> tuple[Batch, ...]:
    few = [
        replace(batch, methods=tuple(m for m in batch.methods if m in QUICK_METHODS), seeds=1)
        for batch in experiment.batches
    ]
    return tuple(batch for batch in few if batch.methods)


def experiment_of(suite: str, method: str, plan: Sequence[Experiment] = PLAN) -> Experiment | None:
    """The experiment to which runs of a method on a suite belong; None if they are in none."""
    for experiment in plan:
        for batch in experiment.batches:
            if suite in batch.suites and method in batch.methods:
                return experiment
    return None
