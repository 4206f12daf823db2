"""``malibo tell``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from malibo.cli.output import emit, json_option
from malibo.errors import InputError, nearest

if TYPE_CHECKING:
    from malibo.study import Trial

_PATH = click.Path(path_type=Path)
_OPTIONS = (
    "--failed",
    "--give-back",
    "--config",
    "--note",
    "--overwrite",
    "--study",
    "--json",
    "--help",
)


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("file", type=_PATH)
@click.argument("numbers", nargs=-1, metavar="[TRIAL] [VALUE]")
@click.option("--failed", is_flag=True, help="It failed, and has no value.")
@click.option("--give-back", is_flag=True, help="It was not run: suggest it again, first.")
@click.option("--config", help="A configuration of your own, as JSON, in place of TRIAL.")
@click.option("--note", default="", help="A sentence to keep with it.")
@click.option("--overwrite", is_flag=True, help="Replace what was told of it before.")
@click.option("--study", type=_PATH, help="Where the trials are kept  [default: beside FILE]")
@json_option
def tell(
    file: Path,
    numbers: tuple[str, ...],
    failed: bool,
    give_back: bool,
    config: str | None,
    note: str,
    overwrite: bool,
    study: Path | None,
    as_json: bool,
) -> None:
    """Say how a trial went.

    FILE is the model or the study, as for `malibo suggest`. VALUE is a loss, or a score if the
    past was told to maximize.

    \b
      malibo tell tuning.malibo 3 0.21
      malibo tell tuning.malibo 4 --failed
      malibo tell tuning.malibo 5 --give-back
      malibo tell tuning.malibo --config '{"lr": 0.01, "layers": 2}' 0.3
    """
    from malibo.study import Place
    from malibo.study.describe import facts, standing, trial_facts

    if give_back and (failed or config is not None):
        raise InputError("--give-back takes the number of a trial, and nothing else.")
    number, value = _read(numbers, failed or give_back, config is not None)
    place = Place.of(file, study)
    if warning := place.retrained():
        click.echo(f"malibo: {warning}", err=True)
    found = place.open()
    if give_back:
        found.give_back(number)
        trial = found.trials[number]
    elif config is None:
        trial = found.tell(number, value, note, overwrite=overwrite)
    else:
        trial = found.add(_read_config(config), value, note, overwrite=overwrite)
    known = facts(found)
    text = "\n".join([_told(trial), *standing(known)])
    emit({**known, "trial": trial_facts(trial)}, text, as_json)


def _told(trial: Trial) -> str:
    return f"trial {trial.number}: {trial.status if trial.value is None else repr(trial.value)}"


def _read(words: tuple[str, ...], failed: bool, own: bool) -> tuple[int, float | None]:
    """The trial's number (0 for a configuration of one's own) and its value."""
    for word in words:
        if word.startswith("--"):
            raise InputError(f"no such option: {word}.{nearest(word, _OPTIONS)}")
    wanted = ([] if own else ["the number of the trial"]) + ([] if failed else ["its value"])
    if len(words) != len(wanted):
        expected = " and ".join(wanted) or "no number"
        raise InputError(
            f"expected {expected}, got {' '.join(words) or 'nothing'};"
            " write: malibo tell tuning.malibo 3 0.21, or: malibo tell tuning.malibo 3 --failed"
        )
    number = 0 if own else _whole(words[0])
    return number, None if failed else _value(words[-1])


def _whole(word: str) -> int:
    try:
        return int(word)
    except ValueError:
        raise InputError(f"the trial must be a whole number, got {word!r}.") from None


def _value(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        dot = f"; with a point: {word.replace(',', '.')}" if word.count(",") == 1 else ""
        raise InputError(f"the value must be a number, got {word!r}{dot}.") from None


def _read_config(text: str) -> dict[str, Any]:
    try:
        config = json.loads(text)
    except ValueError as error:
        raise InputError(f"--config is no JSON ({error}); got {text!r}.") from None
    if not isinstance(config, dict):
        raise InputError(f"--config must be a JSON object of names and values, got {text!r}.")
    return config
