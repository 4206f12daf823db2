"""``malibo tell``: every result goes to its trial, and the answer says where the study is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from malibo import MetaModel
from malibo.cli import main
from malibo.study import Study


@pytest.fixture(autouse=True)
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: MetaModel) -> Study:
    """Three trials that were asked for, beside their model."""
    monkeypatch.chdir(tmp_path)
    model.save("tuning.malibo")
    made = Study.create("tuning.db", model, seed=0, residual="none")
    made.ask(3)
    return made


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["tell", *arguments])


def refused(*arguments: str) -> str:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("malibo: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


def test_a_value_is_told(study: Study) -> None:
    result = run("tuning.malibo", "1", "0.25")
    assert result.exit_code == 0
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    assert lines[:2] == ["trial 1: 0.25", "best so far: trial 1, 0.25"]
    expected = f"trust in the past: {study.trust:.2f}, it is open whether the past helps"
    assert lines[2] == expected
    assert run("tuning.db", "0", "0.5").stdout.splitlines()[1] == "best so far: trial 1, 0.25"
    assert [trial.value for trial in study.trials] == [0.5, 0.25, None]


@pytest.mark.parametrize("value", ["-0.5", "-5", "-.5", "-1e-3", "1e3"])
def test_any_number_is_a_value(study: Study, value: str) -> None:
    assert run("tuning.malibo", "2", value).exit_code == 0
    assert study.trials[2].value == float(value)


@pytest.mark.parametrize("words", [["--failed"], ["nan"], ["-inf"]])
def test_a_trial_may_fail(study: Study, words: list[str]) -> None:
    result = run("tuning.malibo", "0", *words, "--note", "no memory")
    assert result.exit_code == 0
    assert "trial 0: failed\nbest so far: none, no trial has a value yet\n" in result.stdout
    assert (study.trials[0].status, study.trials[0].note) == ("failed", "no memory")


def test_json_has_the_trial_and_the_study(study: Study) -> None:
    result = run("tuning.malibo", "0", "0.25", "--json")
    facts = json.loads(result.stdout)
    trial = study.trials[0]
    assert facts["trial"]["number"] == 0
    assert facts["trial"]["value"] == 0.25
    assert facts["trial"]["config"] == trial.config
    assert facts["best"] == {"number": 0, "value": 0.25, "config": trial.config}
    assert (facts["finished"], facts["running"], facts["failed"]) == (1, 2, 0)
    assert facts["trust"] == study.trust
    assert facts["study"] == "tuning.db"


def test_a_configuration_of_one_s_own(study: Study) -> None:
    config = {"lr": 0.01, "layers": 2, "optimizer": "adam"}
    result = run("tuning.malibo", "--config", json.dumps(config), "-0.3")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("trial 3: -0.3\n")
    assert study.trials[3].config == {**config, "epochs": 10}
    assert run("tuning.malibo", "--config", json.dumps(config), "--failed").exit_code == 0
    assert study.trials[4].status == "failed"


def test_a_trial_is_told_once_unless_wanted(study: Study) -> None:
    run("tuning.malibo", "0", "0.25")
    assert "trial 0 was told already: value 0.25" in refused("tuning.malibo", "0", "0.5")
    assert run("tuning.malibo", "0", "0.5", "--overwrite").exit_code == 0
    assert study.trials[0].value == 0.5


def test_a_configuration_of_one_s_own_is_replaced_if_wanted(study: Study) -> None:
    config = json.dumps({"lr": 0.01, "layers": 2, "optimizer": "adam"})
    run("tuning.malibo", "--config", config, "0.25")
    result = run("tuning.malibo", "--config", config, "0.5", "--overwrite")
    assert result.stdout.startswith("trial 3: 0.5\n")
    assert [trial.value for trial in study.trials] == [None, None, None, 0.5]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["9", "0.5"], "study 'tuning' has no trial 9; there are trials 0 to 2."),
        (["-1", "0.5"], "has no trial -1"),
        (["1"], "expected the number of the trial and its value, got 1"),
        ([], "expected the number of the trial and its value, got nothing"),
        (["1", "2", "3"], "got 1 2 3"),
        (["1", "0.5", "--failed"], "expected the number of the trial, got 1 0.5"),
        (["one", "0.5"], "the trial must be a whole number, got 'one'"),
        (["1", "good"], "the value must be a number, got 'good'"),
        (["1", "--faild"], "no such option: --faild. Did you mean '--failed'?"),
        (["--config", "{}"], "expected its value, got nothing"),
        (["--config", "{}", "0.5"], "parameter 'lr' is missing"),
        (["--config", "{", "0.5"], "--config is no JSON"),
        (["--config", "[]", "0.5"], "--config must be a JSON object"),
        (["--config", '{"lrr": 1}', "0.5"], "unknown parameter 'lrr'"),
    ],
)
def test_what_is_wrong_is_said_and_changes_nothing(
    study: Study, words: list[str], message: str
) -> None:
    before = study.trials
    assert message in refused("tuning.malibo", *words)
    assert study.trials == before


def test_a_study_must_have_begun(study: Study) -> None:
    study.path.unlink()
    message = refused("tuning.malibo", "0", "0.5")
    assert message == (
        "malibo: there is no study tuning.db yet; begin: malibo suggest tuning.malibo\n"
    )
    assert not study.path.exists()


def test_a_model_trained_anew_is_told(study: Study) -> None:
    MetaModel.uninformed(study.space).save("tuning.malibo")
    result = run("tuning.malibo", "0", "0.5")
    assert result.exit_code == 0
    assert "was trained anew since the study tuning.db began" in result.stderr


def test_a_cold_study_says_nothing_of_trust(study: Study) -> None:
    cold = Study.create("cold.db", space=study.space, residual="none")
    cold.ask()
    result = run("cold.db", "0", "0.5")
    assert result.stdout == "trial 0: 0.5\nbest so far: trial 0, 0.5\n"


def test_a_trial_that_was_not_run_is_given_back(study: Study) -> None:
    (trial,) = study.ask()
    result = run("tuning.db", str(trial.number), "--give-back")
    assert result.exit_code == 0
    assert result.stdout.startswith(f"trial {trial.number}: waiting\n")
    assert study.ask()[0].config == trial.config
    assert "takes the number of a trial" in refused("tuning.db", "0", "--give-back", "--failed")


def test_a_note_stays_when_the_value_is_replaced(study: Study) -> None:
    (trial,) = study.ask()
    study.tell(trial.number, 1.2, "flask cracked")
    run("tuning.db", str(trial.number), "1.25", "--overwrite")
    assert (study.trials[-1].value, study.trials[-1].note) == (1.25, "flask cracked")


def test_a_decimal_comma_is_explained(study: Study) -> None:
    (trial,) = study.ask()
    message = refused("tuning.db", str(trial.number), "73,5")
    assert "the value must be a number, got '73,5'; with a point: 73.5." in message
