"""The page: it says what the facts say, needs nothing from elsewhere, and shows texts as texts."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from malibo import Float, MetaModel, Space
from malibo.report import Trial, facts_of, report_page
from malibo.report.sections.random_search import random_search_section
from report.examples import ADAM, NASTY, many_trials, tuning_of
from report.test_markup import read
from strategies import repeatable

Facts = dict[str, Any]


def data_of(page: str) -> Any:
    found = re.search('<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def text_of(page: str) -> str:
    """What is read, without style and script."""
    body = re.sub("<(script|style)[^>]*>.*?</(script|style)>", "", page, flags=re.DOTALL)
    return " ".join(read(body).text.split())


def with_needed(
    facts: Facts,
    low: float | None,
    median: float | None,
    high: float | None,
    reach: float = 1000.0,
) -> str:
    needed = {"low": low, "median": median, "high": high}
    random = {**facts["random_search"], "needed": needed, "reach": reach}
    return text_of(report_page({**facts, "random_search": random}))


def test_the_headline(page: str) -> None:
    text = text_of(page)
    assert "Best value0.25the lowest so far" in text
    assert "Found intrial 3after 4 of 5 trials" in text
    assert "Trials53 finished, 1 failed, 1 running" in text
    assert "Time1 h 3 min" in text
    assert "Learned from 3 past tasks." in text


def test_the_sections_come_in_their_order(page: str) -> None:
    titles = re.findall("<h2[^>]*>(.*?)</h2>", page)
    assert titles == [
        "Best configuration",
        "History",
        "Beside random search",
        "Which past tasks it resembles",
        "Which parameters matter",
        "Where suggestions came from",
        "All trials",
    ]
    assert page.count("<h1>") == 1


def test_the_best_configuration_is_shown_and_can_be_copied(page: str) -> None:
    table = re.search('<table class="best-config">.*?</table>', page, re.DOTALL)
    assert table is not None
    text = text_of(table[0])
    for part in ("lr0.0030.0001logarithmic0.1", "optimizersgdone of 2", "epochs10fixed"):
        assert part in text
    assert data_of(page)["best"]["momentum"] == 0.5


def test_an_inactive_parameter_of_the_best_configuration_is_named_so(model: MetaModel) -> None:
    page = report_page(facts_of(tuning_of(model, [Trial(0, ADAM, "finished", 1.0)])))
    assert '<tr class="inactive"><th scope="row">momentum</th><td>inactive</td>' in page


def test_the_table_has_a_row_for_each_trial(page: str) -> None:
    rows = re.findall(r'<tr(?: class="best")? data-trial="(\d)">', page)
    assert rows == ["0", "1", "2", "3", "4"]
    assert '<tr class="best" data-trial="3">' in page
    assert '<td class="note"><div>no memory</div></td>' in page
    assert "0.30000000000000004" not in text_of(page)
    assert '<td class="number">0.01</td>' in page  # 0.1 + 0.2 - 0.29, in which digits are lost


def test_the_data_of_the_script_is_whole(page: str) -> None:
    data = data_of(page)
    assert data["names"] == ["lr", "layers", "optimizer", "momentum", "epochs"]
    assert data["best_number"] == 3
    first = [0, "finished", 0.75, "past", 0.8, 60.0, ADAM["lr"], 2, "adam", None, 10, ""]
    assert data["trials"][0] == first
    assert data["trials"][2][-1] == "no memory"
    assert data["trials"][4][5] is None


def test_none_and_truth_values_differ_from_inactive_ones(facts: Facts) -> None:
    changed = copy.deepcopy(facts)
    changed["trials"][0]["config"] |= {"extra": None, "flag": True, "far": float("inf")}
    data = data_of(report_page(changed))
    assert data["names"][-3:] == ["extra", "flag", "far"]
    assert data["trials"][0][-4:-1] == ["None", "True", "inf"]
    assert data["trials"][1][-4:-1] == [None, None, None]


NO_MORE = "that is no more than the 4 here."
MAYBE, HARDLY = "with luck, 4 may do.", "even with luck, 4 hardly do."


@pytest.mark.parametrize(
    ("needed", "sentence"),
    [
        ((8.0, 34.0, 60.0), f"need about 30 trials (8 to 60); {MAYBE}"),
        ((50.0, 340.0, 600.0), f"need about 300 trials (50 to 600); {MAYBE}"),  # 1 − 2^(−4/50)
        ((56.0, 340.0, 600.0), f"need about 300 trials (60 to 600); {HARDLY}"),
        ((500.0, None, None), f"need more than 1,000 trials (500 to more than 1,000); {HARDLY}"),
        ((None, None, None), f"need more than 1,000 trials; {HARDLY}"),
        ((1.0, 1.0, 3.0), f"need about 1 trial (1 to 3); {NO_MORE}"),
        ((1.0, 4.0, 9.0), f"need about 4 trials (1 to 9); {NO_MORE}"),
    ],
)
def test_what_random_search_would_need_is_held_against_all_trials_that_ended(
    facts: Facts, needed: tuple[Any, Any, Any], sentence: str
) -> None:
    assert f"For a value as good as that it would {sentence}" in with_needed(facts, *needed)


def test_nothing_is_said_beyond_the_runs_of_a_past_task(facts: Facts) -> None:
    beyond = with_needed(facts, 30.0, None, None, reach=40.0)
    assert f"it would need more than 40 trials (30 to more than 40); {MAYBE}" in beyond
    assert f"need more than 40 trials; {MAYBE}" in with_needed(facts, 500.0, None, None, reach=40.0)
    assert f"need more than 60 trials; {HARDLY}" in with_needed(facts, None, None, None, reach=60.0)


def test_what_random_search_would_reach_is_that_of_as_many_trials(facts: Facts) -> None:
    random = {
        **facts["random_search"],
        "low": [0.8, 0.6, 0.4, 0.2, 0.1],
        "median": [0.9, 0.7, 0.5, 0.3, 0.1],
        "high": [1.0, 0.8, 0.6, 0.4, 0.1],
    }
    text = text_of(report_page({**facts, "random_search": random}))
    assert (
        "Random search would probably have reached 0.3 (0.2 to 0.4) in as many trials as were run"
        " here, 4; this study has 0.25." in text
    )
    assert "proved too narrow" in text


def test_random_searches_are_not_said_to_beat_random_search() -> None:
    space = Space(x=Float(0, 1), y=Float(0, 1))
    claims = []
    for seed in range(8):
        configs = space.configs(space.sample(np.random.default_rng([seed, 5]), 60))
        trials = [
            Trial(i, c, "finished", (c["x"] - 0.4) ** 2 + (c["y"] - 0.4) ** 2)
            for i, c in enumerate(configs)
        ]
        found = random_search_section(facts_of(tuning_of(MetaModel.uninformed(space), trials)))
        claims.append("hardly do." in str(found))
    assert sum(claims) <= 1


@pytest.mark.parametrize(
    ("task", "certainty", "sentence"),
    [
        ("twin", "surely", "It is most like twin (93 % sure)."),
        ("twin", "probably", "It is probably most like twin (93 % sure)."),
        (None, "open", "By now it is open which past task it is most like."),
    ],
)
def test_the_nearest_task_is_named_if_it_is_likely(
    facts: Facts, task: str | None, certainty: str, sentence: str
) -> None:
    found = [
        {"task": "other", "mean": 0.6, "low": -0.5, "high": 0.9, "nearest": 0.07},
        {"task": "twin", "mean": 0.5, "low": -0.1, "high": 0.9, "nearest": 0.93},
    ]
    likely = {"task": task, "certainty": certainty}
    text = text_of(report_page({**facts, "similarities": found, "most_like": likely}))
    assert sentence in text
    assert "twin0.50 −0.10 to 0.90" in text


def test_what_is_explained_is_the_score(page: str) -> None:
    text = text_of(page)
    assert "How much of the differences in score is left when all other parameters are" in text
    assert "failed trials as the worst" in text


def test_no_picture_is_without_words(page: str) -> None:
    labelled = re.findall('<div class="chart" role="img" aria-label="([^"]+)"', page)
    assert len(labelled) == page.count('class="chart"') == 2 + 1 + 4


def test_tasks_beyond_the_tenth_are_hidden_until_asked_for(facts: Facts) -> None:
    item = {"mean": 0.5, "low": 0.1, "high": 0.9, "nearest": 0.1}
    few = [{"task": f"t{i}", **item} for i in range(10)]
    facts = {**facts, "most_like": {"task": None, "certainty": "open"}}
    page = report_page({**facts, "similarities": few})
    assert 'id="all-tasks"' not in page
    page = report_page({**facts, "similarities": [*few, {"task": "more", **item}]})
    assert page.count('<tr class="further">') == 1
    assert ">Show all 11</button>" in page


def test_a_cold_study_has_sentences_in_place_of_likeness_and_trust(tuning_space: Space) -> None:
    trials = [Trial(i, ADAM, "finished", float(i), "random", None) for i in range(4)]
    page = report_page(facts_of(tuning_of(MetaModel.uninformed(tuning_space), trials)))
    text = text_of(page)
    assert "There are no past tasks to compare with" in text
    assert "Trust in a past plays no part here." in text
    assert "Trust in the past" not in text
    assert 'id="log-scale"' not in page  # a value is 0


def test_a_study_that_only_failed_says_so(model: MetaModel) -> None:
    trials = [Trial(i, ADAM, "failed", note=f"boom {i}") for i in range(2)]
    page = report_page(facts_of(tuning_of(model, trials)))
    assert "No trial has succeeded yet. The last one says: boom 1" in text_of(page)
    assert "Time–not recorded" in text_of(page)
    assert re.findall("<h2[^>]*>(.*?)</h2>", page) == ["Where suggestions came from", "All trials"]


def test_a_long_note_is_cut_on_the_page_and_whole_in_the_data(model: MetaModel) -> None:
    failed = Trial(1, ADAM, "failed", note="x" * 5000)
    trials = [Trial(0, ADAM, "finished", 1.0), failed]
    page = report_page(facts_of(tuning_of(model, trials)))
    assert f"{'x' * 300}…</div></td>" in page
    assert data_of(page)["trials"][1][-1] == "x" * 5000


def test_nothing_is_loaded_and_only_the_own_style_and_script_may_run(page: str) -> None:
    assert not re.search(
        r"(?:src|href|action|srcset|poster)=|url\(|@import|\sstyle=|\son\w+=", page
    )
    assert not re.search("https?://", page)
    policy = re.search('Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    style = re.search("<style>(.*?)</style>", page, re.DOTALL)
    script = re.search("<script>(.*?)</script>", page, re.DOTALL)
    assert style is not None
    assert script is not None
    hashes = [
        base64.b64encode(hashlib.sha256(found[1].encode()).digest()).decode()
        for found in (style, script)
    ]
    assert policy[1].replace("&#x27;", "'") == (
        f"default-src 'none'; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}';"
        " base-uri 'none'; form-action 'none'"
    )


@settings(repeatable, max_examples=25)
@given(st.text(min_size=1) | st.sampled_from([NASTY, "</script><script>", "-->", "\ud800", "\x00"]))
def test_whatever_users_write_is_shown_and_changes_no_element(facts: Facts, text: str) -> None:
    quiet, nasty = (report_page(_named(facts, name)) for name in ("quiet", text))
    expected, found = read(quiet), read(nasty)
    assert [name for name, _ in found.elements] == [name for name, _ in expected.elements]
    assert data_of(nasty)["names"][-1] == text
    nasty.encode()  # whatever it was, it is text that can be written


def _named(facts: Facts, text: str) -> Facts:
    """The facts with a text of a user's wherever there can be one."""
    named = copy.deepcopy(facts)
    named["name"] = text
    for trial in named["trials"]:
        trial |= {"note": text, "source": text}
        trial["config"] |= {"optimizer": text, text: text}
    for source in named["sources"]:
        source["source"] = text
    named["parameters"].append({"name": text, "kind": "categorical", "choices": [text, "b"]})
    named["best"]["config"][text] = text
    for task in named["similarities"]:
        task["task"] = text
    named["most_like"] = {"task": text, "certainty": "surely"}
    named["importances"] = [{"name": text, "share": 0.5, "low": 0.1, "high": 0.9}]
    return named


@pytest.mark.parametrize(("number", "most"), [(200, 300_000), (1000, 1_200_000)])
def test_many_trials_make_a_page_that_can_be_sent(model: MetaModel, number: int, most: int) -> None:
    page = report_page(facts_of(tuning_of(model, many_trials(model, number))))
    assert len(page.encode()) < most
    assert len(re.findall(r"<tr[^>]* data-trial=", page)) == number
