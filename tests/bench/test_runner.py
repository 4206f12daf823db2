"""The runner: the same runs, however they are shared out, stopped and taken up again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from numpy.testing import assert_array_equal

import malibo
from bench.examples import SPACE, TASKS, SmallSuite, without_times
from malibo.bench.methods import METHODS, Method
from malibo.bench.methods.optimizer import Told
from malibo.bench.methods.random import RandomSearch
from malibo.bench.runner import generator, run_one, run_suite
from malibo.bench.runs import RunKey, read_runs
from malibo.bench.searchspace import SearchSpace
from malibo.errors import InputError, MaliboError, MissingDependencyError
from malibo.history import History

QUICK = ("random", "past-best")
STEPS = 3


def go(path: Path, methods: tuple[str, ...] = QUICK, seeds: int = 2, **options: Any) -> int:
    suite = options.pop("suite", SmallSuite())
    return run_suite(suite, methods, seeds, STEPS, path, progress=False, **options)


def found(path: Path) -> dict[RunKey, str]:
    """Every run but for its times; an error if one is there twice."""
    lines = path.read_text().splitlines()[1:]
    runs = read_runs(path)[1]
    assert len(runs) == len(lines)
    return {run.key: without_times(run) for run in runs}


@pytest.fixture(scope="module")
def in_one_go(tmp_path_factory: pytest.TempPathFactory) -> dict[RunKey, str]:
    """Twelve runs."""
    path = tmp_path_factory.mktemp("runs") / "small.jsonl"
    assert go(path) == 12
    return found(path)


def test_there_is_a_run_for_each_method_task_and_seed(in_one_go: dict[RunKey, str]) -> None:
    expected = {(name, task, seed) for name in QUICK for task in TASKS for seed in (0, 1)}
    assert set(in_one_go) == expected
    assert len(set(in_one_go.values())) == 12


# -- one run -------------------------------------------------------------------------------


def test_a_run_records_what_happened() -> None:
    key = RunKey("random", "middle", 4)
    run = run_one(SmallSuite(), key, 5)
    problem = SmallSuite().problem("middle")
    assert run.key == key
    assert run.reference == problem.reference
    assert run.parameters == ["a", "b"]
    assert run.initial == 0
    noise = generator("small", key, "noise")
    for step, values in enumerate(run.configs):
        row = SPACE.codes([dict(zip(run.parameters, values, strict=True))])[0]
        evaluation = problem.evaluate(row, noise)
        assert (run.loss[step], run.truth[step]) == (evaluation.loss, evaluation.truth)
        assert run.better[step] == evaluation.better
    assert np.isnan(run.seconds).all()
    assert len(run.suggest) == len(run.train) == len(run.seconds) == 5
    assert min(run.suggest) >= 0
    assert run.train[0] > 0


@pytest.mark.parametrize("method", ["random", "past-best", "lfbo"])
def test_a_run_is_the_same_again(method: str) -> None:
    key = RunKey(method, "left", 1)
    once, again = (run_one(SmallSuite(), key, 12) for _ in range(2))
    assert without_times(once) == without_times(again)
    other = run_one(SmallSuite(), key._replace(seed=2), 12)
    assert without_times(once) != without_times(other)


def test_generators_differ_by_purpose_suite_task_and_seed() -> None:
    key = RunKey("random", "left", 0)
    drawn = [
        generator(suite, RunKey("random", task, seed), purpose).random()
        for purpose in ("past", "optimizer", "noise")
        for suite in ("small", "large")
        for task in TASKS
        for seed in (0, 1)
    ]
    assert len(set(drawn)) == 36
    again = generator("small", key, "past").random()
    assert drawn[0] == again
    assert generator("small", key._replace(method="malibo"), "past").random() == again


class Witness(RandomSearch):
    """Random search that keeps what it was given."""

    seen: list[Witness] = []  # noqa: RUF012

    def __init__(self, space: SearchSpace, history: History, rng: np.random.Generator) -> None:
        super().__init__(space, history, rng)
        self.seen.append(self)


def test_all_methods_see_the_same_past(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Witness, "seen", [])
    for name in ("one", "two"):
        monkeypatch.setitem(METHODS, name, Method("a witness", Witness))
    go(tmp_path / "small.jsonl", ("one", "two"))
    seen = Witness.seen
    assert len(seen) == 12
    for one, two in zip(seen[::2], seen[1::2], strict=True):
        assert one.history.names == two.history.names
        assert_array_equal(one.history.codes, two.history.codes)
        assert_array_equal(one.history.losses, two.history.losses)
    pasts = {one.history.codes.tobytes() for one in seen}
    assert len(pasts) == 6  # another one for each task and seed


def test_given_points_are_told_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Witness, "seen", [])
    monkeypatch.setitem(METHODS, "witness", Method("a witness", Witness))
    suite = SmallSuite(given=4)
    path = tmp_path / "small.jsonl"
    go(path, ("witness",), suite=suite, tasks=["left"])
    for run, witness in zip(read_runs(path)[1], Witness.seen, strict=True):
        assert run.initial == 4
        assert len(run.loss) == len(run.train) == 4 + STEPS
        assert_array_equal(witness.codes[:4], suite.problem("left").initial(run.seed))
        assert_array_equal(witness.losses, run.loss)
        assert run.configs == [[*config.values()] for config in SPACE.configs(witness.codes)]
        assert len({str(config) for config in run.configs}) == 4 + STEPS


# -- shared out, stopped and added to ------------------------------------------------------


def test_two_processes_do_the_same(tmp_path: Path, in_one_go: dict[RunKey, str]) -> None:
    path = tmp_path / "small.jsonl"
    assert go(path, jobs=2) == 12
    assert found(path) == in_one_go


@pytest.mark.parametrize("backend", ["threading", "sequential"])
def test_another_backend_does_the_same(
    backend: str, tmp_path: Path, in_one_go: dict[RunKey, str]
) -> None:
    path = tmp_path / "small.jsonl"
    with joblib.parallel_config(backend=backend):
        assert go(path, jobs=2) == 12
    assert found(path) == in_one_go


def test_only_what_is_missing_is_run(tmp_path: Path, in_one_go: dict[RunKey, str]) -> None:
    path = tmp_path / "small.jsonl"
    assert go(path, ("random",), seeds=1, tasks=["right"]) == 1
    assert go(path, ("random",), seeds=1) == 2
    assert go(path, ("random",)) == 3
    before = path.read_bytes()
    assert go(path) == 6
    assert path.read_bytes().startswith(before)
    assert go(path) == 0
    assert found(path) == in_one_go


def test_a_damaged_end_costs_one_run(tmp_path: Path, in_one_go: dict[RunKey, str]) -> None:
    path = tmp_path / "small.jsonl"
    go(path)
    path.write_bytes(path.read_bytes()[:-20])
    assert go(path) == 1
    assert found(path) == in_one_go


KILLED = """
import os, signal, sys
from pathlib import Path
from bench.examples import SmallSuite
from malibo.bench import runner, runs

class Deadly(runs.RunFile):
    def append(self, run):
        super().append(run)
        if len(self.done) == int(sys.argv[2]):
            self._file.write(run.to_json()[:100])  # the next line, torn
            self._file.flush()
            os.kill(os.getpid(), signal.SIGKILL)

runs.RunFile = Deadly
runner.run_suite(SmallSuite(), ["random", "past-best"], 2, 3, Path(sys.argv[1]), progress=False)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_killed_run_goes_on_where_it_stopped(
    tmp_path: Path, in_one_go: dict[RunKey, str]
) -> None:
    path = tmp_path / "small.jsonl"
    folders = [str(Path(malibo.__file__).parents[1]), str(Path(__file__).parents[1])]
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(path), "5"],
        check=False,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(folders)},
    )
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    kept = path.read_bytes()
    assert len(read_runs(path)[1]) == 5
    assert not kept.endswith(b"\n")
    assert go(path) == 7
    assert path.read_bytes().startswith(kept[: kept.rindex(b"\n") + 1])
    assert found(path) == in_one_go


# -- errors --------------------------------------------------------------------------------


class Broken(Told):
    """Fails on one task."""

    def ask(self) -> dict[str, Any]:
        if "left" not in self.history.names:
            raise ZeroDivisionError("no more luck")
        return self.random_config(self.rng())


@pytest.mark.parametrize("backend", ["sequential", "threading"])
def test_a_method_that_fails_is_named_and_the_others_are_kept(
    backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "small.jsonl"
    monkeypatch.setitem(METHODS, "broken", Method("fails", Broken))
    with joblib.parallel_config(backend=backend):
        for _ in range(2):  # it is tried again
            with pytest.raises(MaliboError, match="no more luck") as caught:
                go(path, ("broken", "random"), jobs=2)
            message = str(caught.value)
            assert message.startswith("2 runs failed and will be tried again next time. The first:")
            assert "broken on left, seed " in message
    keys = set(found(path))
    assert len(keys) == 10
    assert ("broken", "left", 0) not in keys
    assert ("broken", "right", 1) in keys


def needs_more(*_: Any) -> Any:
    raise MissingDependencyError('run: pip install "malibo[variants]"')


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_missing_package_ends_it_in_one_line(
    jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(METHODS, "needy", Method("needs more", needs_more))
    with (
        joblib.parallel_config(backend="threading"),
        pytest.raises(MissingDependencyError, match=r'^run: pip install "malibo\[variants\]"$'),
    ):
        go(tmp_path / "small.jsonl", ("needy",), jobs=jobs)


def test_a_missing_package_is_named_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "small.jsonl"
    for package, method, extra in (("torch", "gp", "baselines"), ("joblib", "random", "bench")):
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(MissingDependencyError, match=rf'pip install "malibo\[{extra}\]"'):
            go(path, (method,))
    assert not path.exists()


def test_no_process_at_all_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="got 0"):
        go(tmp_path / "small.jsonl", jobs=0)
    with pytest.raises(InputError, match="unknown method 'rondom'"):
        go(tmp_path / "small.jsonl", ("rondom",))
    assert not (tmp_path / "small.jsonl").exists()


def test_a_table_that_is_used_up_ends_a_run() -> None:
    run = run_one(SmallSuite(), RunKey("random", "middle", 0), 40)
    assert len(run.loss) == 30
    assert min(run.truth) == run.reference.best
