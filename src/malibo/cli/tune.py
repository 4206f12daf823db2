"""``malibo tune``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from malibo.cli.begin import study_options
from malibo.cli.output import emit, json_option
from malibo.errors import InputError, listing

if TYPE_CHECKING:
    from malibo.study import Study
    from malibo.task import Direction
    from malibo.tune import Ending

_PATH = click.Path(path_type=Path)
_SECONDS = click.FloatRange(0, min_open=True)


class _Command(click.Command):
    """Says where the command to tune begins, to who left out the two dashes before it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        given = [*args]
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if "--" in given:
                raise
            raise InputError(
                f"no such option: {error.option_name}. The command to tune goes after two dashes:"
                " malibo tune tuning.malibo --trials 30 -- python train.py --lr {lr}"
            ) from None


@click.command(cls=_Command)
@click.argument("words", nargs=-1, metavar="FILE -- COMMAND...")
@click.option(
    "--trials", default=30, type=click.IntRange(1), help="Until so many of the study have ended."
)
@click.option("--jobs", default=1, type=click.IntRange(1), help="Commands at a time.")
@click.option("--timeout", type=_SECONDS, help="Seconds until a command is stopped.")
@click.option("--key", help="Name of the objective in the output: val_loss.")
@click.option("--result", help="A file with the objective; {trial} in its path is the number.")
@click.option("--retry-failed", is_flag=True, help="Run trials that failed before again, first.")
@click.option("--keep-going", is_flag=True, help="Also if the first trials all fail alike.")
@click.option("--grace", default=5.0, type=_SECONDS, help="Seconds to end after TERM, before KILL.")
@study_options
@json_option
def tune(
    words: tuple[str, ...],
    study: Path | None,
    space: Path | None,
    seed: int | None,
    name: str | None,
    direction: Direction | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Tune any command: malibo runs it with one configuration after the other.

    FILE is a model, tuning.malibo, or a study, as for `malibo suggest`. The last line that the
    command prints is its objective: a number, or JSON with one number in it.

    \b
      malibo tune tuning.malibo --trials 30 --jobs 2 -- python train.py --lr {lr} --depth {depth}

    Placeholders: {lr} for any parameter; {trial}, the number; {config}, all of it as JSON; {args},
    all as --name value; {result}, a file for the objective; {{ and }}, braces. There is no shell.
    The words of an inactive parameter are left out: --momentum {momentum} as well as
    momentum={momentum}. The command also has MALIBO_TRIAL, MALIBO_CONFIG (JSON) and
    MALIBO_RESULT (the file) in its environment.

    With --key, the objective is read from the last line that has it: {"val_loss": 0.3},
    val_loss: 0.3 or val_loss=0.3. No earlier line counts, also if that one has no number.

    A command that fails, prints no objective, or takes too long is a failed trial; malibo inspect
    and the logs, in tuning.db.logs, say why. What it leaves running is ended. If the first three
    trials, or later six in a row, fail in the same way, malibo stops, and they are run again the
    next time. An objective of NaN is none of these: the command works, and it is a failed trial.

    It can be stopped at any time (Ctrl-C), or be killed: the same line goes on, with what was
    running first. Several may work on one study.
    """
    from malibo.study import Place
    from malibo.tune import Command, Plan
    from malibo.tune import tune as run

    plan = Plan(**options)
    file, command_words = (None, words) if space is not None else _split(words)
    place = Place.of(file, study)
    if warning := place.retrained():
        _say(warning)
    command = Command(command_words, place.target(space))
    if command.unused:
        _say(
            f"no placeholder for {listing(command.unused)}: the command has to read MALIBO_CONFIG,"
            " or this changes nothing."
        )
    found = place.begin(space=space, name=name, seed=seed, direction=direction)
    ending = run(found, command, plan, progress=not as_json)
    _report(found, ending, plan.trials, as_json)


def _split(words: tuple[str, ...]) -> tuple[Path | None, tuple[str, ...]]:
    """The model or study, and the command."""
    return (Path(words[0]), words[1:]) if words else (None, ())


def _say(text: str) -> None:
    click.echo(f"malibo: {text}", err=True)


def _report(study: Study, ending: Ending, trials: int, as_json: bool) -> None:
    """The result on standard output, or how to go on, and the exit code."""
    from malibo.study.describe import config_text, counts_text, facts, standing
    from malibo.tune import logs

    known = {**facts(study), "logs": str(study.path.with_name(logs(study).name))}
    if ending == "interrupted":
        done = known["finished"] + known["failed"]
        _say(
            f"stopped with {done} of {trials} trials done, {known['waiting']} given back;"
            " the same command goes on."
        )
        sys.exit(130)
    if ending == "exhausted":
        _say("every configuration of the space has been tried, or is being tried.")
    text = [f"{study.path}, {counts_text(known)}; logs in {known['logs']}", *standing(known)]
    if known["best"]:
        text.insert(2, f"  {config_text(known['best']['config'])}")
    emit(known, "\n".join(text), as_json)
    if not known["finished"]:
        reasons = [trial.note for trial in study.trials if trial.note]
        again = "; --retry-failed runs them again" if known["failed"] else ""
        last = reasons[-1] if reasons else "none was run"
        _say(f"no trial has a value; the last one: {last}{again}")
        sys.exit(1)
