"""Tasks from runs of MLflow: which runs count, for which task, and what is said of the others."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import malibo
from malibo import Categorical, Float, History, Int, Space
from malibo.errors import HistoryError, MissingDependencyError
from malibo.sources.mlflow import read
from malibo.sources.tables import TableOptions
from sources.mlflow.examples import Example, write_folder

NAN = np.nan
LR = Space(lr=Float(0, 1))


def run(name: str, loss: float | None = 0.5, lr: str = "0.1", **others: Any) -> Example:
    """A finished run of one parameter."""
    metrics = {} if loss is None else {"loss": [loss]}
    return Example(name, **{"params": {"lr": lr}, "metrics": metrics, **others})


def two_experiments() -> dict[str, list[Example]]:
    first = [run("a1", 0.5, tags={"mlflow.user": "me"}), run("a2", 0.25, "0.2")]
    first.append(run("a3", 0.75, "0.3"))
    return {"adult": first, "higgs": [run("b1", 5, "0.4"), run("b2", 4, "0.5")]}


def history_of(folder: Path, experiments: dict[str, list[Example]], **options: Any) -> History:
    """The history of runs in a folder."""
    source = write_folder(folder / "mlruns", experiments)
    return History.from_mlflow(source, **{"objective": "loss", "space": LR, **options})


def refusal(folder: Path, experiments: dict[str, list[Example]], **options: Any) -> str:
    """The message of the error, which is one line."""
    with pytest.raises(HistoryError) as caught:
        history_of(folder, experiments, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def repaired(history: History) -> list[str]:
    """What describe() says of repairs."""
    return (
        history.describe()
        .partition("What was done to fit the past to this space:\n")[2]
        .splitlines()
    )


def test_the_guess_is_handed_on_with_its_reasons(tmp_path: Path) -> None:
    runs = [
        run(f"a{i}", i / 7, f"0.{i}1", params={"lr": f"0.{i}1", "epochs": "5"}) for i in range(9)
    ]
    source = write_folder(tmp_path / "mlruns", {"adult": runs})
    found = read(source, TableOptions("experiment", "loss"))
    assert found.guess is not None
    assert found.guess.reasons == {"epochs": "always 5", "lr": "9 values from 0.01 to 0.81"}
    assert [task.space for task in found.tasks] == [found.guess.space]


def test_infinite_metrics_are_told_of(tmp_path: Path) -> None:
    runs = [run("a1"), run("a2", np.inf, "0.2"), run("a3", NAN, "0.3")]
    history = history_of(tmp_path, {"adult": runs})
    assert_array_equal(history.losses, [0.5, NAN, NAN])
    assert repaired(history) == ["- 1 infinite objective counts as failed (all tasks)"]


# -- tasks ---------------------------------------------------------------------------------


def test_each_experiment_is_a_task(tmp_path: Path) -> None:
    history = history_of(tmp_path, two_experiments())
    assert history.names == ("adult", "higgs")
    assert history.space == LR
    assert_allclose(history.codes, [[0.1], [0.2], [0.3], [0.4], [0.5]])
    assert_array_equal(history.losses, [0.5, 0.25, 0.75, 5, 4])
    assert repaired(history) == []


@pytest.mark.parametrize("task", ["tags.set", "tag:set", "params.set", "param:set", "tags:set"])
def test_a_tag_or_a_parameter_names_the_task(tmp_path: Path, task: str) -> None:
    kind = "params" if task.startswith("param") else "tags"
    runs = []
    for i, name in enumerate(["007", "x", "007", "x"]):
        given: dict[str, Any] = {"params": {"lr": str(i / 10)}, "tags": {}}
        given[kind]["set"] = name
        runs.append(run(f"r{i}", i, **given))
    history = history_of(tmp_path, {"one": runs}, task=task, space=None)
    assert history.names == ("007", "x")
    assert history.space.names == ("lr",)
    assert_array_equal(history.losses, [0, 2, 1, 3])


def test_scores_are_maximised_and_the_best_of_a_run_counts(tmp_path: Path) -> None:
    logged = {"a": [0.6, 0.9, 0.7], "b": [0.8, NAN]}
    runs = [run(name, metrics={"acc": values}) for name, values in logged.items()]
    options: dict[str, Any] = {"objective": "metrics.acc", "space": LR}
    last = history_of(tmp_path, {"one": runs}, direction="maximize", **options)
    assert last.direction == "maximize"
    assert_array_equal(last.losses, [-0.7, NAN])
    source = tmp_path / "mlruns"
    best = History.from_mlflow(source, metric="best", direction="maximize", **options)
    assert_array_equal(best.losses, [-0.9, -0.8])
    least = History.from_mlflow(source, metric="best", **options)
    assert_array_equal(least.losses, [0.6, 0.8])


# -- which runs count ----------------------------------------------------------------------


def test_runs_count_by_their_status(tmp_path: Path) -> None:
    statuses = ["FINISHED", "FAILED", "KILLED", "RUNNING", "SCHEDULED"]
    runs = [run(status.lower(), 0.5, status=status) for status in statuses]
    runs.append(Example("early", status="FAILED"))
    history = history_of(tmp_path, {"one": runs, "two": [run("x")]})
    assert_array_equal(history.losses, [0.5, NAN, NAN, 0.5])
    assert repaired(history) == [
        "- 2 runs left out, not finished: 'running', 'scheduled' ('one')",
        "- 1 run left out, failed without parameters: 'early' ('one')",
    ]


def test_parents_without_the_metric_are_left_out(tmp_path: Path) -> None:
    runs = [
        run("sweep", None, status="KILLED", tags={"kind": "x"}),
        run("child", 1, tags={"mlflow.parentRunId": "sweep"}),
        run("best", 2, tags={"kind": "x"}),
        run("fold", 3, tags={"mlflow.parentRunId": "best"}),
    ]
    history = history_of(tmp_path, {"one": runs})
    assert_array_equal(history.losses, [1, 2, 3])
    told = "- 1 run left out, a parent without 'loss': 'sweep' (all tasks)"
    assert repaired(history) == [told]
    source = tmp_path / "mlruns"
    history = History.from_mlflow(source, objective="loss", where={"tags.kind": "x"}, space=LR)
    assert_array_equal(history.losses, [2])
    assert repaired(history) == [told]


def test_odd_runs_are_refused_by_their_ids_or_left_out(tmp_path: Path) -> None:
    tags = {"set": "x"}
    runs = [
        run("good", 3, tags=tags),
        run("no tag"),
        run("empty tag", tags={"set": ""}),
        run("no metric", None, tags=tags),
        run("no params", params={}, tags=tags),
    ]
    assert refusal(tmp_path, {"one": runs}, task="tags.set") == (
        "4 runs cannot be read: no tag: no 'tags.set'; empty tag: no 'tags.set'; no metric:"
        " finished without 'loss'; no params: no parameters. Mend them, or leave them out:"
        ' on_error="skip" (--on-error skip).'
    )
    source = tmp_path / "mlruns"
    history = History.from_mlflow(
        source, objective="loss", task="tags.set", space=LR, on_error="skip"
    )
    assert_array_equal(history.losses, [3])
    assert repaired(history) == [
        "- 2 runs left out, no 'tags.set': 'no tag', 'empty tag' (all tasks)",
        "- 1 run left out, finished without 'loss': 'no metric' (all tasks)",
        "- 1 run left out, no parameters: 'no params' (all tasks)",
    ]


@pytest.mark.parametrize(("odd", "end"), [(5, ". Mend"), (7, "; and 2 more. Mend")])
def test_many_odd_runs_are_counted(tmp_path: Path, odd: int, end: str) -> None:
    runs = [run("good"), *(run(f"r{i}", None) for i in range(odd))]
    message = refusal(tmp_path, {"one": runs})
    assert message.startswith(f"{odd} runs cannot be read: r0: finished without 'loss'; r1: ")
    assert f"r4: finished without 'loss'{end}" in message


def test_an_unknown_status_is_odd() -> None:
    frame = pd.DataFrame({"run_id": ["a", "b"], "experiment_id": "1", "params.lr": "0.1"})
    frame = frame.assign(status=["FINISHED", "LOST"], **{"metrics.loss": 0.5})
    with pytest.raises(HistoryError, match="1 run cannot be read: b: unknown status 'LOST'"):
        History.from_mlflow(frame, objective="loss", space=LR)


def test_cells_that_cannot_be_read_are_named_by_their_run(tmp_path: Path) -> None:
    runs = [run("good", 3), run("bad", 2, lr="high")]
    assert "run bad, column 'lr': " in refusal(tmp_path, {"one": runs})
    history = History.from_mlflow(tmp_path / "mlruns", objective="loss", space=LR, on_error="skip")
    assert_array_equal(history.losses, [3])
    assert any("run bad, column 'lr'" in line for line in repaired(history))


def test_experiments_without_the_metric_are_left_out_with_a_warning(tmp_path: Path) -> None:
    others = {"other": [run("x", None)], "failed": [run("y", status="FAILED")], "empty": []}
    told = r"no finished run has a value of 'loss' in 'failed', 'other'. They are left out."
    with pytest.warns(UserWarning, match=told) as caught:
        history = history_of(tmp_path, {**two_experiments(), **others})
    assert history.names == ("adult", "higgs")
    assert caught[0].filename == __file__


# -- where ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ({"experiment": "two"}, [4, 5, 6, 7]),
        ({"experiment": ["one", "two"]}, list(range(8))),
        ({"run_id": ["r0", "r3"]}, [0, 3]),
        ({"tags.split": "a"}, [0, 1, 4, 5]),
        ({"tag:split": "a", "experiment": "one"}, [0, 1]),
        ({"seed": 1}, [1, 3, 5, 7]),
        ({"params.seed": ["1.0", 5]}, [1, 3, 5, 7]),
        ({"param:seed": range(2)}, list(range(8))),
    ],
)
def test_only_the_runs_that_are_asked_for_are_read(
    tmp_path: Path, where: dict[str, Any], kept: list[int]
) -> None:
    runs = [
        run(f"r{i}", i, params={"lr": f"0.{i}", "seed": str(i % 2)}, tags={"split": "aabb"[i % 4]})
        for i in range(8)
    ]
    experiments = {"one": runs[:4], "two": runs[4:]}
    history = history_of(tmp_path, experiments, where=where, space=None)
    assert sorted(history.losses.tolist()) == kept
    assert history.space.names == ("lr",)


def test_what_is_not_asked_for_cannot_be_odd(tmp_path: Path) -> None:
    experiments = {**two_experiments(), "other": [run("odd", None)]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        history = history_of(tmp_path, experiments, where={"experiment": "higgs"})
    assert history.names == ("higgs",)


# -- parameters ----------------------------------------------------------------------------


def test_texts_are_read_as_what_they_stand_for(tmp_path: Path) -> None:
    runs = []
    for i in range(40):
        params = {"lr": f"{10 ** (-i % 9 / 2 - 1):.3g}", "layers": str(i % 7 + 1)}
        params |= {"amp": str(i % 2 == 0), "norm": ["None", "batch"][i // 2 % 2]}
        params |= {"shape": ["['a', 'b']", "['a']"][i % 3 % 2], "status": "x", "loss": "mse"}
        runs.append(run(f"r{i}", float(i * 7 % 40), params=params))
    history = history_of(tmp_path, {"one": runs[:20], "two": runs[20:]}, space=None)
    space = history.space
    assert isinstance(space["lr"], Float | malibo.Ordinal)
    assert isinstance(space["layers"], Int)
    assert isinstance(space["amp"], Categorical)
    assert set(space["amp"].choices) == {True, False}
    assert isinstance(space["norm"], Categorical)
    assert set(space["norm"].choices) == {None, "batch"}
    assert isinstance(space["shape"], Categorical)
    assert set(space["shape"].choices) == {"['a', 'b']", "['a']"}
    config = space.configs(history.codes[:1])[0]
    assert config["layers"] == 1
    assert (config["amp"], config["norm"], config["shape"]) == (True, None, "['a', 'b']")


def test_parameters_are_renamed_ignored_and_given(tmp_path: Path) -> None:
    runs = [
        run(f"r{i}", i, params={"rate": f"0.{i}", "seed": str(i), "n": str(i % 3)})
        for i in range(9)
    ]
    space = {"n": Int(0, 8)}
    history = history_of(
        tmp_path, {"one": runs}, space=space, rename={"rate": "lr"}, ignore=["seed"]
    )
    assert set(history.space.names) == {"lr", "n"}
    assert history.space["n"] == Int(0, 8)


# -- wrong input ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"objective": "los"}, "has a metric 'los'; there are 'loss'. Did you mean 'loss'?"),
        ({"objective": 3}, "objective names one metric, such as 'val_loss'; got 3."),
        ({"metric": "first"}, "metric must be 'last' or 'best', got 'first'."),
        ({"direction": "up"}, "direction must be 'minimize' or 'maximize', got 'up'."),
        ({"on_error": "stop"}, "on_error must be 'raise' or 'skip', got 'stop'."),
        ({"where": "adult"}, "where must map names to values, got 'adult'."),
        ({"task": None}, "task must be 'experiment', 'tags.NAME' or 'params.NAME', got None."),
        ({"task": "tags.set"}, "task: no run has 'tags.set'; "),
        ({"task": "experimant"}, "Did you mean 'experiment'?"),
        ({"task": "lr"}, "there are 'experiment', 'status', 'run_id', 'params.lr'."),
        ({"where": {"lrr": 1}}, "where: no run has 'lrr'; "),
        (
            {"where": {"experiment": "higs"}},
            "no run has experiment 'higs'; there are 'adult', 'higgs'. Did you mean 'higgs'?",
        ),
        ({"where": {"experiment": ["adult", "hi"]}}, "where: no run has experiment 'hi'; "),
        ({"where": {"lr": [7, 8]}}, "where: no run has lr 7, 8; there are '0.1', '0.2',"),
    ],
)
def test_wrong_options_are_refused(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(malibo.errors.InputError) as caught:
        history_of(tmp_path, two_experiments(), **options)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_where_there_is_nothing_to_learn_it_is_said(tmp_path: Path) -> None:
    assert refusal(tmp_path / "1", {"one": []}).endswith(
        "has no runs; there is nothing to learn from."
    )
    running = [run("a", status="RUNNING"), run("b", status="FAILED")]
    assert "has no finished run with a value of 'loss'" in refusal(tmp_path / "2", {"one": running})
    nothing = [run("a", None)]
    assert refusal(tmp_path / "3", {"one": nothing}).endswith("'loss'; none was logged.")


def test_without_pandas_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingDependencyError, match=r'pip install "malibo\[mlflow\]"'):
        History.from_mlflow("mlruns", objective="loss")


# -- what MLflow itself writes -------------------------------------------------------------


NAMES = ("adult: é", " ".join(["a long name"] * 12))


def log_runs(uri: str) -> Any:
    """Two experiments of ten runs each, through MLflow's client."""
    import mlflow

    client = mlflow.MlflowClient(tracking_uri=uri)
    ids = [client.create_experiment(name) for name in NAMES]
    for number in range(20):
        made = client.create_run(ids[number % 2], start_time=1 + number).info.run_id
        client.log_param(made, "lr", 0.01 * 1.3**number)
        client.log_param(made, "opt", ["adam", "sgd"][number % 3 % 2])
        for step in range(3):
            client.log_metric(made, "val/loss", number + abs(step - 1), step=step)
        client.set_terminated(made, "FINISHED" if number % 5 else "KILLED")
    client.delete_run(made)
    client.delete_experiment(client.create_experiment("gone"))
    mlflow.set_tracking_uri(uri)
    return mlflow.search_runs(ids, order_by=["start_time"])


def compared(source: str | Path, frame: pd.DataFrame) -> None:
    """What is read is what MLflow finds."""
    past = History.from_mlflow(source, objective="val/loss")
    found = History.from_mlflow(frame, objective="val/loss")
    assert past.names == NAMES
    assert len(past) == 19
    assert [task.failed for task in past] == [2, 2]
    assert past.space == found.space
    assert_array_equal(past.codes, found.codes)
    assert_array_equal(past.losses, found.losses)
    best = History.from_mlflow(source, objective="val/loss", metric="best")
    assert_array_equal(best.losses, past.losses - 1)


@pytest.fixture
def _mlflow(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Folders allowed, and the address restored."""
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    import mlflow

    before = mlflow.get_tracking_uri()
    yield
    mlflow.set_tracking_uri(before)


@pytest.mark.usefixtures("_mlflow")
@pytest.mark.filterwarnings("ignore:::mlflow")
def test_a_folder_of_mlflow_is_read_as_mlflow_reads_it(tmp_path: Path) -> None:
    compared(tmp_path / "mlruns", log_runs(str(tmp_path / "mlruns")))


@pytest.mark.slow
@pytest.mark.usefixtures("_mlflow")
@pytest.mark.filterwarnings("ignore:::mlflow", "ignore::DeprecationWarning")
def test_a_database_of_mlflow_is_read_as_mlflow_reads_it(tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy")
    pytest.importorskip("alembic")
    frame = log_runs(f"sqlite:///{tmp_path / 'mlflow.db'}")
    compared(tmp_path / "mlflow.db", frame)


# -- parameters are parameters -------------------------------------------------------------


def tuned(**params: str) -> list[Example]:
    """Thirty runs whose parameters are numbered texts, such as "{}"."""
    numbers = np.random.default_rng(0).permutation(30)
    return [
        run(f"r{i:02}", float(number), params={"lr": f"0.{i + 1:02}"} | {
            name: text.format(number / 40, i % 3) for name, text in params.items()
        })
        for i, number in enumerate(numbers)
    ]  # fmt: skip


@pytest.mark.parametrize(
    "name", ["epoch", "step", "group", "source", "label_error", "train_mixup_alpha", "_target_",
             "train_time", "tags.a", "metrics.other", "number"],
)  # fmt: skip
def test_no_name_speaks_against_a_parameter(tmp_path: Path, name: str) -> None:
    history = history_of(tmp_path, {"one": tuned(**{name: "{1}"})}, space=None)
    assert history.space[name] == Int(0, 2)


def test_a_parameter_that_decides_is_no_measurement(tmp_path: Path) -> None:
    history = history_of(tmp_path, {"one": tuned(decay="{0}")}, space=None)
    assert isinstance(history.space["decay"], Float)


def test_a_seed_is_not_tuned(tmp_path: Path) -> None:
    history = history_of(tmp_path, {"one": tuned(seed="{1}", random_state="{1}")}, space=None)
    assert list(history.space) == ["lr"]
    note = "- 'random_state', 'seed' left out: a seed, by its name (all tasks)"
    assert note in repaired(history)


@pytest.mark.parametrize("name", ["state", "status"])
def test_a_parameter_is_not_the_status_of_a_run(tmp_path: Path, name: str) -> None:
    words = ["running", "failed", "done"]
    runs = [run(f"r{i:02}", i, params={"lr": f"0.{i % 7}", name: words[i % 3]}) for i in range(30)]
    history = history_of(tmp_path, {"one": runs}, space=None)
    assert len(history) == 30
    assert sum(task.failed for task in history) == 0
    assert history.space[name] == Categorical(["done", "failed", "running"])


def test_a_parameter_may_be_called_like_the_metric_or_the_task(tmp_path: Path) -> None:
    names = {"metrics.loss": "{1}", "tags.set": "{1}"}
    runs = [
        run(one.name, i, params=one.params, tags={"set": "ab"[i % 2]})
        for i, one in enumerate(tuned(**names))
    ]
    history = history_of(tmp_path, {"one": runs}, space=None, task="tags.set")
    assert history.names == ("a", "b")
    assert_array_equal(np.sort(history.losses), np.arange(30))
    assert history.space["metrics.loss"] == history.space["tags.set"] == Int(0, 2)


def test_an_empty_parameter_was_not_active(tmp_path: Path) -> None:
    runs = [
        run(f"r{i:02}", i, params={
            "lr": f"0.{i % 7}", "opt": "ab"[i % 2], "m": f"0.{i % 9}" if i % 2 else "",
        })
        for i in range(30)
    ]  # fmt: skip
    history = history_of(tmp_path, {"one": runs}, space=None)
    assert len(history) == 30
    assert dict(history.space["m"].when) == {"opt": ("b",)}
