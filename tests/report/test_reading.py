"""What a user names: a study, a model file with its study beside it, or a storage of Optuna."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import optuna
import pytest
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend

from malibo import Float, MetaModel, Space
from malibo.errors import InputError
from malibo.report import read_tuning
from malibo.study import Study

optuna.logging.set_verbosity(optuna.logging.WARNING)


@pytest.fixture
def study(tmp_path: Path, model: MetaModel) -> Path:
    """A study beside its model, tuning.db and tuning.malibo."""
    model.save(tmp_path / "tuning.malibo")
    found = Study.create(tmp_path / "tuning.db", model, seed=0, name="mine")
    found.tell(found.ask()[0].number, 0.5)
    return tmp_path / "tuning.db"


def optuna_study(storage: str | JournalStorage, name: str = "new") -> None:
    study = optuna.create_study(storage=storage, study_name=name)
    study.optimize(lambda trial: trial.suggest_float("lr", 1e-4, 0.1, log=True), n_trials=2)


def test_a_study_and_the_model_file_beside_it(study: Path) -> None:
    assert read_tuning(str(study)).name == "mine"
    assert read_tuning(str(study.with_suffix(".malibo"))).name == "mine"


def test_a_database_of_optuna_by_url_and_by_path(tmp_path: Path) -> None:
    path = tmp_path / "optuna.db"
    optuna_study(f"sqlite:///{path}")
    for source in (f"sqlite:///{path}", str(path)):
        tuning = read_tuning(source)
        assert (tuning.name, len(tuning.trials)) == ("new", 2)


def test_a_journal_of_optuna(tmp_path: Path) -> None:
    path = tmp_path / "journal.log"
    optuna_study(JournalStorage(JournalFileBackend(str(path))))
    before = path.read_bytes()
    assert read_tuning(str(path)).name == "new"
    assert path.read_bytes() == before


def test_the_model_of_a_sampler_is_seen_from_the_space_of_its_study(
    tmp_path: Path, model: MetaModel
) -> None:
    model.save(tmp_path / "m.malibo")
    optuna_study(f"sqlite:///{tmp_path}/optuna.db")
    tuning = read_tuning(f"sqlite:///{tmp_path}/optuna.db", model=tmp_path / "m.malibo")
    assert tuning.informed
    assert list(tuning.space) == ["lr"]
    assert tuning.trust is not None


def test_one_of_several_studies_must_be_named(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/optuna.db"
    optuna_study(url, "first")
    optuna_study(url, "second")
    assert read_tuning(url, "second").name == "second"
    with pytest.raises(InputError, match=r"name one .* by --study; it has 'first', 'second'"):
        read_tuning(url)
    with pytest.raises(InputError, match=r"no study 'secnd'; .* Did you mean 'second'\?"):
        read_tuning(url, "secnd")


def test_study_and_model_are_for_optuna(study: Path) -> None:
    with pytest.raises(InputError, match="is no storage of Optuna, for which --study and --model"):
        read_tuning(str(study), "mine")


def test_what_is_not_there_is_named(tmp_path: Path, model: MetaModel) -> None:
    with pytest.raises(InputError, match=r"there is no file '.*none.db'"):
        read_tuning(str(tmp_path / "none.db"))
    with pytest.raises(InputError, match=r"there is no file '.*none.db'"):
        read_tuning(f"sqlite:///{tmp_path}/none.db")
    model.save(tmp_path / "alone.malibo")
    with pytest.raises(InputError, match=r"there is no study .*alone.db yet"):
        read_tuning(str(tmp_path / "alone.malibo"))
    assert not (tmp_path / "none.db").exists()


def test_other_files_are_refused(tmp_path: Path) -> None:
    for name, content in (
        ("a.db", b"SQLite format 3\x00damaged"),
        ("b.db", b"text"),
        ("c.csv", b""),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError):
            read_tuning(str(tmp_path / name))
        assert (tmp_path / name).read_bytes() == content


def test_a_model_that_can_hardly_be_the_samplers_is_worth_a_warning(
    tmp_path: Path, model: MetaModel
) -> None:
    other = MetaModel.uninformed(Space(z=Float(0, 1)))
    replace(other, direction="maximize").save(tmp_path / "m.malibo")
    optuna_study(f"sqlite:///{tmp_path}/optuna.db")
    with pytest.warns(UserWarning, match=r"it does not know 'lr'; its past was told to maximize"):
        read_tuning(f"sqlite:///{tmp_path}/optuna.db", model=tmp_path / "m.malibo")
