"""Tasks from studies of Optuna: all load, whatever their spaces, and every repair is told."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.storages import BaseStorage, InMemoryStorage, JournalStorage, RDBStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import FrozenTrial, Trial, TrialState, create_trial

import malibo
from malibo import Categorical, Fixed, Float, History, Int, Space
from malibo.errors import HistoryError
from malibo.space import Parameter

NAN = np.nan
ALL = {
    "lr": FloatDistribution(1e-4, 1e-1, log=True),
    "layers": IntDistribution(1, 4),
    "kind": CategoricalDistribution(["adam", "sgd"]),
}


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(optuna.logging.INFO)


def a_trial(
    params: dict[str, Any],
    value: float | None = 1.0,
    space: dict[str, BaseDistribution] = ALL,
    **options: Any,
) -> FrozenTrial:
    """A trial that asked for some of the parameters of a space."""
    distributions = {name: space[name] for name in params}
    return create_trial(params=params, distributions=distributions, value=value, **options)


def good_trials() -> list[FrozenTrial]:
    return [
        a_trial({"lr": 1e-2, "layers": 2, "kind": "sgd"}, 0.5),
        a_trial({"lr": 1e-3, "layers": 4, "kind": "adam"}, 0.25),
    ]


def add(storage: Any, name: str, trials: list[FrozenTrial] | None = None, **options: Any) -> None:
    """Add a study with given trials to a storage."""
    study = optuna.create_study(storage=storage, study_name=name, **options)
    study.add_trials(good_trials() if trials is None else trials)


def of_trials(trials: list[FrozenTrial], rename: dict[str, str] | None = None) -> History:
    """The history of one study."""
    storage = InMemoryStorage()
    add(storage, "one", trials)
    return History.from_optuna(storage, ["one"], rename=rename)


def asked(*values: tuple[BaseDistribution, Any]) -> list[FrozenTrial]:
    """Trials that asked for one parameter each, with their distributions."""
    return [a_trial({"p": value}, space={"p": distribution}) for distribution, value in values]


def repaired(history: History) -> list[str]:
    """What describe() says of repairs."""
    return (
        history.describe()
        .partition("What was done to fit the past to this space:\n")[2]
        .splitlines()
    )


# -- what is read --------------------------------------------------------------------------


@pytest.fixture(params=["memory", "sqlite", "journal"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> BaseStorage:
    if request.param == "memory":
        return InMemoryStorage()
    if request.param == "sqlite":
        return RDBStorage(f"sqlite:///{tmp_path / 'past.db'}")
    return JournalStorage(JournalFileBackend(str(tmp_path / "past.log")))


def test_each_study_becomes_a_task(storage: BaseStorage) -> None:
    add(storage, "one")
    add(storage, "two", good_trials()[::-1])
    history = History.from_optuna(storage)
    assert history.names == ("one", "two")
    assert history.space == Space.from_optuna(dict(sorted(ALL.items())))
    one, two = history.tasks
    assert_allclose(one.codes, [[1, 2, 1e-2], [0, 4, 1e-3]])  # kind, layers, lr
    assert_array_equal(one.losses, [0.5, 0.25])
    assert_allclose(two.codes, one.codes[::-1])
    assert not repaired(history)


@pytest.mark.parametrize("options", ["", "?timeout=5"])
def test_an_address_is_as_good_as_a_storage(options: str, tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'past.db'}{options}"
    add(address, "one")
    assert History.from_optuna(address).names == ("one",)


def test_a_relative_address_is_read_from_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(f"sqlite:///{tmp_path / 'past.db'}", "one")
    monkeypatch.chdir(tmp_path)
    assert History.from_optuna("sqlite:///past.db").names == ("one",)


@pytest.mark.parametrize(
    ("studies", "exclude", "names"),
    [
        (None, (), ("one", "two", "three")),
        (["three", "one"], (), ("three", "one")),
        ("two", (), ("two",)),
        (None, "two", ("one", "three")),
        (None, ["two", "one"], ("three",)),
        (["one", "two"], ["two"], ("one",)),
        (None, ["the one that is about to begin"], ("one", "two", "three")),
    ],
)
def test_studies_are_chosen_by_name(studies: Any, exclude: Any, names: tuple[str, ...]) -> None:
    storage = InMemoryStorage()
    for name in ("one", "two", "three"):
        add(storage, name)
    assert History.from_optuna(storage, studies, exclude=exclude).names == names


def test_every_study_is_read_once_and_never_again() -> None:
    read: Counter[int] = Counter()

    class Counting(InMemoryStorage):
        def get_all_trials(self, study_id: int, *args: Any, **options: Any) -> list[FrozenTrial]:
            read[study_id] += 1
            return super().get_all_trials(study_id, *args, **options)

    storage = Counting()
    for name in ("one", "two", "three"):
        add(storage, name)
    read.clear()
    history = History.from_optuna(storage, exclude=["two"])
    history.describe()
    malibo.meta_train(history, steps=2, progress=False)
    assert sorted(read.values()) == [1, 1]


def test_what_was_read_does_not_change_with_the_study() -> None:
    storage = InMemoryStorage()
    add(storage, "one")
    history = History.from_optuna(storage)
    optuna.load_study(study_name="one", storage=storage).add_trials(good_trials())
    assert len(history) == 2
    optuna.delete_study(study_name="one", storage=storage)
    assert_array_equal(history.losses, [0.5, 0.25])


def test_a_study_is_left_as_it_was(storage: BaseStorage) -> None:
    add(storage, "one")
    before = optuna.load_study(study_name="one", storage=storage).get_trials()
    malibo.meta_train(History.from_optuna(storage), steps=2, progress=False)
    assert optuna.load_study(study_name="one", storage=storage).get_trials() == before


# -- states and directions -----------------------------------------------------------------


def test_failed_and_pruned_trials_teach_and_unfinished_ones_do_not() -> None:
    params = {"lr": 1e-2, "layers": 2, "kind": "sgd"}
    steps = [{1: 5.0, 2: 4.0}, {1: 7.0}]
    history = of_trials(
        [
            a_trial(params, 1.0, intermediate_values=steps[0]),
            a_trial(params, 3.0, intermediate_values=steps[1]),
            a_trial(params, None, state=TrialState.PRUNED, intermediate_values={1: 8.0}),
            a_trial(params, None, state=TrialState.PRUNED),
            a_trial({**params, "layers": 3}, None, state=TrialState.FAIL),
            a_trial(params, None, state=TrialState.RUNNING),
            a_trial(params, None, state=TrialState.WAITING),
        ]
    )
    assert_array_equal(history.losses, [1, 3, 3, NAN, NAN])
    assert repaired(history) == [
        "- 1 pruned trial by rank at the last step (all tasks)",
        "- 1 pruned trial as not good: no number to compare (all tasks)",
        "- 1 failed trial as not good (all tasks)",
    ]


def test_a_failure_that_was_tried_again_counts_by_what_came_of_it() -> None:
    params = {"lr": 1e-2, "layers": 2, "kind": "sgd"}
    history = of_trials([a_trial(params, None, state=TrialState.FAIL), a_trial(params, 2.0)])
    assert_array_equal(history.losses, [2])


def test_a_trial_that_ended_before_it_asked_for_anything_teaches_nothing() -> None:
    assert len(of_trials([*good_trials(), create_trial(state=TrialState.FAIL)])) == 2


def test_a_trial_that_ended_early_does_not_make_the_rest_conditional() -> None:
    whole = [a_trial({"kind": "adam", "lr": lr, "layers": 2}) for lr in (1e-2, 1e-3)]
    early = [
        a_trial({"kind": "sgd", "lr": lr}, None, state=state)
        for lr, state in ((1e-2, TrialState.FAIL), (1e-3, TrialState.PRUNED))
    ]
    history = of_trials([*whole, *early])
    assert not any(parameter.when for parameter in history.space.values())
    layers = history.codes[:, history.space.names.index("layers")]
    assert_array_equal(np.isnan(layers), [False, False, True, True])


def test_scores_and_losses_may_stand_side_by_side() -> None:
    storage = InMemoryStorage()
    for direction in ("minimize", "maximize"):
        add(storage, direction, direction=direction)
    history = History.from_optuna(storage)
    assert [task.direction for task in history] == ["minimize", "maximize"]
    assert_array_equal(history.losses, [0.5, 0.25, -0.5, -0.25])
    assert history.direction is None
    assert history.describe().splitlines()[0].endswith("minimize and maximize")
    rows = [line.split() for line in history.describe().splitlines()[3:5]]
    assert rows == [["minimize", "2", "0", "0.25", "0.375"], ["maximize", "2", "0", "0.5", "0.375"]]


def test_pruned_scores_are_ranked_from_above() -> None:
    storage = InMemoryStorage()
    params = {"lr": 1e-2}
    trials = [a_trial(params, v, intermediate_values={1: 10 * v}) for v in (0.1, 0.5, 0.9)]
    trials += [
        a_trial(params, None, state=TrialState.PRUNED, intermediate_values={1: value})
        for value in (99.0, 0.0)
    ]
    add(storage, "one", trials, direction="maximize")
    assert_allclose(History.from_optuna(storage).losses[3:], [-0.9, -0.1])


@pytest.mark.parametrize("studies", [["two"], ["one", "two"]])
def test_a_study_with_two_objectives_is_refused_if_it_is_named(studies: list[str]) -> None:
    storage = InMemoryStorage()
    add(storage, "one")
    add(storage, "two", [], directions=["minimize", "maximize"])
    message = "study 'two' has 2 objectives, and malibo learns from one"
    with pytest.raises(HistoryError, match=message) as caught:
        History.from_optuna(storage, studies)
    assert isinstance(caught.value, ValueError)
    assert History.from_optuna(storage, exclude=["two"]).names == ("one",)


def test_a_study_with_two_objectives_is_left_out_with_a_warning() -> None:
    storage = InMemoryStorage()
    add(storage, "two", [], directions=["minimize", "maximize"])
    add(storage, "one")
    with pytest.warns(UserWarning, match="'two' has 2 objectives, .*one. It is left out"):
        assert History.from_optuna(storage).names == ("one",)


# -- spaces that differ --------------------------------------------------------------------


FLOAT, INT = FloatDistribution(0, 1), IntDistribution(1, 5)
AB, BC = CategoricalDistribution(["a", "b"]), CategoricalDistribution(["b", "c"])


def drawn(p: BaseDistribution | None) -> list[FrozenTrial]:
    """Trials of a study that asked for x, and for p if there is one."""
    space = {"x": FLOAT, **({"p": p} if p else {})}
    ours = Space.from_optuna(space)
    configs = ours.configs(ours.sample(np.random.default_rng(0), 12))
    return [a_trial(config, float(i), space) for i, config in enumerate(configs)]


@pytest.mark.parametrize(
    ("before", "after", "union"),
    [
        (FLOAT, FloatDistribution(0.5, 3), Float(0, 3)),
        (FloatDistribution(1, 2), FloatDistribution(0.1, 1, log=True), Float(0.1, 2)),
        (FLOAT, INT, Float(0, 5)),
        (INT, FLOAT, Int(0, 5)),
        (IntDistribution(1, 9, step=2), IntDistribution(2, 6, step=2), Int(1, 9)),
        (AB, BC, Categorical(["a", "b", "c"])),
        (AB, FLOAT, Categorical(["a", "b"])),
        (CategoricalDistribution([1, 2]), INT, Categorical([1, 2])),
        (CategoricalDistribution([None, "a"]), AB, Categorical([None, "a", "b"])),
        (CategoricalDistribution(["a"]), AB, Categorical(["a", "b"])),
        (None, FLOAT, Float(0, 1)),
        (AB, None, Categorical(["a", "b"])),
    ],
)
def test_two_studies_of_different_spaces_load_and_train(
    before: BaseDistribution | None, after: BaseDistribution | None, union: Parameter
) -> None:
    storage = InMemoryStorage()
    add(storage, "before", drawn(before))
    add(storage, "after", drawn(after))
    history = History.from_optuna(storage)
    assert dict(history.space) == {"x": Float(0, 1), "p": union}
    assert len(history) == 24
    assert any(line.startswith("- 'p'") for line in repaired(history))
    model = malibo.meta_train(history, steps=2, progress=False)
    assert np.isfinite(model.points(history.space.sample(np.random.default_rng(0), 5)).phi).all()


@pytest.mark.parametrize(
    ("before", "now", "repairs"),
    [
        (
            FloatDistribution(0, 2),
            Float(1, 3),
            [": range 0.0 to 2.0 in the past, 1.0 to 3.0 now: one scale over both"],
        ),
        (
            FloatDistribution(1, 3),
            Float(1, 3, log=True),
            [": log=False in the past: on the target's scale, log=True"],
        ),
        (INT, Float(1, 5), [": int in the past, float now: matched by value"]),
        (AB, Categorical(["b", "c"]), [": no past evidence for 'c'", ": only the past had 'a'"]),
        (None, Int(1, 3, default=2), [" is missing: filled with its default 2"]),
        (FLOAT, None, [" is dropped: the target has no such parameter"]),
    ],
)
def test_what_differs_from_the_objective_is_listed(
    before: BaseDistribution | None, now: Parameter | None, repairs: list[str]
) -> None:
    storage = InMemoryStorage()
    add(storage, "one", drawn(before))
    space = Space({"x": Float(0, 1), **({"p": now} if now else {})})
    history = History.from_optuna(storage, space=space)
    assert history.space == space
    assert repaired(history) == [f"- 'p'{repair} (all tasks)" for repair in repairs]
    malibo.meta_train(history, steps=2, progress=False)


def test_a_range_that_changes_from_trial_to_trial_becomes_one() -> None:
    history = of_trials(
        asked((FloatDistribution(0, 1), 0.5), (FloatDistribution(-1, 0.5), -1))
        + asked((FloatDistribution(0, 7, step=0.5), 3.5))
    )
    assert history.space == Space(p=Float(-1, 7))
    assert_array_equal(history.codes, [[0.5], [-1], [3.5]])


def test_choices_that_change_from_trial_to_trial_are_collected() -> None:
    history = of_trials(
        asked((CategoricalDistribution(["a", "b"]), "b"), (CategoricalDistribution(["c"]), "c"))
    )
    assert history.space == Space(p=Categorical(["a", "b", "c"]))
    assert_array_equal(history.codes, [[1], [2]])


def test_a_constant_is_a_fixed_value() -> None:
    history = of_trials(asked((IntDistribution(3, 3), 3)))
    assert history.space == Space(p=Fixed(3))


# -- renamed and dropped parameters --------------------------------------------------------


def test_a_renamed_parameter_is_known_by_its_new_name() -> None:
    storage = InMemoryStorage()
    old = {"learning_rate": ALL["lr"]}
    add(storage, "old", [a_trial({"learning_rate": 1e-2}, space=old)])
    add(storage, "new", [a_trial({"lr": 1e-3})])
    history = History.from_optuna(storage, rename={"learning_rate": "lr"})
    assert history.space == Space(lr=Float(1e-4, 1e-1, log=True))
    assert_allclose(history.codes, [[1e-2], [1e-3]])
    assert repaired(history) == ["- 'learning_rate' in the past is 'lr' now ('old')"]


def test_a_renamed_parent_keeps_its_branch() -> None:
    trials = [a_trial({"kind": "sgd", "lr": 1e-2}), a_trial({"kind": "adam"})]
    history = of_trials(trials, {"kind": "optimizer", "lr": "rate"})
    assert history.space.names == ("optimizer", "rate")
    assert history.space["rate"].when == {"optimizer": ("sgd",)}


def test_two_names_may_be_swapped() -> None:
    history = of_trials(good_trials(), {"lr": "layers", "layers": "lr"})
    assert history.space.names == ("kind", "layers", "lr")
    assert_allclose(history.codes[0], [1, 1e-2, 2])


def test_renaming_onto_a_name_that_is_there_is_refused() -> None:
    with pytest.raises(HistoryError, match=r"would have 'layers' more than once; rename"):
        of_trials(good_trials(), {"lr": "layers"})


@pytest.mark.parametrize(
    ("distribution", "value", "reason"),
    [
        (IntDistribution(0, 2**60), 5, "beyond 2**53"),
        (CategoricalDistribution([1, True]), True, "duplicate choices"),
    ],
)
def test_a_parameter_that_malibo_has_no_place_for_is_dropped_with_a_note(
    distribution: BaseDistribution, value: Any, reason: str
) -> None:
    space = {**ALL, "odd": distribution}
    history = of_trials([a_trial({"odd": value, "lr": 1e-2}, space=space)])
    assert history.space.names == ("lr",)
    (line,) = repaired(history)
    assert line.startswith("- 'odd' is dropped: ")
    assert reason in line


def test_a_study_of_nothing_but_such_parameters_is_refused() -> None:
    with pytest.raises(HistoryError, match="study 'one' has no parameter to learn from"):
        of_trials(asked((IntDistribution(0, 2**60), 5)))


# -- branches ------------------------------------------------------------------------------


def test_branches_of_the_objective_are_found_and_told() -> None:
    def objective(trial: Trial) -> float:
        if trial.suggest_categorical("kind", ["tree", "net"]) == "tree":
            return trial.suggest_int("depth", 1, 9)
        layers = trial.suggest_int("layers", 1, 3)
        return sum(trial.suggest_float(f"units {i}", 0, 1) for i in range(layers))

    storage = InMemoryStorage()
    sampler = optuna.samplers.RandomSampler(seed=0)
    study = optuna.create_study(storage=storage, study_name="one", sampler=sampler)
    study.optimize(objective, n_trials=40)
    history = History.from_optuna(storage)
    assert history.space.configs(history.codes) == [trial.params for trial in study.trials]
    assert {name: parameter.when for name, parameter in history.space.items()} == {
        "kind": {},
        "depth": {"kind": ("tree",)},
        "layers": {"kind": ("net",)},
        "units 0": {"kind": ("net",)},
        "units 1": {"layers": (2, 3)},
        "units 2": {"layers": (3,)},
    }
    told = "- 'depth' is conditional: asked for when kind='tree' (all tasks)"
    assert told in repaired(history)
    assert len(repaired(history)) == 5


def test_a_parameter_that_was_added_later_is_unknown_in_the_first_trials() -> None:
    trials = [a_trial({"kind": "sgd"}), a_trial({"kind": "adam"})]
    trials += [a_trial({"kind": kind, "lr": 1e-2}) for kind in ("sgd", "adam")]
    history = of_trials(trials)
    assert not history.space["lr"].when
    assert_array_equal(history.space.unknown(history.codes), [True, True, False, False])
    malibo.meta_train(history, steps=2, progress=False)


def test_a_branch_of_one_study_and_its_absence_in_another_go_together() -> None:
    storage = InMemoryStorage()
    add(storage, "plain", [a_trial({"kind": "adam"}), a_trial({"kind": "sgd"})])
    add(storage, "branches", [a_trial({"kind": "adam"}), a_trial({"kind": "sgd", "lr": 1e-2})])
    history = History.from_optuna(storage)
    assert history.space["lr"].when == {"kind": ("sgd",)}
    assert any("'lr' is missing" in line and "('plain')" in line for line in repaired(history))
    malibo.meta_train(history, steps=2, progress=False)


# -- studies without results ---------------------------------------------------------------


def nothing_completed() -> list[FrozenTrial]:
    states = (TrialState.FAIL, TrialState.PRUNED, TrialState.RUNNING)
    return [a_trial({"lr": 1e-2}, None, state=state) for state in states]


@pytest.mark.parametrize(
    ("trials", "reason"),
    [
        ([], "study 'two' has no completed trial"),
        (nothing_completed(), "study 'two' has no completed trial"),
        ([create_trial(value=1.0)], "study 'two' has no completed trial"),
        ([a_trial({"lr": 1e-2}, np.inf)], "task 'two' has no valid observation among 1"),
    ],
)
def test_a_study_without_results_is_left_out_unless_it_was_named(
    trials: list[FrozenTrial], reason: str
) -> None:
    storage = InMemoryStorage()
    add(storage, "one")
    add(storage, "two", trials)
    with pytest.warns(UserWarning, match=f"{reason}.* It is left out") as caught:
        history = History.from_optuna(storage)
    assert history.names == ("one",)
    assert caught[0].filename == __file__
    with pytest.raises(HistoryError, match=reason):
        History.from_optuna(storage, ["one", "two"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert History.from_optuna(storage, exclude="two").names == ("one",)


def test_where_no_study_has_results_there_is_nothing_to_learn_from() -> None:
    storage = InMemoryStorage()
    add(storage, "one", [])
    message = "no study with results in the InMemoryStorage; give at least one"
    with pytest.warns(UserWarning, match="left out"), pytest.raises(HistoryError, match=message):
        History.from_optuna(storage)


def run(storage: Any, name: str, objective: Any, n: int = 20) -> None:
    sampler = optuna.samplers.RandomSampler(seed=0)
    study = optuna.create_study(storage=storage, study_name=name, sampler=sampler)
    study.optimize(objective, n_trials=n)


def in_layers(trial: Trial) -> float:
    n = trial.suggest_int("layers", 1, 4)
    return n + (trial.suggest_float("extra", 0, 1) if n > 2 else 0)


def in_kinds(trial: Trial) -> float:
    x = trial.suggest_categorical("layers", ["x", "y"]) == "x"
    return trial.suggest_float("extra", 0, 1) if x else 1.0


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (lambda t: t.suggest_float("layers", 1, 4), in_layers),
        (lambda t: float(t.suggest_categorical("layers", [1, 2])), in_layers),
        (lambda t: t.suggest_int("layers", 1, 4), in_kinds),
        (in_kinds, in_layers),
        (in_layers, in_kinds),
    ],
)
def test_a_parent_of_another_kind_in_another_study_does_no_harm(first: Any, second: Any) -> None:
    storage = InMemoryStorage()
    run(storage, "first", first)
    run(storage, "second", second)
    history = History.from_optuna(storage)
    assert set(history.space) == {"layers", "extra"}
    malibo.meta_train(history, steps=2, progress=False)


def one_trial(
    params: dict[str, Any], distributions: dict[str, BaseDistribution]
) -> InMemoryStorage:
    storage = InMemoryStorage()
    study = optuna.create_study(storage=storage, study_name="one")
    study.add_trial(create_trial(value=1.0, params=params, distributions=distributions))
    return storage


def test_two_names_cannot_become_one() -> None:
    x = FloatDistribution(0, 1)
    storage = one_trial({"a": 0.5, "b": 0.5}, {"a": x, "b": x})
    with pytest.raises(HistoryError, match="'c'"):
        History.from_optuna(storage, ["one"], rename={"a": "c", "b": "c"})


def test_a_wrong_rename_is_refused() -> None:
    storage = one_trial({"a": 0.5}, {"a": FloatDistribution(0, 1)})
    with pytest.raises(HistoryError, match="rename"):
        History.from_optuna(storage, rename=["a"])  # type: ignore[arg-type]


def test_an_integer_that_is_a_float_in_other_trials_is_read() -> None:
    storage = one_trial({"n": 2}, {"n": IntDistribution(1, 4)})
    study = optuna.load_study(study_name="one", storage=storage)
    other: dict[str, BaseDistribution] = {"m": FloatDistribution(0, 1)}
    study.add_trial(create_trial(value=1.0, params={"m": 0.5}, distributions=other))
    assert len(History.from_optuna(storage, ["one"], rename={"m": "n"})) == 2


@pytest.mark.filterwarnings("ignore:Choices for a categorical distribution")
def test_choices_that_are_lists_are_dropped_beside_a_failure() -> None:
    odd: dict[str, BaseDistribution] = {
        "x": FloatDistribution(0, 1),
        "shape": CategoricalDistribution([[1, 2], [3]]),  # type: ignore[list-item]
    }
    storage = one_trial({"x": 0.5, "shape": [3]}, odd)
    study = optuna.load_study(study_name="one", storage=storage)
    params = {"x": 0.1, "shape": [3]}
    study.add_trial(create_trial(state=TrialState.FAIL, params=params, distributions=odd))
    assert History.from_optuna(storage).space.names == ("x",)


def test_failures_that_were_tried_again_are_told() -> None:
    storage = one_trial({"x": 0.5}, {"x": FloatDistribution(0, 1)})
    study = optuna.load_study(study_name="one", storage=storage)
    (trial,) = study.trials
    study.add_trial(
        create_trial(state=TrialState.FAIL, params=trial.params, distributions=trial.distributions)
    )
    assert "1 failed trial" in History.from_optuna(storage).describe()
