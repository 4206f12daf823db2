"""A study in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from malibo import Categorical, Float, MetaModel, Space
from malibo.process import past_verdict
from malibo.study import Study, Trial
from malibo.study.describe import (
    config_text,
    counts_text,
    facts,
    standing,
    trial_facts,
    trial_text,
    trust_text,
)


def test_counts_leave_out_what_there_is_none_of() -> None:
    none = {"finished": 0, "failed": 0, "running": 0, "waiting": 0}
    assert counts_text({**none, "trials": 0}) == "0 trials"
    assert counts_text({**none, "trials": 1, "waiting": 1}) == "1 trial: 1 waiting"
    many = {"finished": 5, "failed": 1, "running": 2, "waiting": 0, "trials": 8}
    assert counts_text(many) == "8 trials: 5 finished, 1 failed, 2 running"


@pytest.mark.parametrize(
    ("trust", "past", "text"),
    [
        (0.934, "helps", "0.93, the past helps here"),
        (0.1, "misleads", "0.10, the past misleads here"),
        (0.8, "open", "0.80, it is open whether the past helps"),
        (1.0, None, "1.00"),
    ],
)
def test_trust_has_a_meaning(trust: float, past: str | None, text: str) -> None:
    known = {"best": None, "trust": trust, "past": past}
    assert trust_text(known) == text
    assert standing(known) == [
        "best so far: none, no trial has a value yet",
        f"trust in the past: {text}",
    ]


def test_where_trust_plays_no_part_nothing_is_said_of_it() -> None:
    known = {"best": {"number": 3, "value": 0.5}, "trust": None, "past": None}
    assert trust_text(known) == ""
    assert standing(known) == ["best so far: trial 3, 0.5"]


def test_the_past_is_judged_by_trust_before_the_first_result(
    tmp_path: Path, model: MetaModel
) -> None:
    for prior, past in ((0.8, "open"), (0.3, "open"), (1.0, None)):
        known = facts(Study.create(tmp_path / f"{prior}.db", model, trust=prior))
        assert (known["trust"], known["past"]) == (prior, past)
    study = Study.create(tmp_path / "c.db", model, surrogate="classifier")
    assert (facts(study)["trust"], facts(study)["past"]) == (None, None)


def test_results_that_change_trust_are_a_verdict(tmp_path: Path, model: MetaModel) -> None:
    study = Study.create(tmp_path / "s.db", model, seed=0)
    for trial in study.ask(12):
        study.tell(trial.number, -float(model.points(study.space.codes([trial.config])).offset[0]))
    known = facts(study)
    assert known["past"] == past_verdict(study.trust, 0.8) == "helps"


def test_configurations_are_short_on_a_line_and_exact_in_a_list() -> None:
    config = {"lr": 1 / 3, "optimizer": "adam", "layers": 2}
    assert config_text(config) == "lr=0.333333, optimizer='adam', layers=2"
    expected = "trial 4\n  lr         0.3333333333333333\n  optimizer  adam\n  layers     2"
    assert trial_text(Trial(4, config, "running")) == expected


def test_facts_are_of_the_study(tmp_path: Path, model: MetaModel) -> None:
    space = Space(x=Float(0, 1), kind=Categorical(["a", "b"]))
    study = Study.create(tmp_path / "a.db", space=space, direction="maximize", residual="none")
    study.ask(3)
    study.give_back(2)
    study.tell(1, 0.5)
    known = facts(study)
    assert known == {
        "study": str(tmp_path / "a.db"),
        "name": "a",
        "direction": "maximize",
        "trials": 3,
        "finished": 1,
        "failed": 0,
        "running": 1,
        "waiting": 1,
        "best": {"number": 1, "value": 0.5, "config": study.trials[1].config},
        "trust": None,
        "past": None,
    }
    warm = Study.create(tmp_path / "b.db", model)
    assert facts(warm)["trust"] == warm.config.trust
    assert facts(warm)["best"] is None


def test_facts_of_a_trial_leave_out_who_runs_it() -> None:
    found = trial_facts(Trial(4, {"x": 1}, "finished", 0.5, owner="me", seen=1.0))
    assert (found["number"], found["config"], found["value"]) == (4, {"x": 1}, 0.5)
    assert not {"owner", "seen"} & set(found)
