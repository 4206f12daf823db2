"""From what a user names, a model file or a study, to the study that is meant."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from malibo.errors import InputError, ModelFileError, listing
from malibo.metamodel import MetaModel
from malibo.sources.tables.given import read_space_file
from malibo.space import Space
from malibo.study.database import StudyError, is_database
from malibo.study.study import Study
from malibo.task import Direction


@dataclass(frozen=True)
class Place:
    """Where a study is, and the model file that begins it (None if it begins without)."""

    study: Path
    model: Path | None

    @classmethod
    def of(cls, file: Path | None, study: Path | None = None) -> Place:
        """``file`` is a model or a study; the study of tuning.malibo is tuning.db beside it."""
        if file is None:
            if study is None:
                raise InputError(
                    "name a model file or a study; to begin without a model, name the new study"
                    " by --study FILE.db."
                )
            return cls(study, None)
        if file.exists() and is_database(file):
            if study is not None:
                raise InputError(f"{file} is a study itself; leave out the other one, {study}.")
            return cls(file, None)
        beside = file.with_suffix(".db") if study is None else study
        if file == beside and file.exists():
            raise StudyError(f"{file} is neither a study nor a model of malibo.")
        if file == beside or not (file.exists() or beside.exists()):
            raise StudyError(f"there is no file {str(file)!r}.")
        return cls(beside, file if file.exists() else None)

    def open(self) -> Study:
        """The study, which must have begun."""
        if self.study.exists():
            return Study.open(self.study)
        if self.model is None:
            raise StudyError(f"there is no study {str(self.study)!r}.")
        MetaModel.load(self.model)  # a file of another kind is told as such
        beside = self.study == self.model.with_suffix(".db")
        where = "" if beside else f" --study {self.study}"
        raise StudyError(
            f"there is no study {self.study} yet; begin: malibo suggest {self.model}{where}"
        )

    def target(self, space: Path | None = None) -> Space:
        """The space of the study, or of the one that would begin."""
        if self.study.exists():
            return Study.open(self.study).space
        if self.model is not None:
            return MetaModel.load(self.model).space
        if space is None:
            raise self._nothing_to_begin_with()
        return read_space_file(space)

    def begin(
        self,
        *,
        space: Path | None = None,
        name: str | None = None,
        seed: int | None = None,
        direction: Direction | None = None,
    ) -> Study:
        """The study; a new one if there is none yet, made from the model or for the space."""
        if space is not None and self.model is not None:
            raise InputError(f"{self.model} has a space; leave out the model or {space}.")
        wanted: dict[str, Any] = {"name": name, "seed": seed, "direction": direction}
        target = None if space is None else read_space_file(space)
        if not self.study.exists():
            try:
                return self._create(target, wanted)
            except StudyError:
                if not self.study.exists():  # else another process was faster
                    raise
        found = Study.open(self.study)
        _check_same(found, {**wanted, "space": target})
        return found

    def _create(self, space: Space | None, wanted: dict[str, Any]) -> Study:
        if self.model is None:
            if space is None:
                raise self._nothing_to_begin_with()
            return Study.create(self.study, space=space, **wanted)
        model = MetaModel.load(self.model)
        if model.direction not in (None, wanted["direction"] or model.direction):
            raise InputError(
                f"the past of {self.model} was told to {model.direction}, and the study is to"
                f" {wanted['direction']}; leave the direction out, or load the past anew."
            )
        return Study.create(self.study, model, **wanted)

    def _nothing_to_begin_with(self) -> StudyError:
        return StudyError(
            f"there is no study {str(self.study)!r}; begin one from a model file, or from a space"
            " (--space)."
        )

    def retrained(self) -> str:
        """A sentence if the model file is another than the one of the study; empty if not."""
        if self.model is None or not self.study.exists():
            return ""
        study = Study.open(self.study)
        try:
            if study.keeps(self.model):
                return ""
            model = MetaModel.load(self.model)
        except ModelFileError as error:
            return f"{error} The study {self.study} keeps its own model."
        if model.direction not in (None, study.direction):
            raise StudyError(
                f"the past of {self.model} was told to {model.direction}, and the study"
                f" {self.study}, which keeps its own model, is to {study.direction}; name the study"
                " alone to go on with it, or begin another one: --study FILE."
            )
        differs = study.space.differences(model.space)
        what = "was trained anew since the study {} began"
        if differs:
            what = f"is another model than that of the study {{}} ({listing(differs, 3)})"
        return (
            f"{self.model} {what.format(self.study)}; the study keeps its own model. For a new"
            " study: --study FILE."
        )


def _check_same(study: Study, wanted: dict[str, Any]) -> None:
    """What a study began with stays; to ask for something else is refused."""
    for what, value in wanted.items():
        if value is not None and value != getattr(study, what):
            have = "another space" if what == "space" else f"{what} {getattr(study, what)!r}"
            raise StudyError(
                f"the study {study.path} has {have}, and keeps it; leave out --{what}, or begin"
                " another study: --study FILE."
            )
