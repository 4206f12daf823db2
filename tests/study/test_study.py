"""A study suggests as Malibo does, keeps what it is told, and is found again."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from malibo import Categorical, Float, Int, Malibo, MetaModel, Space
from malibo.config import SuggestConfig
from malibo.errors import InputError, SpaceError, SpaceExhaustedError
from malibo.study import Study, StudyError, TrialToldError

Objective = Callable[[Mapping[str, Any]], float]
SMALL = Space(x=Float(0, 1), kind=Categorical(["a", None, True, 3]))
FAST = SuggestConfig(residual="none", random_candidates=16)


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """A cold one, whose suggestions take no time."""
    return Study.create(tmp_path / "tuning.db", space=SMALL, seed=1, config=FAST)


def test_suggestions_are_those_of_malibo(
    tmp_path: Path, model: MetaModel, objective: Objective
) -> None:
    study = Study.create(tmp_path / "tuning.db", model, seed=3)
    optimizer = Malibo(model, seed=3)
    for number in range(6):
        config = optimizer.ask()
        (trial,) = Study.open(tmp_path / "tuning.db").ask()
        assert (trial.number, trial.config, trial.status) == (number, config, "running")
        value = None if number == 2 else objective(config)
        optimizer.tell(config, value)
        study.tell(number, value)
    assert [trial.config for trial in study.ask(3)] == optimizer.ask(3)
    assert study.ask()[0].config == optimizer.ask()
    assert study.trust == optimizer.trust
    again = study.optimizer()
    assert (again.results, again.pending) == (optimizer.results, optimizer.pending)
    assert again.ask() == optimizer.ask()


def test_scores_are_maximised_as_malibo_does(
    tmp_path: Path, model: MetaModel, objective: Objective
) -> None:
    scored = replace(model, direction="maximize")
    study = Study.create(tmp_path / "tuning.db", scored, seed=3, residual="none")
    optimizer = Malibo(scored, seed=3, residual="none")
    for number in range(4):
        (trial,) = study.ask()
        assert trial.config == optimizer.ask()
        study.tell(number, -objective(trial.config))
        optimizer.tell(trial.config, -objective(trial.config))
    assert study.trust == optimizer.trust


def test_a_trial_has_what_chose_it_and_when(tmp_path: Path, model: MetaModel) -> None:
    study = Study.create(tmp_path / "tuning.db", model, seed=0, residual="none")
    (trial,) = study.ask()
    assert trial.source in ("past", "meta-model")
    assert trial.trust == study.config.trust == 0.8
    assert (trial.value, trial.ended, trial.owner) == (None, None, None)
    told = study.tell(0, 0.5, "as planned")
    assert told == study.trials[0]
    assert (told.value, told.status, told.note) == (0.5, "finished", "as planned")
    assert told.started is not None
    assert told.ended is not None
    assert study.created <= told.started <= told.ended


def test_everything_is_in_the_file(tmp_path: Path, model: MetaModel) -> None:
    made = Study.create(
        tmp_path / "a.db", model, name="mine", seed=2**63 + 5, direction="minimize", trust=0.5
    )
    found = Study.open(str(tmp_path / "a.db"))
    assert (found.name, found.seed, found.direction) == ("mine", 2**63 + 5, "minimize")
    assert found.config == made.config == SuggestConfig(trust=0.5)
    assert found.space == model.space == found.model.space
    assert found.model.tasks == model.tasks
    assert found.path == tmp_path / "a.db"
    assert [path.name for path in tmp_path.iterdir()] == ["a.db"]


def test_a_study_stays_itself_when_the_process_goes_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        Study.create(tmp_path / name / "a.db", space=SMALL, seed=0, config=FAST).ask()
    monkeypatch.chdir(tmp_path / "one")
    opened = Study.open("a.db")
    made = Study.create("made.db", space=SMALL, config=FAST)
    monkeypatch.chdir(tmp_path / "other")
    opened.tell(0, 0.5)
    made.ask()
    assert [trial.value for trial in Study.open(tmp_path / "one" / "a.db").trials] == [0.5]
    assert [trial.value for trial in Study.open(tmp_path / "other" / "a.db").trials] == [None]
    assert (str(opened.path), opened.file) == ("a.db", tmp_path / "one" / "a.db")
    (tmp_path / "one" / "a.db").unlink()
    with pytest.raises(StudyError, match=r"there is no study 'a\.db'"):
        opened.tell(0, 0.25, overwrite=True)


def test_name_and_seed_are_made_up_if_not_given(tmp_path: Path) -> None:
    one, other = (Study.create(tmp_path / name, space=SMALL) for name in ("one.db", "other.db"))
    assert (one.name, other.name) == ("one", "other")
    assert one.seed != other.seed


def test_a_cold_start_has_no_trust(study: Study) -> None:
    (trial,) = study.ask()
    assert (trial.source, trial.trust, study.trust) == ("random", None, 0.0)


@pytest.mark.parametrize("value", [None, math.nan, math.inf, np.float64("-inf")])
def test_what_is_not_finite_has_failed(study: Study, value: float | None) -> None:
    study.ask()
    told = study.tell(0, value, "diverged")
    assert (told.status, told.value, told.note) == ("failed", None, "diverged")
    assert study.best is None


@pytest.mark.parametrize(("direction", "best"), [("minimize", 1), ("maximize", 2)])
def test_the_best_trial_is_by_the_direction(tmp_path: Path, direction: Any, best: int) -> None:
    study = Study.create(tmp_path / "a.db", space=SMALL, seed=0, direction=direction, config=FAST)
    study.ask(4)
    for number, value in enumerate([0.0, -1.5, 2.5, None]):
        study.tell(number, value)
    found = study.best
    assert found is not None
    assert found.number == best
    assert study.optimizer().best == (found.config, found.value)
    task = study.task()
    assert task.direction == direction
    sign = -1 if direction == "maximize" else 1
    assert task.losses.tolist()[:3] == [0.0, -1.5 * sign, 2.5 * sign]
    assert task.failed == 1
    assert task.name == "a"


def test_the_first_of_equal_ones_is_the_best(study: Study) -> None:
    study.ask(2)
    study.tell(1, 0.5)
    study.tell(0, 0.5)
    assert study.best == study.trials[0]


def test_a_study_without_a_value_is_no_task(study: Study) -> None:
    study.ask(2)
    study.tell(0, None)
    with pytest.raises(StudyError, match=r"'tuning' cannot be learned from: of its 1 result none"):
        study.task()


def test_what_is_pending_is_no_part_of_the_task(study: Study) -> None:
    study.ask(2)
    study.tell(1, 0.5)
    assert len(study.task()) == 1


def test_a_trial_is_told_once(study: Study) -> None:
    study.ask()
    study.tell(0, 0.25)
    with pytest.raises(StudyError, match=r"trial 0 was told already: value 0\.25; .*--overwrite"):
        study.tell(0, 0.5)
    assert study.trials[0].value == 0.25
    study.tell(0, None, "was wrong", overwrite=True)
    assert [(trial.value, trial.status) for trial in study.trials] == [(None, "failed")]
    with pytest.raises(TrialToldError, match="trial 0 was told already: failed"):
        study.tell(0, 0.5)


@pytest.mark.parametrize("number", [2, -1, True, "0", None, 2**70, 0.5])
def test_an_unknown_trial_is_named(study: Study, number: Any) -> None:
    with pytest.raises(StudyError, match=r"'tuning' has no trial .*; it has no trials yet"):
        study.tell(number, 0.5)
    study.ask(2)
    with pytest.raises(StudyError, match=r"has no trial .*; there are trials 0 to 1\."):
        study.give_back(number)


def test_a_value_that_is_no_number_changes_nothing(study: Study) -> None:
    study.ask()
    with pytest.raises(InputError, match="loss must be a number"):
        study.tell(0, "0.5")  # type: ignore[arg-type]
    assert study.trials[0].status == "running"


def test_what_is_given_back_comes_first(study: Study) -> None:
    first, second, third = study.ask(3, owner="me")
    assert study.give_back(second.number)
    assert study.give_back(first.number)
    waiting = study.trials[:2]
    assert [(t.status, t.owner, t.started, t.config) for t in waiting] == [
        ("waiting", None, None, first.config),
        ("waiting", None, None, second.config),
    ]
    again = study.ask(3, owner="you")
    assert [trial.number for trial in again] == [0, 1, 3]
    assert [trial.config for trial in again[:2]] == [first.config, second.config]
    assert {trial.owner for trial in again} == {"you"}
    assert study.trials[2] == third


def test_a_waiting_trial_can_be_told(study: Study) -> None:
    study.ask()
    study.give_back(0)
    assert study.tell(0, 0.5).status == "finished"
    with pytest.raises(StudyError, match=r"trial 0 cannot be given back: value 0\.5"):
        study.give_back(0)


def test_a_failed_trial_is_given_back_to_be_tried_again(study: Study) -> None:
    study.ask()
    study.tell(0, None, "no memory")
    with pytest.raises(StudyError, match="trial 0 cannot be given back: failed"):
        study.give_back(0)
    assert study.give_back(0, retry=True)
    assert (study.trials[0].status, study.trials[0].note) == ("waiting", "")
    assert study.trials[0].ended is None


def test_only_the_owner_s_trial_is_given_back(study: Study) -> None:
    study.ask(owner="me")
    assert not study.give_back(0, owner="you")
    assert study.trials[0].status == "running"
    assert study.give_back(0, owner="me")
    study.ask(owner="me")
    study.tell(0, 0.5)
    assert not study.give_back(0, owner="me")
    assert study.trials[0].value == 0.5


def test_only_a_failure_of_one_s_own_is_given_back_by_an_owner(study: Study) -> None:
    study.ask(owner="me")
    study.tell(0, None)
    assert not study.give_back(0, owner="me")
    assert study.give_back(0, owner="me", retry=True)
    assert not study.give_back(0, owner="me", retry=True)  # it waits already
    study.ask(owner="you")
    assert not study.give_back(0, owner="me", retry=True)
    assert (study.trials[0].status, study.trials[0].owner) == ("running", "you")


def test_all_that_failed_is_tried_again_and_nothing_else(study: Study) -> None:
    study.ask(4, owner="me")
    study.tell(0, None, "no memory")
    study.tell(1, 0.5)
    study.tell(3, None)
    assert study.retry_failed() == 2
    assert [trial.status for trial in study.trials] == ["waiting", "finished", "running", "waiting"]
    assert study.trials[0].note == ""
    assert study.retry_failed() == 0


def test_asking_stops_at_a_number_of_trials(study: Study) -> None:
    study.ask()  # a person's, who may never tell
    assert [trial.number for trial in study.ask(2, owner="me", until=3)] == [1, 2]
    study.tell(1, None)
    assert [trial.number for trial in study.ask(5, owner="me", until=3)] == [3]
    assert study.ask(owner="me", until=3) == []
    assert study.ask(owner="me", until=2) == []
    study.give_back(2)
    assert [trial.number for trial in study.ask(5, owner="me", until=3)] == [2]


@pytest.mark.parametrize("n", [0, -1, 1.5, True, None, "1"])
def test_a_number_that_cannot_be_asked_for_is_refused(study: Study, n: Any) -> None:
    with pytest.raises(InputError, match=r"ask\(n\) takes a whole number >= 1"):
        study.ask(n)


def test_an_exhausted_space_changes_nothing(tmp_path: Path) -> None:
    study = Study.create(tmp_path / "a.db", space=Space(x=Int(1, 3)), config=FAST)
    with pytest.raises(SpaceExhaustedError):
        study.ask(4)
    assert study.trials == []
    assert sorted(trial.config["x"] for trial in study.ask(3)) == [1, 2, 3]


def test_a_result_of_one_s_own_is_a_trial(study: Study) -> None:
    added = study.add({"x": 0.5, "kind": True}, 0.25)
    assert added == study.trials[0]
    assert (added.config, added.value, added.source) == ({"x": 0.5, "kind": True}, 0.25, None)
    assert study.add({"x": 1, "kind": None}, None, "bad").status == "failed"
    assert study.trials[1].config == {"x": 1.0, "kind": None}
    with pytest.raises(SpaceError, match="'x'"):
        study.add({"x": 2.0, "kind": None}, 0.5)
    assert len(study.trials) == 2


def test_a_result_of_a_pending_configuration_is_that_trial_s(study: Study) -> None:
    asked = study.ask(2)
    assert study.add(asked[1].config, 0.5).number == 1
    assert [trial.status for trial in study.trials] == ["running", "finished"]
    assert study.add(asked[1].config, 0.6).number == 2  # measured twice


def test_a_result_of_a_told_configuration_replaces_it_if_wanted(study: Study) -> None:
    config = {"x": 0.5, "kind": None}
    study.add(config, 0.25)
    study.add(config, 0.75)
    assert study.add(config, 0.5, "once more", overwrite=True).number == 1
    assert [(trial.value, trial.note) for trial in study.trials] == [(0.25, ""), (0.5, "once more")]
    assert study.add({"x": 0.125, "kind": None}, 0.5, overwrite=True).number == 2
    asked = study.ask()[0]
    assert study.add(asked.config, 0.5, overwrite=True).number == asked.number


def test_signs_of_life_are_of_the_owner_s_trials(study: Study) -> None:
    study.ask(owner="me")
    study.ask(owner="you")
    before = study.trials
    study.still_running("me")
    mine, other = study.trials
    assert mine.seen is not None
    assert before[0].seen is not None
    assert mine.seen > before[0].seen
    assert other == before[1]


def test_the_way_in_is_checked(tmp_path: Path, model: MetaModel) -> None:
    with pytest.raises(InputError, match="give a MetaModel, or space="):
        Study.create(tmp_path / "a.db")
    with pytest.raises(InputError, match="a study's name must be a text, got ''"):
        Study.create(tmp_path / "a.db", model, name="")
    with pytest.raises(InputError, match=r"unknown option 'trus'; .*Did you mean 'trust'"):
        Study.create(tmp_path / "a.db", model, trus=0.5)
    with pytest.raises(StudyError, match="expected the path of a study, got 3"):
        Study.open(3)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_a_model_told_the_other_way_is_worth_one_warning(tmp_path: Path, model: MetaModel) -> None:
    with pytest.warns(UserWarning, match="told to minimize"):
        study = Study.create(tmp_path / "a.db", model, direction="maximize", residual="none")
    assert study.optimizer().direction == Study.open(study.path).direction == "maximize"


def test_the_model_of_a_file_is_known_again(tmp_path: Path, model: MetaModel) -> None:
    study = Study.create(tmp_path / "a.db", model)
    model.save(tmp_path / "same.malibo")
    assert study.keeps(tmp_path / "same.malibo")
    MetaModel.uninformed(model.space).save(tmp_path / "other.malibo")
    assert not study.keeps(tmp_path / "other.malibo")


def test_repr_counts(study: Study) -> None:
    study.ask(3)
    study.tell(1, 0.5)
    assert repr(study) == "<Study 'tuning': 1 told, 2 pending>"


OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("ask"), st.integers(1, 3)),
        st.tuples(st.just("tell"), st.integers(0, 4), st.none() | st.floats(-1e9, 1e9)),
        st.tuples(st.just("give back"), st.integers(0, 4)),
        st.tuples(st.just("add"), st.floats(0, 1), st.floats(-1, 1)),
    ),
    max_size=8,
)


@given(OPERATIONS)
@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_nothing_told_is_ever_lost(
    tmp_path_factory: pytest.TempPathFactory, operations: list[tuple[Any, ...]]
) -> None:
    path = tmp_path_factory.mktemp("study") / "a.db"
    Study.create(path, space=SMALL, seed=0, config=FAST)
    values: dict[int, float | None] = {}
    for what, *arguments in operations:
        study = Study.open(path)
        pending = [trial.number for trial in study.trials if trial.number not in values]
        if what == "ask":
            study.ask(arguments[0])
        elif what == "add":
            added = study.add({"x": arguments[0], "kind": "a"}, arguments[1])
            values[added.number] = arguments[1]
        elif pending and what == "tell":
            number = pending[arguments[0] % len(pending)]
            values[number] = study.tell(number, arguments[1]).value
            assert values[number] == arguments[1]
        elif pending:
            study.give_back(pending[arguments[0] % len(pending)])
    trials = Study.open(path).trials
    assert [trial.number for trial in trials] == list(range(len(trials)))
    assert {trial.number: trial.value for trial in trials if trial.told} == values
    pending_ones = [trial.config for trial in trials if not trial.told]
    assert len({str(config) for config in pending_ones}) == len(pending_ones)


def test_what_was_asked_for_in_vain_leaves_nothing_behind(tmp_path: Path) -> None:
    """The trials that an error took back had numbers, which others get later."""
    study = Study.create(tmp_path / "few.db", space=Space(n=Int(1, 4)), seed=0, config=FAST)
    with pytest.raises(SpaceExhaustedError, match="5 configurations were asked for and 4 are left"):
        study.ask(5)
    assert study.trials == []
    first = study.add({"n": 4}, 1.0)
    assert first.number == 0
    assert {trial.config["n"] for trial in study.ask(3)} == {1, 2, 3}
    with pytest.raises(SpaceExhaustedError, match="all 4 configurations"):
        study.ask(2)
