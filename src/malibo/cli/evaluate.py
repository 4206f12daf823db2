"""``malibo evaluate``."""

from __future__ import annotations

import click

from malibo.cli.output import emit, hint, json_option
from malibo.cli.sources import SourceOptions, load_history, source_options


@click.command()
@source_options
@click.option(
    "--trials",
    default=30,
    type=click.IntRange(1),
    help="The target is what random search finds in so many trials, with an even chance.",
)
@click.option(
    "--seeds", default=3, type=click.IntRange(1), help="Tunings of each task, warm and cold."
)
@json_option
def evaluate(source: SourceOptions, trials: int, seeds: int, as_json: bool) -> None:
    """Find out whether past runs are worth a warm start, on the past itself.

    Each task is left out once and tuned as if it were new: with the past of the others, without
    a past, and at random. Only configurations that were run can be chosen, so nothing is run again.

    Counted are the trials until a target is reached, and how many of them a warm start saves: the
    median over tasks, and a 90 % interval. The verdict is "worth it" if both intervals, against
    random search and against a cold start, are above 0; "harmful" if one is below 0; "no clear
    gain" otherwise. With fewer than 5 tasks there is none.

    \b
    Example:
      malibo evaluate runs.csv --task dataset --objective val_loss
    """
    from malibo.explain import evaluate as leave_one_out

    found = leave_one_out(load_history(source), trials=trials, seeds=seeds)
    emit(found.facts(), found.text(), as_json)
    if found.verdict == "worth it":
        hint("Next: malibo train, with the same source and options.")
