"""``malibo suggest``: a study is made at the first use, and goes on."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from malibo import Float, Malibo, MetaModel, Space
from malibo.cli import main
from malibo.study import Study


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: MetaModel) -> Path:
    """Where one works, with a model in it."""
    monkeypatch.chdir(tmp_path)
    model.save("tuning.malibo")
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["suggest", *arguments])


def refused(*arguments: str) -> str:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("malibo: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


def test_suggestions_are_those_of_malibo(model: MetaModel) -> None:
    optimizer = Malibo(model, seed=3)
    first = run("tuning.malibo", "--seed", "3", "--json")
    assert first.exit_code == 0
    assert first.stderr == ""
    assert json.loads(first.stdout) == {
        "study": "tuning.db",
        "trials": [{"number": 0, "config": optimizer.ask()}],
    }
    second = run("tuning.db", "--n", "2", "--json")
    configs = [trial["config"] for trial in json.loads(second.stdout)["trials"]]
    assert configs == optimizer.ask(2)
    assert [trial.number for trial in Study.open("tuning.db").trials] == [0, 1, 2]


def test_text_has_a_line_for_each_parameter() -> None:
    result = run("tuning.malibo", "--study", "other.db", "--name", "mine", "-n", "2")
    assert result.exit_code == 0
    study = Study.open("other.db")
    assert study.name == "mine"
    expected = []
    for trial in study.trials:
        expected.append(f"trial {trial.number}")
        expected += [f"  {name:9}  {value}" for name, value in trial.config.items()]
    width = max(len(name) for trial in study.trials for name in trial.config)
    assert width == 9
    assert result.stdout.splitlines() == expected
    assert not Path("tuning.db").exists()


def test_a_space_alone_starts_cold(folder: Path) -> None:
    space = Space(x=Float(0, 1))
    Path("space.json").write_text(space.to_json(), encoding="utf-8")
    arguments = ("--space", "space.json", "--study", "new.db", "--direction", "maximize", "--json")
    for number in range(2):
        result = run(*arguments)
        assert result.exit_code == 0, result.stderr
        assert json.loads(result.stdout)["trials"][0]["number"] == number
    study = Study.open("new.db")
    assert (study.space, study.direction, study.model.informed) == (space, "maximize", False)


def test_a_study_needs_no_model_file_to_go_on() -> None:
    assert run("tuning.malibo").exit_code == 0
    Path("tuning.malibo").unlink()
    assert run("tuning.malibo").exit_code == 0
    assert len(Study.open("tuning.db").trials) == 2


def test_a_model_trained_anew_is_told(model: MetaModel) -> None:
    assert run("tuning.malibo", "--seed", "1").exit_code == 0
    MetaModel.uninformed(model.space).save("tuning.malibo")
    result = run("tuning.malibo", "--json")
    assert result.exit_code == 0
    assert "tuning.malibo was trained anew since the study tuning.db began" in result.stderr
    assert result.stderr.count("\n") == 1
    assert Study.open("tuning.db").model.tasks == model.tasks
    Path("tuning.malibo").write_text("nonsense", encoding="utf-8")
    result = run("tuning.malibo", "--json")
    assert result.exit_code == 0
    assert "keeps its own model" in result.stderr


def test_what_a_study_began_with_stays() -> None:
    run("tuning.malibo", "--seed", "1")
    assert "has seed 1, and keeps it; leave out --seed" in refused("tuning.malibo", "--seed", "2")
    assert "has name 'tuning', and keeps it" in refused("tuning.malibo", "--name", "other")
    assert "has direction 'minimize'" in refused("tuning.malibo", "--direction", "maximize")
    assert run("tuning.malibo", "--seed", "1", "--name", "tuning").exit_code == 0
    Path("space.json").write_text(Space(x=Float(0, 1)).to_json(), encoding="utf-8")
    assert "has another space" in refused("--space", "space.json", "--study", "tuning.db")


def test_wrong_files_are_named(folder: Path) -> None:
    assert "there is no file 'tunin.malibo'" in refused("tunin.malibo")
    assert "name a model file or a study" in refused()
    assert "there is no study 'no.db'; begin one from a model file" in refused("--study", "no.db")
    assert "is a directory" in refused(str(folder))
    Path("space.json").write_text("{", encoding="utf-8")
    assert "'space.json' cannot be read as a space: not a space in JSON" in refused(
        "--space", "space.json", "--study", "n.db"
    )
    assert "there is no file 'no.json' with a space" in refused(
        "--space", "no.json", "--study", "n.db"
    )
    Path("tuning.db").write_text("mine", encoding="utf-8")
    assert "tuning.db is not a study of malibo" in refused("tuning.malibo")
    assert Path("tuning.db").read_text(encoding="utf-8") == "mine"
    assert not Path("n.db").exists()


def test_what_contradicts_itself_is_refused() -> None:
    Path("space.json").write_text(Space(x=Float(0, 1)).to_json(), encoding="utf-8")
    message = refused("tuning.malibo", "--space", "space.json")
    assert "tuning.malibo has a space; leave out the model or space.json" in message
    assert "was told to minimize" in refused("tuning.malibo", "--direction", "maximize")
    assert not Path("tuning.db").exists()
    run("tuning.malibo")
    assert "is a study itself" in refused("tuning.db", "--study", "other.db")


def test_help_teaches() -> None:
    result = run("--help")
    assert "malibo suggest tuning.malibo" in result.output
    assert "malibo tell tuning.malibo 0 0.31" in result.output


def test_a_model_of_the_other_direction_is_not_taken_for_one_trained_anew(model: MetaModel) -> None:
    assert run("tuning.malibo", "--study", "mine.db").exit_code == 0
    replace(model, direction="maximize").save("other.malibo")
    line = refused("other.malibo", "--study", "mine.db")
    assert "the past of other.malibo was told to maximize, and the study mine.db" in line
    assert len(Study.open("mine.db").trials) == 1
