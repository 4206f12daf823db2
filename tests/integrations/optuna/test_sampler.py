"""MaliboSampler as people use it: warm, reproducible, in parallel, wrapped."""

from __future__ import annotations

import json
import pickle
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import numpy as np
import optuna
import pytest
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.trial import FrozenTrial, Trial, TrialState

import malibo
from malibo import Categorical, Float, History, Int, Malibo, MetaModel, Space, Task
from malibo.errors import InputError
from malibo.integrations.optuna import MaliboSampler
from malibo.suggest import Source

Objective = Callable[[Trial], float]
SPACE = Space(x=Float(-5.0, 5.0), lr=Float(1e-5, 1e-1, log=True), kind=Categorical(["a", "b"]))


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(optuna.logging.INFO)


def loss(x: float, lr: float, kind: str, shift: float = 0.0) -> float:
    return float((x - 2 - shift) ** 2 + (np.log10(lr) + 3) ** 2 + 3 * (kind == "b"))


@pytest.fixture(scope="module")
def model() -> MetaModel:
    rng = np.random.default_rng(0)
    tasks = []
    for i in range(4):
        codes = SPACE.sample(rng, 80)
        losses = [loss(**config, shift=0.1 * i) for config in SPACE.configs(codes)]
        tasks.append(Task(f"task {i}", SPACE, codes, np.array(losses)))
    return malibo.meta_train(History(tasks), progress=False)


def objective(trial: Trial) -> float:
    return loss(
        trial.suggest_float("x", -5, 5),
        trial.suggest_float("lr", 1e-5, 1e-1, log=True),
        trial.suggest_categorical("kind", ["a", "b"]),
    )


def tuned(sampler: MaliboSampler, n: int, objective: Objective = objective) -> optuna.Study:
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=n)
    return study


def params(study: optuna.Study) -> list[dict[str, Any]]:
    return [trial.params for trial in study.trials]


# -- warm from trial 0 -----------------------------------------------------------------------


def test_the_first_trial_is_warm_and_all_are_those_of_ask_and_tell(model: MetaModel) -> None:
    study = tuned(MaliboSampler(model, seed=3), 8)
    opt = Malibo(model, seed=3)
    for trial in study.trials:
        config = opt.ask()
        assert trial.params == config
        opt.tell(config, loss(**config))
    assert study.trials[0].value is not None
    assert study.trials[0].value < 2  # random configurations: 13 on average


def test_the_space_of_the_past_is_the_relative_one_at_trial_0(model: MetaModel) -> None:
    study = optuna.create_study(sampler=MaliboSampler(model, seed=0))
    trial = study.ask()
    frozen = study.trials[0]
    assert trial.number == 0
    assert study.sampler.infer_relative_search_space(study, frozen) == SPACE.to_optuna()


def test_a_search_space_that_is_given_counts_in_place_of_the_past(model: MetaModel) -> None:
    space: dict[str, BaseDistribution] = {
        "x": FloatDistribution(0, 3),
        "new": IntDistribution(1, 9),
    }
    for sampler in (
        MaliboSampler(model, seed=0, search_space=space),
        MaliboSampler(seed=0, search_space=Space.from_optuna(space)),
    ):
        study = optuna.create_study(sampler=sampler)
        study.ask()
        assert sampler.infer_relative_search_space(study, study.trials[0]) == space


@pytest.mark.parametrize(
    ("ask", "named"),
    [
        (lambda t: t.suggest_float("x", -20, 20), "range"),
        (lambda t: t.suggest_float("x", 1.5, 2.5), "range"),
        (lambda t: t.suggest_float("x", 0.1, 5, log=True), "log=False in the past"),
        (lambda t: t.suggest_int("x", -5, 5), "float in the past, int now"),
        (lambda t: t.suggest_categorical("x", [-2, 2, 4]), "float in the past, categorical now"),
        (lambda t: t.suggest_float("x", -5, 5) + 0 * t.suggest_float("z", 0, 1), "'z' is new"),
        (lambda t: 2.0, "'x' is not asked for"),
    ],
)
def test_what_is_asked_for_instead_stays_warm_with_one_warning(
    model: MetaModel, ask: Callable[[Trial], float], named: str
) -> None:
    def other(trial: Trial) -> float:
        return loss(
            ask(trial),
            trial.suggest_float("lr", 1e-5, 1e-1, log=True),
            trial.suggest_categorical("kind", ["a", "b"]),
        )

    firsts = []
    for seed in range(4):
        with pytest.warns(UserWarning, match="the objective differs") as caught:
            study = tuned(MaliboSampler(model, seed=seed), 4, other)
        assert len(caught) == 1
        assert named in str(caught[0].message)
        firsts.append(float(study.trials[0].value or 0))
        assert study.trials[0].user_attrs["malibo:source"] in ("past", "meta-model")
    assert max(firsts) < 5  # a cold start: 13 on average, 90 with the wide range


def test_choices_that_changed_are_matched_by_value(model: MetaModel) -> None:
    def other(trial: Trial) -> float:
        return loss(
            trial.suggest_float("x", -5, 5),
            trial.suggest_float("lr", 1e-5, 1e-1, log=True),
            trial.suggest_categorical("kind", ["c", "b", "a"]),
        )

    with pytest.warns(UserWarning, match="no past evidence for 'c'"):
        study = tuned(MaliboSampler(model, seed=0), 12, other)
    assert study.trials[0].params["kind"] == "a"
    assert study.best_value < 0.5


def test_no_warning_where_nothing_differs(model: MetaModel) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tuned(MaliboSampler(model, seed=0), 3)
        tuned(MaliboSampler(seed=0), 3)


def test_a_value_fixed_in_this_trial_conditions_the_rest(model: MetaModel) -> None:
    """The past knows that a and b want different x; asked in another order than expected."""
    space = Space(kind=Categorical(["a", "b"]), x=Float(-5, 5))
    rng = np.random.default_rng(0)
    tasks = []
    for i in range(3):
        codes = space.sample(rng, 100)
        losses = (codes[:, 1] - np.where(codes[:, 0] == 0, 3, -3)) ** 2
        tasks.append(Task(f"task {i}", space, codes, losses))
    conditional = malibo.meta_train(History(tasks), progress=False)
    for kind, x in (("a", 3), ("b", -3)):
        study = optuna.create_study(sampler=MaliboSampler(conditional, seed=1))
        study.enqueue_trial({"kind": kind})
        trial = study.ask({"kind": CategoricalDistribution(["a", "b"])})
        # int in place of float: the plan is made anew, with the kind that is fixed
        assert abs(trial.suggest_int("x", -5, 5) - x) <= 1


def test_conditional_branches_are_found_and_completed(model: MetaModel) -> None:
    def branching(trial: Trial) -> float:
        if trial.suggest_categorical("kind", ["a", "b"]) == "a":
            return (trial.suggest_float("x", -5, 5) - 2) ** 2
        layers = trial.suggest_int("layers", 1, 3)
        return 1 + sum((trial.suggest_float(f"w{i}", 0, 1) - 0.5) ** 2 for i in range(layers))

    for sampler in (MaliboSampler(seed=0), MaliboSampler(model, seed=0)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            study = tuned(sampler, 30, branching)
        assert all(trial.state == TrialState.COMPLETE for trial in study.trials)
        study.ask()
        relative = sampler.infer_relative_search_space(study, study.trials[-1])
        assert set(relative) <= {"kind", "x", "layers", "w0", "w1", "w2"}
        assert {"kind", "x"} <= set(relative)
        assert study.best_value < 0.5


# -- states ------------------------------------------------------------------------------------


def test_failed_trials_are_not_tried_again(model: MetaModel) -> None:
    def failing(trial: Trial) -> float:
        value = objective(trial)
        if trial.params["kind"] == "a":
            raise RuntimeError("out of memory")
        return value

    study = optuna.create_study(sampler=MaliboSampler(model, seed=0))
    study.optimize(failing, n_trials=25, catch=RuntimeError)
    kinds = [trial.params["kind"] for trial in study.trials]
    assert kinds[0] == "a"  # as the past says
    assert kinds[-10:].count("b") >= 6  # as the failures say


@pytest.mark.filterwarnings("ignore:the past runs were told to minimize")
def test_maximising_is_minimising_with_the_sign_turned(model: MetaModel) -> None:
    down = tuned(MaliboSampler(model, seed=0), 6)
    up = optuna.create_study(direction="maximize", sampler=MaliboSampler(model, seed=0))
    up.optimize(lambda trial: -objective(trial), n_trials=6)
    assert params(up) == params(down)


def test_a_study_with_two_objectives_is_refused(model: MetaModel) -> None:
    study = optuna.create_study(
        directions=["minimize", "minimize"], sampler=MaliboSampler(model, seed=0)
    )
    with pytest.raises(ValueError, match="tunes one objective, and this study has 2"):
        study.optimize(lambda trial: (objective(trial), 1.0), n_trials=1)


def test_running_and_enqueued_trials_are_pending_and_not_suggested_again() -> None:
    space: dict[str, BaseDistribution] = {"i": IntDistribution(0, 9)}
    study = optuna.create_study(sampler=MaliboSampler(seed=0))
    study.enqueue_trial({"i": 7})
    study.enqueue_trial({"i": 8})
    found = [study.ask(space).params["i"] for _ in range(10)]
    assert found[:2] == [7, 8]
    assert sorted(found) == list(range(10))
    assert study.ask(space).params["i"] in range(10)  # all tried: a study goes on


# -- reproducible, resumed, copied -----------------------------------------------------------


def test_the_same_seed_gives_the_same_and_another_does_not(model: MetaModel) -> None:
    first, again, other = (tuned(MaliboSampler(model, seed=s), 5) for s in (1, 1, 2))
    assert params(first) == params(again)
    assert params(first)[1:] != params(other)[1:]


@pytest.mark.parametrize("warm", [True, False])
def test_a_study_that_is_resumed_goes_on_as_if_it_had_not_been_stopped(
    model: MetaModel, tmp_path: Path, warm: bool
) -> None:
    def sampler() -> MaliboSampler:
        return MaliboSampler(model if warm else None, seed=5)

    whole = tuned(sampler(), 16)
    url = f"sqlite:///{tmp_path}/study.db"
    for n in (7, 1, 8):
        study = optuna.create_study(
            study_name="s", storage=url, sampler=sampler(), load_if_exists=True
        )
        study.optimize(objective, n_trials=n)
    assert params(study) == params(whole)


SCRIPT = """
import json, sys, optuna
from malibo import MetaModel
from malibo.integrations.optuna import MaliboSampler
from malibo.suggest import Source
optuna.logging.set_verbosity(optuna.logging.ERROR)
study = optuna.create_study(sampler=MaliboSampler(MetaModel.load(sys.argv[1]), seed=4))
for loss in (3.0, 1.0, 2.0):
    trial = study.ask(study.sampler.model.space.to_optuna())
    study.tell(trial, loss)
print(json.dumps([trial.params for trial in study.trials]))
"""


def test_another_process_suggests_the_same(model: MetaModel, tmp_path: Path) -> None:
    path = tmp_path / "model.malibo"
    model.save(path)
    runs = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT, str(path)], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    }
    assert len(runs) == 1
    study = optuna.create_study(sampler=MaliboSampler(model, seed=4))
    for value in (3.0, 1.0, 2.0):
        study.tell(study.ask(SPACE.to_optuna()), value)
    assert json.loads(runs.pop()) == params(study)


def test_reseeding_changes_the_suggestions(model: MetaModel) -> None:
    sampler = MaliboSampler(model, seed=1)
    before = tuned(sampler, 4)
    sampler.reseed_rng()
    assert params(tuned(sampler, 4))[1:] != params(before)[1:]


def test_without_a_seed_two_samplers_differ(model: MetaModel) -> None:
    assert params(tuned(MaliboSampler(model), 3)) != params(tuned(MaliboSampler(model), 3))


def test_the_sampler_pickles_in_mid_study(model: MetaModel) -> None:
    whole = tuned(MaliboSampler(model, seed=1), 6)
    study = tuned(MaliboSampler(model, seed=1), 3)
    study.sampler = pickle.loads(pickle.dumps(study.sampler))
    study.optimize(objective, n_trials=3)
    assert params(study) == params(whole)


# -- in parallel -------------------------------------------------------------------------------


@pytest.mark.parametrize("warm", [True, False])
def test_threads_share_a_sampler_and_get_distinct_configurations(warm: bool) -> None:
    """All that there are: 36 trials of 36 configurations."""

    def small(trial: Trial) -> float:
        i, j = trial.suggest_int("i", 0, 5), trial.suggest_int("j", 0, 5)
        return float((i - 2) ** 2 + (j - 3) ** 2)

    space = Space(i=Int(0, 5), j=Int(0, 5))
    codes = space.sample(np.random.default_rng(0), 60)
    past = History([Task("past", space, codes, (codes**2).sum(axis=1))])
    model = malibo.meta_train(past, steps=20, progress=False) if warm else None
    study = optuna.create_study(sampler=MaliboSampler(model, seed=0, search_space=space))
    study.optimize(small, n_trials=36, n_jobs=4)
    found = {tuple(trial.params.values()) for trial in study.trials}
    assert len(found) == len(study.trials) == 36


# -- notes -----------------------------------------------------------------------------------


def test_trust_and_source_are_attributes_of_the_trial(model: MetaModel) -> None:
    study = tuned(MaliboSampler(model, seed=0), 6)
    for trial in study.trials:
        assert trial.user_attrs["malibo:source"] in get_args(Source)
        assert 0 <= trial.user_attrs["malibo:trust"] <= 1
    assert study.trials[0].user_attrs["malibo:source"] in ("past", "meta-model")
    assert study.trials[0].user_attrs["malibo:trust"] == 0.8
    cold = tuned(MaliboSampler(seed=0), 12)
    assert cold.trials[0].user_attrs == {"malibo:source": "random", "malibo:trust": 0.0}
    assert cold.trials[-1].user_attrs == {"malibo:source": "booster", "malibo:trust": 0.0}


def test_without_the_private_names_of_optuna_suggestions_are_the_same(
    model: MetaModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = params(tuned(MaliboSampler(model, seed=0), 4))

    def gone(*_: object) -> None:
        raise AttributeError("'Study' object has no attribute '_storage'")

    for name in ("set_trial_user_attr", "set_trial_system_attr"):
        monkeypatch.setattr(optuna.storages.InMemoryStorage, name, gone)
    with pytest.warns(UserWarning, match="trust and source are not recorded"):
        study = tuned(MaliboSampler(model, seed=0), 4)
    assert params(study) == expected


# -- wrapped -----------------------------------------------------------------------------------


def test_with_hyperband_pruned_trials_teach(model: MetaModel) -> None:
    def stepwise(trial: Trial) -> float:
        value = objective(trial)
        for step in range(9):
            trial.report(value + 10 - step, step)
            if trial.should_prune():
                raise optuna.TrialPruned
        return value

    study = optuna.create_study(
        sampler=MaliboSampler(model, seed=0),
        pruner=optuna.pruners.HyperbandPruner(min_resource=1, max_resource=9),
    )
    study.optimize(stepwise, n_trials=20)
    states = {trial.state for trial in study.trials}
    assert states == {TrialState.COMPLETE, TrialState.PRUNED}
    assert study.best_value < 0.5
    assert len({tuple(trial.params.values()) for trial in study.trials}) == 20  # in all brackets


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_partial_fixed_sampler_fixes_and_the_rest_is_warm(model: MetaModel) -> None:
    fixed = optuna.samplers.PartialFixedSampler({"kind": "b"}, MaliboSampler(model, seed=0))
    study = optuna.create_study(sampler=fixed)
    study.optimize(objective, n_trials=8)
    assert {trial.params["kind"] for trial in study.trials} == {"b"}
    assert study.best_value < 4  # 3 is the best with b


def test_enqueued_values_stand_and_the_rest_is_warm(model: MetaModel) -> None:
    study = optuna.create_study(sampler=MaliboSampler(model, seed=0))
    study.enqueue_trial({"lr": 5e-3})
    study.optimize(objective, n_trials=1)
    found = study.trials[0].params
    assert (found["kind"], found["lr"]) == ("a", 5e-3)
    assert abs(found["x"] - 2) < 2


def test_constants_pass_through(model: MetaModel) -> None:
    distributions: dict[str, Any] = {
        **SPACE.to_optuna(),
        "one": CategoricalDistribution(["only"]),
        "two": IntDistribution(2, 2),
    }
    study = optuna.create_study(sampler=MaliboSampler(model, seed=0))
    trial = study.ask(distributions)
    with pytest.warns(UserWarning, match="'one' is new"):
        study.tell(trial, 1.0)
    trial = study.ask(distributions)
    assert trial.params["one"] == "only"
    assert trial.params["two"] == 2


def test_distributions_that_malibo_has_no_place_for_are_random(model: MetaModel) -> None:
    def huge(trial: Trial) -> float:
        trial.suggest_int("seed", 0, 2**60)
        trial.suggest_categorical("odd", [1, True])
        return objective(trial)

    with pytest.warns(UserWarning, match="'seed' is drawn at random .* is beyond 2"):
        study = tuned(MaliboSampler(model, seed=0), 4, huge)
    assert len({trial.params["seed"] for trial in study.trials}) == 4


def test_the_study_itself_in_the_past_is_worth_a_word(model: MetaModel) -> None:
    study = optuna.create_study(study_name="task 1", sampler=MaliboSampler(model, seed=0))
    with pytest.warns(UserWarning, match="the past contains this study, 'task 1'"):
        study.optimize(objective, n_trials=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"model": "past.malibo"}, "model must be a malibo.MetaModel, got str"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"search_space": [1]}, "search_space must be a dict of names"),
        ({"explor": "map"}, "unknown option 'explor'"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        MaliboSampler(**arguments)


def test_a_frozen_trial_is_left_as_it_was(model: MetaModel) -> None:
    study = tuned(MaliboSampler(model, seed=0), 2)
    study.ask()
    before: FrozenTrial = study.trials[-1]
    frozen = study.trials[-1]
    study.sampler.sample_relative(study, frozen, SPACE.to_optuna())
    assert frozen == before


def test_private_names_of_optuna_are_used_in_one_file_only() -> None:
    source = Path(malibo.__file__).parent
    files = [*source.glob("integrations/**/*.py"), *source.glob("sources/*.py")]
    private = re.compile(r"(?<!\bself)(?<!\bcls)\._[a-z]|import _|optuna\._")
    users = {path.name for path in files if private.search(path.read_text(encoding="utf-8"))}
    assert users == {"notes.py"}


# -- what a review found -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "ask", [lambda t: t.suggest_float("x", -5, 5, step=0.5), lambda t: t.suggest_int("x", -5, 5)]
)
def test_values_of_the_past_are_rounded_to_what_is_asked_for(
    model: MetaModel, ask: Callable[[Trial], float]
) -> None:
    def other(trial: Trial) -> float:
        return loss(ask(trial), trial.suggest_float("lr", 1e-5, 1e-1, log=True), "a")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = tuned(MaliboSampler(model, seed=0), 12, other)
    assert all((2 * trial.params["x"]) % 1 == 0 for trial in study.trials)
    changed = model.for_space(Space(x=Int(-5, 5), lr=SPACE["lr"], kind=SPACE["kind"]))
    opt = Malibo(changed, seed=0)
    for _ in range(6):
        config = opt.ask()
        opt.tell(config, loss(**config))
    assert opt.pending == []


def test_a_parameter_whose_parent_is_gone_does_not_hide_what_was_tried() -> None:
    space = Space(x=Int(0, 20), k=Categorical(["a", "b"]), d=Float(0, 1, when={"k": "a"}))
    codes = space.sample(np.random.default_rng(0), 60)
    past = History([Task(str(i), space, codes, np.abs(codes[:, 0] - 7 - i)) for i in range(2)])
    sampler = MaliboSampler(malibo.meta_train(past, steps=50, progress=False), seed=0)
    with pytest.warns(UserWarning, match="'k' is not asked for"):
        study = tuned(sampler, 15, lambda t: abs(t.suggest_int("x", 0, 20) - 9))
    assert len({trial.params["x"] for trial in study.trials}) == 15


def test_a_trial_that_fails_before_it_asks_for_all_is_not_repeated_for_ever() -> None:
    space = Space(x=Int(0, 20), k=Categorical(["a", "b", "c"]))
    codes = space.sample(np.random.default_rng(0), 60)
    past = History([Task(str(i), space, codes, np.abs(codes[:, 0] - 7)) for i in range(2)])
    sampler = MaliboSampler(malibo.meta_train(past, steps=50, progress=False), seed=0)

    def failing(trial: Trial) -> float:
        if 5 <= trial.suggest_int("x", 0, 20) <= 9:
            raise RuntimeError("out of memory")
        trial.suggest_categorical("k", ["a", "b", "c"])
        return 1.0

    study = optuna.create_study(sampler=sampler)
    study.optimize(failing, n_trials=20, catch=RuntimeError)
    assert sum(trial.state == TrialState.COMPLETE for trial in study.trials) >= 10


def test_a_study_by_the_same_name_starts_anew(model: MetaModel) -> None:
    sampler = MaliboSampler(model, seed=0)
    for turn in range(2):
        study = optuna.create_study(study_name="same", sampler=sampler)
        found = []
        for _ in range(5):
            trial = study.ask(SPACE.to_optuna())
            found.append(trial.params)
            study.tell(trial, (1 - 2 * turn) * loss(**trial.params))
        fresh = optuna.create_study(sampler=MaliboSampler(model, seed=0))
        for expected in found:
            trial = fresh.ask(SPACE.to_optuna())
            assert trial.params == expected
            fresh.tell(trial, (1 - 2 * turn) * loss(**trial.params))
        study.ask()  # and never told


def test_booleans_stay_booleans() -> None:
    space = Space(flag=Categorical([0, 1]), x=Float(0, 1))
    codes = space.sample(np.random.default_rng(0), 60)
    past = History([Task(str(i), space, codes, codes[:, 1]) for i in range(2)])
    sampler = MaliboSampler(malibo.meta_train(past, steps=20, progress=False), seed=0)
    seen = []

    def objective(trial: Trial) -> float:
        seen.append(trial.suggest_categorical("flag", [False, True]))
        return trial.suggest_float("x", 0, 1)

    tuned(sampler, 8, objective)
    assert {type(flag) for flag in seen} == {bool}


@pytest.mark.filterwarnings("ignore:the objective differs")
@pytest.mark.parametrize("how", ["fails", "is pruned"])
@pytest.mark.parametrize("warm", [True, False])
def test_a_branch_that_never_completes_makes_nothing_repeat(how: str, warm: bool) -> None:
    space = Space(opt=Categorical(["adam", "sgd"]), n=Int(1, 12), k=Int(1, 6))
    codes = space.sample(np.random.default_rng(0), 40)
    tasks = [Task(f"task {i}", space, codes, codes @ [1.0, 0.1 * i, 1.0]) for i in range(3)]
    model = malibo.meta_train(History(tasks), steps=50, progress=False) if warm else None

    def branched(trial: Trial) -> float:
        opt = trial.suggest_categorical("opt", ["adam", "sgd"])
        n, k = trial.suggest_int("n", 1, 12), trial.suggest_int("k", 1, 6)
        if opt == "sgd":
            trial.suggest_float("momentum", 0, 1)
            raise ValueError if how == "fails" else optuna.TrialPruned
        return float((n - 6) ** 2 + (k - 3) ** 2)

    study = optuna.create_study(sampler=MaliboSampler(model, seed=0))
    study.enqueue_trial({"opt": "sgd", "n": 3, "k": 1})
    study.optimize(branched, n_trials=25, catch=(ValueError,))
    tried = [tuple(t.params.items()) for t in study.trials if t.state == TrialState.COMPLETE]
    assert len(tried) > 10
    assert len(set(tried)) == len(tried)


def test_a_parameter_that_is_asked_for_now_and_then_makes_nothing_repeat() -> None:
    """No branch explains it: what was tried counts as tried whatever its value might have been."""

    def whimsical(trial: Trial) -> float:
        n, k = trial.suggest_int("n", 1, 5), trial.suggest_int("k", 1, 5)
        if (3 * n + 2 * k) % 7 > 3:
            trial.suggest_float("extra", 0, 1)
        return float((n - 2) ** 2 + (k - 3) ** 2)

    study = optuna.create_study(sampler=MaliboSampler(seed=0))
    study.optimize(whimsical, n_trials=20)
    without = [tuple(t.params.values()) for t in study.trials if "extra" not in t.params]
    assert len(without) >= 5
    assert len(set(without)) == len(without)


@pytest.mark.filterwarnings("ignore:the objective differs")
def test_a_branch_of_the_past_whose_parent_is_narrower_now_makes_nothing_repeat() -> None:
    past = optuna.storages.InMemoryStorage()

    def before(trial: Trial) -> float:
        layers = trial.suggest_int("layers", 1, 4)
        return abs(layers - 2) + (trial.suggest_int("units", 16, 256) / 1e3 if layers > 2 else 0)

    for i in range(3):
        chance = optuna.samplers.RandomSampler(seed=i)
        earlier = optuna.create_study(storage=past, study_name=f"past {i}", sampler=chance)
        earlier.optimize(before, n_trials=20)
    sampler = MaliboSampler.from_studies(past, seed=0, cache=False, progress=False)
    study = optuna.create_study(sampler=sampler)
    study.optimize(lambda t: abs(t.suggest_int("layers", 1, 3) - 3), n_trials=5)
    assert {t.params["layers"] for t in study.trials[:3]} == {1, 2, 3}
    assert [t.user_attrs["malibo:source"] for t in study.trials[3:]] == ["repeat", "repeat"]


def test_a_trial_that_did_not_get_far_does_not_stand_for_its_whole_branch() -> None:
    """One failed after its first question, another is enqueued with a single value."""
    space = {"kind": CategoricalDistribution(["a", "b", "c"]), "n": IntDistribution(1, 3)}
    study = optuna.create_study(sampler=MaliboSampler(seed=0, search_space=space))
    kind = {"kind": space["kind"]}
    study.add_trial(
        optuna.create_trial(params={"kind": "b"}, distributions=kind, state=TrialState.FAIL)
    )
    trial = study.ask(space)  # while the enqueued one waits, nine of nine are left
    study.enqueue_trial({"kind": "c"})
    study.tell(trial, 0.0)
    asked = [study.ask(space) for _ in range(8)]
    for number, other in enumerate(asked):
        study.tell(other, float(number))
    tried = {tuple(t.params.items()) for t in study.trials if t.state == TrialState.COMPLETE}
    assert asked[0].params["kind"] == "c"
    assert len(tried) == 9
