"""Shell completion: the script, and what it asks for."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from malibo.cli import COMMANDS, main


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_asks_malibo(shell: str) -> None:
    result = CliRunner().invoke(main, ["completion", shell])
    assert result.exit_code == 0
    assert f"_MALIBO_COMPLETE={shell}_complete" in result.output


def test_the_script_is_bash() -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash here")
    script = CliRunner().invoke(main, ["completion", "bash"]).output
    done = subprocess.run([bash, "-n"], input=script, text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_another_shell_is_refused() -> None:
    result = CliRunner().invoke(main, ["completion", "powershell"])
    assert result.exit_code == 2
    assert "'powershell' is not one of 'bash', 'zsh', 'fish'" in result.stderr


def test_commands_are_completed() -> None:
    found = ShellComplete(main, {}, "malibo", "_MALIBO_COMPLETE").get_completions([], "")
    assert [item.value for item in found] == list(COMMANDS)
