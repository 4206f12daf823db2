"""The options of commands that may begin a study."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

_PATH = click.Path(path_type=Path)
_OPTIONS = (
    click.option("--study", type=_PATH, help="Where the trials are kept  [default: beside FILE]"),
    click.option("--space", type=_PATH, help="In place of FILE: start cold in a space (JSON)."),
    click.option("--seed", type=click.IntRange(0), help="Of a new study, to repeat it exactly."),
    click.option("--name", help="Of a new study  [default: that of its file]"),
    click.option(
        "--direction",
        type=click.Choice(["minimize", "maximize"]),
        help="Of a new study  [default: as the past was told]",
    ),
)


def study_options(command: Command) -> Command:
    """Where the study is, and what a new one begins with: the arguments of ``Place.begin``."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
