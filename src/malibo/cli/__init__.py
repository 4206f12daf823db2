"""The command ``malibo``. Each of its commands is a file of this folder, loaded when used."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import click

from malibo import __version__
from malibo.errors import MaliboError

#: Commands in the order of the data's way, and the modules that have them.
COMMANDS = {
    "demo": "malibo.cli.demo",
    "space": "malibo.cli.space",
    "train": "malibo.cli.train",
    "evaluate": "malibo.cli.evaluate",
    "inspect": "malibo.cli.inspect",
    "suggest": "malibo.cli.suggest",
    "tell": "malibo.cli.tell",
    "tune": "malibo.cli.tune",
    "report": "malibo.cli.report",
    "bench": "malibo.cli.bench",
    "completion": "malibo.cli.completion",
}


class _Group(click.Group):
    """Commands that are loaded when used; their errors are one line and exit code 2."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(COMMANDS[cmd_name]), cmd_name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except MaliboError as error:
            click.echo(f"malibo: {error}", err=True)
            sys.exit(2)
        except BrokenPipeError:  # who read our output has gone; click ends without a word
            raise
        except OSError as error:
            click.echo(f"malibo: {_reason(error)}", err=True)
            sys.exit(2)
        except KeyboardInterrupt:
            click.echo("malibo: stopped by Ctrl-C", err=True)
            sys.exit(130)


@click.group(
    cls=_Group, context_settings={"help_option_names": ["-h", "--help"], "show_default": True}
)
@click.version_option(__version__, prog_name="malibo")
def main() -> None:
    """Start the tuning of a new task warm, from the runs that you already have.

    Exit codes: 0 is done, 1 is no result, 2 is wrong input (one line says what), 130 is Ctrl-C.
    """


def _reason(error: OSError) -> str:
    """``"File name too long: 'xxx'"``: what the system said, on one line."""
    text = " ".join((error.strerror or str(error) or type(error).__name__).split())
    return text if error.filename is None else f"{text}: {str(error.filename)!r}"
