"""Who is ahead, and where MALIBO stands."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.examples import run
from malibo.bench.report.ahead import (
    CAPTION,
    Standing,
    ordinal,
    shared_runs,
    standing,
    who_is_ahead,
)
from malibo.bench.summary import ALL, Row


def rows(regrets: dict[str, float], step: int = 5, task: str = ALL) -> list[Row]:
    return [{"method": m, "task": task, "step": step, "regret": r} for m, r in regrets.items()]


def test_another_method_that_wins_is_named_with_the_place_of_malibo() -> None:
    found = {"one": rows({"malibo": 0.3, "gp": 0.1, "tpe": 0.2, "random": 0.9})}
    section = who_is_ahead({"tables": found})
    assert section.tables[CAPTION] == [["suite", "step 5"], ["one", "GP (MALIBO 3rd of 4)"]]
    assert "in 0 of 1 cells of tables (up to 4 methods)." in section.notes[0]


def test_cells_are_counted_kind_by_kind() -> None:
    first, second = rows({"malibo": 0.1, "gp": 0.2}), rows({"malibo": 0.2, "gp": 0.1}, step=10)
    alone = rows({"malibo": 0.1})
    section = who_is_ahead(
        {"tables": {"one": first + second}, "functions": {"two": first, "three": alone}}
    )
    counted = (
        "1 of 2 cells of tables (up to 2 methods), 1 of 1 cells of functions (up to 2 methods)"
    )
    assert f"in {counted}." in section.notes[0]
    assert section.tables[CAPTION] == [
        ["suite", "step 5", "step 10"],
        ["one", "MALIBO", "GP (MALIBO 2nd of 2)"],
        ["two", "MALIBO", ""],
        ["three", "MALIBO", ""],
    ]


@pytest.mark.parametrize(
    ("regrets", "text"),
    [
        ({"gp": 0.0, "malibo": 0.0, "tpe": 1.0}, "MALIBO and GP, equal"),
        ({"gp": 0.0, "malibo": 0.0, "tpe": 0.0}, "MALIBO and 2 others, equal"),
        ({"gp": 0.0, "tpe": 0.0, "malibo": 1.0}, "GP and TPE, equal (MALIBO 3rd of 3)"),
        ({"gp": 0.1, "tpe": 0.2}, "GP"),
        ({"malibo": 0.3, "gp": 0.1 + 0.2}, "MALIBO and GP, equal"),  # but for float noise
    ],
)
def test_equal_methods_share_a_place(regrets: dict[str, float], text: str) -> None:
    section = who_is_ahead({"tables": {"one": rows(regrets)}})
    assert section.tables[CAPTION][1][1] == text


def test_only_rows_of_all_tasks_count_and_the_unknown_does_not() -> None:
    found = [*rows({"gp": 0.0}, task="a"), *rows({"malibo": 0.5, "tpe": math.nan, "random": 1.0})]
    assert standing(found, 5, "malibo") == Standing(("malibo",), 1, 2)
    assert standing(found, 10, "malibo") is None
    assert standing(rows({"gp": 0.1}), 5, "malibo") == Standing(("gp",), None, 1)


def test_a_suite_without_common_tasks_has_no_line() -> None:
    section = who_is_ahead({"tables": {"one": rows({"gp": 0.1}, task="a")}})
    assert section.tables[CAPTION] == [["suite"]]


@given(st.dictionaries(st.sampled_from("abcdef"), st.just(0.0) | st.floats(1e-12, 1), min_size=1))
def test_who_leads_has_the_lowest_regret(regrets: dict[str, float]) -> None:
    for name in regrets:
        found = standing(rows(regrets), 5, name)
        assert found is not None
        assert (name in found.leaders) == (found.place == 1)
        assert found.among == len(regrets)
        lowest = min(regrets.values())
        assert all(regrets[leader] == pytest.approx(lowest, rel=1e-9) for leader in found.leaders)


def test_numbers_of_places_are_words() -> None:
    wanted = {1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 13: "13th"}
    wanted |= {21: "21st", 22: "22nd", 111: "111th"}
    assert {number: ordinal(number) for number in wanted} == wanted


def test_means_are_over_runs_that_all_methods_have_but_those_of_few_seeds() -> None:
    runs = [run("malibo", task, seed, [1.0]) for task in "ab" for seed in range(9)]
    runs += [run("gp", task, seed, [1.0]) for task in "ab" for seed in range(5)]
    runs += [run("metabo", task, 0, [0.0]) for task in "ab"]
    shared = shared_runs(runs)
    assert {(one.method, one.seed) for one in shared} == {
        (method, seed) for method in ("malibo", "gp") for seed in range(5)
    }
    assert len(shared) == 20


def test_the_number_of_runs_is_shown_and_nothing_is_counted_without_the_method() -> None:
    found = {"tables": {"one": rows({"gp": 0.1, "tpe": 0.2})}}
    section = who_is_ahead(found, samples={"one": 12})
    assert section.tables[CAPTION] == [["suite", "runs", "step 5"], ["one", "12", "GP"]]
    assert list(section.notes) == []
