"""The command is to blame for one failure from the start, or for a long row of it later."""

from __future__ import annotations

import pytest

from malibo.study import Trial
from malibo.tune.blame import Blame
from malibo.tune.outcome import Outcome

FAILED = Outcome.of_failure("exit code 1: a")
FAILED_OTHERWISE = Outcome.of_failure("exit code 2: a")


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
    "other", [Outcome.of_value(0.5), Outcome.of_value(float("nan")), FAILED_OTHERWISE]
)
@pytest.mark.parametrize(("jobs", "enough"), [(1, 6), (3, 6), (4, 8)])
def test_once_it_did_something_else_it_takes_more(other: Outcome, jobs: int, enough: int) -> None:
    assert not after([other, *[FAILED] * (enough - 1)], jobs).falls_on_command
    blame = after([FAILED, other, *[FAILED] * enough], jobs)
    assert blame.falls_on_command
    assert [trial.number for trial in blame.failed] == list(range(2, enough + 2))
    assert blame.note == FAILED.note


def test_failures_that_are_not_in_a_row_blame_nobody() -> None:
    assert not after([FAILED, Outcome.of_value(0.5)] * 10).falls_on_command
    assert not after([FAILED, FAILED_OTHERWISE] * 10).falls_on_command


def test_a_failure_of_another_kind_begins_a_row() -> None:
    blame = after([FAILED, *[FAILED_OTHERWISE] * 6])
    assert blame.falls_on_command
    assert blame.note == FAILED_OTHERWISE.note
