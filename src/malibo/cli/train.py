"""``malibo train``: from past runs to a model file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from malibo.cli.output import emit, hint, json_option
from malibo.cli.sources import SourceOptions, load_history, source_options
from malibo.errors import InputError, ModelFileError, plural
from malibo.files import check_writable

if TYPE_CHECKING:
    from malibo.history import History
    from malibo.metamodel import MetaModel


@click.command()
@source_options
@click.option(
    "-o",
    "--output",
    default="tuning.malibo",
    type=click.Path(path_type=Path),
    help="Where the model goes; a model that is there is replaced, another file is not.",
)
@click.option("--seed", default=0, type=click.IntRange(0), help="Of the random numbers.")
@click.option(
    "--recipe", default="fast", type=click.Choice(["fast", "paper"]), help="How it is trained."
)
@json_option
def train(source: SourceOptions, output: Path, seed: int, recipe: str, as_json: bool) -> None:
    """Learn from past runs where good configurations lie, and keep it in a model file.

    SOURCE is a table of runs (CSV, TSV, Parquet), a storage of Optuna (a URL, or the path of an
    SQLite or journal file), a folder or address of MLflow, or the study file of an earlier
    tuning. Several of them are joined.

    \b
    malibo train runs.csv --task dataset --objective val_loss -o tuning.malibo
    malibo train sqlite:///past.db --exclude resnet-today
    """
    from malibo.training import meta_train

    check_output(output)
    history = load_history(source)
    click.echo(history.describe(), err=as_json)
    model = meta_train(history, seed=seed, recipe=recipe)
    model.save(output)
    emit(_facts(history, model, output), f"\n{_summary(model)} It is in {output}.", as_json)
    hint(f"Next: malibo suggest {output}, or malibo inspect {output}")


def check_output(path: Path) -> None:
    """Refuse a path where no model can be written, before the work is done."""
    from malibo.metamodel import MetaModel

    check_writable(path)
    if not path.exists():
        return
    try:
        MetaModel.load(path)
    except ModelFileError:
        raise InputError(
            f"{path} exists and is no model of malibo, so it is not replaced; give another"
            " --output, or remove it."
        ) from None


def _summary(model: MetaModel) -> str:
    log = model.log
    seconds = f" in {log.seconds[-1]:.1f} s" if log.seconds else ""
    return f"A model of {plural(len(model.tasks), 'past task')}, trained{seconds}."


def _facts(history: History, model: MetaModel, output: Path) -> dict[str, object]:
    return {
        "model": str(output),
        "tasks": list(model.tasks),
        "runs": len(history),
        "failed": sum(task.failed for task in history),
        "direction": model.direction,
        "parameters": list(model.space),
        "repairs": history.repairs,
        "seconds": model.log.seconds[-1] if model.log.seconds else 0.0,
    }
