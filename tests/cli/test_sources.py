"""SOURCE and its options: what they load, what they refuse, what a shell completes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np
import optuna
import pandas as pd
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner, Result
from optuna.distributions import FloatDistribution
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import create_trial

from malibo import Float, Space
from malibo.cli.sources import SourceOptions, load, load_history, source_options
from malibo.errors import InputError
from malibo.sources import mlflow
from malibo.sources.tables import TableOptions


def options(*sources: object, **given: Any) -> SourceOptions:
    return SourceOptions(tuple(map(str, sources)), **given)


def table(path: Path, **columns: Any) -> Path:
    """Forty runs of two tasks."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "data": ["iris", "wine"] * 20,
            "lr": 10 ** rng.uniform(-4, 0, 40),
            "layers": rng.integers(1, 6, 40),
            "split": ["a", "a", "b", "b"] * 10,
            "loss": rng.uniform(0, 1, 40),
            **columns,
        }
    )
    frame.to_csv(path, index=False)
    return path


def journal(path: Path, *names: str) -> str:
    """Studies of Optuna with one trial each; one named "empty" has none."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    storage = JournalStorage(JournalFileBackend(str(path)))
    for name in names:
        study = optuna.create_study(storage=storage, study_name=name)
        trial = create_trial(
            value=1.0, params={"lr": 0.5}, distributions={"lr": FloatDistribution(0, 1)}
        )
        if name != "empty":
            study.add_trial(trial)
    return str(path)


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    return table(tmp_path / "runs.csv")


# -- what is loaded ------------------------------------------------------------------------


def test_a_table_is_loaded_with_its_guess(csv: Path) -> None:
    loaded = load(options(csv, task="data", objective="loss", ignore=("split",)))
    assert loaded.history.names == ("iris", "wine")
    assert list(loaded.history.space) == ["lr", "layers"]
    assert loaded.guesses[str(csv)].space == loaded.history.space
    assert loaded.history.direction == "minimize"


def test_options_of_a_table_are_handed_on(tmp_path: Path) -> None:
    states = ["ended", "failed"] + ["ended"] * 38
    path = table(tmp_path / "runs.csv", how=["ok" if s == "ended" else s for s in states])
    history = load_history(
        options(
            path,
            task="set",
            objective="loss",
            direction="maximize",
            status="how",
            where=("split=a", "layers=1|2|3"),
            rename=("data=set", "lr=rate"),
        )
    )
    frame = pd.read_csv(path)
    kept = frame[(frame.split == "a") & (frame.layers <= 3)]
    assert len(history) == len(kept)
    assert history.direction == "maximize"
    assert "rate" in history.space
    failed = bool((kept.how == "failed").any())
    assert sum(task.failed for task in history) == failed


def test_odd_rows_are_skipped_on_request(tmp_path: Path) -> None:
    path = table(tmp_path / "runs.csv", loss=["x"] + [1.0] * 38 + [2.0])
    given = {"task": "data", "objective": "loss"}
    with pytest.raises(InputError, match="line 2, column 'loss'"):
        load_history(options(path, **given))
    assert len(load_history(options(path, **given, on_error="skip"))) == 39


def test_a_space_in_a_file_rules(csv: Path, tmp_path: Path) -> None:
    space = Space(lr=Float(1e-5, 2, log=True))
    (tmp_path / "space.json").write_text(space.to_json())
    given = {"space": str(tmp_path / "space.json")}
    loaded = load(options(csv, task="data", objective="loss", **given))
    assert loaded.history.space == space
    assert loaded.guesses == {}
    past = journal(tmp_path / "past.log", "one")
    assert load_history(options(past, **given)).space == space


def test_studies_of_optuna_are_loaded(tmp_path: Path) -> None:
    path = journal(tmp_path / "past.log", "one", "two", "three")
    assert load_history(options(path)).names == ("one", "two", "three")
    assert load_history(options(path, studies=("two",))).names == ("two",)
    assert load_history(options(path, exclude=("two",))).names == ("one", "three")
    assert list(load_history(options(path, rename=("lr=rate",))).space) == ["rate"]


def test_runs_of_mlflow_are_handed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def read(*given: Any) -> None:
        asked.append(given)
        raise InputError("enough")

    monkeypatch.setattr(mlflow, "read", read)
    for source in (str(tmp_path), f"mlflow:{tmp_path}"):
        with pytest.raises(InputError, match="enough"):
            load(options(source, objective="loss", metric="best", where=("tags.a=b",)))
    with pytest.raises(InputError, match="name the metric by --objective"):
        load(options(tmp_path))
    assert asked[0] == asked[1]
    source, given, metric = asked[0]
    assert source == str(tmp_path)
    assert metric == "best"
    assert given == TableOptions("experiment", "loss", where={"tags.a": "b"})


@pytest.mark.parametrize(
    ("objective", "direction", "told"),
    [
        ("val/acc", None, True),
        ("val/acc", "maximize", False),
        ("val/acc", "minimize", False),
        ("f1Loss", None, False),
        ("loss", None, False),
    ],
)
def test_a_score_without_a_direction_is_pointed_out(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    objective: str,
    direction: Any,
    told: bool,
) -> None:
    frame = pd.read_csv(table(tmp_path / "runs.csv")).rename(columns={"loss": objective})
    for name in ("one.csv", "two.csv"):
        frame.to_csv(tmp_path / name, index=False)
    both = tmp_path / "one.csv", tmp_path / "two.csv"
    load(options(*both, task="data", objective=objective, direction=direction))
    line = "malibo: 'val/acc' is minimised; if more is better, say --direction maximize\n"
    assert capsys.readouterr().err == (line if told else "")


def test_a_column_may_have_any_of_the_values_that_are_told(csv: Path) -> None:
    given = {"task": "data", "objective": "loss"}
    frame = pd.read_csv(csv)
    for where in (("layers=1", "layers=3|4"), ("layers=1|3|4",), ("layers=1|3", "layers=4")):
        found = load_history(options(csv, **given, where=where))
        assert len(found) == frame.layers.isin([1, 3, 4]).sum()


def test_two_names_for_one_column_are_refused(csv: Path) -> None:
    given = {"task": "data", "objective": "loss"}
    with pytest.raises(InputError, match="--rename gives 'lr' two names, 'a' and 'b'"):
        load(options(csv, **given, rename=("lr=a", "lr=b")))
    assert "a" in load_history(options(csv, **given, rename=("lr=a", "lr=a"))).space


def test_warnings_are_told_before_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = journal(tmp_path / "past.log", "empty")
    with pytest.raises(InputError, match="no study with results"):
        load_history(options(path))
    warned = "malibo: study 'empty' has no completed trial. It is left out.\n"
    assert capsys.readouterr().err == warned


def test_several_sources_are_joined_and_equal_names_told_apart(csv: Path, tmp_path: Path) -> None:
    past = journal(tmp_path / "past.log", "iris", "resnet")
    history = load_history(options(csv, past, task="data", objective="loss"))
    assert history.names == (f"iris ({csv})", "wine", f"iris ({past})", "resnet")
    assert list(history.space) == ["lr", "layers", "split"]


def test_what_a_source_warns_of_is_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = journal(tmp_path / "past.log", "one", "empty")
    assert load_history(options(path)).names == ("one",)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "malibo: study 'empty' has no completed trial. It is left out.\n"


# -- what is refused -----------------------------------------------------------------------


def test_a_table_needs_its_two_columns_named(csv: Path) -> None:
    message = (
        r"runs\.csv' is a table: name .*--task .*--objective;"
        r" it has 'data', 'lr', 'layers', 'split', 'loss'"
    )
    for given in ({}, {"task": "data"}, {"objective": "loss"}):
        with pytest.raises(InputError, match=message):
            load(options(csv, **given))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"where": ("split",)}, "expected --where COLUMN=VALUE, got 'split'"),
        ({"where": ("=a",)}, "expected --where COLUMN=VALUE, got '=a'"),
        ({"rename": ("lr=",)}, "expected --rename OLD=NEW, got 'lr='"),
        ({"metric": "best"}, "--metric is for sources of the kind 'mlflow'; this is 'table'"),
        ({"studies": ("a",)}, "--studies is for sources of the kind 'optuna'; this is 'table'"),
        ({"task": "dta"}, r"has no column 'dta'; .* Did you mean 'data'\?"),
        ({"space": "none.json"}, "there is no file 'none.json' with a space"),
    ],
)
def test_options_that_make_no_sense_are_refused(csv: Path, given: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load(options(csv, **({"task": "data", "objective": "loss"} | given)))


def test_options_of_a_table_are_refused_for_a_storage(tmp_path: Path) -> None:
    path = journal(tmp_path / "past.log", "one")
    with pytest.raises(InputError, match="--on-error is for sources of the kind 'table', 'mlflow'"):
        load(options(path, on_error="skip"))


# -- the command line ----------------------------------------------------------------------


@click.command()
@source_options
@click.option("--more", default=1)
def show(source: SourceOptions, more: int) -> None:
    click.echo(f"{source!r} {more}")


def shown(*arguments: str) -> Result:
    return CliRunner().invoke(show, arguments)


def test_options_are_collected_into_one_argument() -> None:
    result = shown("a", "b", "--task", "t", "--where", "x=1", "--where", "y=2", "--more", "3")
    expected = options("a", "b", task="t", where=("x=1", "y=2"))
    assert result.output == f"{expected!r} 3\n"


def test_every_option_has_help_and_reaches_its_field() -> None:
    text = shown("--help").output
    for name in SourceOptions.__dataclass_fields__:
        if name != "sources":
            assert f"--{name.replace('_', '-')} " in text
    assert shown().exit_code == 2


def completed(*arguments: str, incomplete: str = "") -> list[str]:
    complete = ShellComplete(show, {}, "show", "_SHOW_COMPLETE")
    return [item.value for item in complete.get_completions(list(arguments), incomplete)]


@pytest.mark.parametrize("option", ["--task", "--objective", "--status", "--ignore"])
def test_a_shell_completes_columns(csv: Path, option: str) -> None:
    assert completed(str(csv), option) == ["data", "lr", "layers", "split", "loss"]
    assert completed(str(csv), option, incomplete="l") == ["lr", "layers", "loss"]
    assert completed(str(csv), "no-such-file.csv", option, incomplete="s") == ["split"]
    assert completed(option) == []


def test_a_shell_completes_no_columns_of_a_storage(tmp_path: Path) -> None:
    assert completed(journal(tmp_path / "past.log", "one"), "--task") == []
