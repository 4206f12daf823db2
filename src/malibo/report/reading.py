"""From what a user names, a study, a model file or a storage, to the tuning that is meant."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from malibo.errors import InputError, listing, nearest
from malibo.extras import require
from malibo.files import is_sqlite
from malibo.metamodel import MetaModel
from malibo.report.tuning import Tuning
from malibo.sources.optuna.storages import (
    is_journal,
    name_of,
    opened,
    storage_errors,
    tables_of,
    unreadable,
)
from malibo.study import Place

if TYPE_CHECKING:
    from optuna.storages import BaseStorage


def read_tuning(source: str, study: str | None = None, model: Path | None = None) -> Tuning:
    """The tuning behind a study file, a model file with its study beside it, or Optuna's storage.

    ``study`` names one of several in a storage, ``model`` is what its sampler had learned.
    """
    if "://" in source or _is_optuna(Path(source)):
        return _of_storage(source, study, model)
    if study is not None or model is not None:
        raise InputError(
            f"{source} is no storage of Optuna, for which --study and --model are; a study of"
            " malibo has its name and its model inside, so leave them out."
        )
    return Tuning.of_study(Place.of(Path(source)).open())


def _is_optuna(path: Path) -> bool:
    """Whether a file is a database or a journal of Optuna, by what it holds."""
    if not path.is_file():
        return False
    try:
        if is_sqlite(path):
            tables = tables_of(path)
            return "studies" in tables and "malibo" not in tables
        return is_journal(path)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}.") from None


def _of_storage(source: str, study: str | None, model: Path | None) -> Tuning:
    optuna = require("optuna", "optuna")
    learned = None if model is None else MetaModel.load(model)
    storage = opened(source)
    try:
        name = _study_name(storage, source, study)
        return Tuning.of_optuna(optuna.load_study(study_name=name, storage=storage), learned)
    except storage_errors() as error:
        raise unreadable(source, error) from error


def _study_name(storage: BaseStorage, source: str, study: str | None) -> str:
    """The study that was named, or the only one."""
    names: list[str] = require("optuna", "optuna").get_all_study_names(storage)
    if study is None and len(names) == 1:
        return names[0]
    if study is not None and study in names:
        return study
    there = f"it has {listing(names, 20)}" if names else "it has none"
    if study is None:
        raise InputError(f"{name_of(source)}: name one of its studies by --study; {there}.")
    raise InputError(f"{name_of(source)} has no study {study!r}; {there}.{nearest(study, names)}")
