"""Runs of MLflow from folders, databases, servers and DataFrames: the same from all of them."""

from __future__ import annotations

import json
import math
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_equal

from malibo.errors import HistoryError, MissingDependencyError
from malibo.sources.mlflow.runs import Metric, Run
from malibo.sources.mlflow.stores import name_of, stored_runs
from sources.mlflow.examples import Example, write_database, write_folder
from strategies import repeatable

LAST, LEAST, GREATEST = Metric("loss"), Metric("loss", "least"), Metric("loss", "greatest")
INFINITE, NAN = math.inf, math.nan

RUNS = [
    Example("a", {"lr": "0.1", "net/depth": "3"}, {"loss": [3, 1, 2], "val/acc": [0.5]}),
    Example("b", {"lr": "li\nne"}, {"loss": [NAN, 4, INFINITE]}, {"data/set": "é x"}),
    Example("c", {}, {"loss": [NAN]}, status="KILLED"),
    Example("d", {"lr": "1"}, status="FAILED"),
    Example("e", status="RUNNING"),
    Example("f", status="SCHEDULED"),
    Example("gone", {"lr": "1"}, {"loss": [0]}, stage="deleted"),
]


@pytest.fixture(params=["folder", "database"])
def write(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Path]:
    """A function that keeps experiments somewhere."""
    if request.param == "folder":
        return lambda experiments, stage="active": write_folder(tmp_path, experiments, stage)
    path = tmp_path / "mlflow.db"
    return lambda experiments, stage="active": write_database(path, experiments, stage)


def files_of(path: Path) -> dict[str, tuple[bytes, int]]:
    """All files under a path, with what is in them and when they were changed."""
    found = [file for file in [path, *path.parent.rglob("*")] if file.is_file()]
    return {str(file): (file.read_bytes(), file.stat().st_mtime_ns) for file in found}


# -- files ---------------------------------------------------------------------------------


def test_all_is_read_but_what_is_deleted_and_nothing_is_changed(
    write: Callable[..., Path],
) -> None:
    source = write({"first: 'x'": RUNS})
    before = files_of(source)
    a, b, *others = stored_runs(source, LAST)
    assert files_of(source) == before
    params = {"lr": "0.1", "net/depth": "3"}
    assert a == Run("a", "first: 'x'", "FINISHED", 0, params, {}, ["loss", "val/acc"], 2.0)
    assert (b.params, b.tags) == ({"lr": "li\nne"}, {"data/set": "é x"})
    assert [(run.run_id, run.status) for run in others] == [
        ("c", "KILLED"),
        ("d", "FAILED"),
        ("e", "RUNNING"),
        ("f", "SCHEDULED"),
    ]


@pytest.mark.parametrize(
    ("metric", "values"),
    [(LAST, [2, INFINITE, NAN]), (LEAST, [1, 4, NAN]), (GREATEST, [3, 4, NAN])],
)
def test_the_last_or_the_best_of_what_was_logged_counts(
    write: Callable[..., Path], metric: Metric, values: list[float]
) -> None:
    runs = stored_runs(write({"one": RUNS}), metric)
    assert_equal([run.value for run in runs], [*values, None, None, None])


def test_deleted_experiments_are_left_out(write: Callable[..., Path]) -> None:
    assert stored_runs(write({"one": RUNS}, "deleted"), LAST) == []


def test_runs_are_in_the_order_in_which_they_began(write: Callable[..., Path]) -> None:
    source = write({"two": [Example("z"), Example("y")], "one": [Example("x"), Example("w")]})
    runs = stored_runs(source, LAST)
    assert [(run.run_id, run.experiment) for run in runs] == [
        ("x", "one"),
        ("z", "two"),
        ("w", "one"),
        ("y", "two"),
    ]


def test_urls_of_files_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_folder(tmp_path / "my runs", {"one": RUNS})
    write_database(tmp_path / "mlflow.db", {"one": RUNS})
    monkeypatch.chdir(tmp_path)
    for source in (
        (tmp_path / "my runs").as_uri(),
        "my runs",
        tmp_path / "my runs" / "1",  # one experiment
        f"sqlite:///{tmp_path}/mlflow.db",
        "sqlite:///mlflow.db?timeout=5",
        "sqlite+pysqlite:///mlflow.db",
        "mlflow.db",
    ):
        assert len(stored_runs(source, LAST)) == 6


def test_folders_need_no_mlflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mlflow", None)
    assert len(stored_runs(write_folder(tmp_path, {"one": RUNS}), LAST)) == 6


def test_the_first_versions_of_mlflow_wrote_no_steps(tmp_path: Path) -> None:
    write_folder(tmp_path, {"one": RUNS[:1]})
    (tmp_path / "1" / "a" / "metrics" / "loss").write_text("7 0.25\n9 0.5\n8 0.75\n")
    assert stored_runs(tmp_path, LAST)[0].value == 0.5


numbers = st.floats(-1e6, 1e6)


@repeatable
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), numbers), min_size=1))
def test_of_the_greatest_step_the_latest_value_is_the_last(
    points: list[tuple[int, int, float]],
) -> None:
    values = [value for *_, value in points]
    last = [p for p in points if p[:2] == max(q[:2] for q in points)]
    assert LAST.value(points) == max(value for *_, value in last)
    assert LEAST.value(points) == min(values)
    assert GREATEST.value(points) == max(values)


# -- what is not there ---------------------------------------------------------------------


def refused(source: Any, metric: Metric = LAST) -> str:
    """The message of the error, which is one line."""
    with pytest.raises(HistoryError) as caught:
        stored_runs(source, metric)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_where_nothing_is_nothing_is_made(tmp_path: Path) -> None:
    for source in (tmp_path / "runs", f"sqlite:///{tmp_path}/mlflow.db", tmp_path / "mlflow.db"):
        assert refused(source).startswith("there is no file or folder ")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_something_else_is_refused_with_what_is_near(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    (folder / "1" / "artifacts").mkdir(parents=True)
    start = f"{str(folder)!r} is no tracking folder of MLflow: no experiment with a meta.yaml is in"
    assert refused(folder) == f"{start} it."
    (folder / "mlruns").mkdir()
    assert refused(folder).endswith(f" Did you mean {str(folder / 'mlruns')!r}?")
    for database in (tmp_path / "mlflow.db", folder / "mlflow.db"):
        database.touch()
        assert refused(folder).endswith(f"keep runs in a database: give {str(database)!r}.")


def test_other_databases_and_files_are_refused_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE studies (name VARCHAR)")
    database.close()
    before = files_of(path)
    start = f"{str(path)!r} cannot be read as a database of MLflow: "
    assert refused(path) == f"{start}no such table: params."
    assert files_of(path) == before
    path.write_text("lr,loss\n0.1,0.2\n" * 100)
    assert refused(path) == f"{start}file is not a database."


@pytest.mark.parametrize("text", ["a: [", "just text", ""])
def test_a_damaged_description_is_named(tmp_path: Path, text: str) -> None:
    file = write_folder(tmp_path, {"one": RUNS}) / "1" / "b" / "meta.yaml"
    file.write_text(text)
    assert refused(tmp_path).startswith(f"{str(file)!r} is damaged; ")


@pytest.mark.parametrize("text", ["", "1000\n", "yesterday 0.1 0\n", "1000 small 0\n"])
def test_a_damaged_metric_is_named(tmp_path: Path, text: str) -> None:
    file = write_folder(tmp_path, {"one": RUNS}) / "1" / "a" / "metrics" / "loss"
    file.write_text(text)
    assert refused(tmp_path).startswith(f"{str(file)!r} is damaged: each line should have a time")


def test_a_parameter_that_is_no_text_is_named(tmp_path: Path) -> None:
    file = write_folder(tmp_path, {"one": RUNS}) / "1" / "a" / "params" / "lr"
    file.write_bytes(b"\xff\xfe\xff")
    assert refused(tmp_path).startswith(f"{str(file)!r} cannot be read: ")


def test_other_urls_are_refused_without_their_passwords() -> None:
    assert refused("postgresql://me:se@cret@host/db") == (
        "'postgresql://***@host/db' is not read directly; give what"
        " mlflow.search_runs(search_all_experiments=True) returns instead."
    )
    assert name_of(3) == "the table"


# -- a server ------------------------------------------------------------------------------


class Answers(BaseHTTPRequestHandler):
    """Answers as a tracking server: two experiments, two pages of runs, a metric's history."""

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.end_headers()

    def do_GET(self) -> None:
        history = [{"key": "loss", "value": v, "timestamp": 1, "step": s} for s, v in HISTORY]
        self.answer({"metrics": history})

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.endswith("experiments/search"):
            names = {"1": "one", "2": "two"}
            about = [{"experiment_id": i, "name": name} for i, name in names.items()]
            self.answer({"experiments": about})
        elif "page_token" in asked:
            self.answer({"runs": [server_run("b", "2", [])]})
        else:
            assert asked["experiment_ids"] == ["1", "2"]
            metrics = [{"key": "loss", "value": 2.5, "timestamp": 1, "step": 2}]
            self.answer({"runs": [server_run("a", "1", metrics)], "next_page_token": "more"})

    def answer(self, content: dict[str, Any]) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(content).encode())

    def log_message(self, *args: Any) -> None:
        pass


HISTORY = [(0, 3.5), (1, 1.5), (2, 2.5)]


def server_run(name: str, experiment: str, metrics: list[dict[str, Any]]) -> dict[str, Any]:
    info = {"run_id": name, "experiment_id": experiment, "status": "FINISHED", "start_time": 5}
    params = [{"key": "lr", "value": "0.1"}]
    data = {"params": params, "metrics": metrics, "tags": [{"key": "set", "value": "x"}]}
    return {"info": {**info, "run_uuid": name, "lifecycle_stage": "active"}, "data": data}


@contextmanager
def serving(answers: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """The address of a server, for as long as it is needed."""
    with HTTPServer(("127.0.0.1", 0), answers) as made:
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"127.0.0.1:{made.server_port}"
        made.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def _no_telemetry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")


def test_a_server_is_read_page_by_page() -> None:
    params, tags = {"lr": "0.1"}, {"set": "x"}
    a = Run("a", "one", "FINISHED", 5, params, tags, ["loss"], 2.5)
    b = Run("b", "two", "FINISHED", 5, params, tags, [], None)
    with serving(Answers) as host:
        assert stored_runs(f"http://{host}", LAST) == [a, b]
        assert [run.value for run in stored_runs(f"http://{host}", LEAST)] == [1.5, None]
        assert [run.value for run in stored_runs(f"http://{host}/", GREATEST)] == [3.5, None]


class NotOfMlflow(BaseHTTPRequestHandler):
    """Refuses everything, with a page of several lines."""

    def log_message(self, *args: Any) -> None:
        pass


def test_a_server_of_something_else_is_refused_in_one_line() -> None:
    with serving(NotOfMlflow) as host:
        message = refused(f"http://me:secret@{host}")
    assert message.startswith(f"'http://***@{host}' cannot be read: ")
    assert "501" in message
    assert "secret" not in message


def test_a_server_that_does_not_answer_is_told_at_once() -> None:
    with HTTPServer(("127.0.0.1", 0), Answers) as made:
        port = made.server_port
    assert refused(f"http://me:secret@127.0.0.1:{port}") == (
        f"'http://***@127.0.0.1:{port}' does not answer; start the server, or mend the address."
    )


def test_a_server_needs_mlflow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(MissingDependencyError, match=r'pip install "malibo\[mlflow\]"'):
        stored_runs("http://127.0.0.1:1", LAST)


# -- a DataFrame ---------------------------------------------------------------------------


def a_frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "run_id": ["a", "b"],
            "experiment_id": ["7", "8"],
            "status": ["FINISHED", "FAILED"],
            "metrics.loss": [0.5, NAN],
            "params.lr": ["0.1", None],
            "tags.set": [None, "x"],
        }
    )


def test_a_frame_has_ids_of_experiments_and_empty_cells() -> None:
    assert stored_runs(a_frame(), LAST) == [
        Run("a", "7", "FINISHED", 0, {"lr": "0.1"}, {}, ["loss"], 0.5),
        Run("b", "8", "FAILED", 0, {}, {"set": "x"}, ["loss"], None),
    ]
    named = a_frame().assign(experiment_name=["one", "two"])
    assert [run.experiment for run in stored_runs(named, LAST)] == ["one", "two"]


@pytest.mark.parametrize("sign", [1, -1])
def test_the_greatest_float_of_a_frame_is_infinite(sign: int) -> None:
    frame = a_frame().assign(**{"metrics.loss": [sign * sys.float_info.max, sign * INFINITE]})
    assert_equal([run.value for run in stored_runs(frame, LAST)], [sign * INFINITE] * 2)


def test_frames_that_are_not_of_search_runs_are_refused() -> None:
    assert refused(a_frame(), LEAST).startswith("metric='best' needs all that was logged")
    assert "has no column 'status'" in refused(a_frame().drop(columns="status"))
    assert refused([1, 2]).endswith("returns; got list.")
    twice = pd.concat([a_frame(), a_frame()[["status"]]], axis=1)
    assert refused(twice) == "the DataFrame has 'status' more than once; keep one."
    text = a_frame().assign(**{"metrics.loss": ["low", "high"]})
    assert refused(text) == "column 'metrics.loss' must be numeric, got 'low'."
