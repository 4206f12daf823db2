"""Ranks over several suites."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from malibo.bench.overall import ahead, overall_table, pooled, ranks
from malibo.bench.problems.problem import Reference
from malibo.bench.runs import Run


def run(method: str, task: str, seed: int, truths: list[float]) -> Run:
    count = len(truths)
    return Run(
        method=method,
        task=task,
        seed=seed,
        reference=Reference(best=0.0, worst=1.0, second=0.1),
        parameters=["x"],
        initial=0,
        configs=[[0.0]] * count,
        loss=truths,
        truth=truths,
        better=[0.5] * count,
        seconds=[float("nan")] * count,
        suggest=[0.01] * count,
        train=[0.0] * count,
    )


def suite(scale: float, steps: int, seeds: int = 10) -> list[Run]:
    """malibo is always ahead of random; third ties with malibo."""
    return [
        run(method, task, seed, [scale * level * (1 + 0.01 * seed)] * steps)
        for method, level in (("malibo", 0.1), ("random", 0.9), ("third", 0.1))
        for task in ("a", "b")
        for seed in range(seeds)
    ]


def test_tasks_of_two_suites_with_the_same_name_are_different_tasks() -> None:
    found = pooled({"one": suite(1.0, 5), "other": suite(1e-6, 3)})
    assert len(found.keys["malibo"]) == 40
    assert list(found.steps) == [1, 2, 3]


def test_only_methods_that_every_suite_has_and_runs_that_all_methods_have_count() -> None:
    one, other = suite(1.0, 3), suite(1.0, 3)
    alone = [replace(r, method="alone") for r in one if r.method == "random"]
    fewer = [r for r in other if r.method != "random" or r.seed < 4]
    found = pooled({"one": [*one, *alone], "other": fewer})
    assert set(found.methods) == {"malibo", "random", "third"}
    assert {len(keys) for keys in found.keys.values()} == {20 + 8}


def test_ranks_do_not_depend_on_the_scale_of_a_suite() -> None:
    found = pooled({"one": suite(1.0, 3), "other": suite(1e-6, 3)})
    by_method = ranks(found, 2)
    np.testing.assert_array_equal(by_method["random"], 3)
    np.testing.assert_array_equal(by_method["malibo"], 1.5)


def test_being_ahead_everywhere_is_significant_and_a_tie_is_not() -> None:
    p = ahead(pooled({"one": suite(1.0, 3), "other": suite(1e-6, 3)}), 3, "malibo")
    assert p["random"] < 1e-6
    assert p["third"] == 1.0


def test_the_table_has_a_star_where_malibo_is_significantly_ahead() -> None:
    header, *lines = overall_table({"one": suite(1.0, 6), "other": suite(1e-6, 6)}, (1, 5, 50))
    assert header == ["method", "step 1", "step 5"]
    assert lines[-1] == ["random", "3.00*", "3.00*"]
    assert ["malibo", "1.50", "1.50"] in lines


@pytest.mark.parametrize("method", ["malibo", "absent"])
def test_without_a_method_in_common_there_is_no_table(method: str) -> None:
    one = [r for r in suite(1.0, 3) if r.method == "malibo"]
    other = [r for r in suite(1.0, 3) if r.method == "random"]
    assert overall_table({"one": one, "other": other}, (1,), method) == []
