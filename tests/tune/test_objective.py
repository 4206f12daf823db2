"""The objective is found in what commands print and write."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from malibo.errors import InputError
from malibo.tune.objective import NoObjectiveError, ResultFile, from_file, from_output, tail


def output(folder: Path, text: str | bytes, key: str | None = None) -> float:
    path = folder / "0000.out"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return from_output(path, key)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.25", 0.25),
        ("epoch 1\nepoch 2\n0.25\n", 0.25),
        ("0.5\n  -1e-3 \n\n  \n", -0.001),
        ("3", 3.0),
        ("1%\r50%\r0.25\r\n", 0.25),
        ('{"val_loss": 0.25}', 0.25),
        ('{"model": "cnn", "ok": true, "val_loss": 2}', 2.0),
        (b"\xff\xfe broken\n0.25\n", 0.25),
    ],
)
def test_the_last_line_is_the_objective(tmp_path: Path, text: str | bytes, expected: float) -> None:
    assert output(tmp_path, text) == expected


@pytest.mark.parametrize(
    "text", ["nan", "inf", "-Infinity", '{"loss": NaN}', '{"loss": null}', "1" + "0" * 400]
)
def test_what_is_not_finite_is_nan(tmp_path: Path, text: str) -> None:
    assert math.isnan(output(tmp_path, text))
    if text.startswith("{"):
        assert math.isnan(output(tmp_path, text, "loss"))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("val_loss: 0.25", 0.25),
        ("val_loss=0.25", 0.25),
        ("epoch 3, val_loss = -2.5e-1, acc=0.9", -0.25),
        ("val_loss=0.5 then val_loss=0.25", 0.25),
        ('{"val_loss": 0.25, "acc": 0.9}', 0.25),
        ("{'val_loss': 0.25, 'acc': 0.9}", 0.25),
        ("val_loss: .25", 0.25),
        ("the end, with val_loss: 0.25.", 0.25),
        ("val_loss: 0.25...", 0.25),
        ("val_loss: 0.25% (best)", 0.25),
        ("val_loss:0.25,acc:0.9", 0.25),
        ("[val_loss=0.25]; loss == 3", 0.25),
        ("val_loss: \x1b[1;32m0.25\x1b[0m", 0.25),
        ("Val_Loss: 3 val_loss: 0.25 VAL_LOSS: 4", 0.25),
        ('{"metrics": {"val_loss": 0.25}}', 0.25),
        ("val_loss = 0.25 if val_loss == 0.5", 0.25),
        ("val_loss: 7", 7.0),
    ],
)
def test_a_key_is_found_on_its_last_line(tmp_path: Path, line: str, expected: float) -> None:
    others = 'other_val_loss: 77\nval_loss_2: 66\nVal_loss: 55\n{"VAL_LOSS": 44}\nval_loss 33\nbye'
    text = f"val_loss: 99\n{line}\n{others}\n"
    assert output(tmp_path, text, "val_loss") == expected


@pytest.mark.parametrize(
    "line",
    [
        "val_loss: nan",
        "val_loss=inf",
        "val_loss = -Infinity",
        "val_loss: NaN(diverged)",
        "val_loss: nan.",
    ],
)
def test_a_key_may_be_nan(tmp_path: Path, line: str) -> None:
    assert math.isnan(output(tmp_path, f"val_loss: 0.9\n{line}", "val_loss"))


@pytest.mark.parametrize(
    "line",
    [
        "val_loss: None",
        "val_loss:",
        "val_loss: tensor(0.3)",
        "val_loss: 0.3s",
        "val_loss: 1e-3x",
        "val_loss: 0x1",
        "val_loss: 1.2.3",
        "val_loss: 1,234.5",
        "val_loss: 1_000",
        "val_loss: 12:30",
        "val_loss: 95/100",
        "val_loss: 2024-01-02",
        "val_loss: +-0.3",
        "val_loss=0.3 val_loss=best",
        '{"val_loss": "NaN"}',
        '{"val_loss": [0.3]}',
        '{"val_loss": true}',
        'INFO {"val_loss": "0.3"}',
    ],
)
def test_no_earlier_value_stands_in_for_one_that_cannot_be_read(tmp_path: Path, line: str) -> None:
    with pytest.raises(NoObjectiveError) as error:
        output(tmp_path, f"val_loss: 0.9\n{line}\nbye\n", "val_loss")
    assert f"'val_loss' is no number on the last line that has it: {line!r}" in str(error.value)


@pytest.mark.parametrize("line", ['{"a": 0.25, "b": null}', '{"a": null, "b": 10}'])
def test_a_null_may_be_the_objective_of_a_run_that_has_none(tmp_path: Path, line: str) -> None:
    with pytest.raises(NoObjectiveError, match="has the numbers 'a', 'b'; say which by --key"):
        output(tmp_path, line)
    assert math.isnan(output(tmp_path, '{"a": null, "b": 10}', "a"))


def test_colours_are_no_part_of_a_line(tmp_path: Path) -> None:
    assert output(tmp_path, "\x1b[32m0.25\x1b[0m\x1b[K\n") == 0.25


@pytest.mark.parametrize(
    ("text", "key", "message"),
    [
        ("", None, "the standard output is empty; its last line must be the objective"),
        ("\n \n", "loss", "the standard output is empty"),
        ("done", None, "the last line of the standard output is not a number: 'done'"),
        ("loss: 0.3", None, "not a number: 'loss: 0.3'; --key loss would read it"),
        ("0.3\ndone", None, "not a number: 'done'"),
        ("true", None, "not a number: 'true'"),
        ("[0.3]", None, "not a number"),
        ('{"a": 1, "b": 2}', None, "has the numbers 'a', 'b'; say which by --key"),
        ('{"a": true, "b": "x"}', None, "has no number"),
        ("acc: 0.9", "loss", "has no 'loss'; its last line is 'acc: 0.9'"),
        ("Loss: 0.9", "loss", "has no 'loss'; its last line is 'Loss: 0.9'. Did you mean 'Loss'?"),
        ('{"Loss": 0.9}', "loss", "Did you mean 'Loss'?"),
        ("train/loss: 0.3", "loss", "has no 'loss'"),
        ("x" * 500, None, "x…'"),
    ],
)
def test_what_is_missing_is_said(tmp_path: Path, text: str, key: str | None, message: str) -> None:
    with pytest.raises(NoObjectiveError) as error:
        output(tmp_path, text, key)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_long_output_is_read_from_its_end(tmp_path: Path) -> None:
    assert output(tmp_path, "step\n" * 500_000 + "0.25\n") == 0.25
    assert len(tail(tmp_path / "0000.out")) < 100_000


def test_an_output_that_is_not_there_is_empty(tmp_path: Path) -> None:
    with pytest.raises(NoObjectiveError, match="is empty"):
        from_output(tmp_path / "missing", None)


@pytest.mark.parametrize(
    ("text", "key", "expected"),
    [
        ("0.25", None, 0.25),
        ('{\n  "val_loss": 0.25,\n  "name": "x"\n}\n', None, 0.25),
        ('{\n  "val_loss": 0.25,\n  "acc": 1\n}\n', "val_loss", 0.25),
        ("epoch,1\nval_loss=0.25\n", "val_loss", 0.25),
    ],
)
def test_a_file_is_json_as_a_whole_or_lines(
    tmp_path: Path, text: str, key: str | None, expected: float
) -> None:
    path = tmp_path / "out.json"
    path.write_text(text, encoding="utf-8")
    assert from_file(path, key) == expected


def test_a_file_without_the_key_says_what_it_has(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    path.write_text('{"accuracy": 0.9}', encoding="utf-8")
    with pytest.raises(NoObjectiveError, match=r"has no number 'loss'; it has 'accuracy'"):
        from_file(path, "loss")
    with pytest.raises(NoObjectiveError, match="cannot read"):
        from_file(tmp_path, None)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_is_read_exactly(
    tmp_path_factory: pytest.TempPathFactory, value: float
) -> None:
    folder = tmp_path_factory.getbasetemp()
    assert output(folder, f"{value!r}\n") == value
    assert output(folder, json.dumps({"loss": value})) == value
    assert output(folder, f"loss: {value!r}", "loss") == value


def test_a_result_file_has_the_trial_in_its_path(tmp_path: Path) -> None:
    file = ResultFile(str(tmp_path / "run-{trial}" / "{trial}.json"))
    assert file.path(7) == tmp_path / "run-7" / "7.json"
    assert file.of_each_trial
    assert not ResultFile("out.json").of_each_trial
    with pytest.raises(InputError, match=r"--result knows \{trial\} alone, got \{lr\}"):
        ResultFile("out-{trial}-{lr}.json")


def test_a_file_written_anew_has_another_state(tmp_path: Path) -> None:
    file = ResultFile(str(tmp_path / "out.json"))
    assert file.state(0) == ()
    file.path(0).write_text("1", encoding="utf-8")
    first = file.state(0)
    assert first == file.state(0) != ()
    file.path(0).write_text("22", encoding="utf-8")
    assert file.state(0) != first
