"""A command is stopped with all its children, whatever it does."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from malibo.tune import run as run_module
from malibo.tune.run import Files, Run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups")

IGNORE = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
WAIT = "import time; time.sleep(60)"


def wait_for(condition: Callable[[], object], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


def ended(run: Run) -> int:
    codes: list[int | None] = []
    wait_for(lambda: codes.append(run.poll()) or codes[-1] is not None)  # type: ignore[func-returns-value]
    code = codes[-1]
    assert code is not None
    return code


def start(
    folder: Path, script: str, *, timeout: float | None = None, grace: float = 20, number: int = 7
) -> Run:
    arguments = [sys.executable, "-IS", "-c", script]
    return Run(arguments, {"MALIBO_TRIAL": "7"}, Files.of(folder, number), timeout, grace)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_output_goes_to_files(tmp_path: Path) -> None:
    run = start(
        tmp_path,
        "import os, sys; print(os.environ['MALIBO_TRIAL'], os.environ['PATH']);"
        " print('oh', file=sys.stderr); sys.exit(3)",
    )
    assert ended(run) == 3
    assert not run.timed_out
    assert (tmp_path / "0007.out").read_text() == f"7 {os.environ['PATH']}\n"
    assert (tmp_path / "0007.err").read_text() == "oh\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0007.err", "0007.out"]


def test_files_of_an_earlier_run_are_replaced(tmp_path: Path) -> None:
    for kind in ("out", "err", "result", "process"):
        (tmp_path / f"0007.{kind}").write_text("old")
    with (tmp_path / "0007.out").open() as before:
        assert ended(start(tmp_path, "print('new')")) == 0
        assert before.read() == "old"  # who still writes there writes to another file
    assert (tmp_path / "0007.out").read_text() == "new\n"
    assert (tmp_path / "0007.err").read_text() == ""
    assert not (tmp_path / "0007.result").exists()


def test_a_command_reads_no_input(tmp_path: Path) -> None:
    assert ended(start(tmp_path, "import sys; sys.exit(len(sys.stdin.read()))")) == 0


def test_too_long_is_stopped(tmp_path: Path) -> None:
    run = start(tmp_path, WAIT, timeout=0.05)
    assert ended(run) == -signal.SIGTERM
    assert run.timed_out


def test_who_does_not_listen_is_killed(tmp_path: Path) -> None:
    run = start(tmp_path, f"{IGNORE}print('on', flush=True); {WAIT}", grace=0.05)
    wait_for(lambda: (tmp_path / "0007.out").read_text())
    run.stop()
    assert ended(run) == -signal.SIGKILL
    assert not run.timed_out


def test_a_second_stop_shortens_the_grace(tmp_path: Path) -> None:
    run = start(tmp_path, f"{IGNORE}print('on', flush=True); {WAIT}", grace=1000)
    wait_for(lambda: (tmp_path / "0007.out").read_text())
    run.stop()
    assert run.poll() is None
    run.stop(grace=0)
    run.stop()  # does not lengthen it again
    assert ended(run) == -signal.SIGKILL


FAMILY = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-IS", "-c", {script!r}])
open({path!r}, "w").write(str(child.pid) + ".")
{then}
"""


def family(folder: Path, child: str, then: str) -> str:
    return FAMILY.format(script=child, path=str(folder / "child"), then=then)


def child_of(folder: Path) -> int:
    path = folder / "child"
    wait_for(lambda: path.exists() and path.read_text().endswith("."))
    return int(path.read_text()[:-1])


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_children_end_with_the_command(tmp_path: Path) -> None:
    run = start(tmp_path, family(tmp_path, WAIT, "print(0.5)"))
    assert ended(run) == 0  # though the child has its output open
    assert (tmp_path / "0007.out").read_text() == "0.5\n"
    child = child_of(tmp_path)
    wait_for(lambda: not alive(child))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_children_of_a_stopped_command_are_killed(tmp_path: Path) -> None:
    deaf = f"{IGNORE}open({str(tmp_path / 'deaf')!r}, 'w'); {WAIT}"
    run = start(tmp_path, family(tmp_path, deaf, WAIT))
    child = child_of(tmp_path)
    wait_for((tmp_path / "deaf").exists)
    assert alive(child)
    run.stop()
    assert ended(run) == -signal.SIGTERM
    wait_for(lambda: not alive(child))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_a_command_left_by_a_killed_malibo_is_ended_when_its_trial_runs_again(
    tmp_path: Path,
) -> None:
    left = start(tmp_path, WAIT)
    other = start(tmp_path, WAIT, number=8)
    again = start(tmp_path, "print(0.5)")
    assert left._process.wait(20) == -signal.SIGKILL
    assert ended(again) == 0
    assert other.poll() is None
    other.stop()
    assert ended(other) == -signal.SIGTERM


def test_without_groups_and_sigkill_the_command_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows."""
    spec = importlib.util.spec_from_file_location("run_on_windows", run_module.__file__)
    assert spec is not None
    assert spec.loader is not None
    copy = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "run_on_windows", copy)
    with monkeypatch.context() as without:
        without.delattr(signal, "SIGKILL")
        spec.loader.exec_module(copy)
    monkeypatch.delattr(os, "killpg")
    arguments = [sys.executable, "-IS", "-c", f"{IGNORE}print('on', flush=True); {WAIT}"]
    run = copy.Run(arguments, {}, copy.Files.of(tmp_path, 7), None, 1000)
    wait_for(lambda: (tmp_path / "0007.out").read_text())
    run.stop(grace=0)
    wait_for(lambda: run.poll() is not None)
    assert run._process.returncode == -signal.SIGKILL
