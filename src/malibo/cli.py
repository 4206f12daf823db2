"""The command ``malibo``."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from malibo import __version__
from malibo.errors import MaliboError

_ELSEWHERE = {"bench": "malibo.bench.commands"}  # groups of commands that are loaded when used


class _Group(click.Group):
    """Commands whose errors are one line and exit code 2, never a traceback."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *_ELSEWHERE])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in _ELSEWHERE:
            command: click.Command = getattr(import_module(_ELSEWHERE[cmd_name]), cmd_name)
            return command
        return super().get_command(ctx, cmd_name)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except MaliboError as error:
            click.echo(f"malibo: {error}", err=True)
            sys.exit(2)


@click.group(
    cls=_Group, context_settings={"help_option_names": ["-h", "--help"], "show_default": True}
)
@click.version_option(__version__, prog_name="malibo")
def main() -> None:
    """Start the tuning of a new task warm, from the runs that you already have."""


@main.command()
@click.option(
    "--target",
    default="protein_structure",
    help="The data set that is new: naval_propulsion, parkinsons_telemonitoring,"
    " protein_structure or slice_localization.",
)
@click.option("--seeds", default=3, type=click.IntRange(1), help="Number of repetitions.")
@click.option("--trials", default=50, type=click.IntRange(1), help="Trials of each tuning.")
@click.option(
    "-o",
    "--output",
    default="malibo-demo.png",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where the picture goes.",
)
def demo(target: str, seeds: int, trials: int, output: Path) -> None:
    """Tune a network on real data: with a past, without, and at random.

    The FCNet tables hold 62,208 configurations on each of four data sets. Random runs on
    three of them are the past; the fourth is tuned as if it were new.
    """
    from malibo.demo import run_demo

    click.echo(run_demo(target, seeds, trials, output))
