"""``malibo space``: the search space of past runs, with the reasons for it, as an editable file."""

from __future__ import annotations

import json
from pathlib import Path

import click

from malibo.cli.output import emit, hint, json_option
from malibo.cli.sources import Loaded, SourceOptions, load, source_options
from malibo.errors import InputError
from malibo.files import check_writable, write_whole


@click.command()
@source_options
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Where the JSON goes.")
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@json_option
def space(source: SourceOptions, output: Path | None, force: bool, as_json: bool) -> None:
    """Show which columns of past runs are parameters, of what kind, and why; and save the space.

    Edit the file (ranges, log, choices; delete what is no parameter), and give it to train.

    \b
    malibo space runs.csv --task dataset --objective val_loss -o space.json
    malibo train runs.csv --task dataset --objective val_loss --space space.json
    """
    if output is not None:
        _check(output, force)
    loaded = load(source)
    written = loaded.history.space.to_json(indent=2)
    if output is not None:
        write_whole(output, f"{written}\n".encode())
    emit(_facts(loaded, written, output), _text(loaded, output), as_json)
    if output is not None:
        hint(f"Next: edit {output}, and run malibo train with --space {output}")


def _check(path: Path, force: bool) -> None:
    check_writable(path)
    if path.exists() and not force:
        raise InputError(f"{path} exists, perhaps with edits; --force replaces it.")


def _text(loaded: Loaded, output: Path | None) -> str:
    several = len(loaded.guesses) > 1
    parts = [
        f"{name}\n{guess.text()}" if several else guess.text()
        for name, guess in loaded.guesses.items()
    ]
    saved = [] if output is None else [f"Saved in {output}."]
    return "\n\n".join([*parts, repr(loaded.history.space), *saved])


def _facts(loaded: Loaded, written: str, output: Path | None) -> dict[str, object]:
    reasons: dict[str, str] = {}
    for guess in loaded.guesses.values():
        reasons |= guess.reasons
    saved = None if output is None else str(output)
    return {"space": json.loads(written), "reasons": reasons, "saved": saved}
