"""Ctrl-C and its like: what runs is stopped and given back, at once if need be."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from malibo import Float, Space
from malibo.study import Study, Trial
from malibo.tune import logs
from tune.examples import FAST, run, shell, statuses

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups")

SPACE = Space(x=Float(0, 1))


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return Study.create(tmp_path / "tuning.db", space=SPACE, seed=0, config=FAST)


@pytest.mark.parametrize("name", ["INT", "TERM", "HUP"])
def test_a_signal_stops_all_and_gives_back(study: Study, name: str) -> None:
    handler = signal.getsignal(signal.SIGINT)
    script = (
        "[ $MALIBO_TRIAL = 0 ] && echo 0.5 && exit;"
        f" while [ -e {logs(study)}/0000.process ]; do sleep 0.02; done;"
        f" kill -{name} $PPID; sleep 60"
    )
    assert run(study, shell(script), trials=5, jobs=2, timeout=30) == "interrupted"
    assert study.trials[0].value == 0.5
    assert set(statuses(study)[1:]) == {"waiting"}
    assert signal.getsignal(signal.SIGINT) is handler
    before = study.trials
    assert run(study, ["/bin/echo", "{x}"], trials=3) == "done"
    assert [t.config for t in study.trials[: len(before)]] == [t.config for t in before]
    assert statuses(study) == ["finished"] * 3


#: A command that does not listen, and prints a line once it does not.
DEAF = "trap '' TERM; echo on; while :; do sleep 1; done"
#: The same, but it sends one Ctrl-C after the other until it is killed.
IMPATIENT = "trap '' TERM; while :; do kill -INT $PPID; sleep 0.05; done"


def test_a_second_signal_kills_at_once(study: Study) -> None:
    began = time.monotonic()
    assert run(study, shell(IMPATIENT), trials=1, grace=60) == "interrupted"
    assert time.monotonic() - began < 60
    assert statuses(study) == ["waiting"]


def with_signals(
    study: Study, monkeypatch: pytest.MonkeyPatch, before: int, signals: int
) -> list[int]:
    """After so many others, asking is interrupted by so many signals; what was asked for."""
    asked: list[int] = []
    real = Study.ask

    def ask(self: Study, *arguments: Any, **options: Any) -> list[Trial]:
        trials = real(self, *arguments, **options)
        asked.extend(trial.number for trial in trials)
        if len(asked) > before:
            wait_for(lambda: all("on" in path.read_text() for path in outputs(study)))
            for _ in range(signals):
                signal.raise_signal(signal.SIGINT)
        return trials

    monkeypatch.setattr(Study, "ask", ask)
    return asked


def outputs(study: Study) -> list[Path]:
    return sorted(logs(study).glob("*.out"))


def wait_for(condition: Callable[[], object], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


def test_after_a_signal_nothing_is_started(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = with_signals(study, monkeypatch, before=0, signals=1)
    assert run(study, shell("echo 0.5"), trials=3, jobs=2) == "interrupted"
    assert asked == [0]
    assert statuses(study) == ["waiting"]
    assert not logs(study).exists()


def test_two_signals_while_asking_kill_at_once(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = time.monotonic()
    with_signals(study, monkeypatch, before=1, signals=2)
    assert run(study, shell(DEAF), trials=3, jobs=2, grace=60) == "interrupted"
    assert time.monotonic() - began < 60
    assert statuses(study) == ["waiting", "waiting"]
    assert len(outputs(study)) == 1


def test_an_ignored_signal_stays_ignored(study: Study) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert run(study, shell("kill -HUP $PPID; echo 0.5"), trials=2) == "done"
    finally:
        signal.signal(signal.SIGHUP, before)
    assert statuses(study) == ["finished"] * 2
