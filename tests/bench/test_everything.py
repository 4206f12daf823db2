"""Everything: cheap experiments first, nothing twice, and no failure that ends the others."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from errno import ENOSPC
from pathlib import Path
from typing import Any

import joblib
import pytest

import malibo
from bench.examples import SmallSuite, without_times
from malibo.bench import estimate, everything
from malibo.bench.everything import Outcome, run_everything
from malibo.bench.methods import METHODS, Method
from malibo.bench.methods.optimizer import Told
from malibo.bench.parts import Part
from malibo.bench.runner import run_suite
from malibo.bench.runs import RunKey, read_runs
from malibo.errors import InputError, MissingDependencyError

STEPS = 3


def part(experiment: str, suite: str, *methods: str, seeds: int = 2) -> Part:
    return Part(experiment, SmallSuite(suite), None, methods, seeds, STEPS, None)


PARTS = (
    part("first", "small", "random"),
    part("second", "large", "random"),
    part("second", "small", "past-best"),
)


def go(results: Path, parts: tuple[Part, ...] = PARTS, jobs: int = 1) -> tuple[Outcome, list[str]]:
    said: list[str] = []
    return run_everything(parts, results, jobs, said.append, progress=False), said


def found(results: Path) -> dict[tuple[str, RunKey], str]:
    """Every run but for its times; an error if one is there twice."""
    runs: dict[tuple[str, RunKey], str] = {}
    for path in results.glob("*.jsonl"):
        lines = path.read_text().splitlines()[1:]
        of_suite = read_runs(path)[1]
        assert len(of_suite) == len(lines)
        runs |= {(path.stem, run.key): without_times(run) for run in of_suite}
    return runs


@pytest.fixture(scope="module")
def in_one_go(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, RunKey], str]:
    """Eighteen runs."""
    results = tmp_path_factory.mktemp("results")
    outcome, _ = go(results)
    assert outcome == Outcome(18, [])
    return found(results)


def test_all_runs_of_all_parts_are_there(in_one_go: dict[tuple[str, RunKey], str]) -> None:
    wanted = {(part.suite.name, key) for part in PARTS for key in part.run_keys()}
    assert set(in_one_go) == wanted
    assert len(wanted) == 18


def test_two_processes_do_the_same(
    tmp_path: Path, in_one_go: dict[tuple[str, RunKey], str]
) -> None:
    with joblib.parallel_config(backend="threading"):
        outcome, _ = go(tmp_path, jobs=2)
    assert outcome.runs == 18
    assert found(tmp_path) == in_one_go


def test_a_line_is_said_for_each_experiment(tmp_path: Path) -> None:
    _, said = go(tmp_path, PARTS[:1])
    assert len(said) == 1
    assert said[0].startswith("first: 6 new runs in ")
    assert said[0].endswith("; nothing is left")
    outcome, said = go(tmp_path)
    assert outcome.runs == 12
    assert said[0] == "first: finished before"
    assert said[1].startswith("second: 12 new runs in ")
    outcome, said = go(tmp_path)
    assert (outcome.runs, said) == (0, ["first: finished before", "second: finished before"])


def test_the_time_left_is_shared_by_the_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = {"slow": {"random": 3 * 3600 / estimate.share(STEPS)}}
    monkeypatch.setattr(estimate, "read_reference", lambda: table)
    monkeypatch.setattr(everything, "run_suite", lambda *_: 0)
    parts = (part("only", "slow", "random", seeds=1),)
    for jobs, hours in ((1, "9.0 h"), (2, "4.5 h")):  # three runs, none of them done
        assert go(tmp_path, parts, jobs)[1][0].endswith(f"; about {hours} left for everything")


def test_the_cheapest_experiment_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = {"small": {"random": 9.0, "past-best": 1.0}, "large": {"random": 1.0}}
    monkeypatch.setattr(estimate, "read_reference", lambda: table)
    _, said = go(tmp_path)
    assert [line.partition(":")[0] for line in said] == ["second", "first"]


def test_what_is_finished_is_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    monkeypatch.setattr(everything, "run_suite", lambda *_: pytest.fail("it was run again"))
    assert go(tmp_path)[0] == Outcome(0, [])
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


KILLED = """
import os, signal, sys
from errno import ENOSPC
from pathlib import Path
from bench import test_everything
from malibo.bench import runs

count = 0
class Deadly(runs.RunFile):
    def append(self, run):
        global count
        super().append(run)
        count += 1
        if count == 10:
            self._file.write(run.to_json()[:100])  # the next line, torn
            self._file.flush()
            os.kill(os.getpid(), signal.SIGKILL)

runs.RunFile = Deadly
test_everything.go(Path(sys.argv[1]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_after_a_kill_it_goes_on_where_it_stopped(
    tmp_path: Path, in_one_go: dict[tuple[str, RunKey], str]
) -> None:
    folders = [str(Path(malibo.__file__).parents[1]), str(Path(__file__).parents[1])]
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path)],
        check=False,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(folders)},
    )
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    kept = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert sum(len(read_runs(path)[1]) for path in kept) == 10
    outcome, _ = go(tmp_path)
    assert outcome == Outcome(8, [])
    assert found(tmp_path) == in_one_go
    for path, content in kept.items():
        assert path.read_bytes().startswith(content[: content.rindex(b"\n") + 1])


# -- failures ------------------------------------------------------------------------------


class Broken(Told):
    """Fails on one task."""

    def ask(self) -> dict[str, Any]:
        if "left" not in self.history.names:
            raise ZeroDivisionError("no more luck")
        return self.random_config(self.rng())


def test_a_failure_is_listed_with_its_command_and_the_others_are_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(METHODS, "broken", Method("fails", Broken))
    parts = (part("first", "small", "random", "broken"), part("second", "large", "random"))
    outcome, said = go(tmp_path, parts)
    assert outcome.runs == 6 + 4 + 6
    counts = {line.partition(" in ")[0] for line in said}
    assert counts == {"first: 10 new runs", "second: 6 new runs"}
    (failed,) = outcome.failed
    assert (failed.suite, failed.runs) == ("small", 2)
    assert failed.error == (
        "2 runs failed and will be tried again next time. The first: broken on left, seed 0:"
        " ZeroDivisionError: no more luck"
    )
    assert shlex.split(failed.command) == [
        *("malibo", "bench", "run", "small", "--methods", "broken"),
        *("--seeds", "2", "--steps", "3", "--results", str(tmp_path)),
    ]
    monkeypatch.setitem(METHODS, "broken", METHODS["random"])
    assert go(tmp_path, parts)[0] == Outcome(2, [])  # they are tried again


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (MissingDependencyError("run: pip install"), "run: pip install"),
        (RuntimeError("a worker\nwas killed"), "RuntimeError: a worker was killed"),
        (RuntimeError(), "RuntimeError: "),
    ],
)
def test_whatever_ends_a_part_does_not_end_the_others(
    error: Exception, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def runner(suite: SmallSuite, *arguments: Any) -> int:
        if suite.name == "large":
            raise error
        return run_suite(suite, *arguments)

    monkeypatch.setattr(everything, "run_suite", runner)
    outcome, _ = go(tmp_path)
    assert outcome.runs == 12
    (failed,) = outcome.failed
    assert (failed.suite, failed.runs, failed.error) == ("large", 6, message)
    assert {suite for suite, _ in found(tmp_path)} == {"small"}


def test_a_full_disk_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(ENOSPC, "no space left on device")

    monkeypatch.setattr(everything, "run_suite", full)
    with pytest.raises(OSError, match="no space left"):
        go(tmp_path)


def test_results_of_other_steps_are_refused_before_anything_is_run(tmp_path: Path) -> None:
    go(tmp_path, PARTS[:1])
    other = Part("first", SmallSuite("small"), None, ("random",), 2, STEPS + 1, None)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(InputError, match="holds small with 3 steps, and small with 4 steps"):
        go(tmp_path, (PARTS[1], other))
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
