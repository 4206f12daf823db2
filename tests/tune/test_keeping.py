"""A result is kept, whatever other processes do to the study."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from malibo import Float, Space
from malibo.study import Study, StudyError, Trial
from malibo.tune import logs, tuning
from malibo.tune.run import Run
from tune.examples import FAST, python, run, shell, statuses

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups")

SPACE = Space(x=Float(0, 1))


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return Study.create(tmp_path / "tuning.db", space=SPACE, seed=0, config=FAST)


class Lock:
    """Another process that holds the study when a result is first told, until it lets go."""

    def __init__(self, study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
        self.tries = 0
        self.let_go: Callable[[], object] = lambda: self.tries > 3
        self._path, self._real = study.path, Study.tell
        self._connection: sqlite3.Connection | None = None
        monkeypatch.setattr(Study, "tell", lambda *given: self._tell(*given))
        monkeypatch.setattr(tuning, "_PATIENCE", 0.01)

    def _tell(self, study: Study, number: int, value: float | None, note: str) -> Trial:
        self.tries += 1
        if self.tries == 1:
            self._connection = sqlite3.connect(self._path, isolation_level=None)
            self._connection.execute("BEGIN IMMEDIATE")
        elif self.let_go():
            self.close()
        return self._real(study, number, value, note)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


@pytest.fixture
def lock(study: Study, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lock]:
    made = Lock(study, monkeypatch)
    yield made
    made.close()


def test_a_result_waits_until_the_study_is_free(study: Study, lock: Lock, tmp_path: Path) -> None:
    words = shell(f"echo $MALIBO_TRIAL >> {tmp_path}/runs; echo 0.5")
    assert run(study, words, trials=2) == "done"
    assert [trial.value for trial in study.trials] == [0.5, 0.5]
    assert lock.tries == 5
    assert (tmp_path / "runs").read_text() == "0\n1\n"  # none was run twice


def test_commands_end_in_time_while_the_study_is_not_free(study: Study, lock: Lock) -> None:
    words = shell(
        f"[ $MALIBO_TRIAL = 1 ] && exec sleep 60; until [ -e {logs(study)}/0001.process ];"
        " do sleep 0.02; done; echo 0.5"
    )
    lock.let_go = lambda: not (logs(study) / "0001.process").exists()
    assert run(study, words, trials=2, jobs=2, timeout=3) == "done"
    assert [(trial.value, trial.note) for trial in study.trials] == [
        (0.5, ""),
        (None, "timed out after 3 seconds"),
    ]


def test_a_result_is_kept_after_a_signal_too(study: Study, lock: Lock) -> None:
    def let_go() -> bool:
        if lock.tries == 2:
            signal.raise_signal(signal.SIGINT)
        return lock.tries > 5

    lock.let_go = let_go
    assert run(study, shell("echo 0.5"), trials=2) == "interrupted"
    assert [trial.value for trial in study.trials] == [0.5]
    assert lock.tries == 6


def test_a_result_is_kept_before_other_commands_are_stopped(
    study: Study, lock: Lock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def let_go() -> bool:
        signal.raise_signal(signal.SIGINT)
        return lock.tries > 2

    def stop(self: Run, grace: float | None = None) -> None:
        at_stop.append(statuses(study))
        real(self, grace)

    at_stop: list[list[str]] = []
    real = Run.stop
    lock.let_go = let_go
    monkeypatch.setattr(Run, "stop", stop)
    words = shell("[ $MALIBO_TRIAL = 1 ] && exec sleep 60; echo 0.5")
    assert run(study, words, trials=2, jobs=2) == "interrupted"
    assert at_stop[0] == ["finished", "running"]
    assert statuses(study) == ["finished", "waiting"]


def test_a_study_that_stays_busy_ends_it_with_the_results(
    study: Study, lock: Lock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "_GIVE_UP", 0.1)
    lock.let_go = lambda: False
    with pytest.raises(
        StudyError, match=r"trial 0 ended with 0\.5, which could not be kept: .*in use by another"
    ):
        run(study, shell("echo 0.5"), trials=2)
    assert lock.tries > 2
    assert statuses(study) == ["running"]


def test_what_was_told_by_hand_meanwhile_stays(study: Study) -> None:
    script = (
        "import sqlite3, os\n"
        f"c = sqlite3.connect({str(study.path)!r})\n"
        "c.execute(\"UPDATE trials SET status = 'finished', value = 7\")\n"
        "c.commit()\n"
        "print(0.5)\n"
    )
    assert run(study, python(script), trials=1) == "done"
    assert [trial.value for trial in study.trials] == [7.0]


def test_a_result_that_cannot_be_kept_is_told(study: Study) -> None:
    words = shell(f"mv {study.path} {study.path}.away; echo 0.125")
    with pytest.raises(StudyError, match=r"trial 0 ended with 0\.125, which could not be kept"):
        run(study, words, trials=1)
