"""What commands print: JSON for scripts, text for people, hints for a terminal."""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
import pytest

from malibo.cli.output import emit, hint, plain


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.float64(0.5), 0.5),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (float("nan"), None),
        (np.float64("inf"), None),
        (np.array([1.0, np.nan]), [1.0, None]),
        ({"a": (1, np.float32(2.0))}, {"a": [1, 2.0]}),
        ({1: None}, {"1": None}),
        ("text", "text"),
        (True, True),
    ],
)
def test_plain_knows_what_json_does_not(value: Any, expected: Any) -> None:
    found = plain(value)
    assert found == expected
    assert type(found) is type(expected)
    assert json.loads(json.dumps(found, allow_nan=False)) == expected


def test_emit_prints_one_line_of_json_or_the_text(capsys: pytest.CaptureFixture[str]) -> None:
    emit({"loss": float("nan"), "name": "größe"}, "no loss", as_json=True)
    assert capsys.readouterr().out == '{"loss": null, "name": "größe"}\n'
    emit({"loss": float("nan")}, "no loss", as_json=False)
    assert capsys.readouterr().out == "no loss\n"


@pytest.mark.parametrize(("out", "err"), [(True, True), (True, False), (False, True)])
def test_a_hint_is_for_a_terminal_alone(
    out: bool, err: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: out)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: err)
    hint("Next: malibo train")
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == ("Next: malibo train\n" if out and err else "")
