"""The verdict: what is saved, against whom, how sure that is, and all of it in words."""

from __future__ import annotations

import json

import numpy as np
import pytest

from malibo.explain.verdict import Evaluation, Tuned, _flip_test, _saved


def tuned(
    name: str, warm: tuple[int, ...], cold: tuple[int, ...], better: int = 1, random: int = 30
) -> Tuned:
    """A task in which the warm start is as far ahead at trial 5 as told, and equal at 10."""
    return Tuned(name, 100, 30, random, warm, cold, ((better, 0),) * len(warm))


def evaluation(*pairs: tuple[int, int], better: int = 1) -> Evaluation:
    """One seed for each pair of trials: warm, cold."""
    tasks = [tuned(f"task {i}", (w,), (c,), better) for i, (w, c) in enumerate(pairs)]
    return Evaluation(tuple(tasks), ())


@pytest.mark.parametrize(
    ("pairs", "verdict"),
    [
        ([(3, 20), (4, 25), (2, 15), (5, 30), (3, 22)], "worth it"),
        ([(3, 3), (4, 2), (2, 5), (5, 5), (3, 4)], "no clear gain"),  # no more than a cold start
        ([(3, 20), (60, 12), (2, 15), (45, 30), (29, 22)], "no clear gain"),
        ([(50, 60), (60, 60), (55, 60), (40, 50), (45, 60)], "harmful"),  # worse than random
        ([(20, 10), (25, 12), (15, 5), (22, 9), (28, 3)], "harmful"),  # worse than cold
        ([(1, 60)] * 4, "too few tasks to tell"),  # 1 of 8 if nothing is to be gained
        ([(3, 20), (4, 25), (2, 15), (5, 30), (5, 5)], "no clear gain"),  # one does not agree
        ([(3, 20)] * 7 + [(9, 5)], "worth it"),  # one of eight may disagree
    ],
)
def test_the_verdict_follows_what_is_saved(pairs: list[tuple[int, int]], verdict: str) -> None:
    assert evaluation(*pairs).verdict == verdict


def test_saved_trials_are_those_of_random_search_and_of_the_same_seed() -> None:
    found = Evaluation((tuned("a", (2, 8), (10, 9), random=20),), ())
    assert found.over_random.median == 15
    assert found.over_cold.median == 4.5


def test_the_interval_is_over_tasks() -> None:
    same = _saved([np.array([5.0, 1.0, 9.0])] * 5)
    assert (same.median, same.low, same.high) == (5, 5, 5)
    wide = _saved([np.full(3, v) for v in (40.0, 10.0, 20.0, 30.0, 0.0)])
    assert (wide.median, wide.low, wide.high) == (20, 0, 40)
    eight = _saved([np.full(3, v) for v in np.arange(8.0)])
    assert (eight.median, eight.low, eight.high) == (3.5, 1, 6)


def test_with_few_tasks_there_is_no_interval() -> None:
    found = _saved([np.full(3, v) for v in (1.0, 2.0, 3.0, 4.0)])
    assert (found.median, found.low, found.high) == (2.5, -np.inf, np.inf)


@pytest.mark.parametrize("tasks", [5, 6, 8, 12, 20])
def test_where_nothing_is_saved_the_interval_rarely_says_so(tasks: int) -> None:
    """Both ways of an A/A test: 5 % of cases at most on each side, whatever the values are."""
    rng = np.random.default_rng(tasks)
    found = [_saved(list(rng.standard_cauchy((tasks, 3)))) for _ in range(1000)]
    assert np.mean([saved.low > 0 for saved in found]) < 0.065
    assert np.mean([saved.high < 0 for saved in found]) < 0.065


def test_shares_and_p_of_the_lead() -> None:
    five, ten = evaluation(*[(3, 20)] * 6).ahead
    assert (five.trial, five.better, five.equal, five.worse) == (5, 1, 0, 0)
    assert five.p == pytest.approx(2 / 2**6)
    assert (ten.trial, ten.better, ten.equal, ten.worse, ten.p) == (10, 0, 1, 0, 1)
    behind = evaluation(*[(3, 20)] * 6, better=-1).ahead[0]
    assert (behind.better, behind.worse) == (0, 1)


def test_flips_of_many_tasks_are_sampled() -> None:
    assert _flip_test(np.ones(3)) == 0.25
    assert _flip_test(np.zeros(20)) == 1
    assert _flip_test(np.ones(20)) == pytest.approx(1 / 4097)  # rare is not impossible
    assert _flip_test(np.ones(12)) == pytest.approx(2 / 4096)
    assert _flip_test(np.ones(13)) >= 1 / 4097
    assert _flip_test(np.array([1.0, -1.0] * 10)) > 0.5


def test_the_text_names_tasks_trials_and_verdict() -> None:
    found = Evaluation((*evaluation((60, 20), (4, 25), (2, 15)).tasks,), ("one is short.",))
    text = found.text()
    lines = text.splitlines()[7:]
    assert lines[0].split() == ["task", "rows", "trials", "random", "cold", "warm"]
    assert lines[1].split() == ["task", "0", "100", "30", "30", "20", "≥", "60"]
    assert lines[2].split() == ["task", "1", "100", "30", "30", "25", "4"]
    assert "against random search: 26 (median; too few tasks for an interval)." in text
    assert "Verdict: too few tasks to tell, because intervals need at least 5 tasks. Only" in text
    assert lines[-1] == "Note: one is short."
    assert "hint" not in text


def test_the_text_says_how_sure_it_is() -> None:
    text = evaluation((60, 20), *[(4, 25)] * 6).text()
    assert "Trials saved against random search: 26 (median; 90 % interval over tasks: -30" in text
    rule = "not both intervals are above 0, and neither is below it"
    assert (
        f"Verdict: no clear gain, because {rule}. With 7 tasks this is a hint and no proof." in text
    )
    assert "hint" not in evaluation(*[(3, 20)] * 8).text()


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        ((3, 20), "Verdict: worth it, because both intervals are above 0."),
        ((40, 20), "Verdict: harmful, because an interval is below 0."),
    ],
)
def test_the_text_says_by_what_rule_the_verdict_comes(pair: tuple[int, int], said: str) -> None:
    assert said in evaluation(*[pair] * 8).text()


def test_the_text_explains_each_column_of_its_table() -> None:
    lines = evaluation((3, 20)).text().splitlines()
    explained = [line.split()[0] for line in lines[1:6]]
    assert ["task", *explained] == lines[7].split()


def test_the_lead_is_told_for_trials_that_were_given_and_not_where_all_tie() -> None:
    text = evaluation(*[(3, 20)] * 6).text()
    assert "After 5 trials the warm start is better than the cold one in 100% of" in text
    assert "After 10 trials the warm start and the cold one are the same." in text
    short = Evaluation((Tuned("a", 18, 9, 9, (2,), (3,), ((1, 1),)),), ()).text()
    assert "After 5 trials" in short
    assert "After 10 trials" not in short


def test_facts_are_plain_and_say_the_same() -> None:
    found = evaluation((3, 20), (4, 25), (2, 15))
    facts = json.loads(json.dumps(found.facts(), allow_nan=False))
    assert facts["format"] == 1
    assert facts["verdict"] == found.verdict
    assert facts["saved_over_random"]["median"] == 27
    assert facts["saved_over_cold"] == {"median": 17, "low": None, "high": None}
    assert [task["warm"] for task in facts["tasks"]] == [[3], [4], [2]]
    assert facts["ahead_of_cold"][0]["trial"] == 5
