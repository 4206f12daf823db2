"""A process is known again, and known to be gone."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from malibo.study import Trial
from malibo.tune import owner
from malibo.tune.owner import Watch, identity, process_of

LINUX = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")


class Clock:
    """Takes the place of ``time`` in the module: it stands still until it is set."""

    def __init__(self) -> None:
        self.now, self.wrong_by = 1e9, 0.0

    def monotonic(self) -> float:
        return self.now

    def time(self) -> float:
        return self.now + self.wrong_by


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(owner, "time", made)
    return made


def is_gone(trial: Trial) -> bool:
    return Watch().is_gone(trial)


def trial(by: str | None, seen: float | None = None) -> Trial:
    return Trial(0, {}, "running", owner=by, seen=seen)


def test_this_process_is_not_gone() -> None:
    me = identity(os.getpid())
    assert not is_gone(trial(me, seen=0.0))
    assert str(os.getpid()) in me.split()


def test_a_trial_that_nobody_runs_is_not_gone() -> None:
    assert not is_gone(trial(None))
    assert not is_gone(Trial(0, {}, "finished", owner="other 1 2", seen=0.0))


def test_an_ended_process_is_gone() -> None:
    with subprocess.Popen([sys.executable, "-IS", "-c", "input()"], stdin=subprocess.PIPE) as child:
        known = identity(child.pid)
        assert not is_gone(trial(known))
    assert is_gone(trial(known, seen=time.time()))
    assert process_of(known) is None


@LINUX
def test_a_zombie_is_gone() -> None:
    child = subprocess.Popen([sys.executable, "-IS", "-c", "input()"], stdin=subprocess.PIPE)
    known = identity(child.pid)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # ended, and still listed
    assert is_gone(trial(known))
    child.communicate()


@LINUX
def test_another_process_of_the_same_number_is_not_taken_for_it() -> None:
    machine, pid, birth = identity(os.getpid()).rsplit(" ", 2)
    other = f"{machine} {pid} {int(birth) - 1}"
    assert is_gone(trial(other, seen=time.time()))
    assert process_of(other) is None
    assert process_of(identity(os.getpid())) == os.getpid()


FOREIGN = pytest.mark.parametrize(
    "by", ["elsewhere 1 2", "worker-1", "worker 1 of 2", "", "a b", "x 1", "x -1 2", "x \u0661 2"]
)


@FOREIGN
def test_a_foreign_owner_is_gone_after_two_minutes_of_silence(clock: Clock, by: str) -> None:
    watch = Watch()
    for sign in (5.0, 7.0, None):  # by a clock of its own
        assert not watch.is_gone(trial(by, seen=sign))
        clock.now += 119
        assert not watch.is_gone(trial(by, seen=sign))
    clock.now += 2
    assert watch.is_gone(trial(by, seen=None))
    assert not watch.is_gone(trial(by, seen=8.0))
    assert process_of(by) is None


def test_every_trial_is_watched_by_itself(clock: Clock) -> None:
    watch = Watch()
    assert not watch.is_gone(trial("elsewhere 1 2", seen=5.0))
    clock.now += 121
    assert not watch.is_gone(Trial(1, {}, "running", owner="elsewhere 1 2", seen=5.0))
    assert not watch.is_gone(trial("other 1 2", seen=5.0))
    assert watch.is_gone(trial("elsewhere 1 2", seen=5.0))


@pytest.mark.parametrize("wrong_by", [-1000.0, 0.0, 1000.0])
def test_a_clock_that_is_wrong_takes_no_trial_away(clock: Clock, wrong_by: float) -> None:
    clock.wrong_by = wrong_by
    watch = Watch()
    for _ in range(100):
        its = trial("elsewhere 1 2", seen=clock.now)
        assert not watch.is_gone(its)
        clock.now += owner.HEARTBEAT


def test_who_seems_silent_is_waited_for(clock: Clock) -> None:
    watch = Watch()
    fresh, old = trial("a 1 2", seen=clock.now), trial("b 1 2", seen=clock.now - 200)
    assert not watch.may_be_gone(fresh)
    assert watch.may_be_gone(old)
    assert watch.may_be_gone(trial("c 1 2"))
    assert not watch.may_be_gone(trial("b 1 2", seen=clock.now - 190))  # lives; its clock is wrong
    clock.now += 121
    assert watch.is_gone(trial("c 1 2"))
    for other in (identity(os.getpid()), None):
        assert not watch.may_be_gone(trial(other))
    assert not watch.may_be_gone(Trial(0, {}, "failed", owner="d 1 2"))


def test_without_proc_the_number_alone_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owner, "_birth", lambda pid: None)
    assert not is_gone(trial(identity(os.getpid())))
    with subprocess.Popen([sys.executable, "-IS", "-c", ""]) as child:
        pass
    assert is_gone(trial(identity(child.pid)))


def test_on_windows_no_process_is_asked(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    def ended(pid: int, number: int) -> None:
        raise AssertionError("signal 0 is Ctrl-C there")

    monkeypatch.setattr(owner, "_birth", lambda pid: None)
    monkeypatch.setattr(owner, "_WINDOWS", True)
    monkeypatch.setattr(os, "kill", ended)
    watch = Watch()
    assert not watch.is_gone(trial(identity(os.getpid()), seen=5.0))
    clock.now += 121
    assert watch.is_gone(trial(identity(os.getpid()), seen=5.0))


def test_silence_that_ends_between_the_two_questions_is_still_waited_for(clock: Clock) -> None:
    watch, silent = Watch(), trial("a 1 2", seen=5.0)
    assert not watch.is_gone(silent)
    clock.now += 119.9
    assert not watch.is_gone(silent)
    clock.now += 0.2  # the two minutes are over before the second question is asked
    assert watch.may_be_gone(silent)
    assert watch.is_gone(silent)
