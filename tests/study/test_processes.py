"""Several processes at one study: every trial once, and none lost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from malibo import MetaModel
from malibo.study import Study

PROCESSES, TRIALS = 4, 5

WORKER = f"""
import sys
from malibo.study import Study
study = Study.open(sys.argv[1])
for _ in range({TRIALS}):
    (trial,) = study.ask()
    study.tell(trial.number, trial.config["lr"], note=sys.argv[2])
    print(trial.number)
"""


def test_processes_share_a_study(tmp_path: Path, model: MetaModel) -> None:
    path = tmp_path / "tuning.db"
    Study.create(path, model, seed=0, residual="none")
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, str(path), str(worker)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for worker in range(PROCESSES)
    ]
    printed = [worker.communicate(timeout=120)[0].split() for worker in workers]
    assert [worker.returncode for worker in workers] == [0] * PROCESSES
    trials = Study.open(path).trials
    assert [trial.number for trial in trials] == list(range(PROCESSES * TRIALS))
    assert len({str(trial.config) for trial in trials}) == PROCESSES * TRIALS
    assert [trial.value for trial in trials] == [trial.config["lr"] for trial in trials]
    by_worker = [[t.number for t in trials if t.note == str(w)] for w in range(PROCESSES)]
    assert by_worker == [[int(number) for number in numbers] for numbers in printed]


@pytest.mark.parametrize("n", [1, 3])
def test_two_studies_in_one_process_ask_for_different_trials(tmp_path: Path, n: int) -> None:
    from malibo import Float, Space

    Study.create(tmp_path / "a.db", space=Space(x=Float(0, 1)), residual="none")
    one, other = Study.open(tmp_path / "a.db"), Study.open(tmp_path / "a.db")
    numbers = [trial.number for study in (one, other, one) for trial in study.ask(n)]
    assert numbers == list(range(3 * n))
