"""The command is to blame for one failure from the start, and for nothing else."""

from __future__ import annotations

import pytest

from malibo.study import Trial
from malibo.tune.blame import Blame
from malibo.tune.outcome import Outcome

FAILED = Outcome.of_failure("exit code 1: a")


def after(outcomes: list[Outcome], jobs: int = 1) -> Blame:
    blame = Blame(jobs)
    for number, outcome in enumerate(outcomes):
        blame.add(Trial(number, {}, "running"), outcome)
    return blame


@pytest.mark.parametrize(("jobs", "enough"), [(1, 3), (3, 3), (5, 5)])
def test_three_failures_are_enough_or_one_for_each_job(jobs: int, enough: int) -> None:
    assert not after([FAILED] * (enough - 1), jobs).falls_on_command
    assert after([FAILED] * enough, jobs).falls_on_command


def test_what_was_written_may_differ_and_the_first_is_shown() -> None:
    blame = after([FAILED, Outcome.of_failure("exit code 1: b"), FAILED])
    assert blame.falls_on_command
    assert blame.note == "exit code 1: a"
    assert [trial.number for trial in blame.failed] == [0, 1, 2]


@pytest.mark.parametrize(
    "other",
    [Outcome.of_value(0.5), Outcome.of_value(float("nan")), Outcome.of_failure("exit code 2: a")],
)
@pytest.mark.parametrize("when", [0, 1, 2])
def test_anything_else_acquits_for_good(other: Outcome, when: int) -> None:
    outcomes = [FAILED] * 6
    outcomes.insert(when, other)
    assert not after(outcomes).falls_on_command
    assert after(outcomes).failed == []


def test_an_acquittal_from_outside_holds() -> None:
    blame = after([FAILED] * 3)
    blame.acquit()
    blame.add(Trial(3, {}, "running"), FAILED)
    assert not blame.falls_on_command
    assert blame.failed == []
