"""Trials of other processes: taken over when these are gone, and left alone before."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest

from malibo import Float, Space
from malibo.study import Study
from malibo.tune import CommandError, logs, owner, tuning
from malibo.tune.owner import identity
from tune.examples import FAST, python, run, shell, statuses

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups")

SPACE = Space(x=Float(0, 1))


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return Study.create(tmp_path / "tuning.db", space=SPACE, seed=0, config=FAST)


def test_a_trial_that_another_runs_by_now_is_left_to_it(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_back = Study.give_back

    def another(self: Study, number: int, **options: Any) -> bool:
        """When the failures are to be given back, another process has begun trial 0 again."""
        monkeypatch.undo()
        give_back(study, 0, retry=True)
        study.ask(owner="other 1 2")
        return give_back(self, number, **options)

    monkeypatch.setattr(Study, "give_back", another)
    with pytest.raises(CommandError, match="3 trials in a row failed alike"):
        run(study, shell("exit 2"), trials=5)
    assert statuses(study) == ["running", "waiting", "waiting"]
    assert study.trials[0].owner == "other 1 2"


def test_trials_of_processes_that_are_gone_are_taken_over(study: Study) -> None:
    with subprocess.Popen(shell("read x"), stdin=subprocess.PIPE) as other:
        gone = study.ask(owner=identity(other.pid))
    alive = study.ask(owner=identity(os.getppid()))
    person = study.ask()
    assert run(study, ["/bin/echo", "{x}"], trials=3) == "done"
    after = study.trials
    assert after[gone[0].number].value == gone[0].config["x"]
    assert [after[1], after[2]] == [*alive, *person]
    assert statuses(study) == [
        "finished",
        "running",
        "running",
        "finished",
    ]  # 3 without the person's


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_trials_of_a_process_that_ends_meanwhile_are_taken_over(study: Study) -> None:
    with subprocess.Popen(["/bin/sleep", "60"]) as other:
        (its,) = study.ask(owner=identity(other.pid))
        words = shell(
            f"kill -KILL {other.pid} 2> /dev/null;"
            f" until grep -q ') Z' /proc/{other.pid}/stat; do sleep 0.02; done;"
            " echo $MALIBO_TRIAL"
        )
        assert run(study, words, trials=2, timeout=30) == "done"
    assert [trial.value for trial in study.trials] == [0.0, 1.0]
    assert study.trials[0].config == its.config


def test_an_owner_of_any_name_is_waited_for_if_silent_for_long(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    (its,) = study.ask(owner="worker-1")
    assert run(study, ["/bin/echo", "{x}"], trials=2) == "done"  # it was seen just now
    assert study.trials[0] == its
    with sqlite3.connect(study.path) as connection:
        connection.execute("UPDATE trials SET seen = 5 WHERE number = 0")
    connection.close()
    assert run(study, ["/bin/echo", "{x}"], trials=1) == "done"  # there is nothing to wait for
    assert statuses(study) == ["running", "finished"]
    monkeypatch.setattr(owner, "_SILENCE", 0.1)
    monkeypatch.setattr(tuning, "_REST", 0.01)
    assert run(study, ["/bin/echo", "{x}"], trials=2) == "done"
    assert [trial.value for trial in study.trials] == [t.config["x"] for t in study.trials]


def test_an_owner_that_falls_silent_meanwhile_is_noticed(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    study.ask(owner="elsewhere 1 2")
    monkeypatch.setattr(owner, "_SILENCE", 0.1)
    monkeypatch.setattr(tuning, "HEARTBEAT", 0.01)
    script = (
        f"[ $MALIBO_TRIAL = 0 ] || until [ -e {logs(study)}/0000.out ]; do sleep 0.02; done; echo 1"
    )
    assert run(study, shell(script), trials=2, jobs=2, timeout=30) == "done"
    assert statuses(study) == ["finished"] * 2


#: Ends once the time at which its owner was seen has changed.
UNTIL_SEEN = """
import os, sqlite3, sys, time
deadline = time.monotonic() + 30
number = os.environ["MALIBO_TRIAL"]
def seen():
    connection = sqlite3.connect(sys.argv[1], 30)
    try:
        return connection.execute(f"SELECT seen FROM trials WHERE number = {number}").fetchone()[0]
    finally:
        connection.close()
"""


def test_signs_of_life_are_given(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "HEARTBEAT", 0.05)
    script = UNTIL_SEEN + (
        "first = seen()\n"
        "while seen() == first:\n"
        "    assert time.monotonic() < deadline\n"
        "    time.sleep(0.01)\n"
        "print(0.5)\n"
    )
    run(study, python(script, str(study.path)), trials=1)
    assert [(trial.note, trial.value) for trial in study.trials] == [("", 0.5)]


def test_signs_of_life_are_given_while_commands_take_their_time_to_end(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "HEARTBEAT", 0.05)
    script = UNTIL_SEEN + (
        "import signal\n"
        "def end(*_):\n"
        "    first = seen()\n"
        "    while seen() == first:\n"
        "        assert time.monotonic() < deadline\n"
        "        time.sleep(0.01)\n"
        "    print('seen', flush=True)\n"
        "    sys.exit(0)\n"
        "signal.signal(signal.SIGTERM, end)\n"
        "os.kill(os.getppid(), signal.SIGINT)\n"
        "time.sleep(60)\n"
    )
    assert run(study, python(script, str(study.path)), trials=1, grace=60) == "interrupted"
    assert (logs(study) / "0000.out").read_text() == "seen\n"
    assert statuses(study) == ["waiting"]
