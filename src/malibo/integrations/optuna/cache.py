"""Trained models kept for the next start: the same studies are learned from once."""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import asdict
from importlib.metadata import version
from os import PathLike
from pathlib import Path

from malibo.config import TrainConfig
from malibo.errors import ModelFileError
from malibo.extras import require
from malibo.history import History
from malibo.metamodel import MetaModel
from malibo.training import meta_train

_FORMAT = 1  # raised when the same past would give another model between two versions


def trained(
    history: History, config: TrainConfig, cache: str | PathLike[str] | bool, progress: bool
) -> MetaModel:
    """The model of a history: out of the cache, or trained now and put there."""
    if cache is False:
        return meta_train(history, config, progress=progress)
    folder = _folder() if cache is True else Path(cache)
    path = folder / f"{_digest(history, config)}.malibo"
    with suppress(ModelFileError):  # not there, or damaged: it is only a copy
        return MetaModel.load(path, history.space)
    model = meta_train(history, config, progress=progress)
    with suppress(ModelFileError, OSError):  # a full or read-only disk costs time, no more
        folder.mkdir(parents=True, exist_ok=True)
        model.save(path)
    return model


def _folder() -> Path:
    """``$MALIBO_CACHE``, or the user's cache folder."""
    if given := os.environ.get("MALIBO_CACHE"):
        return Path(given) / "models"
    return Path(require("platformdirs", "optuna").user_cache_dir("malibo")) / "models"


def _digest(history: History, config: TrainConfig) -> str:
    """A name for all that decides on the model."""
    options = json.dumps([_FORMAT, version("malibo"), asdict(config), history.space.to_json()])
    digest = hashlib.sha256(options.encode())
    for task in history:
        digest.update(json.dumps([task.name, task.direction, task.space.to_json()]).encode())
        digest.update(task.codes.tobytes())
        digest.update(task.losses.tobytes())
    return digest.hexdigest()[:32]
