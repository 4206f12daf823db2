"""Where past runs come from: the argument SOURCE of commands, its options, and what they load."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click
from click.shell_completion import CompletionItem
from tqdm import tqdm

from malibo.cli.output import warnings_as_lines
from malibo.errors import InputError, MaliboError, listing

if TYPE_CHECKING:
    from malibo.history import History
    from malibo.sources.tables import TableOptions
    from malibo.sources.tables.guess import Guess
    from malibo.task import Direction, Task

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class SourceOptions:
    """What a command was told about past runs; None and empty where nothing was said."""

    sources: tuple[str, ...]
    task: str | None = None
    objective: str | None = None
    direction: Direction | None = None
    status: str | None = None
    where: tuple[str, ...] = ()
    rename: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    space: str | None = None
    on_error: Literal["raise", "skip"] | None = None
    studies: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    metric: Literal["last", "best"] | None = None


@dataclass(frozen=True, eq=False)
class Loaded:
    """Past runs, and for tables and runs of MLflow among their sources how they were understood."""

    history: History
    guesses: dict[str, Guess]


def source_options(command: Command) -> Command:
    """The argument SOURCE and its options, as the argument ``source`` of a command."""

    @functools.wraps(command)
    def collected(*args: Any, **given: Any) -> Any:
        found = {item.name: given.pop(item.name) for item in fields(SourceOptions)}
        return command(*args, source=SourceOptions(**found), **given)

    decorated: Any = collected
    for decorate in reversed(_decorators()):
        decorated = decorate(decorated)
    complete: Command = decorated
    return complete


def load_history(source: SourceOptions) -> History:
    """The past runs in all sources; tasks of the same name in two of them are told apart."""
    return load(source).history


def load(source: SourceOptions) -> Loaded:
    """The past runs, and how columns of tables and parameters of MLflow were understood."""
    from malibo.history import History
    from malibo.sources.detect import kind_of
    from malibo.sources.tables.given import read_space

    kinds = {name: kind_of(name) for name in source.sources}
    _need_used(source, set(kinds.values()))
    space = read_space(source.space)
    histories: dict[str, History] = {}
    guesses: dict[str, Guess] = {}
    bar = tqdm(kinds.items(), desc="reading", unit="source", leave=False, disable=None)
    for name, kind in bar:
        bar.set_postfix_str(name)
        with warnings_as_lines():
            histories[name], guess = _LOADERS[kind](name, source)
        guesses |= {} if guess is None else {name: guess}
    _mention_direction(source, set(kinds.values()))
    one = next(iter(histories.values()))
    history = one if len(histories) == 1 else History(_distinct(histories))
    _mention_conflict(histories)
    if not isinstance(space, dict) and history.space != space:
        history = history.for_space(space)
    return Loaded(history, guesses)


def _mention_direction(source: SourceOptions, kinds: set[str]) -> None:
    """Say that an objective is minimised, if nobody said so and its name is that of a score."""
    from malibo.sources.tables.names import like_a_score

    told = source.direction is not None or source.objective is None
    if not told and kinds & {"table", "mlflow"} and like_a_score(str(source.objective)):
        click.echo(
            f"malibo: {source.objective!r} is minimised; if more is better, say --direction"
            " maximize",
            err=True,
        )


def _mention_conflict(histories: Mapping[str, History]) -> None:
    """Say that some sources were minimised and others maximised: mostly one was forgotten."""
    told = {
        direction: [name for name, history in histories.items() if history.direction == direction]
        for direction in ("minimize", "maximize")
    }
    if all(told.values()):
        click.echo(
            f"malibo: {listing(told['minimize'])} is minimised and {listing(told['maximize'])}"
            " maximised; if the objective means the same in both, one of them is read the wrong way"
            " (--direction is for tables and MLflow)",
            err=True,
        )


# -- one source ----------------------------------------------------------------------------


def _load_table(name: str, source: SourceOptions) -> tuple[History, Guess | None]:
    from malibo.history import History
    from malibo.sources.tables import read

    if source.task is None or source.objective is None:
        raise _unnamed_columns(name)
    reading = read(name, _table_options(source, source.task, source.objective))
    return History(reading.tasks, reading.tasks[0].space), reading.guess


def _unnamed_columns(name: str) -> InputError:
    from malibo.sources.tables.files import columns_of

    return InputError(
        f"{name!r} is a table: name the column of the task by --task and that of the objective by"
        f" --objective; it has {listing(columns_of(name), 30)}."
    )


def _load_mlflow(name: str, source: SourceOptions) -> tuple[History, Guess | None]:
    from malibo.history import History
    from malibo.sources.mlflow import read

    if source.objective is None:
        raise InputError(f"{name!r} holds runs of MLflow: name the metric by --objective.")
    options = _table_options(source, source.task or "experiment", source.objective)
    reading = read(name.removeprefix("mlflow:"), options, source.metric or "last")
    return History(reading.tasks, reading.tasks[0].space), reading.guess


def _load_optuna(name: str, source: SourceOptions) -> tuple[History, None]:
    from malibo.history import History

    studies, exclude = list(source.studies) or None, list(source.exclude)
    return History.from_optuna(name, studies, exclude=exclude, rename=_renames(source)), None


def _load_study(name: str, source: SourceOptions) -> tuple[History, None]:
    from malibo.history import History
    from malibo.study import Study

    return History([Study.open(name.removeprefix("sqlite:///")).task()]), None


_LOADERS: dict[str, Callable[[str, SourceOptions], tuple[History, Guess | None]]] = {
    "table": _load_table,
    "mlflow": _load_mlflow,
    "optuna": _load_optuna,
    "study": _load_study,
}


def _table_options(source: SourceOptions, task: str, objective: str) -> TableOptions:
    """What was told about a table, or about the runs of MLflow as one."""
    from malibo.sources.tables import TableOptions

    return TableOptions(
        task=task,
        objective=objective,
        direction=source.direction or "minimize",
        space=source.space,
        ignore=source.ignore,
        status=source.status,
        rename=_renames(source),
        where=_wanted(source) or None,
        on_error=source.on_error or "raise",
    )


def _wanted(source: SourceOptions) -> dict[str, str | list[str]]:
    """The values that are wanted by column: of ``"x=a|b"``, and of each ``"x=c"`` besides."""
    wanted: dict[str, list[str]] = {}
    for column, text in _pairs(source.where, "--where COLUMN=VALUE"):
        wanted.setdefault(column, []).extend(text.split("|"))
    return {column: some[0] if len(some) == 1 else some for column, some in wanted.items()}


def _renames(source: SourceOptions) -> dict[str, str] | None:
    """New names by old ones; None if there are none."""
    renames: dict[str, str] = {}
    for old, new in _pairs(source.rename, "--rename OLD=NEW"):
        if renames.setdefault(old, new) != new:
            raise InputError(f"--rename gives {old!r} two names, {renames[old]!r} and {new!r}.")
    return renames or None


def _pairs(texts: Sequence[str], expected: str) -> list[tuple[str, str]]:
    """``("a=b", "c=d")`` as pairs."""
    pairs = [text.partition("=") for text in texts]
    for (left, mark, right), text in zip(pairs, texts, strict=True):
        if not left or not mark or (not right and expected.startswith("--rename")):
            raise InputError(f"expected {expected}, got {text!r}.")
    return [(left, right) for left, _, right in pairs]


# -- several sources -----------------------------------------------------------------------


_TABLE = {"task", "objective", "direction", "status", "where", "rename", "ignore", "on_error"}

#: Which options belong to which kind of source.
_USED = {
    "table": _TABLE,
    "mlflow": (_TABLE - {"status"}) | {"metric"},
    "optuna": {"rename", "studies", "exclude"},
    "study": set[str](),
}


def _need_used(source: SourceOptions, kinds: set[str]) -> None:
    """Refuse an option that would change nothing."""
    used = {"sources", "space"}.union(*(_USED[kind] for kind in kinds))
    for item in fields(source):
        if getattr(source, item.name) and item.name not in used:
            owners = [kind for kind, names in _USED.items() if item.name in names]
            raise InputError(
                f"--{item.name.replace('_', '-')} is for sources of the kind {listing(owners)};"
                f" this is {listing(sorted(kinds))}. Leave it out."
            )


def _distinct(histories: Mapping[str, History]) -> list[Task]:
    """The tasks of all histories; a name that occurs twice gets the name of its file."""
    counts = Counter(name for history in histories.values() for name in history.names)
    found: dict[str, Task] = {}
    for source, history in histories.items():
        for task in history:
            name = task.name if counts[task.name] == 1 else f"{task.name} ({source})"
            found[name] = replace(task, name=name)
    return list(found.values())


# -- the options ---------------------------------------------------------------------------


def _columns(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Completion: the columns of the tables that were given before.

    While the option has no value yet, click has parsed no argument, and left them all aside.
    """
    from malibo.sources.detect import kind_of
    from malibo.sources.tables.files import columns_of

    found: dict[str, None] = {}
    for source in ctx.params.get("sources") or ctx.args:
        try:
            found |= dict.fromkeys(columns_of(source) if kind_of(source) == "table" else ())
        except MaliboError:
            continue
    return [CompletionItem(name) for name in found if name.startswith(incomplete)]


def _decorators() -> list[Callable[[Any], Any]]:
    option = click.option
    column: dict[str, Any] = {"shell_complete": _columns, "metavar": "COLUMN"}
    several: dict[str, Any] = {"multiple": True, "default": ()}
    return [
        click.argument("sources", metavar="SOURCE...", nargs=-1, required=True, type=click.Path()),
        option("--task", **column, help="Column that names the task (MLflow: tags.NAME, say)."),
        option("--objective", **column, help="Column, or metric of MLflow, that was optimised."),
        option(
            "--direction",
            type=click.Choice(["minimize", "maximize"]),
            help="What is good: a small objective, unless told otherwise, or a great one.",
        ),
        option("--status", **column, help="Column that tells finished from failed runs."),
        option("--where", **several, metavar="COLUMN=VALUE", help="Only such rows; a|b is either."),
        option("--rename", **several, metavar="OLD=NEW", help="Another name for a column."),
        option("--ignore", **several, **column, help="A column that is no parameter."),
        option(
            "--space",
            metavar="FILE",
            type=click.Path(dir_okay=False),
            help="The search space in JSON, as 'malibo space' writes it; else it is guessed.",
        ),
        option(
            "--on-error",
            type=click.Choice(["raise", "skip"]),
            help="Rows that cannot be read: refuse the table, unless told otherwise, or skip them.",
        ),
        option("--studies", **several, metavar="NAME", help="Only these studies of Optuna."),
        option("--exclude", **several, metavar="NAME", help="Not this study of Optuna."),
        option(
            "--metric",
            type=click.Choice(["last", "best"]),
            help="Which value of a metric of MLflow counts: the last, unless told otherwise.",
        ),
    ]
