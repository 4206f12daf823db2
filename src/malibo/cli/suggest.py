"""``malibo suggest``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from tqdm import tqdm

from malibo.cli.begin import study_options
from malibo.cli.output import emit, hint, json_option

if TYPE_CHECKING:
    from malibo.task import Direction

_PATH = click.Path(path_type=Path)
_MANY = 5  # suggestions that take longer than one likes to wait without a sign


@click.command()
@click.argument("file", required=False, type=_PATH)
@click.option("-n", "--n", default=1, type=click.IntRange(1), help="Number of configurations.")
@study_options
@json_option
def suggest(
    file: Path | None,
    n: int,
    study: Path | None,
    space: Path | None,
    seed: int | None,
    name: str | None,
    direction: Direction | None,
    as_json: bool,
) -> None:
    """Say what to try next.

    FILE is a model, tuning.malibo, or a study. What was suggested and told is kept in a study,
    tuning.db beside the model, which is made at the first use. Then run the configuration
    yourself, and tell how it went:

    \b
      malibo suggest tuning.malibo
      malibo tell tuning.malibo 0 0.31

    Without past runs, in a space as malibo.Space.to_json writes it:

    \b
      malibo suggest --space space.json --study new.db
    """
    from malibo.study import Place
    from malibo.study.describe import trial_text

    place = Place.of(file, study)
    if warning := place.retrained():
        click.echo(f"malibo: {warning}", err=True)
    found = place.begin(space=space, name=name, seed=seed, direction=direction)
    bar = tqdm(range(n), desc="suggesting", leave=False, disable=None if n > _MANY else True)
    trials = [trial for _ in bar for trial in found.ask()]
    given = [{"number": trial.number, "config": trial.config} for trial in trials]
    text = "\n".join(trial_text(trial) for trial in trials)
    emit({"study": str(found.path), "trials": given}, text, as_json)
    hint(f"Then: malibo tell {file or found.path} {trials[0].number} VALUE")
