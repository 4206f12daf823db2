"""The facts of a report: what was recorded, and what the model believes."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from malibo import MetaModel, Space
from malibo.config import SuggestConfig
from malibo.errors import InputError
from malibo.explain import importances, random_search, resemblance, similarities
from malibo.report import Trial, Tuning, facts_of
from report.examples import ADAM, SGD, five_trials, tuning_of

Facts = dict[str, Any]


def test_what_was_recorded(facts: Facts) -> None:
    assert (facts["format"], facts["name"], facts["direction"]) == (1, "new", "minimize")
    assert facts["best"] == {"value": 0.25, "number": 3, "place": 4, "config": SGD}
    assert facts["counts"] == {
        "all": 5,
        "finished": 3,
        "failed": 1,
        "pruned": 0,
        "running": 1,
        "waiting": 0,
    }
    assert facts["seconds"] == 3780
    assert facts["trials"][2] == {
        "number": 2,
        "status": "failed",
        "value": None,
        "source": "process",
        "trust": 0.4,
        "started": 170.0,
        "ended": 171.0,
        "config": {**ADAM, "layers": 4},
        "note": "no memory",
    }


def test_sources_are_counted_in_a_fixed_order(model: MetaModel) -> None:
    sources = ["zebra", "random", None, "past", "random"]
    trials = [Trial(i, ADAM, "finished", 1.0, source) for i, source in enumerate(sources)]
    found = facts_of(tuning_of(model, trials))["sources"]
    assert [(item["source"], item["count"]) for item in found] == [
        ("past", 1),
        ("random", 2),
        ("own", 1),
        ("zebra", 1),
    ]
    assert found[0]["meaning"].startswith("one of the best configurations of the past")
    assert found[3]["meaning"] == ""


def test_the_parameters_are_described(facts: Facts) -> None:
    assert facts["parameters"] == [
        {"name": "lr", "kind": "float", "low": 1e-4, "high": 0.1, "log": True},
        {"name": "layers", "kind": "int", "low": 1, "high": 4, "log": False},
        {"name": "optimizer", "kind": "categorical", "choices": ["adam", "sgd"]},
        {
            "name": "momentum",
            "kind": "float",
            "low": 0.0,
            "high": 0.9,
            "log": False,
            "when": {"optimizer": ["sgd"]},
        },
        {"name": "epochs", "kind": "fixed", "choices": [10]},
    ]


def test_what_the_model_believes_is_what_explain_says(tuning: Tuning, facts: Facts) -> None:
    known = tuning.observations
    alike = similarities(tuning.model, known)
    assert [
        (s["task"], s["mean"], s["low"], s["high"], s["nearest"]) for s in facts["similarities"]
    ] == [(s.task, s.mean, s.low, s.high, s.nearest) for s in alike]
    shares = importances(tuning.model, known)
    assert [(s["name"], s["share"], s["low"], s["high"]) for s in facts["importances"]] == [
        (s.name, s.share, s.low, s.high) for s in shares
    ]
    task, certainty = resemblance(alike)
    assert facts["most_like"] == {"task": task, "certainty": certainty}
    random = random_search(tuning.model, known, 5)
    assert facts["random_search"]["median"] == random.median.tolist()
    assert facts["random_search"]["low"] == random.low.tolist()
    assert facts["random_search"]["high"] == random.high.tolist()
    needed = [None if np.isinf(n) else n for n in random.needed]
    assert list(facts["random_search"]["needed"].values()) == needed


def test_scores_are_told_as_the_user_tells_them(model: MetaModel) -> None:
    values = [Trial(i, c, "finished", v) for i, (c, v) in enumerate([(ADAM, 0.3), (SGD, 0.9)])]
    maximised = tuning_of(model, values, direction="maximize")
    facts = facts_of(maximised)
    random = random_search(model, maximised.observations, 2)
    assert facts["best"]["value"] == 0.9
    assert facts["random_search"]["median"] == (-random.median).tolist()
    assert facts["random_search"]["low"] == (-random.high).tolist()
    assert facts["random_search"]["high"] == (-random.low).tolist()
    assert all(np.diff(facts["random_search"]["median"]) >= 0)


def past_facts(tuning: Tuning, config: SuggestConfig) -> Facts:
    found = facts_of(replace(tuning, config=config))["past"]
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize(
    ("prior", "trust", "word", "start"),
    [
        (0.8, 0.97, "helps", "The past helps (trust 0.97; 0.80 before the first result)."),
        (0.8, 0.9, "open", "It is open whether the past helps (trust 0.90;"),
        (0.8, 0.7, "open", "It is open whether the past helps (trust 0.70;"),
        (0.8, 0.4, "misleads", "The past misleads (trust 0.40; 0.80 before the first result)."),
        (0.1, 0.5, "helps", "The past helps (trust 0.50; 0.10 before the first result)."),
        (1.0, 1.0, "unjudged", "The past is believed whatever comes: trust was set to 1."),
    ],
)
def test_the_verdict_on_the_past_goes_by_how_trust_has_changed(
    tuning_space: Space, prior: float, trust: float, word: str, start: str
) -> None:
    trials = [Trial(i, ADAM, "finished", float(i), "past", trust) for i in range(5)]
    cold = tuning_of(MetaModel.uninformed(tuning_space), trials)
    past = past_facts(cold, SuggestConfig(trust=prior))
    assert past["word"] == word
    assert past["verdict"].startswith(start)
    assert (past["trust"], past["prior"]) == (trust, prior)


@pytest.mark.parametrize("prior", [0.3, 0.8])
def test_no_prior_makes_a_verdict_out_of_nothing(model: MetaModel, prior: float) -> None:
    past = past_facts(
        tuning_of(model, [Trial(0, ADAM, "finished", 1.0)]), SuggestConfig(trust=prior)
    )
    assert past["trust"] == pytest.approx(prior, abs=0.01)
    assert past["word"] == "open"
    assert past["tasks"] == 3


def test_the_classifier_does_not_judge_the_past(model: MetaModel) -> None:
    past = past_facts(tuning_of(model, five_trials()), SuggestConfig(surrogate="classifier"))
    assert (past["word"], past["trust"], past["prior"]) == ("unjudged", None, None)
    assert past["verdict"] == "The past is used by the classifier, which does not judge it."


def test_estimates_are_made_with_the_options_of_the_tuning(model: MetaModel) -> None:
    config = SuggestConfig(trust=0.05, gamma=0.5)
    tuning = replace(tuning_of(model, five_trials()), config=config)
    facts, known = facts_of(tuning), tuning.observations
    alike = similarities(model, known, config=config)
    assert facts["similarities"][0]["mean"] == alike[0].mean
    shares = importances(model, known, config=config)
    assert [item["share"] for item in facts["importances"]] == [item.share for item in shares]
    random = random_search(model, known, 5, config=config)
    assert facts["random_search"]["median"] == random.median.tolist()
    plain = facts_of(tuning_of(model, five_trials()))
    for name in ("similarities", "importances", "random_search"):
        assert facts[name] != plain[name]


def test_a_cold_study_knows_of_no_past(tuning_space: Space) -> None:
    trials = [Trial(i, ADAM, "finished", float(i)) for i in range(4)]
    facts = facts_of(tuning_of(MetaModel.uninformed(tuning_space), trials))
    assert facts["past"]["verdict"] == "This study knows of no past: it started cold."
    assert facts["past"]["tasks"] == 0
    assert facts["similarities"] == []
    assert len(facts["importances"]) == 4
    assert facts["random_search"] is not None


@pytest.mark.parametrize("trials", [[], [Trial(0, ADAM, "running"), Trial(1, ADAM, "waiting")]])
def test_a_study_without_results_is_refused(model: MetaModel, trials: list[Trial]) -> None:
    with pytest.raises(InputError, match=f"'new' has no results yet \\({len(trials)} trials"):
        facts_of(tuning_of(model, trials))


def test_a_study_that_only_failed_has_facts_and_no_estimates(model: MetaModel) -> None:
    trials = [Trial(i, ADAM, "failed", note="boom") for i in range(2)]
    facts = facts_of(tuning_of(model, trials))
    assert facts["best"] is None
    assert facts["counts"]["failed"] == 2
    assert facts["random_search"] is None
    assert facts["similarities"] == facts["importances"] == []
    assert facts["most_like"] is None


@pytest.mark.parametrize("values", [[1.0], [2.0, 2.0, 2.0], [1e300, -1e300, 5e-324]])
def test_one_result_a_constant_and_huge_values_have_facts(
    model: MetaModel, values: list[float]
) -> None:
    trials = [Trial(i, ADAM, "finished", value) for i, value in enumerate(values)]
    facts = facts_of(tuning_of(model, trials))
    assert facts["best"]["value"] == min(values)
    assert len(facts["random_search"]["median"]) == len(values)
    json.dumps(facts, allow_nan=False)


def test_values_that_json_does_not_know_are_told_as_text(model: MetaModel) -> None:
    tuning = tuning_of(model, [Trial(0, ADAM, "finished", 1.0)])
    odd = Trial(1, {"shape": (1, 2), "x": None}, "finished", 2.0)
    with_odd = Tuning(
        tuning.name,
        tuning.direction,
        tuning.space,
        model,
        [*tuning.trials, odd],
        tuning.observations,
    )
    assert facts_of(with_odd)["trials"][1]["config"] == {"shape": "(1, 2)", "x": None}


def test_a_study_whose_times_are_not_known_has_no_duration(model: MetaModel) -> None:
    assert facts_of(tuning_of(model, [Trial(0, ADAM, "finished", 1.0)]))["seconds"] is None


def test_the_same_tuning_has_the_same_facts(model: MetaModel, facts: Facts) -> None:
    assert facts_of(tuning_of(model, five_trials())) == facts
