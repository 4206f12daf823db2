"""``malibo bench``: compare methods, and make the tables and figures."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from malibo.bench.methods import METHODS, PUBLISHED, method
from malibo.bench.suites import suite, suites
from malibo.cli.output import emit, json_option
from malibo.errors import InputError, nearest_first, plural

if TYPE_CHECKING:
    from malibo.bench.parts import Part

_FOLDER = click.Path(file_okay=False, path_type=Path)
_data = click.option(
    "--data", type=_FOLDER, help="A folder with more suites: tables, or HPO-B's hpob-data."
)
_results = click.option(
    "--results", default="results", type=_FOLDER, help="The folder of results, one file a suite."
)


@click.group()
def bench() -> None:
    """Compare malibo with what people would use instead."""


@bench.command("list")
@_data
@json_option
def list_all(data: Path | None, as_json: bool) -> None:
    """Print suites, methods and those known by published curves, one line each."""
    facts = {
        "suites": {name: found.line for name, found in suites(data).items()},
        "methods": {name: known.line for name, known in METHODS.items()},
        "published": PUBLISHED,
    }
    text = "\n\n".join(
        "\n".join([title.capitalize(), *(f"  {name:24} {line}" for name, line in lines.items())])
        for title, lines in facts.items()
    )
    emit(facts, text, as_json)


@bench.command()
@click.argument("suite_name", metavar="SUITE")
@click.option("--methods", default="malibo,lfbo,tpe,random", help="Names, separated by commas.")
@click.option("--seeds", default=20, type=click.IntRange(1), help="Repetitions: seeds 0, 1, ….")
@click.option("--steps", default=100, type=click.IntRange(1), help="Evaluations of each run.")
@click.option("--jobs", default=1, type=int, help="Processes; -1 is one for each core.")
@click.option("--tasks", help="Only these tasks of the suite, separated by commas.")
@_results
@_data
@json_option
def run(
    suite_name: str,
    methods: str,
    seeds: int,
    steps: int,
    jobs: int,
    tasks: str | None,
    results: Path,
    data: Path | None,
    as_json: bool,
) -> None:
    """Run methods on a suite, e.g. malibo bench run fcnet --methods malibo,tpe --jobs 2.

    What is finished is kept in RESULTS/SUITE.jsonl. Stop it at any time: the same command
    goes on where it stopped. More methods or seeds are added to what is there.
    """
    from malibo.bench.runner import run_suite

    chosen = suite(suite_name, data)
    names = _names(methods)
    for name in names:
        method(name)
    only = None if tasks is None else _known_tasks(_names(tasks), chosen.tasks())
    path = results / f"{chosen.name}.jsonl"
    try:
        done = run_suite(chosen, names, seeds, steps, path, jobs, tasks=only)
    except KeyboardInterrupt:
        raise click.ClickException(
            f"stopped; what is finished is in {path}, and the same command goes on."
        ) from None
    text = f"{plural(done, 'new run')} in {path}. Next: malibo bench report"
    emit({"runs": done, "results": str(path)}, text, as_json)


@bench.command("all")
@click.option("--only", help="Only these experiments, separated by commas.")
@click.option("--jobs", default=1, type=int, help="Processes; -1 is one for each core.")
@click.option("--dry-run", is_flag=True, help="Print how long it will take, and run nothing.")
@click.option("--quick", is_flag=True, help="A few short runs, to try it; kept in RESULTS/quick.")
@click.option(
    "--data", multiple=True, type=_FOLDER, help="A folder with more suites; may be given again."
)
@_results
@json_option
def run_all(
    only: str | None,
    jobs: int,
    dry_run: bool,
    quick: bool,
    data: tuple[Path, ...],
    results: Path,
    as_json: bool,
) -> None:
    """Run everything behind the published results; first say how long it will take.

    What is finished is kept in RESULTS. Stop it at any time: the same command goes on where it
    stopped. A run that fails does not end the others.

    \b
      malibo bench all --dry-run
      malibo bench all --jobs 2 --data tables --data hpob-data
      malibo bench all --only misleading,noise --jobs 2
    """
    from malibo.bench import estimate, plan
    from malibo.bench.parts import prepare

    chosen = plan.PLAN if only is None else plan.chosen(_names(only), plan.PLAN)
    folder = results / "quick" if quick else results
    at_once = estimate.processes(jobs)
    work = prepare(plan.quick(chosen) if quick else chosen, data)
    for line in work.skipped:
        click.echo(f"skipped: {line}", err=True)
    if not work.parts:
        raise InputError("there is nothing to run: all that was asked for is skipped, see above.")
    left = estimate.forecast(work.parts, estimate.read_finished(work.parts, folder))
    facts = {"results": str(folder), "skipped": work.skipped, **estimate.as_facts(left, at_once)}
    if dry_run:
        emit(facts, estimate.as_text(left, at_once), as_json)
        return
    click.echo(estimate.as_text(left, at_once), err=True)
    _run_parts(work.parts, folder, jobs, facts, as_json)


def _run_parts(
    parts: Sequence[Part], results: Path, jobs: int, facts: dict[str, Any], as_json: bool
) -> None:
    """Run them, tell what came of it, and exit with 1 if something failed."""
    from malibo.bench.everything import run_everything

    try:
        outcome = run_everything(parts, results, jobs, lambda line: click.echo(line, err=True))
    except KeyboardInterrupt:
        click.echo(
            f"malibo: stopped by Ctrl-C; what is finished is in {results}, and the same command"
            " goes on.",
            err=True,
        )
        sys.exit(130)
    for failed in outcome.failed:
        click.echo(f"failed: {failed.suite}: {failed.error}\n  {failed.command}", err=True)
    facts |= {"new_runs": outcome.runs, "failed": [asdict(failed) for failed in outcome.failed]}
    where = "" if results == Path("results") else f" --results {shlex.quote(str(results))}"
    text = f"{plural(outcome.runs, 'new run')} in {results}. Next: malibo bench report{where}"
    emit(facts, text, as_json)
    if outcome.failed:
        sys.exit(1)


@bench.command()
@_results
@click.option(
    "-o", "--output", default="report", type=_FOLDER, help="Where tables, figures and pages go."
)
@click.option(
    "--published", type=_FOLDER, help="A folder of published curves on HPO-B, to compare as well."
)
@json_option
def report(results: Path, output: Path, published: Path | None, as_json: bool) -> None:
    """Make tables, all figures and pages out of results.

    README.md leads to the pages; report.html has everything in one file.

    \b
      malibo bench report -o report
      malibo bench report -o report --published curves
    """
    from malibo.bench.report import make_report

    files = make_report(results, output, published=published)
    text = f"{plural(len(files), 'file')} in {output}. Open {output / 'report.html'}"
    emit({"files": [str(file) for file in files]}, text, as_json)


@bench.command()
@click.argument("name", required=False)
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Default: NAME.png."
)
@_results
@json_option
def figure(name: str | None, output: Path | None, results: Path, as_json: bool) -> None:
    """Draw one figure of the paper; without a NAME, list them."""
    from malibo.bench import figures
    from malibo.plots import check_path, save

    if name is None:
        lines = {known: found.line for known, found in figures.FIGURES.items()}
        text = "\n".join(f"  {known:34} {line}" for known, line in lines.items())
        emit({"figures": lines}, text, as_json)
        return
    chosen = figures.figure(name)
    path = output or Path(f"{name}.png")
    check_path(path)
    save(chosen.draw(figures.read_results(results) if chosen.from_runs else {}), path)
    emit({"figure": str(path), "line": chosen.line}, f"{path}: {chosen.line}", as_json)


def _names(text: str) -> list[str]:
    """Names separated by commas, each once."""
    names = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not names:
        raise InputError(f"expected names separated by commas, got {text!r}.")
    return names


def _known_tasks(names: list[str], known: tuple[str, ...]) -> list[str]:
    for name in names:
        if name not in known:
            raise InputError(f"unknown task {name!r}; {nearest_first(name, known)}.")
    return names
