"""Tests of differences, against hand-computed values and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, wilcoxon

from bench.examples import run
from malibo.bench.metrics import Curves, curves, immediate_regret
from malibo.bench.statistics import Comparison, cliques, compare, holm, ranks_at, signed_rank
from malibo.errors import InputError


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_keeps_the_order_and_makes_nothing_smaller(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    assert all(p <= q <= 1 for p, q in zip(p_values, adjusted, strict=True))
    order = np.argsort(p_values, kind="stable")
    assert (np.diff(np.array(adjusted)[order]) >= 0).all()


def test_the_signed_rank_test_is_that_of_scipy() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 30))
    expected = wilcoxon(first, second, zero_method="pratt").pvalue
    assert signed_rank(first, second) == pytest.approx(expected)
    assert signed_rank(second, first) == pytest.approx(expected)


def test_methods_that_never_differ_have_a_p_of_one() -> None:
    assert signed_rank(np.zeros(5), np.zeros(5)) == 1
    assert signed_rank(np.empty(0), np.empty(0)) == 1


def test_pairs_without_a_difference_are_ranked_and_then_left_out() -> None:
    signs = np.where(np.arange(18) % 3, 1, -1)
    difference = np.concatenate([[0, 0], 0.1 * np.arange(1, 19) * signs])
    ranks = np.arange(3, 21) * signs  # 1 and 2 are those of the zeros
    z = ranks.sum() / np.sqrt((ranks**2).sum())
    assert signed_rank(difference, np.zeros(20)) == pytest.approx(2 * norm.sf(z))


def test_without_ties_p_is_exact() -> None:
    assert signed_rank(np.arange(1.0, 9.0), np.zeros(8)) == pytest.approx(2 / 2**8)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_few_runs_prove_nothing_and_warn_of_nothing(count: int) -> None:
    assert 0.05 < signed_rank(np.arange(1.0, count + 1), np.zeros(count)) <= 1


def three_methods() -> Curves:
    """Good is always better than the other two, which take turns."""
    runs = []
    for seed in range(20):
        better, worse = (2.0, 3.0) if seed % 2 else (3.0, 2.0)
        for name, value in (("odd", better), ("good", 1.0), ("even", worse)):
            runs.append(run(name, "a", seed, [9.0, value]))
    return curves(runs, immediate_regret)


def test_ranks_at_a_step_come_best_first() -> None:
    assert ranks_at(three_methods(), 2) == {"good": 1.0, "odd": 2.5, "even": 2.5}
    assert list(ranks_at(three_methods(), 1).values()) == [2.0, 2.0, 2.0]


def test_all_pairs_of_methods_are_compared() -> None:
    found = {(c.first, c.second): c for c in compare(three_methods(), 2)}
    assert set(found) == {("odd", "good"), ("odd", "even"), ("good", "even")}
    assert found["odd", "even"].p == pytest.approx(1)
    assert found["odd", "good"].p < 0.001
    assert found["odd", "good"].adjusted == pytest.approx(3 * found["odd", "good"].p)


def test_only_the_better_method_stands_alone() -> None:
    shown = three_methods()
    assert cliques(ranks_at(shown, 2), compare(shown, 2)) == [("odd", "even")]
    (everyone,) = cliques(ranks_at(shown, 1), compare(shown, 1))
    assert sorted(everyone) == ["even", "good", "odd"]


def test_a_step_that_was_not_reached_is_refused() -> None:
    with pytest.raises(InputError, match=r"there is no step 100; the runs end at 2\."):
        ranks_at(three_methods(), 100)


RANKS = {"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0}


def different(*pairs: str) -> list[Comparison]:
    """Pairs of letters that differ."""
    return [Comparison(pair[0], pair[1], 0.001, 0.01) for pair in pairs]


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ((), ["abcd"]),
        (("ad",), ["abc", "bcd"]),
        (("ab", "ac", "ad"), ["bcd"]),
        (("ac", "ad", "bc", "bd"), ["ab", "cd"]),
        (("ac", "bd", "ad"), ["ab", "bc", "cd"]),
        (("bc",), ["ab", "cd"]),
        (("ab", "bc", "cd"), []),
        (("ab", "bc", "cd", "ac", "bd", "ad"), []),
    ],
)
def test_cliques_are_the_largest_groups_of_neighbours(
    pairs: tuple[str, ...], expected: list[str]
) -> None:
    assert cliques(RANKS, different(*pairs)) == [tuple(group) for group in expected]


def test_the_level_decides_what_differs() -> None:
    assert cliques(RANKS, different("ad"), level=0.001) == [("a", "b", "c", "d")]
    assert cliques({}, []) == []
