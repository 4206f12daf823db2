"""``malibo inspect``: what is in a file, on one screen."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import malibo
from malibo import Categorical, Float, History, Int, MetaModel, Ordinal, Space, Task
from malibo.cli import main
from malibo.process import past_verdict
from malibo.study import Study


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: MetaModel) -> Path:
    monkeypatch.chdir(tmp_path)
    model.save("tuning.malibo")
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["inspect", *arguments])


def lines(*arguments: str) -> list[str]:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    found = result.stdout.splitlines()
    assert len(found) <= 24
    assert max(map(len, found)) <= 100
    return found


def test_a_model_on_a_screen(model: MetaModel) -> None:
    size = Path("tuning.malibo").stat().st_size
    found = lines("tuning.malibo")
    assert found[0] == f"tuning.malibo: a model of malibo, format 1, {size / 1000:.0f} kB"
    assert found[1] == "past        3 tasks, minimize: 'task -0.3', 'task 0.0', 'task 0.3'"
    assert found[2].startswith("training    recipe fast, held out: observations, validation loss ")
    best = model.space.configs(model.promising)[0]
    assert found[3].startswith(f"promising   for a new task: lr={best['lr']:.6g}, layers=")
    assert found[-6:] == [
        "space       5 parameters",
        "  lr         float 0.0001 to 0.1, log",
        "  layers     int 1 to 4",
        "  optimizer  categorical 'adam', 'sgd'",
        "  momentum   float 0.0 to 0.9, when optimizer is 'sgd'",
        "  epochs     fixed 10",
    ]


def test_a_model_as_json(model: MetaModel) -> None:
    facts = json.loads(run("tuning.malibo", "--json").stdout)
    assert facts["tasks"] == list(model.tasks)
    assert facts["promising"] == model.space.configs(model.promising)[0]
    assert Space.from_json(json.dumps(facts["space"])) == model.space
    assert facts["bytes"] == Path("tuning.malibo").stat().st_size
    assert facts["validation"] == min(model.log.validation)
    assert (facts["format"], facts["recipe"], facts["steps"]) == (1, "fast", model.log.steps[-1])


def test_a_study_on_a_screen(model: MetaModel) -> None:
    study = Study.create("tuning.db", model, seed=7, residual="none")
    study.ask(14)
    study.tell(0, 0.5)
    study.tell(1, 0.25)
    study.tell(2, None, "exit code 1: no memory")
    found = lines("tuning.db")
    assert found[0].startswith("tuning.db: a study of malibo, format 1, ")
    assert found[1].startswith("study       'tuning', minimize, seed 7, begun 20")
    assert found[2] == "trials      14 trials: 2 finished, 1 failed, 11 running"
    assert found[3].startswith(f"pending     trial 3: lr={study.trials[3].config['lr']:.6g}, ")
    assert [row.split(":")[0] for row in found[4:6]] == [f"pending     trial {n}" for n in (4, 5)]
    assert found[6] == "            and 6, 7, 8, 9, 10, 11, 12, 13"
    assert found[7] == "failed      last, trial 2: exit code 1: no memory"
    assert found[8] == "best        1, with 0.25"
    assert found[9].strip().startswith(f"lr={study.trials[1].config['lr']:.6g}, ")
    verdict = {"helps": "the past helps", "open": "it is open", "misleads": "the past misleads"}
    expected = verdict[past_verdict(study.trust, 0.8) or "open"]
    assert f"trust       {study.trust:.2f}, {expected}" in "\n".join(found)
    assert found[-1] == "  epochs     fixed 10"


def test_a_study_as_json(model: MetaModel) -> None:
    study = Study.create("tuning.db", model, seed=7, residual="none")
    study.ask(2)
    study.tell(0, None, "broken")
    facts = json.loads(run("tuning.db", "--json").stdout)
    assert (facts["seed"], facts["trials"], facts["pending"]) == (
        7,
        2,
        {"1": study.trials[1].config},
    )
    assert facts["failures"] == {"0": "broken"}
    assert facts["best"] is None
    assert facts["trust"] == study.trust
    assert facts["tasks"] == list(model.tasks)


def test_a_cold_study() -> None:
    space = Space(x=Float(0, 1, step=0.25), y=Int(2, 8, step=2), z=Ordinal([1, 2, 4]))
    Study.create("cold.db", space=space)
    found = lines("cold.db")
    assert found[2] == "trials      0 trials"
    assert found[3:] == [
        "past        none: a cold start",
        "space       3 parameters",
        "  x  float 0.0 to 1.0, step 0.25",
        "  y  int 2 to 8, step 2",
        "  z  ordinal 1, 2, 4",
    ]


def wide_model() -> MetaModel:
    """Many parameters with long names, many tasks."""
    space = Space(
        {f"a_long_name_of_parameter_{i}": Float(0, 1) for i in range(20)},
        choice=Categorical([f"choice number {i}" for i in range(12)]),
    )
    rng = np.random.default_rng(0)
    tasks = [
        Task(f"a task with quite a long name {i}", space, space.sample(rng, 5), rng.random(5))
        for i in range(8)
    ]
    return malibo.meta_train(History(tasks), steps=2, progress=False)


def test_much_is_cut_to_a_screen() -> None:
    model = wide_model()
    model.save("wide.malibo")
    found = lines("wide.malibo")
    assert len(found) == 24
    assert found[-1].startswith("  and ")
    shown = [line for line in found if line.startswith("  a_long_name")]
    assert found[-1] == f"  and {21 - len(shown)} more"
    study = Study.create("wide.db", model, residual="none")
    study.ask(2)
    study.tell(0, 0.5)
    study.tell(1, None, "x" * 300)
    found = lines("wide.db")
    assert len(found) == 24
    assert found[-1].startswith("  and ")
    assert len(json.loads(run("wide.db", "--json").stdout)["space"]) == 21


def test_what_cannot_be_shown_is_one_line(folder: Path) -> None:
    Path("notes.txt").write_text("mine", encoding="utf-8")
    for file, message in (
        ("no.malibo", "there is no model file 'no.malibo'"),
        (str(folder), "is a directory"),
        ("notes.txt", "is no model file; malibo train makes one"),
    ):
        result = run(file)
        assert (result.exit_code, result.stdout) == (2, "")
        assert message in result.stderr
        assert result.stderr.count("\n") == 1
