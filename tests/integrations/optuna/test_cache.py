"""Trained models are kept: the same studies are learned from once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest
from numpy.testing import assert_array_equal
from optuna.distributions import FloatDistribution
from optuna.storages import InMemoryStorage
from optuna.trial import create_trial

from malibo import Float, History, MetaModel, Space, Task, TrainConfig
from malibo.integrations.optuna import MaliboSampler
from malibo.integrations.optuna.cache import trained
from malibo.training import meta_train
from points import all_of

SHORT = TrainConfig(steps=2)
SPACE = Space(x=Float(0, 1))

pytestmark = pytest.mark.filterwarnings("ignore:the past has")


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(optuna.logging.INFO)


@pytest.fixture(autouse=True)
def trainings(monkeypatch: pytest.MonkeyPatch) -> list[History]:
    """The histories that were trained on, one for each training."""
    found: list[History] = []

    def counting(history: History, *args: Any, **options: Any) -> MetaModel:
        found.append(history)
        return meta_train(history, *args, **options)

    monkeypatch.setattr("malibo.integrations.optuna.cache.meta_train", counting)
    return found


@pytest.fixture(autouse=True)
def default_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where models go unless told otherwise; never the user's own folder."""
    monkeypatch.setenv("MALIBO_CACHE", str(tmp_path / "default"))
    return tmp_path / "default" / "models"


def a_task(name: str = "one", **changes: Any) -> Task:
    codes = np.linspace(0, 1, 10)[:, None]
    return replace(Task(name, SPACE, codes, (codes[:, 0] - 0.5) ** 2), **changes)


def same(one: MetaModel, other: MetaModel) -> bool:
    """Whether two models say the same."""
    points = [m.points(np.linspace(0, 1, 7)[:, None]) for m in (one, other)]
    return all(
        np.array_equal(a, b) for a, b in zip(all_of(points[0]), all_of(points[1]), strict=True)
    )


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


# -- past studies --------------------------------------------------------------------------


@pytest.fixture
def storage() -> InMemoryStorage:
    made = InMemoryStorage()
    for number in range(2):
        study = optuna.create_study(storage=made, study_name=f"study {number}")
        study.add_trials([a_trial(x / 9) for x in range(10)])
    return made


def a_trial(x: float) -> Any:
    return create_trial(
        params={"x": x}, distributions={"x": FloatDistribution(0, 1)}, value=(x - 0.5) ** 2
    )


def learn(storage: InMemoryStorage, **options: Any) -> MetaModel:
    sampler = MaliboSampler.from_studies(storage, train=SHORT, progress=False, **options)
    assert sampler.model is not None
    return sampler.model


def test_the_same_studies_are_learned_from_once(
    storage: InMemoryStorage, trainings: list[History], default_folder: Path
) -> None:
    first, second = learn(storage), learn(storage)
    assert len(trainings) == 1
    assert same(first, second)
    assert (second.space, second.tasks, second.config) == (first.space, first.tasks, first.config)
    assert len(files(default_folder)) == 1


def test_another_trial_is_learned_from(storage: InMemoryStorage, trainings: list[History]) -> None:
    learn(storage)
    optuna.load_study(study_name="study 1", storage=storage).add_trial(a_trial(0.55))
    assert len(learn(storage).tasks) == 2
    assert [len(history) for history in trainings] == [20, 21]


def test_other_studies_of_the_storage_are_another_past(
    storage: InMemoryStorage, trainings: list[History]
) -> None:
    learn(storage)
    assert learn(storage, exclude=["study 0"]).tasks == ("study 1",)
    assert learn(storage, studies=["study 0"]).tasks == ("study 0",)
    assert len(trainings) == 3


def test_another_search_space_or_name_needs_another_model(
    storage: InMemoryStorage, trainings: list[History]
) -> None:
    wide = Space(x=Float(-1, 1))
    assert learn(storage).space == SPACE
    assert learn(storage, search_space=wide).space == wide
    assert learn(storage, rename={"x": "y"}).space == Space(y=Float(0, 1))
    assert len(trainings) == 3


def test_what_is_suggested_does_not_depend_on_the_cache(storage: InMemoryStorage) -> None:
    found = []
    for _ in range(2):
        sampler = MaliboSampler.from_studies(storage, train=SHORT, progress=False, seed=0)
        study = optuna.create_study(sampler=sampler)
        found.append([study.ask({"x": FloatDistribution(0, 1)}).params for _ in range(3)])
    assert found[0] == found[1]


# -- what decides on the model -------------------------------------------------------------


@pytest.mark.parametrize(
    ("history", "config"),
    [
        (History([a_task("other")]), SHORT),
        (History([a_task(direction="maximize")]), SHORT),
        (History([a_task(losses=np.arange(10.0))]), SHORT),
        (History([a_task(losses=np.append(np.arange(9.0), np.nan))]), SHORT),
        (History([a_task(codes=np.linspace(0, 0.9, 10)[:, None])]), SHORT),
        (History([a_task(space=Space(x=Float(-1, 1)))], SPACE), SHORT),
        (History([a_task()], Space(x=Float(0, 1, default=0.5))), SHORT),
        (History([a_task(), a_task("two")]), SHORT),
        (History([a_task()]), replace(SHORT, steps=3)),
        (History([a_task()]), replace(SHORT, gamma=0.25)),
    ],
)
def test_whatever_changes_the_model_is_trained_anew(
    history: History, config: TrainConfig, trainings: list[History], tmp_path: Path
) -> None:
    trained(History([a_task()]), SHORT, tmp_path, False)
    model = trained(history, config, tmp_path, False)
    assert len(trainings) == len(files(tmp_path)) == 2
    assert (model.space, model.tasks, model.config) == (history.space, history.names, config)


def test_what_is_only_told_to_people_changes_nothing(
    trainings: list[History], tmp_path: Path
) -> None:
    for notes in ((), ("1 failed trial as not good",)):
        trained(History([a_task(notes=notes)]), SHORT, tmp_path, False)
    assert len(trainings) == 1


def test_the_order_of_the_tasks_is_that_of_the_embeddings(
    trainings: list[History], tmp_path: Path
) -> None:
    for names in (("one", "two"), ("two", "one")):
        model = trained(History([a_task(name) for name in names]), SHORT, tmp_path, False)
        assert model.tasks == names
    assert len(trainings) == 2


# -- where models are kept -----------------------------------------------------------------


@pytest.mark.parametrize("as_text", [True, False])
def test_a_folder_that_is_given_is_made_and_used(
    as_text: bool, trainings: list[History], tmp_path: Path, default_folder: Path
) -> None:
    folder = tmp_path / "deep" / "models"
    for _ in range(2):
        trained(History([a_task()]), SHORT, str(folder) if as_text else folder, False)
    assert len(trainings) == len(files(folder)) == 1
    assert not default_folder.exists()


def test_the_variable_of_the_environment_is_respected(
    trainings: list[History], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("here", "there", "here"):
        monkeypatch.setenv("MALIBO_CACHE", str(tmp_path / name))
        trained(History([a_task()]), SHORT, True, False)
    assert len(trainings) == 2
    assert files(tmp_path / "here" / "models") == files(tmp_path / "there" / "models")


def test_without_the_variable_it_is_the_cache_folder_of_the_user(
    trainings: list[History], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MALIBO_CACHE")
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda name: str(tmp_path / name))
    for _ in range(2):
        trained(History([a_task()]), SHORT, True, False)
    assert len(trainings) == len(files(tmp_path / "malibo" / "models")) == 1


def test_without_a_cache_nothing_is_written_or_read(
    storage: InMemoryStorage, trainings: list[History], tmp_path: Path
) -> None:
    learn(storage)
    before = files(tmp_path)
    learn(storage, cache=False)
    learn(storage, cache=False, exclude=["study 0"])
    assert len(trainings) == 3
    assert files(tmp_path) == before


# -- a cache that does not work ------------------------------------------------------------


@pytest.mark.parametrize("content", [b"", b"no model at all", None])
def test_a_damaged_file_is_trained_anew_and_replaced(
    content: bytes | None, trainings: list[History], tmp_path: Path
) -> None:
    history = History([a_task()])
    first = trained(history, SHORT, tmp_path, False)
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:-1] if content is None else content)
    assert same(trained(history, SHORT, tmp_path, False), first)
    assert len(trainings) == 2
    assert same(trained(history, SHORT, tmp_path, False), first)
    assert len(trainings) == 2


def test_a_file_of_another_space_is_not_taken(trainings: list[History], tmp_path: Path) -> None:
    history = History([a_task()])
    trained(history, SHORT, tmp_path, False)
    (path,) = tmp_path.iterdir()
    MetaModel.uninformed(Space(y=Float(0, 1))).save(path)
    assert trained(history, SHORT, tmp_path, False).space == SPACE
    assert len(trainings) == 2


def test_a_folder_that_cannot_be_made_costs_time_and_no_more(
    trainings: list[History], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    for folder in (tmp_path / "file", tmp_path / "file" / "models"):
        assert trained(History([a_task()]), SHORT, folder, False).informed
    assert len(trainings) == 2
    assert (tmp_path / "file").read_text() == "in the way"


def test_a_folder_that_is_read_only_costs_time_and_no_more(
    trainings: list[History], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Path) -> Path:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("malibo.files.part_beside", refuse)
    models = [trained(History([a_task()]), SHORT, tmp_path, False) for _ in range(2)]
    assert same(*models)
    assert len(trainings) == 2
    assert files(tmp_path) == []


def test_a_folder_in_the_place_of_the_file_does_no_harm(
    trainings: list[History], tmp_path: Path
) -> None:
    history = History([a_task()])
    trained(history, SHORT, tmp_path, False)
    (path,) = tmp_path.iterdir()
    path.unlink()
    path.mkdir()
    model = trained(history, SHORT, tmp_path, False)
    assert_array_equal(model.space.names, ["x"])
    assert len(trainings) == 2
