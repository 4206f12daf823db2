"""``malibo report``: a page, or facts for scripts; and one line for what is wrong."""

from __future__ import annotations

import json
import webbrowser
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from malibo import MetaModel
from malibo.cli import COMMANDS, main
from malibo.study import Study


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The command is known, and works in a folder of its own."""
    monkeypatch.setitem(COMMANDS, "report", "malibo.cli.report")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def study(tmp_path: Path, model: MetaModel) -> Study:
    """tuning.db with two results, beside tuning.malibo."""
    model.save(tmp_path / "tuning.malibo")
    found = Study.create(tmp_path / "tuning.db", model, seed=0, name="mine")
    for value in (0.5, 0.25):
        found.tell(found.ask()[0].number, value)
    return found


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["report", *arguments])


def wrong(*arguments: str) -> str:
    """The one line that is told when something is wrong."""
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("malibo: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.mark.usefixtures("study")
@pytest.mark.parametrize("source", ["tuning.db", "tuning.malibo"])
def test_a_page_is_written_and_named(tmp_path: Path, source: str) -> None:
    result = run(source, "-o", "out.html")
    assert result.exit_code == 0
    page = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "<h1>mine</h1>" in page
    size = f"{len(page.encode()) / 1000:,.0f} kB"
    assert result.stdout.startswith(f"out.html ({size}): 2 trials, best value 0.25 in trial 1. ")
    assert result.stderr == ""


@pytest.mark.usefixtures("study")
def test_the_page_is_report_html_if_nothing_is_said(tmp_path: Path) -> None:
    assert run("tuning.db").exit_code == 0
    assert (tmp_path / "report.html").is_file()


@pytest.mark.usefixtures("study")
def test_facts_are_printed_as_json_and_no_page_is_written_unless_asked_for(tmp_path: Path) -> None:
    result = run("tuning.db", "--json")
    facts = json.loads(result.stdout)
    assert facts["best"]["value"] == 0.25
    assert len(facts["trials"]) == 2
    assert "path" not in facts
    assert not list(tmp_path.glob("*.html"))
    facts = json.loads(run("tuning.db", "--json", "-o", "out.html").stdout)
    assert facts["path"] == "out.html"
    assert facts["bytes"] == (tmp_path / "out.html").stat().st_size


@pytest.mark.usefixtures("study")
@pytest.mark.parametrize("there", [True, False])
def test_the_browser_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    shown: list[str] = []

    def show(url: str) -> bool:
        shown.append(url)
        return there

    monkeypatch.setattr(webbrowser, "open", show)
    result = run("tuning.db", "--open")
    assert shown == [(tmp_path / "report.html").as_uri()]
    assert ("no browser was found" in result.stderr) is not there
    assert result.exit_code == 0


def test_the_study_itself_is_not_written_over(tmp_path: Path, study: Study) -> None:
    before = (tmp_path / "tuning.db").read_bytes()
    assert "tuning.db is there and is no report of malibo" in wrong("tuning.db", "-o", "tuning.db")
    assert "is no report of malibo" in wrong("tuning.db", "-o", "tuning.malibo")
    assert (tmp_path / "tuning.db").read_bytes() == before
    assert len(study.trials) == 2


def test_a_study_without_results_is_one_line(tmp_path: Path, model: MetaModel) -> None:
    study = Study.create(tmp_path / "empty.db", model, seed=0)
    assert "the study 'empty' has no results yet (0 trials, none ended)" in wrong("empty.db")
    study.ask()
    assert "(1 trial, none ended)" in wrong("empty.db")
    assert not (tmp_path / "report.html").exists()


def test_a_study_that_only_failed_has_a_report(tmp_path: Path, model: MetaModel) -> None:
    study = Study.create(tmp_path / "s.db", model, seed=0)
    study.tell(study.ask()[0].number, None, "exit code 1")
    result = run("s.db")
    assert result.exit_code == 0
    assert result.stdout.endswith("1 trial, and none has succeeded yet.\n")
    assert "exit code 1" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_file_that_is_not_there_is_one_line() -> None:
    assert "there is no file 'nothing.db'" in wrong("nothing.db")


@pytest.mark.usefixtures("study")
def test_a_wrong_place_is_told_before_the_work_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    def work(*_: object, **__: object) -> None:
        raise AssertionError("work was done")

    monkeypatch.setattr("malibo.report.read_tuning", work)
    assert "there is no folder no." in wrong("tuning.db", "-o", "no/report.html")


def test_the_help_has_an_example() -> None:
    result = run("--help")
    assert result.exit_code == 0
    assert "malibo report tuning.db -o report.html --open" in result.output
    for option in ("--output", "--study", "--model", "--open", "--json"):
        assert option in result.output
