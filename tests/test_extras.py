"""Optional packages: the pip line when one is missing, the true error when one is broken."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from pathlib import Path

import pytest

from malibo.errors import MaliboError, MissingDependencyError
from malibo.extras import require

Write = Callable[[str, str], None]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes a package of one file that can be imported during the test."""

    def write(name: str, source: str) -> None:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(source, encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        importlib.invalidate_caches()

    return write


def test_an_installed_package_is_returned() -> None:
    assert require("math", "any") is math


@pytest.mark.parametrize("kind", [MissingDependencyError, MaliboError, ImportError])
def test_a_missing_package_names_its_pip_line(kind: type[Exception]) -> None:
    with pytest.raises(kind) as caught:
        require("malibo_no_such_package", "plots")
    assert str(caught.value) == (
        "this needs the package 'malibo_no_such_package', which is not installed;"
        ' run: pip install "malibo[plots]"'
    )


def test_a_module_of_a_missing_package_names_the_pip_line_too() -> None:
    with pytest.raises(MissingDependencyError, match=r'pip install "malibo\[plots\]"'):
        require("malibo_no_such_package.inner", "plots")


def test_a_package_that_misses_another_raises_the_original_error(package: Write) -> None:
    package("malibo_lacking", "import malibo_no_such_package")
    with pytest.raises(ModuleNotFoundError, match="No module named 'malibo_no_such_package'"):
        require("malibo_lacking", "plots")


def test_a_broken_import_inside_a_package_raises_the_original_error(package: Write) -> None:
    package("malibo_broken", "from math import no_such_name")
    with pytest.raises(ImportError, match="cannot import name 'no_such_name'") as caught:
        require("malibo_broken", "plots")
    assert not isinstance(caught.value, MissingDependencyError)


def test_a_missing_module_of_an_installed_package_raises_the_original_error() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'json\.no_such_module'"):
        require("json.no_such_module", "plots")
