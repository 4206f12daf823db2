"""``malibo completion``: what a shell needs to complete commands, options and columns."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

_SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(_SHELLS))
def completion(shell: str) -> None:
    """Print the completion script of a shell.

    \b
    bash   malibo completion bash >> ~/.bashrc
    zsh    malibo completion zsh >> ~/.zshrc
    fish   malibo completion fish > ~/.config/fish/completions/malibo.fish
    """
    from malibo.cli import main

    found = get_completion_class(shell)
    assert found is not None, shell
    click.echo(found(main, {}, "malibo", "_MALIBO_COMPLETE").source())
