"""The estimate: its arithmetic, and what it says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.examples import TASKS, SmallSuite, run
from malibo.bench import estimate
from malibo.bench.estimate import (
    GUESS,
    Forecast,
    Pace,
    as_facts,
    as_text,
    duration,
    forecast,
    processes,
    rates,
    read_finished,
    read_reference,
    seconds_of,
    unfinished,
    update_reference,
)
from malibo.bench.methods import METHODS
from malibo.bench.parts import Part
from malibo.bench.plan import PLAN
from malibo.bench.runs import Run, RunKey, RunSet, open_runs
from malibo.errors import InputError


def part(
    *methods: str,
    suite: str = "small",
    experiment: str = "one",
    seeds: int = 2,
    steps: int = 50,
    tasks: tuple[str, ...] | None = None,
) -> Part:
    return Part(experiment, SmallSuite(suite), None, methods, seeds, steps, tasks)


def write(folder: Path, *runs: Run, suite: str = "small", steps: int = 50) -> Path:
    path = folder / f"{suite}.jsonl"
    with open_runs(path, RunSet(suite, steps)) as file:
        for each in runs:
            file.append(each)
    return path


# -- what is finished ----------------------------------------------------------------------


def test_a_run_takes_its_suggestions_and_its_learning() -> None:
    found = run("random", "left", 0, [3.0, 2.0], suggest=[0.5, 1.5], train=[10.0, 0.25])
    assert seconds_of(found) == 12.25


def test_finished_runs_are_read_with_their_seconds(tmp_path: Path) -> None:
    write(tmp_path, run("random", "left", 0, [1.0, 1.0]), run("lfbo", "left", 1, [1.0]))
    assert read_finished([part("random"), part("lfbo")], tmp_path) == {
        "small": {("random", "left", 0): 0.5, ("lfbo", "left", 1): 0.25}
    }
    assert read_finished([part("random", suite="other")], tmp_path) == {}
    assert read_finished([part("random")], tmp_path / "none") == {}


@pytest.mark.parametrize("content", ["", '{"format": "malibo-be'])
def test_a_file_that_was_killed_at_its_beginning_holds_nothing(
    content: str, tmp_path: Path
) -> None:
    (tmp_path / "small.jsonl").write_text(content)
    assert read_finished([part("random")], tmp_path) == {}


def test_results_of_other_steps_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, steps=30)
    with pytest.raises(InputError) as caught:
        read_finished([part("random")], tmp_path)
    assert str(caught.value) == (
        f"{path} holds small with 30 steps, and small with 50 steps is planned;"
        " give another --results."
    )


def test_what_is_unfinished_is_what_is_not_there() -> None:
    finished = {"small": {RunKey("random", "left", 0): 1.0, RunKey("tpe", "left", 1): 1.0}}
    left = unfinished(part("random", tasks=("left", "right")), finished)
    assert set(left) == {("random", "left", 1), ("random", "right", 0), ("random", "right", 1)}
    assert len(unfinished(part("random", suite="other"), finished)) == 6


# -- how fast ------------------------------------------------------------------------------


def test_rates_are_mean_seconds_of_100_steps() -> None:
    finished = {
        "small": {RunKey("tpe", "left", 0): 1.0, RunKey("tpe", "right", 0): 2.0},
        "large": {RunKey("tpe", "left", 0): 3.0, RunKey("gp", "left", 0): 4.0},
    }
    assert rates(finished, {"small": 50, "large": 200}) == {
        "small": {"tpe": 3.0},
        "large": {"tpe": 1.5, "gp": 2.0},
    }


def test_a_short_run_takes_its_training() -> None:
    assert [estimate.share(steps) for steps in (1, 5, 30, 50, 200)] == [0.3, 0.3, 0.3, 0.5, 2.0]


REFERENCE = {"a": {"tpe": 1.0, "gp": 20.0, "rgpe": 30.0}, "b": {"tpe": 3.0, "gp": 40.0}}


def test_what_was_measured_here_counts_as_it_is() -> None:
    assert Pace({"a": {"gp": 5.0}}, REFERENCE).seconds("a", "gp") == 5.0


def test_else_the_reference_counts_times_the_ratio_of_the_machines() -> None:
    pace = Pace({"a": {"tpe": 3.0, "gp": 40.0}, "b": {"tpe": 3.0}, "c": {"tpe": 99.0}}, REFERENCE)
    assert pace.ratio == 2.0  # the median of 3, 2 and 1
    assert pace.seconds("b", "gp") == 80.0
    assert pace.seconds("a", "rgpe") == 60.0
    assert Pace({}, REFERENCE).ratio == 1.0
    assert Pace({}, REFERENCE).seconds("b", "gp") == 40.0


def test_on_an_unknown_suite_the_average_of_others_counts() -> None:
    pace = Pace({"a": {"tpe": 2.0, "own": 7.0}, "b": {"own": 9.0}}, REFERENCE)
    assert pace.ratio == 2.0
    assert pace.seconds("c", "own") == 8.0
    assert pace.seconds("c", "gp") == 60.0  # twice the average of 20 and 40


def test_an_unknown_method_is_a_guess() -> None:
    pace = Pace({"a": {"tpe": 2.0}}, REFERENCE)
    assert pace.seconds("a", "never-seen") == 2 * GUESS
    assert not pace.knows("never-seen")
    assert pace.knows("tpe")
    assert pace.knows("rgpe")
    assert Pace({"c": {"never-seen": 1.0}}, REFERENCE).knows("never-seen")


def test_the_reference_has_positive_times_of_methods_and_suites_of_the_plan() -> None:
    reference = read_reference()
    planned = {name for each in PLAN for batch in each.batches for name in batch.suites}
    assert set(reference) <= planned
    for methods in reference.values():
        assert set(methods) <= set(METHODS)
        assert min(methods.values()) > 0


def test_the_reference_is_updated_and_keeps_what_is_not_measured_again(tmp_path: Path) -> None:
    reference = tmp_path / "reference.json"
    reference.write_text(json.dumps(REFERENCE))
    fast, slow = (run("gp", "left", seed, [1.0], train=[seed + 1.23456]) for seed in (0, 1))
    write(tmp_path, fast, slow, suite="a", steps=50)
    write(tmp_path, run("tpe", "left", 0, [1.0]), suite="c", steps=50)
    update_reference(tmp_path, reference)
    assert json.loads(reference.read_text()) == {
        "a": {"tpe": 1.0, "gp": 3.97, "rgpe": 30.0},
        "b": {"tpe": 3.0, "gp": 40.0},
        "c": {"tpe": 0.5},
    }
    assert len(reference.read_text().splitlines()) == 5  # one a suite, and the brackets


# -- what is left --------------------------------------------------------------------------


@pytest.fixture
def reference(monkeypatch: pytest.MonkeyPatch) -> None:
    table = {"small": {"tpe": 10.0, "gp": 100.0, "random": 1.0}}
    monkeypatch.setattr(estimate, "read_reference", lambda: table)


@pytest.mark.usefixtures("reference")
def test_a_forecast_counts_runs_and_seconds() -> None:
    parts = [
        part("gp", "tpe", experiment="slow"),
        part("random", experiment="fast", tasks=("left",)),
        part("odd", experiment="slow", seeds=1),
    ]
    fast, slow = forecast(parts, {})
    assert fast == Forecast("fast", 2, 0, 2 * 0.5)
    runs = 2 * len(TASKS)
    assert slow == Forecast("slow", 2 * runs + 3, 0, runs * 55.0 + 3 * GUESS / 2, ("odd",))


@pytest.mark.usefixtures("reference")
def test_finished_runs_are_not_left_and_set_the_pace() -> None:
    done = {RunKey("tpe", task, 0): 20.0 for task in TASKS}  # 40 in 100 steps: the ratio is 4
    finished = {"small": {**done, RunKey("tpe", "elsewhere", 0): 20.0}}
    (left,) = forecast([part("tpe", "gp", seeds=2)], finished)
    assert (left.runs, left.finished) == (12, 3)
    assert left.seconds == pytest.approx(3 * 20.0 + 6 * 50.0 * 4)
    everything = {RunKey("tpe", task, seed): 20.0 for task in TASKS for seed in (0, 1)}
    assert forecast([part("tpe")], {"small": everything}) == [Forecast("one", 6, 6, 0.0)]


# -- in words ------------------------------------------------------------------------------

LEFT = [Forecast("first", 10, 10, 0.0), Forecast("second", 1500, 500, 3600.0 * 5, ("odd",))]


def test_the_table_has_a_line_for_each_experiment_and_a_sum() -> None:
    assert as_text(LEFT, 2).splitlines() == [
        "experiment       runs  finished    time left",
        "first              10        10         none",
        "second          1,500       500  about 2.5 h",
        "all             1,510       510  about 2.5 h",
        "Times are for 2 runs at once.",
        "Never measured, so that their times are guesses: odd",
    ]
    assert as_text(LEFT[:1], 1).endswith("\nTimes are for 1 run at once.")


def test_scripts_get_the_same() -> None:
    facts = as_facts(LEFT, 2)
    assert facts["jobs"] == 2
    assert [each["experiment"] for each in facts["experiments"]] == ["first", "second"]
    assert facts["all"] == {
        "experiment": "all",
        "runs": 1510,
        "finished": 510,
        "hours_left": 2.5,
        "guessed": ["odd"],
    }


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (89, "89 s"), (90, "2 min"), (600, "10 min"), (5400, "1.5 h"), (36e4, "100.0 h")],
)
def test_durations_are_in_a_fitting_unit(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@given(st.floats(1, 1e7))
def test_a_duration_is_right_to_a_half_of_its_last_digit(seconds: float) -> None:
    number, unit = duration(seconds).split()
    size = {"s": 1, "min": 60, "h": 3600}[unit]
    digit = 0.1 if "." in number else 1
    assert abs(float(number) * size - seconds) <= 0.5001 * digit * size


def test_jobs_are_the_runs_at_once() -> None:
    assert processes(3) == 3
    assert processes(-1) >= 1
    with pytest.raises(InputError, match="or -1 for all cores; got 0"):
        processes(0)
