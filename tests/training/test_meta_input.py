"""Meta-training: what it refuses, and what it shows."""

from __future__ import annotations

import io
import sys
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from malibo import History, MetaModel, meta_train
from malibo.errors import InputError, MaliboError
from training.examples import quadratics

FEW = quadratics(3, 20)


def train(history: History, **options: Any) -> MetaModel:
    return meta_train(history, **{"hidden_units": 4, "steps": 10, "progress": False, **options})


def test_a_misspelt_option_is_named_with_the_nearest() -> None:
    with pytest.raises(InputError, match=r"unknown option 'recipes'.* Did you mean 'recipe'\?"):
        meta_train(FEW, recipes="fast")


def test_a_wrong_option_is_refused() -> None:
    with pytest.raises(InputError, match="features must be a whole number >= 1, got 0"):
        meta_train(FEW, features=0)


@pytest.mark.parametrize("seed", [-1, 1.0, "0", None, True])
def test_a_wrong_seed_is_refused(seed: Any) -> None:
    with pytest.raises(InputError, match=f"seed must be a whole number >= 0, got {seed!r}"):
        meta_train(FEW, seed=seed)


def test_a_seed_of_numpy_is_a_seed() -> None:
    first, second = (train(FEW, seed=seed).embeddings for seed in (3, np.int64(3)))
    assert_array_equal(first, second)


@pytest.mark.parametrize("history", [None, [], "past.csv"])
def test_something_else_than_a_history_is_refused(history: Any) -> None:
    kind = type(history).__name__
    with pytest.raises(InputError, match=rf"history must be a malibo\.History, got {kind}"):
        meta_train(history)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("progress", [True, False])
def test_the_bar_is_shown_only_if_wanted(progress: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    train(FEW, progress=progress)
    assert ("meta-training" in screen.getvalue()) == progress


@pytest.mark.parametrize("progress", [True, False])
def test_nothing_is_written_into_a_file(progress: bool, capsys: pytest.CaptureFixture[str]) -> None:
    train(FEW, progress=progress)
    assert capsys.readouterr() == ("", "")


def test_a_training_that_never_gets_a_finite_loss_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("malibo.training.meta.loss_of_known_tasks", lambda *_: float("nan"))
    with pytest.raises(MaliboError, match="the validation loss was never a finite number"):
        train(FEW)
