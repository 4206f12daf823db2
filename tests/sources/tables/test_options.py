"""The options of from_table: status, where, rename, ignore, the space as a file, odd rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from malibo import Float, History, Int, Space
from malibo.errors import HistoryError
from malibo.sources.tables import TableOptions, read
from malibo.sources.tables.rows import STATUSES

NAN = np.nan
SPACE = Space(lr=Float(0, 1), layers=Int(1, 4))


def frame(**columns: Any) -> pd.DataFrame:
    """Six runs of two tasks, with other columns in place of some."""
    return pd.DataFrame(
        {
            "data": ["iris", "wine"] * 3,
            "lr": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
            "layers": [1, 2, 3, 4, 1, 2],
            "loss": [6.0, 5.0, 4.0, 3.0, 2.0, 1.0],
            **columns,
        }
    )


def history_of(source: Any, **options: Any) -> History:
    arguments = {"task": "data", "objective": "loss", "space": SPACE} | options
    return History.from_table(source, **arguments)


# -- status --------------------------------------------------------------------------------

STATES = ["Finished", "FAILED", " running ", "completed", "oom", "Success"]


@pytest.mark.parametrize("name", ["how", "State", "status"])
def test_a_status_tells_what_a_row_is_worth(name: str) -> None:
    found = history_of(frame(**{name: STATES}), status="how" if name == "how" else None)
    iris, wine = found.tasks
    assert_array_equal(iris.losses, [6, NAN])
    assert_array_equal(iris.codes[:, 0], [0.1, 0.5])
    assert_array_equal(wine.losses, [NAN, 3, 1])
    assert "- left out: 1 row with status ' running ' (all tasks)" in found.describe()


@pytest.mark.parametrize(
    ("column", "options"),
    [
        ({"State": STATES}, {"ignore": ["State"]}),
        ({"ended": STATES}, {}),
        ({"state": ["Ohio", "Utah", "Iowa", "ok", "Ohio", "Utah"]}, {}),
    ],
)
def test_a_column_is_no_status_unless_it_seems_to_be(column: Any, options: Any) -> None:
    assert_array_equal(history_of(frame(**column), **options).losses, [6, 4, 2, 5, 3, 1])


def test_a_task_may_be_called_state() -> None:
    table = frame(data=["ok", "done"] * 3).rename(columns={"data": "state"})
    assert history_of(table, task="state").names == ("ok", "done")


def test_a_status_may_be_a_parameter_of_a_given_space() -> None:
    space = Space({**SPACE, "state": Int(0, 9)})
    assert len(history_of(frame(state=[0, 1, 2, 3, 4, 5]), space=space)) == 6


def test_own_words_for_the_status() -> None:
    words = {"weird": "failed", "Late": "skip", "failed": "finished"}
    states = ["weird", "late", "failed", "ok", "WEIRD", "ok"]
    found = history_of(frame(how=states), status="how", statuses=words)
    assert_array_equal(found.losses, [NAN, 4, NAN, 3, 1])


def test_an_unknown_status_makes_a_row_odd() -> None:
    states = ["ok", "ok", "weird", "ok", None, "ok"]
    with pytest.raises(HistoryError, match=r"2 rows .*row 3, column 'how': unknown status 'weird'"):
        history_of(frame(how=states), status="how")
    found = history_of(frame(how=states), status="how", on_error="skip")
    assert_array_equal(found.losses, [6, 5, 3, 1])


def test_every_word_has_one_of_three_meanings() -> None:
    assert set(STATUSES.values()) == {"finished", "failed", "skip"}
    for word in ("finished", "complete", "completed", "success", "succeeded", "done", "ok"):
        assert STATUSES[word] == "finished"
    for word in ("failed", "fail", "error", "crashed", "killed", "diverged", "oom", "timeout"):
        assert STATUSES[word] == "failed"
    for word in ("running", "pending", "queued", "scheduled", "waiting", "preempting"):
        assert STATUSES[word] == "skip"


def test_if_nothing_has_ended_it_is_told() -> None:
    with pytest.raises(HistoryError, match="no run that has ended; left out: 6 rows with status"):
        history_of(frame(state=["running"] * 6))


@pytest.mark.parametrize(
    ("statuses", "message"),
    [
        ({"weird": "faild"}, r"'weird' must be one of .*got 'faild'\. Did you mean 'failed'"),
        (["weird"], "statuses maps words to 'finished', 'failed' or 'skip', got"),
    ],
)
def test_wrong_meanings_are_refused(statuses: Any, message: str) -> None:
    with pytest.raises(HistoryError, match=message):
        history_of(frame(), statuses=statuses)


# -- where, rename, ignore -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "losses"),
    [
        ({"split": "val"}, [6, 4, 5]),
        ({"seed": 1}, [5, 2]),
        ({"seed": "1"}, [5, 2]),
        ({"seed": [0, 1.0]}, [6, 2, 5]),
        ({"seed": (2,), "split": "val"}, [4]),
        ({"flag": True}, [6, 4, 2]),
        ({"flag": "false"}, [5, 3, 1]),
        ({"note": None}, [3, 1]),
        ({"seed": "1.0"}, [5, 2]),
    ],
)
def test_where_keeps_the_rows_with_a_value(where: Any, losses: list[float]) -> None:
    more = frame(
        split=["val", "val", "val", "test", "test", "test"],
        seed=[0, 1, 2, 2, 1, 2],
        flag=[True, False] * 3,
        note=["a", "b", "c", None, "d", None],
    )
    assert_array_equal(history_of(more, where=where).losses, losses)


def test_rows_keep_their_numbers_where_some_are_chosen() -> None:
    more = frame(split=["a", "b"] * 3, lr=[0.1, 0.2, 0.3, 0.4, 7, 0.6])
    with pytest.raises(HistoryError, match=r"1 row of the table .*: row 5, column 'lr'"):
        history_of(more, where={"split": "a"})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"where": {"dta": "iris"}}, r"where: the table has no column 'dta'.* mean 'data'\?"),
        (
            {"where": {"data": "rose"}},
            "no row has 'rose' in column 'data'; there is 'iris', 'wine'",
        ),
        ({"where": {"data": "iris", "lr": 0.2}}, r"no row has 0\.2 in column 'lr'; there is 0\.1"),
        ({"where": "data"}, "where maps columns to values, got 'data'"),
        ({"rename": {"learning": "lr"}}, "rename: the table has no column 'learning'"),
        ({"rename": {"layers": "lr"}}, "rename: the table would have 'lr' more than once"),
        ({"rename": {"layers": ""}}, "rename must map old names to new ones"),
        ({"rename": "layers"}, "rename must map old names to new ones, got 'layers'"),
        ({"ignore": ["lyers"]}, "ignore: the table has no column 'lyers'.* mean 'layers'"),
        ({"ignore": ["lr"]}, "'lr' cannot be a parameter and be ignored"),
        ({"ignore": "lr"}, "ignore is a list of columns, got 'lr'"),
        ({"status": "stat"}, "the table has no column 'stat'"),
        ({"status": "loss"}, "task, objective, status and the parameters must be different"),
        ({"on_error": "stop"}, "on_error must be 'raise' or 'skip', got 'stop'"),
    ],
)
def test_options_that_do_not_fit_are_refused(options: Any, message: str) -> None:
    with pytest.raises(HistoryError, match=message):
        history_of(frame(), **options)


def test_renaming_comes_first() -> None:
    old = frame().rename(columns={"lr": "learning_rate", "data": "set", "loss": "value"})
    names = {"learning_rate": "lr", "set": "data", "value": "loss"}
    found = history_of(old, rename=names, where={"data": "iris"})
    assert_array_equal(found.codes, history_of(frame()).tasks[0].codes)


def test_two_columns_may_change_their_names() -> None:
    turned = frame().rename(columns={"lr": "layers", "layers": "lr"})
    found = history_of(turned, rename={"lr": "layers", "layers": "lr"})
    assert_array_equal(found.codes, history_of(frame()).codes)


# -- the space -----------------------------------------------------------------------------


@pytest.mark.parametrize("as_text", [True, False])
def test_a_space_may_be_a_file(tmp_path: Path, as_text: bool) -> None:
    path = tmp_path / "space.json"
    path.write_text(SPACE.to_json(indent=2))
    found = history_of(frame(other=range(6)), space=str(path) if as_text else path)
    assert found.space == SPACE


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, r"there is no file '.*space\.json' with a space"),
        ("{", r"space\.json' cannot be read as a space: not a space in JSON"),
        ("{}", "cannot be read as a space: a space needs at least one parameter"),
        ('{"lr": {"type": "flaot"}}', "lr: unknown parameter type 'flaot'"),
        ("\udce9", "cannot be read as a space"),
    ],
)
def test_a_wrong_file_of_a_space_is_refused(
    tmp_path: Path, content: str | None, message: str
) -> None:
    path = tmp_path / "space.json"
    if content is not None:
        path.write_bytes(content.encode(errors="surrogateescape"))
    with pytest.raises(HistoryError, match=message):
        history_of(frame(), space=path)


def test_without_a_space_it_is_guessed_and_the_reasons_are_notes() -> None:
    options = TableOptions("data", "loss", ignore=["comment"], where={"split": "a"})
    more = frame(split="a", comment=list("uvwuvw"), run_id=list("abcdef"), epochs=3)
    reading = read(more, options)
    assert reading.guess is not None
    assert list(reading.guess.space) == ["lr", "layers"]
    assert set(reading.guess.reasons) == {"lr", "layers", "run_id", "epochs"}
    history = History(reading.tasks)
    assert history.space == reading.guess.space
    assert "- 'epochs' left out: always 3 (all tasks)" in history.describe()
    assert read(more, TableOptions("data", "loss", space=SPACE)).guess is None


def test_what_is_given_for_some_columns_is_checked() -> None:
    with pytest.raises(HistoryError, match=r"has no column 'lrr'; .* mean 'lr'"):
        history_of(frame(), space={"lrr": None})
    with pytest.raises(HistoryError, match="has no column 'decay'"):
        history_of(frame(), space={"decay": Float(0, 1)})
    with pytest.raises(HistoryError, match="must be different columns"):
        history_of(frame(), space={"loss": Float(0, 1)})
    found = history_of(frame(), space={"lr": Float(0, 5), "loss": None, "decay": 0.5})
    assert found.space["lr"] == Float(0, 5)
    assert "decay" in found.space


# -- odd rows ------------------------------------------------------------------------------

ODD = {
    "data": ["iris", None, "iris", "wine", "iris", "wine"],
    "lr": [0.1, 0.2, "fast", 0.4, 7, 0.6],
    "layers": [1, 2, 3, None, 1.5, 2],
    "loss": [6, 5, 4, 3, 2, "low"],
}


def test_all_odd_rows_are_collected_with_their_places_and_reasons(tmp_path: Path) -> None:
    expected = [
        ("column 'data': it is empty; name the task of every row", 2),
        ("column 'lr': expected a number from 0.0 to 1.0, got 'fast'", 3),
        ("column 'layers': it is empty although the parameter is active", 4),
        ("column 'lr': expected a number from 0.0 to 1.0, got 7", 5),
        ("column 'loss': expected a number (empty for a failed trial), got 'low'", 6),
    ]
    path = tmp_path / "runs.csv"
    frame(**ODD).to_csv(path, index=False)
    for source, kind, shift in ((frame(**ODD), "row", 0), (path, "line", 1)):
        with pytest.raises(HistoryError) as caught:
            history_of(source)
        message = str(caught.value)
        assert message.startswith(f"5 rows of {path if kind == 'line' else 'the table'} cannot")
        for sentence, row in expected:
            assert f"{kind} {row + shift}, {sentence}" in message
        assert 'on_error="skip"' in message
        assert "\n" not in message


def test_odd_rows_are_left_out_on_request_and_noted() -> None:
    found = history_of(frame(**{**ODD, "data": ["iris", "wine", "iris", "wine", "iris", "wine"]}),
                       on_error="skip")  # fmt: skip
    assert_array_equal(found.losses, [6, 5])
    note = next(note for note in found.tasks[0].notes if "rows left out" in note)
    assert note.startswith("4 rows left out: row 3, column 'lr': ")


def test_of_many_odd_rows_five_are_shown() -> None:
    many = pd.concat([frame(lr=7.0)] * 3, ignore_index=True)
    good = pd.concat([many, frame()], ignore_index=True)
    with pytest.raises(HistoryError, match=r"18 rows .* row 5, .*; and 13 more\. Mend") as caught:
        history_of(good)
    assert "row 6" not in str(caught.value)


def test_rows_may_have_names() -> None:
    labels = [f"run {letter}" for letter in "abcdef"]
    options = TableOptions("data", "loss", space=SPACE, labels=labels)
    with pytest.raises(HistoryError, match="1 row of the table cannot be read: run e, column 'lr'"):
        read(frame(lr=[0.1, 0.2, 0.3, 0.4, 7, 0.6]), options)


def test_a_task_without_a_valid_run_is_left_out_on_request() -> None:
    failed = frame(loss=[NAN, 5, NAN, 3, NAN, 1])
    with pytest.raises(HistoryError, match="task 'iris' has no valid observation among 3; leave"):
        history_of(failed)
    found = history_of(failed, on_error="skip")
    assert found.names == ("wine",)
    assert "1 task without a valid run left out: 'iris'" in found.describe()


@pytest.mark.parametrize("space", [SPACE, None])
def test_if_no_valid_run_is_left_it_is_told(space: Space | None) -> None:
    with pytest.raises(HistoryError, match="the table has no valid run"):
        history_of(frame(loss=NAN), space=space, on_error="skip")
    with pytest.raises(HistoryError, match="the table has no valid run"):
        history_of(frame(data=None), space=space, on_error="skip")


def test_a_failed_run_without_any_parameter_is_left_out() -> None:
    lost = frame(
        lr=[0.1, NAN, 0.3, 0.4, 0.5, 0.6],
        layers=[1, NAN, 3, 4, 1, 2],
        loss=[6, NAN, 4, 3, 2, 1],
    )
    found = history_of(lost)
    assert_array_equal(found.losses, [6, 4, 2, 3, 1])
    assert "1 failed run without any parameter left out" in found.describe()
    with pytest.raises(HistoryError, match="row 2, column 'lr': it is empty"):
        history_of(lost.assign(loss=[6, 5, 4, 3, 2, 1]))


@settings(max_examples=40)
@given(st.sets(st.integers(0, 11)), st.sampled_from(["data", "lr", "loss"]))
def test_exactly_the_odd_rows_are_left_out(rows: set[int], column: str) -> None:
    table = pd.concat([frame()] * 2, ignore_index=True).astype(object)
    wrong = {"data": None, "lr": "x", "loss": "x"}[column]
    for row in rows:
        table.loc[row, column] = wrong
    kept = sorted(set(range(12)) - rows)
    if not kept:
        with pytest.raises(HistoryError):
            history_of(table, on_error="skip")
        return
    found = history_of(table, on_error="skip")
    assert sorted(found.losses) == sorted(table.loc[kept, "loss"])
    assert any("left out" in note for note in found.tasks[0].notes) == bool(rows)
