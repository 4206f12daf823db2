"""``malibo tune`` as a person runs it: output, exit codes, Ctrl-C, kill, and two at once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import malibo
from malibo import Categorical, Float, MetaModel, Space
from malibo.cli import main
from malibo.study import Study

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups")

SPACE = Space(x=Float(0, 1), kind=Categorical(["a", "b"]), y=Float(0, 1, when={"kind": "b"}))
MALIBO = "from malibo.cli import main; main(prog_name='malibo')"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def study() -> Study:
    return Study.create("tuning.db", space=SPACE, seed=0, residual="none", random_candidates=16)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["tune", *arguments])


def refused(*arguments: str) -> str:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    last = result.stderr.splitlines()[-1]
    assert last.startswith("malibo: ")
    return last


# -- what is said ------------------------------------------------------------------------------


def test_the_summary_has_the_best_trial(study: Study) -> None:
    result = run("tuning.db", "--trials", "3", "--", "sh", "-c", "echo {config}; echo {x}")
    assert result.exit_code == 0
    assert result.stderr == ""
    best = min(study.trials, key=lambda trial: trial.config["x"])
    lines = result.stdout.splitlines()
    assert lines[0] == "tuning.db, 3 trials: 3 finished; logs in tuning.db.logs"
    assert lines[1] == f"best so far: trial {best.number}, {best.config['x']!r}"
    assert lines[2].startswith(f"  x={best.config['x']:.6g}, kind=")
    assert len(lines) == 3


def test_json_has_the_same(study: Study) -> None:
    result = run("tuning.db", "--trials", "2", "--jobs", "2", "--json", "--", "echo", "{x}")
    facts = json.loads(result.stdout)
    assert (facts["trials"], facts["finished"], facts["failed"]) == (2, 2, 0)
    assert facts["logs"] == "tuning.db.logs"
    assert facts["best"]["value"] == min(trial.config["x"] for trial in study.trials)


def test_a_parameter_that_is_not_handed_over_is_worth_a_warning(study: Study) -> None:
    result = run("tuning.db", "--trials", "1", "--", "echo", "{x}")
    assert "malibo: no placeholder for 'kind', 'y'" in result.stderr
    assert result.stderr.count("\n") == 1
    assert run("tuning.db", "--trials", "1", "--", "echo", "{config}").stderr == ""


def test_without_a_value_the_exit_code_is_1(study: Study) -> None:
    result = run("tuning.db", "--trials", "2", "--", "sh", "-c", "echo {config} >&2; exit 4")
    assert result.exit_code == 1
    assert result.stdout.startswith("tuning.db, 2 trials: 2 failed; logs in tuning.db.logs\n")
    assert "malibo: no trial has a value; the last one: exit code 4: " in result.stderr
    assert "; --retry-failed runs them again" in result.stderr


def test_a_model_begins_a_study_beside_it(model: MetaModel) -> None:
    model.save("tuning.malibo")
    arguments = ("--trials", "1", "--seed", "5", "--name", "mine", "--", "echo", "{args}", "\n0.5")
    result = run("tuning.malibo", *arguments)
    assert result.exit_code == 0, result.stderr
    assert "trust in the past: 0." in result.stdout
    study = Study.open("tuning.db")
    assert (study.seed, study.name, len(study.trials)) == (5, "mine", 1)
    MetaModel.uninformed(model.space).save("tuning.malibo")
    result = run("tuning.malibo", *arguments)
    assert "was trained anew since the study tuning.db began" in result.stderr


def test_a_space_alone_starts_cold() -> None:
    Path("space.json").write_text(SPACE.to_json(), encoding="utf-8")
    options = ("--space", "space.json", "--study", "new.db", "--direction", "maximize")
    result = run(*options, "--trials", "2", "--", "sh", "-c", "echo {config}; echo {trial}")
    assert result.exit_code == 0, result.stderr
    assert "best so far: trial 1, 1.0" in result.stdout


def test_an_exhausted_space_is_told() -> None:
    space = Space(kind=Categorical(["a", "b"]))
    Study.create("small.db", space=space, residual="none")
    result = run("small.db", "--trials", "9", "--", "sh", "-c", "echo {kind}; echo 1")
    assert result.exit_code == 0
    assert "every configuration of the space has been tried" in result.stderr
    assert "2 trials: 2 finished" in result.stdout


def test_wrong_commands_change_nothing(study: Study, model: MetaModel) -> None:
    assert "unknown placeholder {z}" in refused("tuning.db", "--", "echo", "{z}")
    assert "there is no command" in refused("tuning.db")
    assert "name a model file or a study" in refused()
    assert "there is no file 'no.malibo'" in refused("no.malibo", "--", "echo")
    message = refused("tuning.db", "--jobs", "2", "--result", "out", "--", "echo", "{x}")
    assert "put {trial} into the command" in message
    model.save("new.malibo")
    assert "Did you mean 'lr'?" in refused("new.malibo", "--", "echo", "{lrr}")
    assert not Path("new.db").exists()
    assert study.trials == []


def test_a_command_that_is_not_there_is_one_line(study: Study) -> None:
    message = refused("tuning.db", "--", "no-such-program", "{config}")
    assert "cannot run 'no-such-program " in message
    assert "No such file or directory. Trial 0 waits" in message
    assert [trial.status for trial in study.trials] == ["waiting"]


def test_the_same_failure_from_the_start_is_shown(study: Study) -> None:
    message = refused("tuning.db", "--", "sh", "-c", "echo {config} oh no >&2; exit 1")
    assert "3 trials in a row failed alike (exit code 1: " in message
    assert "oh no" in message


def test_who_leaves_out_the_dashes_is_told(study: Study) -> None:
    message = refused("tuning.db", "python", "train.py", "--xx", "{x}")
    assert "no such option: --xx. The command to tune goes after two dashes" in message
    result = run("tuning.db", "--trails", "3", "--", "echo", "{x}")
    assert result.exit_code == 2
    assert "'--trials'" in result.stderr


def test_a_key_is_handed_on(study: Study) -> None:
    words = ("--", "sh", "-c", "echo loss: {x}; echo {config}")
    assert run("tuning.db", "--trials", "1", "--key", "loss", *words).exit_code == 0
    assert [trial.value for trial in study.trials] == [study.trials[0].config["x"]]


def test_a_timeout_is_handed_on(study: Study) -> None:
    words = ("--", "sh", "-c", "echo 0.5 {config}; exec sleep 60")
    assert run("tuning.db", "--trials", "1", "--timeout", "0.5", *words).exit_code == 1
    assert [trial.note for trial in study.trials] == ["timed out after 0.5 seconds"]


def test_help_teaches() -> None:
    result = run("--help")
    assert "malibo tune tuning.malibo --trials 30 --jobs 2 -- python train.py" in result.output
    for word in ("{config}", "{args}", "MALIBO_RESULT", "--key", "Ctrl-C", "tuning.db.logs"):
        assert word in result.output


# -- as processes ------------------------------------------------------------------------------


class Started:
    """A ``malibo tune`` of its own."""

    def __init__(self, *arguments: str) -> None:
        source = str(Path(malibo.__file__).parents[1])
        self.process = subprocess.Popen(
            [sys.executable, "-c", MALIBO, "tune", "tuning.db", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": source},
        )

    def end(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


@pytest.fixture
def start() -> Iterator[Callable[..., Started]]:
    started: list[Started] = []

    def begin(*arguments: str) -> Started:
        started.append(Started(*arguments))
        return started[-1]

    yield begin
    for each in started:
        if each.process.poll() is None:
            each.process.kill()
            each.process.communicate()


def wait_for(condition: Callable[[], object], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def running(study: Study) -> int:
    """Trials after the first whose command has printed the number of its process."""
    outputs = [Path(f"tuning.db.logs/{t.number:04d}.out") for t in study.trials[1:]]
    return sum(path.exists() and path.read_text().endswith("\n") for path in outputs)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


#: Trial 0 ends by itself, the others when there is a file "go".
WAITING = "[ {trial} = 0 ] || {{ echo $$; until [ -e go ]; do sleep 0.05; done; }}; echo {x}"


def test_ctrl_c_and_again(study: Study, start: Callable[..., Started]) -> None:
    words = ("--trials", "4", "--jobs", "2", "--", "sh", "-c", WAITING)
    first = start(*words)
    wait_for(lambda: running(study) == 2)
    pids = [int(Path(f"tuning.db.logs/000{n}.out").read_text()) for n in (1, 2)]
    first.process.send_signal(signal.SIGINT)
    code, out, err = first.end()
    assert (code, out) == (130, "")
    assert err.splitlines()[-1] == (
        "malibo: stopped with 1 of 4 trials done, 2 given back; the same command goes on."
    )
    assert not any(map(alive, pids))
    before = study.trials
    assert [trial.status for trial in before] == ["finished", "waiting", "waiting"]
    Path("go").touch()
    code, out, _ = start(*words).end()
    assert code == 0
    assert "4 trials: 4 finished" in out
    after = study.trials
    assert after[0] == before[0]
    assert [trial.config for trial in after[:3]] == [trial.config for trial in before]
    assert [trial.value for trial in after] == [trial.config["x"] for trial in after]


def test_a_kill_and_again(study: Study, start: Callable[..., Started]) -> None:
    words = ("--trials", "4", "--jobs", "2", "--", "sh", "-c", WAITING)
    first = start(*words)
    wait_for(lambda: running(study) == 2)
    first.process.kill()
    assert first.end()[0] == -signal.SIGKILL
    before = study.trials
    assert [trial.status for trial in before] == ["finished", "running", "running"]
    Path("go").touch()
    code, out, _ = start(*words).end()
    assert code == 0
    assert "4 trials: 4 finished" in out
    after = study.trials
    assert after[0] == before[0]
    assert [trial.config for trial in after[:3]] == [trial.config for trial in before]
    assert [trial.value for trial in after] == [trial.config["x"] for trial in after]


def test_two_at_once_share_the_work(study: Study, start: Callable[..., Started]) -> None:
    words = ("--trials", "10", "--json", "--", "sh", "-c")
    script = (
        "echo {trial} >> {which}; until [ -e one ] && [ -e two ]; do sleep 0.05; done; echo {x}"
    )
    both = [start(*words, script.replace("{which}", which)) for which in ("one", "two")]
    ends = [each.end() for each in both]
    assert [code for code, _, _ in ends] == [0, 0]
    trials = study.trials
    assert [trial.value for trial in trials] == [trial.config["x"] for trial in trials]
    assert len(trials) == 10
    one, two = (set(Path(which).read_text().split()) for which in ("one", "two"))
    assert one | two == {str(number) for number in range(10)}
    assert not one & two
