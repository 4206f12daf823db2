"""malibo space: the guess with its reasons, and the file to edit."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from malibo import History, Space
from malibo.cli import COMMANDS, main
from sources.mlflow.examples import Example, write_database

ROWS = "data,lr,layers,epochs,loss\n" + "".join(
    f"{'ab'[i % 2]},{(i * 7 % 20) / 20 + 0.013},{1 + i % 3},5,{(i * 11 % 20) / 10}\n"
    for i in range(20)
)
COLUMNS = ("--task", "data", "--objective", "loss")


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(COMMANDS, "space", "malibo.cli.space")


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    path = tmp_path / "runs.csv"
    path.write_text(ROWS)
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["space", *map(str, arguments)])


def test_the_guess_is_shown_with_its_reasons(csv: Path) -> None:
    result = run(csv, *COLUMNS)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert "  lr      float        20 values from 0.013 to 0.963" in lines
    assert "  layers  int          3 whole numbers from 1 to 3" in lines
    assert "  epochs  always 5" in lines[lines.index("Left out:") :]
    assert "  lr=Float(low=0.01, high=0.97, log=False)," in lines
    assert "Saved" not in result.stdout


def test_the_saved_space_is_what_train_reads(csv: Path, tmp_path: Path) -> None:
    output = tmp_path / "space.json"
    result = run(csv, *COLUMNS, "-o", output)
    assert result.stdout.endswith(f"Saved in {output}.\n")
    guessed = History.from_table(csv, task="data", objective="loss").space
    assert Space.from_json(output.read_text()) == guessed
    assert output.read_text().count("\n") > len(guessed)  # people edit it
    read_back = History.from_table(csv, task="data", objective="loss", space=output)
    assert read_back.space == guessed


def test_edits_are_not_lost(csv: Path, tmp_path: Path) -> None:
    output = tmp_path / "space.json"
    output.write_text("edited")
    result = run(csv, *COLUMNS, "-o", output)
    assert result.exit_code == 2
    assert result.stderr == f"malibo: {output} exists, perhaps with edits; --force replaces it.\n"
    assert output.read_text() == "edited"
    assert run(csv, *COLUMNS, "-o", output, "--force").exit_code == 0
    assert Space.from_json(output.read_text())


@pytest.mark.parametrize(("name", "message"), [("none/s.json", "no folder"), (".", "a folder")])
def test_a_place_where_nothing_can_be_written_is_told_first(
    tmp_path: Path, name: str, message: str
) -> None:
    result = run("none.csv", "-o", tmp_path / name)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_json_has_the_space_and_the_reasons(csv: Path, tmp_path: Path) -> None:
    facts = json.loads(run(csv, *COLUMNS, "--json").stdout)
    assert list(facts["space"]) == ["lr", "layers"]
    assert facts["reasons"]["epochs"] == "always 5"
    assert facts["saved"] is None
    output = tmp_path / "space.json"
    saved = json.loads(run(csv, *COLUMNS, "--json", "-o", output).stdout)
    assert saved == {**facts, "saved": str(output)}


def test_of_several_tables_each_has_its_guess(csv: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text(ROWS.replace("layers", "depth"))
    text = run(csv, other, *COLUMNS).stdout
    assert text.startswith(f"{csv}\nParameters:")
    assert f"\n{other}\nParameters:" in text
    assert "  depth=Int(low=1, high=3, log=False, step=1)," in text


def test_runs_of_mlflow_have_their_reasons_too(tmp_path: Path) -> None:
    runs = [
        Example(f"run{i}", {"lr": f"0.{i}1", "epochs": "5"}, {"rmse": [i / 7]}) for i in range(9)
    ]
    database = write_database(tmp_path / "mlflow.db", {"adult": runs})
    result = run(database, "--objective", "rmse")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[:4] == [
        "Parameters:",
        "  lr      float        9 values from 0.01 to 0.81",
        "Left out:",
        "  epochs  always 5",
    ]


def test_a_space_is_replaced_whole(
    csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "space.json"
    output.write_text("edited")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    result = run(csv, *COLUMNS, "-o", output, "--force")
    assert result.exit_code == 2
    assert result.stderr == f"malibo: cannot write {output}: No space left on device.\n"
    assert output.read_text() == "edited"
    assert sorted(os.listdir(tmp_path)) == ["runs.csv", "space.json"]


def test_a_name_that_is_too_long_is_told_in_one_line(csv: Path, tmp_path: Path) -> None:
    result = run(csv, *COLUMNS, "-o", tmp_path / ("x" * 300))
    assert result.exit_code == 2
    assert result.stderr.endswith("File name too long.\n")
    assert result.stderr.count("\n") == 1
