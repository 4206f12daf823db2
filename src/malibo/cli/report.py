"""``malibo report``."""

from __future__ import annotations

import webbrowser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from malibo.cli.output import emit, hint, json_option, warnings_as_lines
from malibo.errors import plural

_DEFAULT = Path("report.html")


@click.command()
@click.argument("source")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help=f"Where the page goes: {_DEFAULT} if nothing is said; with --json, only if it is given.",
)
@click.option("--study", help="The study's name, if SOURCE is a storage of Optuna with several.")
@click.option(
    "--model",
    type=click.Path(path_type=Path),
    help="The model file of the sampler, if SOURCE is a storage of Optuna.",
)
@click.option("--open", "show", is_flag=True, help="Open the page in the browser.")
@json_option
def report(
    source: str,
    output: Path | None,
    study: str | None,
    model: Path | None,
    show: bool,
    as_json: bool,
) -> None:
    """Write a report on a study: one HTML page that can be sent and opened anywhere.

    It shows the best configuration, all trials, how they compare with random search, which past
    tasks the new one is like, which parameters matter, and what the past was worth.

    SOURCE is a study (tuning.db), the model file beside it (tuning.malibo), or a storage of
    Optuna: a URL, a database file or a journal file.

    \b
    Examples:
      malibo report tuning.db -o report.html --open
      malibo report sqlite:///optuna.db --study new --model tuning.malibo
    """
    from malibo.report import facts_of, read_tuning, report_page, write_report
    from malibo.report.writing import check_output

    path = _DEFAULT if output is None and not as_json else output
    if path is not None:
        check_output(path)
    with warnings_as_lines():
        tuning = read_tuning(source, study, model)
    facts = facts_of(tuning, progress=not as_json)
    text = ""
    if path is not None:
        size = write_report(report_page(facts), path)
        facts |= {"path": str(path), "bytes": size}
        text = f"{path} ({size / 1000:,.0f} kB): {_summary(facts)}"
    emit(facts, text, as_json)
    if path is not None and show:
        _open(path)
    elif path is not None:
        hint(f"Open it in a browser; --open does it right away: {path.absolute().as_uri()}")


def _summary(facts: Mapping[str, Any]) -> str:
    """The headline of the report in one line."""
    best, trials = facts["best"], plural(facts["counts"]["all"], "trial")
    if best is None:
        return f"{trials}, and none has succeeded yet."
    found = f"{trials}, best value {best['value']:.6g} in trial {best['number']}."
    return f"{found} {facts['past']['verdict']}"


def _open(path: Path) -> None:
    """Show the page; where there is no browser, say where it is."""
    if not webbrowser.open(path.absolute().as_uri()):
        click.echo(f"malibo: no browser was found; open {path.absolute()} in one.", err=True)
