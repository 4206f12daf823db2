"""From a model file or a study to the study that is meant."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from malibo import Float, MetaModel, Space
from malibo.errors import InputError
from malibo.study import Place, Study, StudyError

SPACE = Space(x=Float(0, 1))


@pytest.fixture
def cold(tmp_path: Path) -> Path:
    """A model file without a past."""
    path = tmp_path / "tuning.malibo"
    MetaModel.uninformed(SPACE).save(path)
    return path


def test_the_study_of_a_model_lies_beside_it(cold: Path, tmp_path: Path) -> None:
    assert Place.of(cold) == Place(tmp_path / "tuning.db", cold)
    assert Place.of(cold, tmp_path / "other.db") == Place(tmp_path / "other.db", cold)


def test_a_study_is_its_own_place(tmp_path: Path) -> None:
    study = Study.create(tmp_path / "named.malibo", space=SPACE)
    assert Place.of(study.path) == Place(study.path, None)
    assert Place.of(None, study.path) == Place(study.path, None)
    with pytest.raises(InputError, match="is a study itself"):
        Place.of(study.path, tmp_path / "other.db")


def test_the_study_alone_will_do(cold: Path, tmp_path: Path) -> None:
    Place.of(cold).begin(seed=1)
    cold.unlink()
    place = Place.of(cold)
    assert place == Place(tmp_path / "tuning.db", None)
    assert place.open().seed == place.begin().seed == 1


def test_of_two_that_begin_at_once_both_have_the_study(
    cold: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = Study.create

    def slower(path: Path, *arguments: Any, **options: Any) -> Study:
        create(path, *arguments, **{**options, "seed": 7})
        return create(path, *arguments, **options)

    monkeypatch.setattr(Study, "create", slower)
    assert Place.of(cold).begin().seed == 7


def test_the_space_is_known_before_the_study_begins(cold: Path, tmp_path: Path) -> None:
    (tmp_path / "space.json").write_text(SPACE.to_json(), encoding="utf-8")
    assert Place.of(cold).target() == SPACE
    assert Place.of(None, tmp_path / "new.db").target(tmp_path / "space.json") == SPACE
    with pytest.raises(StudyError, match="begin one from a model file, or from a space"):
        Place.of(None, tmp_path / "new.db").target()
    assert not list(tmp_path.glob("*.db"))
    Study.create(tmp_path / "tuning.db", space=Space(y=Float(0, 1)))
    assert list(Place.of(cold).target()) == ["y"]


def test_a_model_trained_anew_is_noticed(cold: Path) -> None:
    place = Place.of(cold)
    assert place.retrained() == ""  # there is no study yet
    place.begin()
    assert place.retrained() == ""
    MetaModel.uninformed(SPACE).save(cold)
    assert place.retrained() == ""  # the same once more
    MetaModel.uninformed(SPACE, gamma=0.2).save(cold)
    assert "was trained anew since the study" in place.retrained()
    MetaModel.uninformed(Space(y=Float(0, 1))).save(cold)
    assert "is another model than that of the study" in place.retrained()
    assert "'y' is additional" in place.retrained()
    replace(MetaModel.uninformed(SPACE), direction="maximize").save(cold)
    with pytest.raises(StudyError, match="was told to maximize, and the study"):
        place.retrained()
    cold.write_bytes(b"")
    assert "keeps its own model" in place.retrained()


def test_a_space_that_is_no_text_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "space.json").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match=r"space.json' cannot be read as a space: .*codec"):
        Place.of(None, tmp_path / "new.db").begin(space=tmp_path / "space.json")
