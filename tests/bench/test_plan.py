"""The plan: names that exist, files that agree, and nothing twice."""

from __future__ import annotations

from collections import Counter

import pytest

from malibo.bench.methods import METHODS
from malibo.bench.plan import PLAN, Batch, Experiment, chosen, experiment_of, quick
from malibo.bench.suites import suites
from malibo.errors import InputError

PAIRS = [
    (experiment, suite, method, batch.seeds)
    for experiment in PLAN
    for batch in experiment.batches
    for suite in batch.suites
    for method in batch.methods
]


def test_experiments_have_different_names_and_a_title() -> None:
    assert len({experiment.name for experiment in PLAN}) == len(PLAN)
    assert all(experiment.title for experiment in PLAN)


def test_all_methods_of_the_plan_exist_and_all_methods_are_in_the_plan() -> None:
    assert {method for _, _, method, _ in PAIRS} == set(METHODS)


def test_suites_that_need_no_folder_are_built_in() -> None:
    assert {suite for experiment, suite, _, _ in PAIRS if not experiment.folder} <= set(suites())


def test_a_suite_is_of_a_folder_or_built_in_but_not_now_this_and_now_that() -> None:
    of_folder = {suite for experiment, suite, _, _ in PAIRS if experiment.folder}
    assert (
        of_folder & {suite for experiment, suite, _, _ in PAIRS if not experiment.folder} == set()
    )


def test_a_suite_has_no_method_twice() -> None:
    counts = Counter((suite, method) for _, suite, method, _ in PAIRS)
    assert max(counts.values()) == 1


def test_all_experiments_of_a_suite_have_as_many_steps() -> None:
    steps = {(suite, experiment.steps) for experiment, suite, _, _ in PAIRS}
    assert len(steps) == len({suite for suite, _ in steps})


def test_tasks_are_named_for_suites_of_their_experiment() -> None:
    for experiment in PLAN:
        used = {suite for batch in experiment.batches for suite in batch.suites}
        assert set(experiment.tasks) <= used
        assert all(len(set(names)) == len(names) >= 4 for names in experiment.tasks.values())


@pytest.mark.parametrize(
    ("suite", "method", "name", "seeds"),
    [
        ("fcnet", "tpe", "real", 20),
        ("nasbench201", "malibo", "real", 10),
        ("fcnet", "metabo", "real", 5),
        ("fcnet", "malibo-rf", "variants", 5),
        ("nasbench201", "malibo-hmc", "inference", 5),
        ("fcnet", "malibo-d128", "dimension", 5),
        ("chem_suzuki", "rgpe", "tables", 10),
        ("hpob", "gp", "hpob", 5),
        ("forrester", "malibo-trusting", "noise", 3),
        ("branin", "malibo", "noise", 1),
        ("forrester", "gp", "noise", 1),
        ("branin-noise-0.1", "ablr", "noise", 1),
        ("hartmann3d-flipped", "malibo", "misleading", 20),
        ("nasbench201-elsewhere", "lfbo", "misleading", 20),
        ("nasbench201-flipped", "lfbo", "misleading", 40),
    ],
)
def test_runs_belong_to_an_experiment(suite: str, method: str, name: str, seeds: int) -> None:
    assert experiment_of(suite, method) == chosen([name])[0]
    assert [n for _, s, m, n in PAIRS if (s, m) == (suite, method)] == [seeds]


def test_runs_outside_the_plan_belong_to_none() -> None:
    assert experiment_of("fcnet", "malibo-hmc") is None
    assert experiment_of("quadratic", "random") is None


def test_experiments_are_chosen_by_name_in_the_order_of_the_plan() -> None:
    assert [experiment.name for experiment in chosen(["noise", "real"])] == ["real", "noise"]
    with pytest.raises(InputError, match="unknown experiment 'rael'; known, nearest first: real"):
        chosen(["rael"])


def test_the_quick_plan_is_small() -> None:
    slow = Experiment("slow", "only slow ones", 100, (Batch(("fcnet",), ("rgpe",), 5),))
    mixed = Experiment(
        "mixed",
        "both",
        100,
        (Batch(("fcnet",), ("rgpe", "lfbo", "random"), 5), Batch(("fcnet",), ("gp",), 5)),
    )
    (small,) = quick([slow, mixed])
    assert (small.name, small.steps, small.most_tasks) == ("mixed", 5, 2)
    assert small.batches == (Batch(("fcnet",), ("lfbo", "random"), 1),)
