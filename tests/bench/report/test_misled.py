"""MALIBO and a cold start, where the past misleads."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.examples import run
from malibo.bench.report.misled import STEP, ratio, ratio_table
from malibo.bench.runs import Run


def runs(method: str, finals: list[float], task: str = "a", steps: int = STEP) -> list[Run]:
    """Runs that end at the given losses, of 10 at most."""
    return [run(method, task, seed, [final] * steps) for seed, final in enumerate(finals)]


def test_the_ratio_is_that_of_the_means() -> None:
    found = {"flipped": runs("malibo", [1.0, 3.0]) + runs("lfbo", [2.0, 6.0])}
    header, line = ratio_table(found)
    assert header == ["past", "runs", "MALIBO", "LFBO", "ratio"]
    assert line[:2] == ["flipped", "2"]
    assert line[2:] == ["0.2000 ± 0.1000", "0.4000 ± 0.2000", "0.50 ± 0.00"]


def test_only_runs_that_both_have_count() -> None:
    found = {"flipped": runs("malibo", [1.0, 9.0]) + runs("lfbo", [2.0])}
    assert ratio_table(found)[1] == ["flipped", "1", "0.1000", "0.2000", "0.50"]


def test_suites_without_both_or_with_too_few_steps_have_no_line() -> None:
    short = runs("malibo", [1.0], steps=5) + runs("lfbo", [1.0], steps=5)
    apart = runs("malibo", [1.0], task="a") + runs("lfbo", [1.0], task="b")
    assert ratio_table({"a": runs("malibo", [1.0]), "b": short, "c": apart, "d": []}) == []


def test_a_cold_start_without_regret_leaves_the_ratio_open() -> None:
    found = {"flipped": runs("malibo", [1.0, 1.0]) + runs("lfbo", [0.0, 0.0])}
    assert ratio_table(found)[1][-1] == ""


def test_the_error_is_that_of_many_draws() -> None:
    rng = np.random.default_rng(0)
    draws = rng.gamma(4.0, size=(2, 2000, 40))
    ratios = draws[0].mean(axis=1) / draws[1].mean(axis=1)
    errors = [ratio(own, other)[1] for own, other in zip(*draws[:, :200], strict=True)]
    assert np.mean(errors) == pytest.approx(ratios.std(), rel=0.06)


@given(st.lists(st.floats(0.1, 10), min_size=2, max_size=9), st.floats(0.1, 10))
def test_a_fixed_ratio_has_no_error(values: list[float], factor: float) -> None:
    others = np.array(values)
    value, error = ratio(factor * others, others)
    assert value == pytest.approx(factor)
    assert error == pytest.approx(0, abs=1e-9)


def test_a_single_pair_has_a_ratio_and_no_error() -> None:
    value, error = ratio(np.array([1.0]), np.array([4.0]))
    assert value == 0.25
    assert math.isnan(error)
