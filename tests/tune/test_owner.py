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
from malibo.tune.owner import identity, is_gone, process_of

LINUX = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")


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


def test_on_another_machine_signs_of_life_count() -> None:
    assert not is_gone(trial("elsewhere 1 2", seen=time.time() - 60))
    assert is_gone(trial("elsewhere 1 2", seen=time.time() - 180))
    assert is_gone(trial("elsewhere 1 2"))
    assert process_of(f"elsewhere {os.getpid()} 2") is None
    assert process_of("") is None


def test_without_proc_the_number_alone_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owner, "_birth", lambda pid: None)
    assert not is_gone(trial(identity(os.getpid())))
    with subprocess.Popen([sys.executable, "-IS", "-c", ""]) as child:
        pass
    assert is_gone(trial(identity(child.pid)))
