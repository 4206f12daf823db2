"""malibo train: from past runs to a model file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

import malibo
from malibo import Float, MetaModel, Space, training
from malibo.cli import COMMANDS, main
from malibo.study import Study

COLUMNS = ("--task", "data", "--objective", "loss")


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(COMMANDS, "train", "malibo.cli.train")


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    """Forty runs of two tasks, one of them failed; an identifier is left out."""
    rng = np.random.default_rng(0)
    lr = 10 ** rng.uniform(-4, 0, 40)
    frame = pd.DataFrame(
        {
            "run_id": range(40),
            "data": ["iris", "wine"] * 20,
            "lr": lr,
            "layers": rng.integers(1, 6, 40),
            "loss": (np.log10(lr) + 2) ** 2 + rng.uniform(0, 1, 40),
        }
    )
    frame.loc[0, "loss"] = np.nan
    path = tmp_path / "runs.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever starts to train fails."""

    def work(*_: Any, **__: Any) -> None:
        raise AssertionError("work was done")

    monkeypatch.setattr(training, "meta_train", work)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["train", *map(str, arguments)])


def refused(*arguments: object) -> str:
    """The one line of a call that is refused."""
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("malibo: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


def test_a_table_becomes_a_model(csv: Path, tmp_path: Path) -> None:
    output = tmp_path / "tuning.malibo"
    result = run(csv, *COLUMNS, "-o", output, "--seed", 3)
    assert result.exit_code == 0, result.output
    history = malibo.History.from_table(csv, task="data", objective="loss")
    assert history.describe() in result.stdout
    assert "'run_id' left out: bookkeeping, by its name" in result.stdout
    assert "A model of 2 past tasks, trained in " in result.stdout
    assert result.stdout.endswith(f" It is in {output}.\n")
    model = MetaModel.load(output)
    assert model.space == history.space
    again = malibo.meta_train(history, seed=3, progress=False)
    assert np.array_equal(model.embeddings, again.embeddings)


def test_one_task_is_one_task(csv: Path, tmp_path: Path) -> None:
    result = run(csv, *COLUMNS, "--where", "data=iris", "-o", tmp_path / "m.malibo")
    assert "A model of 1 past task, trained in " in result.stdout


def test_json_is_all_that_goes_to_standard_output(csv: Path, tmp_path: Path) -> None:
    result = run(csv, *COLUMNS, "-o", tmp_path / "m.malibo", "--json", "--direction", "maximize")
    facts = json.loads(result.stdout)
    assert facts["model"] == str(tmp_path / "m.malibo")
    assert facts["tasks"] == ["iris", "wine"]
    assert (facts["runs"], facts["failed"]) == (40, 1)
    assert facts["direction"] == "maximize"
    assert facts["parameters"] == ["lr", "layers"]
    assert facts["seconds"] > 0
    assert "2 tasks, 40 observations" in result.stderr


def test_the_recipe_and_a_space_are_handed_on(
    csv: Path, tmp_path: Path, model: MetaModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def trained(history: Any, **options: Any) -> MetaModel:
        asked.append((history.space, options))
        return model

    monkeypatch.setattr(training, "meta_train", trained)
    space = malibo.Space(lr=malibo.Float(1e-5, 1, log=True))
    (tmp_path / "space.json").write_text(space.to_json())
    given = ("--space", tmp_path / "space.json", "--recipe", "paper")
    assert run(csv, *COLUMNS, *given, "-o", tmp_path / "m.malibo").exit_code == 0
    assert asked == [(space, {"seed": 0, "recipe": "paper"})]


def test_a_model_is_replaced(csv: Path, tmp_path: Path, model: MetaModel) -> None:
    output = tmp_path / "tuning.malibo"
    model.save(output)
    assert run(csv, *COLUMNS, "-o", output).exit_code == 0
    assert MetaModel.load(output).tasks == ("iris", "wine")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["runs.csv", "tuning.malibo"]


@pytest.mark.usefixtures("no_work")
def test_another_file_is_not_replaced(csv: Path) -> None:
    before = csv.read_bytes()
    message = refused(csv, *COLUMNS, "-o", csv)
    assert "runs.csv exists and is no model of malibo, so it is not replaced" in message
    assert csv.read_bytes() == before


@pytest.mark.usefixtures("no_work")
def test_an_output_that_cannot_be_written_is_told_before_anything_is_read(tmp_path: Path) -> None:
    output = tmp_path / "none" / "m.malibo"
    assert f"there is no folder {output.parent}" in refused("none.csv", "-o", output)
    assert "it is a folder" in refused("none.csv", "-o", tmp_path)


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "cannot be read as CSV: it is empty"),
        (bytes(range(256)), "it is not a text file"),
        ("data,loss\né,1\n".encode("latin-1"), "line 2 is not UTF-8"),
        (b"data,lr,lr,loss\na,1,2,3\n", "has the column 'lr' more than once"),
        (b"data,lr,loss\n", "has no rows"),
        (b"date,lr,loss\na,1,2\n", "has no column 'data'"),
        (b"data,lr,loss\na,1,\na,2,\n", "has no valid run; all failed"),
        (b"data,lr,loss\na,1,x\na,2,y\n", "objective column 'loss' must be numeric"),
        (b"data,loss\na,1\na,2\n", "no column seems to be a parameter"),
        (b"SQLite format 3\0" + b"\0" * 100, "cannot be read"),
        (b'{"op_code": 99}\n', "cannot be read as a journal of Optuna"),
    ],
)
def test_a_file_that_teaches_nothing_is_one_line(
    tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "runs.csv"
    path.write_bytes(content)
    given = () if content.startswith((b"SQLite", b"{")) else COLUMNS
    assert message in refused(path, *given, "-o", tmp_path / "m.malibo")
    assert [item.name for item in tmp_path.iterdir()] == ["runs.csv"]


@pytest.mark.usefixtures("no_work")
def test_a_missing_file_and_a_folder_without_runs_are_one_line(tmp_path: Path) -> None:
    output = tmp_path / "m.malibo"
    assert "there is no file or folder 'none.csv'" in refused("none.csv", "-o", output)
    folder = tmp_path / "empty"
    folder.mkdir()
    assert "MLflow" in refused(folder, "--objective", "loss", "-o", output)


def test_the_help_shows_an_example() -> None:
    text = run("--help").output
    assert "malibo train runs.csv --task dataset --objective val_loss -o tuning.malibo" in text


def test_sources_of_different_directions_are_told(csv: Path, tmp_path: Path) -> None:
    space = Space(lr=Float(1e-4, 1, log=True))
    study = Study.create(tmp_path / "up.db", space=space, seed=0, direction="maximize")
    for value in (0.1, 0.2, 0.3):
        study.tell(study.ask()[0].number, value)
    result = run(csv, tmp_path / "up.db", *COLUMNS, "-o", tmp_path / "tuning.malibo")
    assert result.exit_code == 0, result.output
    assert f"malibo: {str(csv)!r} is minimised and" in result.stderr
    assert "if the objective means the same in both, one of them is read the" in result.stderr
