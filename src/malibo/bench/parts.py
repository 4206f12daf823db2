"""Parts: the plan as far as it can be run here, and what is left out for which reason."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from malibo.bench.figures.lines import command
from malibo.bench.methods import check_installed
from malibo.bench.plan import Batch, Experiment
from malibo.bench.runs import RunKey, RunSet
from malibo.bench.suites import Suite, suites
from malibo.errors import MissingDependencyError


@dataclass(frozen=True)
class Part:
    """Methods on one suite: what one call of the runner does.

    experiment   the name of the one to which it belongs
    data         the folder from which the suite is; None: it is built in
    tasks        those that are tuned; None: all
    """

    experiment: str
    suite: Suite
    data: Path | None
    methods: tuple[str, ...]
    seeds: int
    steps: int
    tasks: tuple[str, ...] | None

    @property
    def run_set(self) -> RunSet:
        """What the header of its results file says."""
        return RunSet(self.suite.name, self.steps)

    def path(self, results: Path) -> Path:
        """Its file in the folder of results."""
        return results / f"{self.suite.name}.jsonl"

    def run_keys(self) -> list[RunKey]:
        """All its runs."""
        return [
            RunKey(method, task, seed)
            for method in self.methods
            for task in self.tasks or self.suite.tasks()
            for seed in range(self.seeds)
        ]

    def command(self, methods: Sequence[str], results: Path) -> str:
        """The command that does the part, or what is left of it, for some of its methods."""
        options = [f"--seeds {self.seeds}", f"--steps {self.steps}"]
        options.append(f"--results {shlex.quote(str(results))}")
        if self.data:
            options.append(f"--data {shlex.quote(str(self.data))}")
        if self.tasks:
            options.append(f"--tasks {shlex.quote(','.join(self.tasks))}")
        return " ".join([command(self.suite.name, methods), *options])


@dataclass(frozen=True)
class Work:
    """What can be run, and a line for everything that cannot."""

    parts: tuple[Part, ...]
    skipped: tuple[str, ...]


def prepare(plan: Sequence[Experiment], folders: Sequence[Path] = ()) -> Work:
    """The parts of a plan with the suites and the packages that are here."""
    missing = _missing_methods(plan)
    of_folders = _suites_of(folders)
    parts = [
        part
        for experiment in plan
        for batch in experiment.batches
        for part in _parts(experiment, batch, missing, of_folders)
    ]
    skipped = [*_without_package(missing), *_without_folder(plan, of_folders)]
    return Work(tuple(parts), tuple(skipped))


def _parts(
    experiment: Experiment,
    batch: Batch,
    missing: Mapping[str, str],
    of_folders: Mapping[str, tuple[Suite, Path]],
) -> Iterator[Part]:
    methods = tuple(name for name in batch.methods if name not in missing)
    for name in batch.suites if methods else ():
        if experiment.folder is None:
            suite, folder = suites()[name], None
        elif name in of_folders:
            suite, folder = of_folders[name]
        else:
            continue
        yield Part(
            experiment=experiment.name,
            suite=suite,
            data=folder,
            methods=methods,
            seeds=batch.seeds,
            steps=experiment.steps,
            tasks=_tasks(experiment, suite),
        )


def _tasks(experiment: Experiment, suite: Suite) -> tuple[str, ...] | None:
    """None for all. A suite whose tasks are in the plan is not read: that may take a while."""
    named = experiment.tasks.get(suite.name)
    if experiment.most_tasks is None:
        return named
    return (named or suite.tasks())[: experiment.most_tasks]


def _suites_of(folders: Sequence[Path]) -> dict[str, tuple[Suite, Path]]:
    """Suites of folders, not the built-in ones; of two with one name the first counts."""
    built_in = suites()
    found: dict[str, tuple[Suite, Path]] = {}
    for folder in folders:
        for name, suite in suites(folder).items():
            if suite is not built_in.get(name):
                found.setdefault(name, (suite, folder))
    return found


def _missing_methods(plan: Sequence[Experiment]) -> dict[str, str]:
    """Methods whose packages are not installed, each with the message that has the pip line."""
    missing = {}
    for name in dict.fromkeys(
        method for experiment in plan for batch in experiment.batches for method in batch.methods
    ):
        try:
            check_installed(name)
        except MissingDependencyError as error:
            missing[name] = str(error)
    return missing


def _without_package(missing: Mapping[str, str]) -> Iterator[str]:
    """One line for each message."""
    for message in dict.fromkeys(missing.values()):
        names = [name for name, said in missing.items() if said == message]
        yield f"{', '.join(names)}: {message}"


def _without_folder(
    plan: Sequence[Experiment], of_folders: Mapping[str, tuple[Suite, Path]]
) -> Iterator[str]:
    """One line for each experiment that lacks suites."""
    for experiment in plan:
        if experiment.folder is None:
            continue
        wanted = dict.fromkeys(name for batch in experiment.batches for name in batch.suites)
        lacking = [name for name in wanted if name not in of_folders]
        if lacking:
            yield (
                f"{experiment.name}: {', '.join(lacking)} not found; give {experiment.folder}:"
                " --data DIR"
            )
