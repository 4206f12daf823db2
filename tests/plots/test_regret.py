"""Regrets of methods: what the picture shows."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from malibo import plots
from malibo.errors import InputError, MissingDependencyError

pytest.importorskip("matplotlib")


def test_every_method_has_a_line_a_band_and_a_label() -> None:
    curves = {
        "warm": np.array([[0.1, 0.01], [0.4, 0.04]]),
        "cold": np.array([[0.5, 0.3], [0.9, 0.2]]),
    }
    axes = plots.regret_figure(curves, "Some title").axes[0]
    assert axes.get_title(loc="left") == "Some title"
    assert axes.get_yscale() == "log"
    assert [line.get_label() for line in axes.lines] == ["warm", "cold"]
    assert_allclose(np.asarray(axes.lines[0].get_xdata()), [1, 2])
    assert_allclose(np.asarray(axes.lines[0].get_ydata()), [0.2, 0.02])
    assert len(axes.collections) == 2
    band = np.asarray(axes.collections[0].get_paths()[0].vertices)
    factor = np.exp(np.log([0.1, 0.4]).std(ddof=1) / np.sqrt(2))  # one standard error
    assert band[:, 1].max() == pytest.approx(0.2 * factor)
    assert band[:, 1].min() == pytest.approx(0.02 / factor)
    legend = axes.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["warm", "cold"]
    assert "geometric mean of 2 seeds" in axes.texts[-1].get_text()


@pytest.mark.parametrize("count", [1, 3])
def test_a_regret_of_zero_finds_a_place(count: int, tmp_path: Path) -> None:
    curves = {"found": np.zeros((2, count)), "other": np.full((2, count), 0.5)}
    plots.save(plots.regret_figure(curves, ""), tmp_path / "some.png")
    plots.save(plots.regret_figure({"found": np.zeros((2, count))}, ""), tmp_path / "all.png")
    lowest = np.asarray(plots.regret_figure(curves, "").axes[0].lines[0].get_ydata())
    assert_allclose(lowest, 0.25)


def test_no_method_is_left_out_when_colours_run_out() -> None:
    curves = {f"method {number}": np.full((1, 2), 0.5) for number in range(9)}
    assert len(plots.regret_figure(curves, "").axes[0].lines) == 9


def test_wrong_input_is_named() -> None:
    with pytest.raises(InputError, match=r"curves must be a dict of methods .*, got \{\}"):
        plots.regret_figure({}, "")
    for wrong in (np.ones(3), np.ones((0, 3)), np.ones((2, 0))):
        with pytest.raises(InputError, match="the regrets of 'one' must be an array"):
            plots.regret_figure({"one": wrong}, "")


def test_without_matplotlib_there_is_a_pip_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingDependencyError, match=r'pip install "malibo\[plots\]"'):
        plots.regret_figure({"one": np.ones((1, 2))}, "")
