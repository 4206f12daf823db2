"""``malibo demo``."""

from __future__ import annotations

from pathlib import Path

import click

from malibo.cli.output import emit, json_option


@click.command()
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
@json_option
def demo(target: str, seeds: int, trials: int, output: Path, as_json: bool) -> None:
    """Tune a network on real data: with a past, without, and at random.

    The FCNet tables hold 62,208 configurations on each of four data sets. Random runs on
    three of them are the past; the fourth is tuned as if it were new.
    """
    from malibo.demo import run_demo

    done = run_demo(target, seeds, trials, output)
    emit(done.facts(), done.text(), as_json)
