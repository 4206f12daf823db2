"""``malibo inspect``."""

from __future__ import annotations

import json
import math
import textwrap
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from malibo.cli.output import emit, json_option
from malibo.errors import listing, plural

if TYPE_CHECKING:
    from malibo.metamodel import MetaModel
    from malibo.study import Study

_LINES, _COLUMNS = 24, 100  # one screen
_LABEL = 10
_PENDING = 3  # trials without a result that are shown in full


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@json_option
def inspect(file: Path, as_json: bool) -> None:
    """Show what is in a model or a study, on one screen.

    \b
      malibo inspect tuning.malibo
      malibo inspect tuning.db
    """
    from malibo.metamodel import MetaModel
    from malibo.study import Study
    from malibo.study.database import is_database

    if file.is_file() and is_database(file):
        study = Study.open(file)
        facts = {**_study_facts(study), **_model_facts(study.model)}
        rows = [*_study_rows(facts), *_model_rows(facts)]
    else:
        model = MetaModel.load(file)
        facts = {**_file_facts(file), **_model_facts(model)}
        rows = [_title(facts, "model"), *_model_rows(facts)]
    emit(facts, _screen(rows, facts["space"]), as_json)


# -- facts -------------------------------------------------------------------------------------


def _file_facts(file: Path) -> dict[str, Any]:
    from malibo.modelfile import VERSION

    return {"file": str(file), "format": VERSION, "bytes": file.stat().st_size}


def _study_facts(study: Study) -> dict[str, Any]:
    from malibo.study.database import VERSION
    from malibo.study.describe import facts

    trials = study.trials
    return {
        **_file_facts(study.path),
        "format": VERSION,
        **facts(study),
        "seed": study.seed,
        "created": study.created,
        "pending": {trial.number: trial.config for trial in trials if not trial.told},
        "failures": {trial.number: trial.note for trial in trials if trial.status == "failed"},
    }


def _model_facts(model: MetaModel) -> dict[str, Any]:
    log = model.log
    validation = [value for value in log.validation if math.isfinite(value)]
    return {
        "tasks": list(model.tasks),
        "past_direction": model.direction if model.informed else None,
        "recipe": model.config.recipe if model.informed else None,
        "held_out": log.held_out,
        "validation": min(validation, default=None),
        "steps": log.steps[-1] if log.steps else None,
        "seconds": log.seconds[-1] if log.seconds else None,
        "promising": model.space.configs(model.promising[:1])[0] if model.informed else None,
        "space": json.loads(model.space.to_json()),
    }


# -- text --------------------------------------------------------------------------------------


def _screen(rows: list[str], space: dict[str, dict[str, Any]]) -> str:
    """The rows, and as much of the space as there is room for; no line too long."""
    rows = [*rows, _row("space", plural(len(space), "parameter"))]
    room = _LINES - len(rows)
    rest = 0 if len(space) <= room else len(space) - (room - 1)
    shown = list(space.items())[: len(space) - rest]
    width = max(len(name) for name, _ in shown)
    rows += [f"  {name:{width}}  {_parameter(plain)}" for name, plain in shown]
    rows += [f"  and {rest} more"] if rest else []
    return "\n".join(row if len(row) <= _COLUMNS else row[: _COLUMNS - 1] + "…" for row in rows)


def _row(label: str, text: str) -> str:
    return f"{label:{_LABEL}}  {text}"


def _rows(label: str, text: str) -> list[str]:
    """A text on two lines at most."""
    parts = textwrap.wrap(
        text, _COLUMNS - _LABEL - 2, max_lines=2, placeholder=" …", break_on_hyphens=False
    )
    return [_row("" if i else label, part) for i, part in enumerate(parts)]


def _title(facts: dict[str, Any], kind: str) -> str:
    size = facts["bytes"]
    amount = f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"
    return f"{facts['file']}: a {kind} of malibo, format {facts['format']}, {amount}"


def _study_rows(facts: dict[str, Any]) -> list[str]:
    from malibo.study.describe import config_text, counts_text, trust_text

    begun = time.strftime("%Y-%m-%d %H:%M", time.localtime(facts["created"]))
    what = f"{facts['name']!r}, {facts['direction']}, seed {facts['seed']}, begun {begun}"
    rows = [_title(facts, "study"), _row("study", what), _row("trials", counts_text(facts))]
    if facts["pending"]:
        rows += _pending_rows(facts["pending"])
    if facts["failures"]:
        number, note = list(facts["failures"].items())[-1]
        rows.append(_row("failed", f"last, trial {number}: {note or 'nothing was noted'}"))
    if best := facts["best"]:
        rows.append(_row("best", f"{best['number']}, with {best['value']!r}"))
        rows += _rows("", config_text(best["config"]))
    trust = trust_text(facts)
    return [*rows, _row("trust", trust)] if trust else rows


def _pending_rows(pending: dict[int, Any]) -> list[str]:
    """The trials without a result: a line each, the others by their number."""
    from malibo.study.describe import config_text

    shown = list(pending.items())[:_PENDING]
    rows = [_row("pending", f"trial {number}: {config_text(config)}") for number, config in shown]
    rest = list(pending)[_PENDING:]
    return [*rows, _row("", f"and {listing(rest, 10)}")] if rest else rows


def _model_rows(facts: dict[str, Any]) -> list[str]:
    from malibo.study.describe import config_text

    if facts["promising"] is None:
        return [_row("past", "none: a cold start")]
    names, direction = facts["tasks"], facts["past_direction"] or "minimize and maximize"
    return [
        *_rows("past", f"{plural(len(names), 'task')}, {direction}: {listing(names, 5)}"),
        _row("training", _training(facts)),
        *_rows("promising", f"for a new task: {config_text(facts['promising'])}"),
    ]


def _training(facts: dict[str, Any]) -> str:
    parts = [f"recipe {facts['recipe']}", f"held out: {facts['held_out']}"]
    if facts["validation"] is not None:
        parts.append(f"validation loss {facts['validation']:.4g}")
    if facts["steps"] is not None:
        parts.append(f"{facts['steps']:,} steps in {facts['seconds']:.1f} s")
    return ", ".join(parts)


def _parameter(plain: dict[str, Any]) -> str:
    """``"float 0.0001 to 0.1, log, when optimizer is 'sgd'"``."""
    kind = plain["type"]
    if "low" in plain:
        text = f"{kind} {plain['low']!r} to {plain['high']!r}"
        text += ", log" if plain.get("log") else ""
        text += f", step {plain['step']!r}" if plain.get("step") not in (None, 1) else ""
    elif "choices" in plain:
        text = f"{kind} {listing(plain['choices'])}"
    else:
        text = f"fixed {plain['value']!r}"
    for parent, values in plain.get("when", {}).items():
        text += f", when {parent} is {' or '.join(map(repr, values))}"
    return text
