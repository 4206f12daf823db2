"""The adapter to the published network, with a stand-in for its package."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from malibo import Float, History, Space, Task
from malibo.bench.methods import published_pfn
from malibo.bench.methods.published_pfn import OWN, PUBLISHED, PublishedPfn, weights, which
from malibo.bench.searchspace import SearchSpace

_PACKAGE = """
def __getattr__(name):
    if name.endswith("_model"):
        raise RuntimeError("this would download the weights")
    raise AttributeError(name)
"""
_INTERFACE = """
import numpy as np

class TransformerBOMethod:
    def __init__(self, model, device):
        assert device == "cpu:0"
        self.model = model

    def observe_and_suggest(self, X_obs, y_obs, X_pen, return_actual_ei):
        assert return_actual_ei
        assert min(y_obs) == 0 and max(y_obs) == 1
        best = X_obs[np.argmax(y_obs)]
        scores = self.model["height"] - np.abs(X_pen - best).sum(axis=1)
        return int(scores.argmax()), scores
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a package that looks like pfns4bo, without weights."""
    folder = tmp_path / "pfns4bo"
    (folder / "scripts").mkdir(parents=True)
    (folder / "__init__.py").write_text(_PACKAGE)
    (folder / "scripts" / "__init__.py").touch()
    (folder / "scripts" / "acquisition_functions.py").write_text(_INTERFACE)
    known = {name: module for name, module in sys.modules.items() if name.startswith("pfns4bo")}
    for name in known:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    yield folder
    for name in [name for name in sys.modules if name.startswith("pfns4bo")]:
        del sys.modules[name]


@pytest.fixture
def file(package: Path) -> Path:
    """The same with a file of weights: their path."""
    torch = pytest.importorskip("torch")
    path = package / "final_models" / "model_hebo_morebudget_9_unused_features_3.pt"
    path.parent.mkdir()
    torch.save({"height": 3.0}, path)
    return path


def test_without_the_package_it_is_a_network_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pfns4bo", None)
    assert weights() is None
    assert which() == OWN == "a small network of malibo's own, trained on a GP prior"


def test_without_the_weights_it_is_a_network_of_ours_and_nothing_is_downloaded(
    package: Path,
) -> None:
    assert which() == OWN
    assert {path.name for path in package.iterdir()} == {"__init__.py", "scripts"}
    assert "pfns4bo" not in sys.modules


def test_with_the_weights_it_is_the_published_one(file: Path) -> None:
    assert weights() == file
    assert which() == PUBLISHED == "pfns4bo's published weights"
    assert "pfns4bo" not in sys.modules


def test_asking_which_one_loads_neither() -> None:
    script = (
        "import sys; from malibo.bench.methods.published_pfn import which; which();"
        "print({'torch', 'pfns4bo'} & {*sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"


def test_points_are_scored_in_chunks_by_what_was_seen(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(published_pfn, "CHUNK", 3)
    seen = np.array([[0.1, 0.1], [0.5, 0.5], [0.9, 0.9]])
    score = PublishedPfn(file).score(seen, np.array([7.0, -2.0, 3.0]))  # the second is the best
    points = np.random.default_rng(0).random((8, 2))
    assert_allclose(score(points), 3 - np.abs(points - 0.5).sum(axis=1))


def test_the_method_uses_it_where_it_is_installed(file: Path) -> None:
    pytest.importorskip("torch")
    from malibo.bench.methods.pfn import Pfn

    space = Space(a=Float(0, 1), b=Float(0, 1))
    history = History([Task("old", space, np.zeros((1, 2)), np.zeros(1))])
    optimizer = Pfn(SearchSpace(space), history, np.random.default_rng(0))
    optimizer.tell({"a": 0.2, "b": 0.7}, 1.0)
    optimizer.tell({"a": 0.9, "b": 0.1}, 2.0)
    near = optimizer.ask()
    assert_allclose([near["a"], near["b"]], [0.2, 0.7], atol=0.01)
