"""The folder for OptunaHub, loaded and run as from there."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from malibo.integrations.optuna import MaliboSampler

REGISTRY = Path(__file__).parents[3] / "optunahub" / "package"
PACKAGE = REGISTRY / "samplers" / "malibo"
optunahub = pytest.importorskip("optunahub")


def test_the_hub_loads_our_sampler() -> None:
    module = optunahub.load_local_module("samplers/malibo", registry_root=str(REGISTRY))
    assert module.MaliboSampler is MaliboSampler


def test_the_example_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def from_here(package: str) -> object:
        return optunahub.load_local_module(package, registry_root=str(REGISTRY))

    monkeypatch.setattr(optunahub, "load_module", from_here)
    runpy.run_path(str(PACKAGE / "example.py"), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 16
    assert lines[-1].startswith("best: {'x': ")
    assert min(float(line.split()[3]) for line in lines[:15]) < 0.5


def test_the_front_matter_is_complete() -> None:
    _, matter, text = (PACKAGE / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    fields = dict(line.split(": ", 1) for line in matter.splitlines())
    assert set(fields) == {"author", "title", "description", "tags", "optuna_versions", "license"}
    assert "sampler" in fields["tags"]
    assert all(fields.values())
    for heading in ("## Abstract", "## APIs", "## Installation", "## Example"):
        assert heading in text


def test_the_files_of_a_package_are_there() -> None:
    files = {path.name for path in PACKAGE.iterdir() if path.is_file()}
    assert files >= {"README.md", "LICENSE", "__init__.py", "sampler.py", "example.py"}
