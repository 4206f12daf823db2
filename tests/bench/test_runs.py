"""Runs and their file: whole lines, whatever happens."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.examples import run
from malibo.bench.runs import Run, RunSet, open_runs, read_runs
from malibo.errors import InputError, MaliboError

SET = RunSet("small", 2)
RUNS = [run("random", "é", seed, [1 / 3, 0.1], seconds=math.nan) for seed in range(3)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with three runs."""
    path = tmp_path / "results" / "small.jsonl"
    with open_runs(path, SET) as file:
        for finished in RUNS:
            file.append(finished)
    return path


def texts(path: Path) -> list[str]:
    return [found.to_json() for found in read_runs(path)[1]]


# -- round trips ---------------------------------------------------------------------------


def test_what_is_written_is_read_again(path: Path) -> None:
    found, runs = read_runs(path)
    assert found == SET
    assert texts(path) == [finished.to_json() for finished in RUNS]
    assert [math.isnan(value) for value in runs[0].seconds] == [True, True]
    assert runs[0].key == ("random", "é", 0)


numbers = st.floats()
values = st.one_of(
    numbers.filter(lambda x: not math.isnan(x)), st.integers(), st.text(), st.booleans(), st.none()
)


@given(
    truths=st.lists(numbers, min_size=1), seconds=numbers, config=st.lists(values), name=st.text()
)
def test_every_record_is_one_line_and_comes_back_as_it_was(
    truths: list[float], seconds: float, config: list[object], name: str
) -> None:
    made = run(name, name, 2**40, truths, seconds=seconds)
    made.configs.append(config)
    line = made.to_json()
    assert len(line.splitlines()) == 1
    back = Run.from_json(line)
    assert back.to_json() == line
    assert back.configs[-1] == config
    assert (back.key, back.reference) == (made.key, made.reference)


def test_a_field_that_a_later_malibo_added_is_left_out() -> None:
    plain = json.loads(RUNS[0].to_json()) | {"colour": "red"}
    assert Run.from_json(json.dumps(plain)).to_json() == RUNS[0].to_json()


def test_of_a_run_that_is_there_twice_the_first_counts(path: Path) -> None:
    with path.open("a") as file:
        file.write(run("random", "é", 0, [7.0, 7.0]).to_json() + "\n")
    assert texts(path) == [finished.to_json() for finished in RUNS]


# -- going on ------------------------------------------------------------------------------


def test_a_file_knows_what_is_done(path: Path) -> None:
    with open_runs(path, SET) as file:
        assert file.done == {finished.key for finished in RUNS}


def test_what_is_there_is_never_touched(path: Path) -> None:
    before = path.read_bytes()
    with open_runs(path, SET) as file:
        assert path.read_bytes() == before
        file.append(run("random", "b", 0, [1.0, 1.0]))
        assert file.done >= {("random", "b", 0)}
        assert len(read_runs(path)[1]) == 4  # it is on the disk at once
    assert path.read_bytes().startswith(before)


def test_a_line_cut_anywhere_costs_its_run_alone(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)  # hundreds of them take their time
    whole = path.read_bytes()
    start = whole.rindex(b"\n", 0, -1) + 1
    for end in range(start, len(whole)):  # the last one lacks nothing but its newline
        path.write_bytes(whole[:end])
        assert len(read_runs(path)[1]) == 2
        with open_runs(path, SET) as file:
            assert file.done == {finished.key for finished in RUNS[:2]}
            assert path.read_bytes() == whole[:start]
            file.append(RUNS[2])
        assert path.read_bytes() == whole


def test_a_torn_header_is_written_again(tmp_path: Path) -> None:
    path, header = tmp_path / "small.jsonl", SET.header()
    for end in range(len(header) + 1):
        path.write_text(header[:end])
        with open_runs(path, SET) as file:
            assert file.done == set()
        assert path.read_text() == header + "\n"


# -- what is refused -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        "a line of somebody else",
        "a line of somebody else\n",
        "\n",
        "[]\n",
        "3\n",
        "{}\n",
        '{"format": "other", "version": 1}\n',
        '{"format": "malibo-bench"}\n',
        '{"format": "malibo-bench", "version": 1, "suite": "small"}\n',
        '{"format": "malibo-bench", "version": 1, "suite": "small", "steps": 2, "more": 1}\n',
        "\udcff",
        "\udcff\n",
    ],
)
def test_a_foreign_file_is_refused_and_left_alone(content: str, tmp_path: Path) -> None:
    path = tmp_path / "small.jsonl"
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    before = path.read_bytes()
    message = r"small\.jsonl is no results file of malibo bench\.$"
    with pytest.raises(InputError, match=message):
        read_runs(path)
    with pytest.raises(InputError, match=message), open_runs(path, SET):
        pass
    assert path.read_bytes() == before


def test_another_version_is_refused_in_one_line(path: Path) -> None:
    path.write_text(path.read_text().replace('"version": 1', '"version": 2', 1))
    before = path.read_bytes()
    for opened in (lambda: read_runs(path), lambda: open_runs(path, SET).__enter__()):
        with pytest.raises(InputError, match="format version 2 and this malibo reads 1") as caught:
            opened()
        assert "\n" not in str(caught.value)
    assert path.read_bytes() == before


@pytest.mark.parametrize("other", [RunSet("small", 3), RunSet("large", 2)])
def test_other_steps_and_another_suite_are_refused(other: RunSet, path: Path) -> None:
    before = path.read_bytes()
    message = f"holds small with 2 steps, and {other.suite} with {other.steps} steps was asked for"
    with pytest.raises(InputError, match=message), open_runs(path, other):
        pass
    assert path.read_bytes() == before


@pytest.mark.parametrize("line", ["{", "", "3", "[]", "null", "{}", '{"reference": {}}', "é"])
def test_a_damaged_line_is_named(line: str, path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join([*lines[:2], line + "\n", *lines[2:]]), encoding="utf-8")
    with pytest.raises(InputError, match=r"small\.jsonl, line 3 is damaged; delete") as caught:
        read_runs(path)
    assert "\n" not in str(caught.value)


def test_a_file_that_cannot_be_read_or_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read .*none\.jsonl: No such file"):
        read_runs(tmp_path / "none.jsonl")
    with pytest.raises(InputError, match=r"cannot write .*: Is a directory"):
        open_runs(tmp_path, SET).__enter__()
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"cannot write .*small\.jsonl: "):
        open_runs(tmp_path / "file" / "small.jsonl", SET).__enter__()


# -- one at a time -------------------------------------------------------------------------

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="there are no locks")


@posix_only
def test_a_file_is_open_once(path: Path) -> None:
    before = path.read_bytes()
    with (
        open_runs(path, SET),
        pytest.raises(MaliboError, match="in use by another malibo bench; wait for it"),
        open_runs(path, SET),
    ):
        pass
    assert path.read_bytes() == before
    with open_runs(path, SET):
        pass  # the lock ends with the file


@posix_only
def test_the_lock_of_another_process_ends_with_it(path: Path) -> None:
    script = (
        "import sys, pathlib\n"
        "from malibo.bench.runs import RunSet, open_runs\n"
        "with open_runs(pathlib.Path(sys.argv[1]), RunSet('small', 2)):\n"
        "    print('open', flush=True)\n"
        "    sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", script, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"open\n"
        with pytest.raises(MaliboError, match="in use by another"), open_runs(path, SET):
            pass
        assert len(read_runs(path)[1]) == 3  # reading is free
        other.kill()
        other.wait()
        with open_runs(path, SET) as file:
            assert len(file.done) == 3
