"""What all commands print: text for people, JSON for scripts, hints for a terminal alone."""

from __future__ import annotations

import json
import math
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import click
import numpy as np

Command = TypeVar("Command", bound=Callable[..., Any])


def json_option(command: Command) -> Command:
    """The option ``--json`` as the argument ``as_json``."""
    help_text = "Print one JSON object, and nothing else, to standard output."
    return click.option("--json", "as_json", is_flag=True, help=help_text)(command)


def emit(facts: Mapping[str, Any], text: str, as_json: bool) -> None:
    """The result of a command: the facts as one line of JSON, or the text."""
    click.echo(json.dumps(plain(facts), ensure_ascii=False) if as_json else text)


def hint(text: str) -> None:
    """A line on what to do next: for who sits at a terminal, and not for who pipes."""
    if sys.stdout.isatty() and sys.stderr.isatty():
        click.echo(text, err=True)


def plain(value: Any) -> Any:
    """What JSON knows: numpy's numbers as Python's, NaN and infinities as null."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


@contextmanager
def warnings_as_lines() -> Iterator[None]:
    """What is warned of, as a line for people, without the place in the code."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            yield
        finally:  # what was warned of may be the reason for an error
            lines = [str(w.message) for w in caught if w.category is UserWarning]
            for line in dict.fromkeys(lines):
                click.echo(f"malibo: {line}", err=True)
