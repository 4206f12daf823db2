"""The loop: every result is told, every failure noted, and what was stopped goes on."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from pathlib import Path

import pytest

from malibo import Categorical, Float, Int, Space
from malibo.errors import InputError
from malibo.study import Study
from malibo.tune import Command, CommandError, Plan, logs, tune
from tune.examples import FAST, python, run, shell, statuses

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups")

SPACE = Space(x=Float(0, 1), kind=Categorical(["a", "b"]), y=Float(0, 1, when={"kind": "b"}))


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return Study.create(tmp_path / "tuning.db", space=SPACE, seed=0, config=FAST)


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_command_is_run_until_there_are_enough(study: Study, jobs: int) -> None:
    words = ["/bin/echo", "{x}"]
    assert run(study, words, trials=4, jobs=jobs) == "done"
    assert [trial.value for trial in study.trials] == [t.config["x"] for t in study.trials]
    assert len(study.trials) == 4
    assert run(study, words, trials=6, jobs=jobs) == "done"
    assert run(study, words, trials=3, jobs=jobs) == "done"
    assert statuses(study) == ["finished"] * 6
    assert len({trial.config["x"] for trial in study.trials}) == 6


def test_one_job_is_what_asking_and_telling_would_be(study: Study, tmp_path: Path) -> None:
    run(study, ["/bin/echo", "{x}"], trials=4)
    other = Study.create(tmp_path / "other.db", space=SPACE, seed=0, config=FAST)
    for _ in range(4):
        (trial,) = other.ask()
        other.tell(trial.number, trial.config["x"])
    assert [t.config for t in study.trials] == [t.config for t in other.trials]


def test_the_command_knows_its_trial(study: Study) -> None:
    script = (
        "import json, os, sys\n"
        "config = json.loads(os.environ['MALIBO_CONFIG'])\n"
        "assert config == json.loads(sys.argv[1])\n"
        "assert os.environ['MALIBO_TRIAL'] == sys.argv[2]\n"
        "assert os.environ['MALIBO_RESULT'] == sys.argv[3]\n"
        "open(os.environ['MALIBO_RESULT'], 'w').write(json.dumps({'loss': config['x']}))\n"
        "print('done')\n"
    )
    run(study, python(script, "{config}", "{trial}", "{result}"), trials=2)
    assert [trial.note for trial in study.trials] == ["", ""]
    assert [trial.value for trial in study.trials] == [t.config["x"] for t in study.trials]
    assert logs(study) == study.path.with_name("tuning.db.logs")
    assert (logs(study) / "0001.out").read_text() == "done\n"


def test_the_objective_may_be_in_a_file(study: Study, tmp_path: Path) -> None:
    script = (
        "import sys, json; json.dump({'a': 1, 'b': float(sys.argv[1])}, open(sys.argv[2], 'w'))"
    )
    words = python(script, "{x}", f"{tmp_path}/out-{{trial}}.json")
    run(study, words, trials=2, jobs=2, key="b", result=f"{tmp_path}/out-{{trial}}.json")
    assert [trial.value for trial in study.trials] == [t.config["x"] for t in study.trials]


def test_a_file_from_before_does_not_count(study: Study, tmp_path: Path) -> None:
    (tmp_path / "out.json").write_text("0.25")
    run(study, shell("true"), trials=1, result=str(tmp_path / "out.json"))
    (trial,) = study.trials
    assert trial.status == "failed"
    assert trial.note == f"no objective: the command did not write {tmp_path / 'out.json'}"
    assert (tmp_path / "out.json").read_text() == "0.25"


def test_jobs_do_not_share_a_result_file() -> None:
    with pytest.raises(InputError, match=r"2 commands at a time would write to one file"):
        Plan(jobs=2, result="out.json")
    with pytest.raises(InputError, match="trials and jobs must be >= 1"):
        Plan(trials=0)


@pytest.mark.parametrize(
    ("script", "note"),
    [
        ("echo 0.5; echo first >&2; echo last >&2; exit 3", "exit code 3: last"),
        ("echo only out; exit 1", "exit code 1: only out"),
        ("exit 1", "exit code 1: it wrote nothing"),
        ("kill -KILL $$", "killed by SIGKILL: it wrote nothing"),
        ("echo hello", "no objective: the last line of the standard output is not a number"),
        ("echo nan", "the objective is not finite"),
    ],
)
def test_a_failure_is_noted(study: Study, script: str, note: str) -> None:
    run(study, shell(script), trials=1)
    (trial,) = study.trials
    assert (trial.status, trial.value) == ("failed", None)
    assert trial.note.startswith(note)


def test_a_failure_does_not_end_the_tuning(study: Study) -> None:
    run(study, shell("[ $MALIBO_TRIAL -lt 2 ] && exit 1; echo $MALIBO_TRIAL"), trials=4)
    assert [trial.value for trial in study.trials] == [None, None, 2.0, 3.0]


def test_failed_trials_are_run_again_if_wanted(study: Study) -> None:
    run(study, shell("[ $MALIBO_TRIAL = 1 ] && exit 1; echo 0.5"), trials=3)
    configs = [trial.config for trial in study.trials]
    assert run(study, shell("echo 0.25"), trials=3, retry_failed=True) == "done"
    assert [trial.value for trial in study.trials] == [0.5, 0.25, 0.5]
    assert [trial.config for trial in study.trials] == configs


def test_a_command_that_hangs_is_stopped(study: Study) -> None:
    began = time.monotonic()
    script = "trap '' TERM; echo 0.5; sleep 60 & wait; sleep 60"
    run(study, shell(script), trials=2, jobs=2, timeout=0.2, grace=0.2)
    assert time.monotonic() - began < 20
    assert {trial.note for trial in study.trials} == {"timed out after 0.2 seconds"}
    assert statuses(study) == ["failed"] * 2


def test_a_child_with_the_output_open_holds_nothing_up(study: Study) -> None:
    began = time.monotonic()
    run(study, shell("sleep 60 & echo 0.5"), trials=2)
    assert time.monotonic() - began < 20
    assert statuses(study) == ["finished"] * 2


def test_a_command_that_cannot_be_started_ends_it_at_once(study: Study, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"cannot run 'no-such-program 0\.\d+': No such file"):
        run(study, ["no-such-program", "{x}"], trials=5, jobs=2)
    assert statuses(study) == ["waiting"]
    with pytest.raises(CommandError, match=r"Permission denied\. Trial 0 waits"):
        run(study, [str(tmp_path)], trials=5)
    with pytest.raises(CommandError, match=r"cannot run .*null"):
        run(study, ["echo", "a\0b"], trials=5)
    assert run(study, ["/bin/echo", "{x}"], trials=1) == "done"
    assert statuses(study) == ["finished"]


def test_other_commands_are_stopped_when_one_cannot_be_started(study: Study) -> None:
    command = Command(["{x}"], study.space)
    programs = iter([["/bin/sleep", "60"], ["no-such-program"]])
    command.arguments = lambda *_: next(programs)  # type: ignore[method-assign]
    with pytest.raises(CommandError, match="no-such-program"):
        tune(study, command, Plan(jobs=2), progress=False)
    assert statuses(study) == ["waiting", "waiting"]


@pytest.mark.parametrize(("jobs", "run_before"), [(1, 3), (2, 3), (4, 4)])
def test_the_same_failure_from_the_start_ends_it(study: Study, jobs: int, run_before: int) -> None:
    script = shell("echo line $MALIBO_CONFIG >&2; exit 2")
    with pytest.raises(CommandError) as error:
        run(study, script, trials=20, jobs=jobs)
    found = re.match(r"(\d) trials in a row failed alike \(exit code 2: line", str(error.value))
    assert found
    assert run_before <= int(found[1]) < run_before + jobs
    assert "tuning.db.logs" in str(error.value)
    assert "\n" not in str(error.value)
    assert set(statuses(study)) == {"waiting"}
    assert run_before <= len(study.trials) < run_before + 2 * jobs
    assert run(study, ["/bin/echo", "{x}"], trials=1) == "done"
    assert study.trials[0].value == study.trials[0].config["x"]


def test_all_of_the_first_jobs_have_their_say(study: Study) -> None:
    script = shell("[ $MALIBO_TRIAL = 3 ] || exit 2; sleep 0.5; echo 0.5")
    assert run(study, script, trials=4, jobs=4) == "done"
    assert statuses(study) == ["failed"] * 3 + ["finished"]


def test_the_same_failure_is_a_result_if_wanted(study: Study) -> None:
    assert run(study, shell("exit 2"), trials=5, keep_going=True) == "done"
    assert statuses(study) == ["failed"] * 5


def test_some_failures_after_a_value_are_results(study: Study) -> None:
    study.add({"x": 0.5, "kind": "a"}, 0.5)
    assert run(study, shell("exit 2"), trials=6) == "done"
    assert statuses(study) == ["finished"] + ["failed"] * 5


def test_a_command_that_breaks_later_is_noticed_too(study: Study) -> None:
    study.add({"x": 0.5, "kind": "a"}, 0.5)
    with pytest.raises(CommandError, match=r"6 trials in a row failed alike \(exit code 2"):
        run(study, shell("exit 2"), trials=20)
    assert statuses(study) == ["finished"] + ["waiting"] * 6


def test_each_failure_is_told_when_it_comes(
    study: Study, capsys: pytest.CaptureFixture[str]
) -> None:
    run(study, shell("[ $MALIBO_TRIAL = 0 ] && exit 2 || echo 0.5"), trials=2)
    told = "malibo: trial 0 failed: exit code 2: it wrote nothing\n"
    assert capsys.readouterr().err == told


@pytest.mark.parametrize("other", ["echo nan", "exit 1"])
def test_once_a_trial_ends_in_another_way_failures_are_results(study: Study, other: str) -> None:
    assert run(study, shell(f"[ $MALIBO_TRIAL = 1 ] && {other} || exit 2"), trials=6) == "done"
    assert statuses(study) == ["failed"] * 6


def test_nan_is_the_trial_s_and_not_the_command_s(study: Study) -> None:
    assert run(study, shell("echo nan"), trials=5) == "done"
    assert statuses(study) == ["failed"] * 5


def test_failures_of_several_kinds_are_results(study: Study) -> None:
    script = "exit $((MALIBO_TRIAL % 2 + 1))"
    assert run(study, shell(script), trials=5) == "done"
    assert statuses(study) == ["failed"] * 5


def test_a_small_space_is_exhausted(tmp_path: Path) -> None:
    study = Study.create(tmp_path / "a.db", space=Space(x=Int(1, 3)), config=FAST)
    assert run(study, ["/bin/echo", "{x}"], trials=10, jobs=2) == "exhausted"
    assert sorted(trial.value or 0 for trial in study.trials) == [1, 2, 3]


def test_logs_are_beside_the_study_wherever_the_process_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path)
    study = Study.create("a.db", space=SPACE, config=FAST)
    monkeypatch.chdir(tmp_path / "there")
    assert run(study, ["/bin/echo", "{x}"], trials=1) == "done"
    assert logs(study) == tmp_path / "a.db.logs"
    assert (tmp_path / "a.db.logs" / "0000.out").exists()
    assert list((tmp_path / "there").iterdir()) == []


def test_a_bar_shows_the_best(study: Study, capsys: pytest.CaptureFixture[str]) -> None:
    sys.stderr.isatty = lambda: True  # type: ignore[method-assign]
    command = Command(["/bin/echo", "0.25"], study.space)
    assert tune(study, command, Plan(trials=2)) == "done"
    shown = capsys.readouterr()
    assert "best=0.25" in shown.err
    assert "2/2" in shown.err
    assert shown.out == ""


def test_nothing_is_shown_when_piped(study: Study, capsys: pytest.CaptureFixture[str]) -> None:
    command = Command(["/bin/echo", "0.25"], study.space)
    assert tune(study, command, Plan(trials=1)) == "done"
    assert capsys.readouterr() == ("", "")
    assert json.loads((logs(study) / "0000.out").read_text()) == 0.25
