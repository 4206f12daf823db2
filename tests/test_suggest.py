"""suggest(): a pure function of model, observations, options and generator."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import malibo
from malibo import Float, History, Int, Malibo, MetaModel, Space, SuggestConfig, Task
from malibo.classifier import task_posterior
from malibo.config import Exploration, Inference, ResidualModel
from malibo.errors import SpaceExhaustedError
from malibo.functions import Functions
from malibo.labels import label
from malibo.maximize import Pool, key, taken_rows
from malibo.observations import Observations
from malibo.posterior import Gaussian, Samples
from malibo.process import DISTRUST, Process
from malibo.space.parameters import Array
from malibo.suggest import Source, Suggestion, suggest, suggestions
from strategies import repeatable

if TYPE_CHECKING:
    from conftest import Objective

FEW = SuggestConfig(random_candidates=64)
CLASSIFIER = replace(FEW, surrogate="classifier")
both = pytest.mark.parametrize("few", [FEW, CLASSIFIER], ids=["process", "classifier"])


def observed(space: Space, losses: list[float], pending: int = 0) -> Observations:
    """Random configurations with given losses, and some more without."""
    codes = space.sample(np.random.default_rng(7), len(losses) + pending)
    return Observations(codes[: len(losses)], np.array(losses), codes[len(losses) :])


def valid(space: Space, codes: Array) -> bool:
    """Whether the codes are configurations of the space, told as dicts and read again."""
    return np.array_equal(space.codes(space.configs(codes)), codes, equal_nan=True)


# -- purity --------------------------------------------------------------------------------


@both
def test_the_same_generator_state_gives_the_same_suggestion(
    few: SuggestConfig, model: MetaModel
) -> None:
    known = observed(model.space, [3.0, 1, 2, 5, 4, 6, 0.5])
    one, other = (suggest(model, known, few, np.random.default_rng(4), 3) for _ in range(2))
    assert_array_equal(one, other)
    assert not np.array_equal(one, suggest(model, known, few, np.random.default_rng(5), 3))


@both
def test_suggesting_changes_none_of_its_inputs(few: SuggestConfig, model: MetaModel) -> None:
    known = observed(model.space, [3.0, 1, 2, 5, 4, 6, 0.5], pending=2)
    pool = Pool.of(model, model.space.sample(np.random.default_rng(0), 32))
    assert model.network is not None
    arrays: list[Any] = [known.codes, known.losses, known.pending, pool.codes, pool.points.unit]
    arrays += [pool.points.phi, pool.points.offset, *model.network.weights.values()]
    copies = [array.copy() for array in arrays]
    suggest(model, known, few, np.random.default_rng(0), 3, pool)
    for array, copy in zip(arrays, copies, strict=True):
        assert_array_equal(array, copy)


@both
def test_the_global_generator_is_left_alone(few: SuggestConfig, model: MetaModel) -> None:
    before = np.random.get_state()  # noqa: NPY002
    suggest(model, observed(model.space, [3.0, 1, 2, 5, 4, 6]), few, np.random.default_rng(0))
    after = np.random.get_state()  # noqa: NPY002
    assert_array_equal(before[1], after[1])  # type: ignore[index]


# -- what is suggested ---------------------------------------------------------------------


@both
def test_the_first_suggestion_is_the_best_mean_logit(few: SuggestConfig, model: MetaModel) -> None:
    """For the process: the best one where the past's functions are low, too."""
    pool = Pool.of(model, model.space.sample(np.random.default_rng(1), 500))
    row = suggest(model, Observations.none(5), few, np.random.default_rng(0), pool=pool)[0]
    eligible = model.plausible(pool.points) if few.surrogate == "process" else np.full(500, True)
    assert eligible.any()
    assert_array_equal(row, pool.codes[np.argmax(np.where(eligible, pool.points.offset, -np.inf))])


def test_what_the_process_does_not_listen_to_is_computed_when_somebody_looks(
    model: MetaModel,
) -> None:
    known = observed(model.space, list(np.random.default_rng(0).standard_normal(30)))
    pool = Pool.of(model, model.space.sample(np.random.default_rng(1), 50))
    rng, config = np.random.default_rng(0), SuggestConfig(trust=1e-9)
    suggestion = next(suggestions(model, known, config, rng, pool=pool))
    assert "_network" not in vars(pool.points)
    assert "functions" not in vars(pool.points)
    assert_array_equal(suggestion.base, model.points(pool.codes).offset)
    assert "_network" in vars(pool.points)


def sloping(model: MetaModel, column: int) -> MetaModel:
    """The model with functions of the past that rise along one column, and know nothing else."""
    centres = np.full((2, model.joint.dimension), 0.5, np.float32)
    centres[:, column] = 0, 1
    lengths = np.full(model.joint.dimension, 1e6, np.float32)
    lengths[column] = 1
    weights = np.array([[-1], [1]], np.float32)
    return replace(model, functions=Functions(centres, lengths, weights))


def test_the_first_suggestion_is_the_best_logit_where_the_functions_of_the_past_agree(
    model: MetaModel,
) -> None:
    other = sloping(model, 0)
    pool = Pool.of(other, model.space.sample(np.random.default_rng(1), 500))
    plausible = other.plausible(pool.points)
    assert 0 < plausible.sum() < 60
    rows = suggest(other, Observations.none(5), FEW, np.random.default_rng(0), 3, pool=pool)
    first = np.argmax(np.where(plausible, pool.points.offset, -np.inf))
    assert_array_equal(rows[0], pool.codes[first])
    assert taken_rows(rows) <= taken_rows(pool.codes[plausible])
    alone = suggest(other, Observations.none(5), CLASSIFIER, np.random.default_rng(0), pool=pool)
    assert_array_equal(alone[0], pool.codes[np.argmax(pool.points.offset)])


def test_where_the_functions_agree_nowhere_the_best_logit_is_first(model: MetaModel) -> None:
    other = sloping(model, 0)
    codes = model.space.sample(np.random.default_rng(1), 500)
    pool = Pool.of(other, codes[~other.plausible(other.points(codes))])
    row = suggest(other, Observations.none(5), FEW, np.random.default_rng(0), pool=pool)[0]
    assert_array_equal(row, pool.codes[np.argmax(pool.points.offset)])


def test_the_first_suggestion_of_all_is_where_the_past_was_good(model: MetaModel) -> None:
    row = suggest(model, Observations.none(5), SuggestConfig(), np.random.default_rng(0))
    config = model.space.configs(row)[0]
    assert config["optimizer"] == "sgd"
    assert 3e-4 < config["lr"] < 3e-2


@both
def test_n_suggestions_are_distinct_and_new(few: SuggestConfig, model: MetaModel) -> None:
    known = observed(model.space, [1.0, 2, 3], pending=4)
    fresh = model.space.sample(np.random.default_rng(3), 5)
    pool = Pool.of(model, np.concatenate([known.codes, fresh, known.pending, fresh]))
    rows = suggest(model, known, few, np.random.default_rng(0), 5, pool)
    assert taken_rows(rows) == taken_rows(fresh)


def test_without_a_past_the_first_ones_are_random_and_later_ones_are_not(
    tuning_space: Space,
) -> None:
    cold = MetaModel.uninformed(tuning_space)
    pool = Pool.of(cold, tuning_space.sample(np.random.default_rng(0), 50))
    found = {}
    for count in (9, 10):
        known = observed(tuning_space, [float(i) for i in range(count)])
        rngs = [np.random.default_rng(seed) for seed in range(8)]
        rows = [suggest(cold, known, FEW, rng, pool=pool)[0] for rng in rngs]
        found[count] = len(taken_rows(np.stack(rows)))
    assert found[9] > 4
    assert found[10] == 1


@both
@pytest.mark.parametrize("count", [1, 2, 4, 5, 6, 12])
@pytest.mark.parametrize("value", [0.0, 1e300, np.nan])
def test_constant_losses_and_failures_do_no_harm(
    few: SuggestConfig, count: int, value: float, model: MetaModel
) -> None:
    for known_model in (model, MetaModel.uninformed(model.space)):
        known = observed(model.space, [value] * count)
        row = suggest(known_model, known, few, np.random.default_rng(0))
        assert valid(model.space, row)
        assert not taken_rows(row) & taken_rows(known.codes)


@both
@repeatable
@given(losses=st.lists(st.floats(), min_size=1, max_size=12), pending=st.integers(0, 3))
def test_any_losses_give_a_new_configuration(
    few: SuggestConfig, losses: list[float], pending: int, model: MetaModel
) -> None:
    clean = [loss if np.isfinite(loss) else np.nan for loss in losses]
    known = observed(model.space, clean, pending)
    row = suggest(model, known, few, np.random.default_rng(0))
    assert valid(model.space, row)
    assert not taken_rows(row) & taken_rows(known.codes, known.pending)


def test_without_a_past_random_trials_come_first_and_then_lfbo_is_better() -> None:
    space = Space(x=Float(-1, 1), y=Float(-1, 1))
    options = {"cold": 10, "random": 10**6}
    curves: dict[str, list[list[float]]] = {name: [] for name in options}
    for seed in range(5):
        for name, first in options.items():
            config = SuggestConfig(random_candidates=512, random_first=first)
            optimizer = Malibo(space=space, seed=seed, config=config)
            losses = []
            for _ in range(30):
                trial: dict[str, Any] = optimizer.ask()
                losses.append((trial["x"] - 0.3) ** 2 + (trial["y"] + 0.4) ** 2)
                optimizer.tell(trial, losses[-1])
            curves[name].append(losses)
    cold, random = np.array(curves["cold"]), np.array(curves["random"])
    assert np.array_equal(cold[:, :10], random[:, :10])
    assert np.median(cold.min(axis=1)) < 0.5 * np.median(random.min(axis=1))
    assert cold[:, 15:].mean() < 0.5 * random[:, 15:].mean()


# -- variants ------------------------------------------------------------------------------


def run(model: MetaModel, config: SuggestConfig, objective: Objective, trials: int = 7) -> None:
    """Some trials; all of them valid and distinct."""
    known = Observations.none(len(model.space))
    for trial in range(trials):
        row = suggest(model, known, config, np.random.default_rng([0, trial]))
        loss = objective(model.space.configs(row)[0])
        codes = np.concatenate([known.codes, row])
        known = replace(known, codes=codes, losses=np.append(known.losses, loss))
    assert valid(model.space, known.codes)
    assert len(taken_rows(known.codes)) == trials


@pytest.mark.parametrize(
    ("explore", "inference"), list(product(get_args(Exploration), get_args(Inference)))
)
def test_every_use_of_every_posterior_runs(
    explore: Exploration, inference: Inference, model: MetaModel, objective: Objective
) -> None:
    config = replace(CLASSIFIER, explore=explore, inference=inference, residual="none")
    run(model, config, objective, trials=4)


@pytest.mark.parametrize("residual", get_args(ResidualModel))
def test_every_residual_model_runs(
    residual: ResidualModel, model: MetaModel, objective: Objective
) -> None:
    run(model, replace(CLASSIFIER, residual=residual), objective)


@pytest.mark.parametrize("layer", ["mean_layer", "task_layer"])
def test_models_without_one_of_their_layers_run(
    layer: str, past: History, objective: Objective
) -> None:
    options: dict[str, Any] = {layer: False, "steps": 20}
    model = malibo.meta_train(past, progress=False, **options)
    for explore in get_args(Exploration):
        run(model, replace(CLASSIFIER, explore=explore), objective)
    run(model, FEW, objective)


def test_without_a_mean_layer_the_first_suggestion_is_a_draw(past: History) -> None:
    model = malibo.meta_train(past, steps=20, progress=False, mean_layer=False)
    none = Observations.none(len(model.space))
    pool = Pool.of(model, model.space.sample(np.random.default_rng(1), 100))
    rows = [suggest(model, none, FEW, np.random.default_rng(s), pool=pool)[0] for s in range(8)]
    assert len(taken_rows(np.stack(rows))) > 1


@pytest.mark.parametrize(
    ("inference", "kind"), [("laplace", Gaussian), ("variational", Gaussian), ("hmc", Samples)]
)
def test_the_posterior_is_found_by_the_configured_method(
    inference: Inference, kind: type, model: MetaModel
) -> None:
    known = observed(model.space, [3.0, 1, 2])
    seen, config = model.points(known.codes), replace(CLASSIFIER, inference=inference)
    posterior = task_posterior(seen, label(known.losses), config, np.random.default_rng(0))
    assert isinstance(posterior, kind)
    assert posterior.mean.shape == (model.config.features,)


def test_a_space_of_one_continuous_parameter_runs() -> None:
    space = Space(x=Float(-1, 1))
    run(MetaModel.uninformed(space), FEW, lambda config: config["x"] ** 2, trials=14)


def test_chance_decides_between_equal_scores() -> None:
    space = Space(x=Int(0, 99))
    codes = space.enumerate(100)
    flat = Observations(codes[:20], np.zeros(20), np.empty((0, 1)))  # nothing is better
    model = MetaModel.uninformed(space)
    config = SuggestConfig(random_first=0, residual="none")
    found = {
        float(suggest(model, flat, config, np.random.default_rng(seed))[0, 0]) for seed in range(20)
    }
    assert len(found) > 10
    assert min(found) >= 20


def test_what_is_good_is_what_the_model_was_trained_for(
    past: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[tuple[float, str]] = []

    def spy(losses: Array, gamma: float, utility: Any) -> Any:
        used.append((gamma, utility))
        return label(losses, gamma, utility)

    monkeypatch.setattr("malibo.classifier.label", spy)
    trained = malibo.meta_train(past, steps=5, progress=False, gamma=0.2, utility="pi")
    seen = observed(past.space, [1.0, 2.0, 3.0])
    for config in (CLASSIFIER, replace(CLASSIFIER, gamma=0.5, utility="ei")):
        suggest(trained, seen, config, np.random.default_rng(0))
    assert used == [(0.2, "pi"), (0.5, "ei")]


def test_without_a_past_the_logit_is_that_of_the_share_of_good_ones() -> None:
    optimizer = Malibo(space=Space(x=Float(0, 1)), gamma=0.1)
    points = optimizer.model.points(np.array([[0.3]]))
    assert points.offset[0] == pytest.approx(np.log(0.1))


def twelve(model: MetaModel) -> Observations:
    """Twelve results, the first of them the best."""
    codes = model.space.sample(np.random.default_rng(0), 12)
    return Observations(codes, np.arange(12.0), codes[:0])


def missed(found: Suggestion) -> float:
    """By how much the score of the suggested configuration is below the highest."""
    chosen = (found.pool.codes == found.row) | np.isnan(found.pool.codes) & np.isnan(found.row)
    return float(found.corrected.max() - found.corrected[chosen.all(axis=1)].max())


def misses(model: MetaModel, config: SuggestConfig) -> list[float]:
    """Of several suggestions."""
    known = twelve(model)
    rngs = [np.random.default_rng(seed) for seed in range(10)]
    return [missed(found) for rng in rngs for found in suggestions(model, known, config, rng)]


def test_a_corrected_score_may_be_missed_by_a_little_and_no_more(model: MetaModel) -> None:
    assert 0 < max(misses(model, SuggestConfig(surrogate="classifier"))) <= 0.02
    wide = misses(model, SuggestConfig(surrogate="classifier", equal_logits=1.0))
    assert 0.02 < max(wide) <= 1


@pytest.mark.parametrize(
    "config",
    [
        SuggestConfig(surrogate="classifier", residual="none"),  # without a correction
        SuggestConfig(surrogate="classifier", equal_logits=0.0),
        SuggestConfig.paper(),
        SuggestConfig(equal_logits=1.0),  # not for the process, which knows no regions of equals
    ],
)
def test_otherwise_the_best_score_wins(config: SuggestConfig, model: MetaModel) -> None:
    assert max(misses(model, config)) == 0


def drawn(model: MetaModel, config: SuggestConfig) -> int:
    """How many random candidates a suggestion had, without the promising ones."""
    none = Observations.none(len(model.space))
    (found,) = suggestions(model, none, config, np.random.default_rng(0))
    guided = model.informed and config.surrogate == "process"
    return len(found.pool.codes) - guided * len(model.promising)


def test_the_number_of_candidates_is_that_of_the_documentation_unless_it_is_given(
    model: MetaModel,
) -> None:
    cold, classifier = MetaModel.uninformed(model.space), SuggestConfig(surrogate="classifier")
    assert drawn(model, SuggestConfig()) == 2048
    assert drawn(model, classifier) == drawn(cold, classifier) == 5120
    assert drawn(cold, SuggestConfig()) == 5120
    assert drawn(model, FEW) == drawn(model, CLASSIFIER) == drawn(cold, FEW) == 64


# -- both surrogates -----------------------------------------------------------------------


@both
def test_the_order_of_the_results_does_not_matter(few: SuggestConfig, model: MetaModel) -> None:
    known = observed(model.space, [3.0, 1, 2, 5, np.nan, 6, 0.5], pending=2)
    order = np.random.default_rng(0).permutation(7)
    other = replace(known, codes=known.codes[order], losses=known.losses[order])
    one, two = (suggest(model, seen, few, np.random.default_rng(4), 3) for seen in (known, other))
    assert_array_equal(one, two)


@both
def test_a_space_is_used_up_configuration_by_configuration(few: SuggestConfig) -> None:
    space = Space(a=Int(0, 5), b=Int(0, 1))
    codes = space.enumerate(12)
    tasks = [Task(f"task {i}", space, codes, codes[:, 0] - i) for i in range(2)]
    model = malibo.meta_train(History(tasks), steps=5, progress=False)
    run(model, few, lambda config: float(config["a"]), trials=12)
    known = Observations(codes[:8], codes[:8, 0], codes[8:])
    with pytest.raises(SpaceExhaustedError, match="all 12 configurations of the space"):
        suggest(model, known, few, np.random.default_rng(0))


@both
def test_suggestions_without_any_result_are_distinct(few: SuggestConfig, model: MetaModel) -> None:
    none = Observations.none(len(model.space))
    rows = suggest(model, none, few, np.random.default_rng(0), 8)
    assert valid(model.space, rows)
    assert len(taken_rows(rows)) == 8


@both
def test_a_pending_configuration_changes_what_comes_next(
    few: SuggestConfig, model: MetaModel
) -> None:
    known = twelve(model)
    first, second = suggest(model, known, few, np.random.default_rng(0), 2)
    pending = replace(known, pending=first[None])
    again = suggest(model, pending, few, np.random.default_rng(0))[0]
    assert key(again) != key(first)
    assert key(second) != key(first)


@both
def test_a_table_limits_the_suggestions(few: SuggestConfig, model: MetaModel) -> None:
    table = model.space.sample(np.random.default_rng(5), 30)
    rows = suggest(model, twelve(model), few, np.random.default_rng(0), 4, Pool.of(model, table))
    assert taken_rows(rows) <= taken_rows(table)


# -- the process ---------------------------------------------------------------------------


def test_without_trust_the_first_ones_are_random_and_later_ones_are_not(model: MetaModel) -> None:
    pool = Pool.of(model, model.space.sample(np.random.default_rng(1), 200))
    codes = np.concatenate([model.promising[:4], model.space.sample(np.random.default_rng(2), 6)])
    losses = np.array([4.0, 5, 3, 6, 1, 0, 2, 1, 0, 2])  # what the past finds good is worst
    assert Process(model, Observations(codes, losses, codes[:0]), 0.01).trust < DISTRUST
    found = {}
    for first in (22, 10):
        config = replace(FEW, trust=0.01, random_first=first)
        known = Observations(codes, losses, codes[:0])
        rngs = [np.random.default_rng(seed) for seed in range(8)]
        rows = [suggest(model, known, config, rng, pool=pool)[0] for rng in rngs]
        found[first] = len(taken_rows(np.stack(rows)))
    assert found[22] > 4
    assert found[10] == 1


def test_with_trust_no_trial_is_random(model: MetaModel) -> None:
    pool = Pool.of(model, model.space.sample(np.random.default_rng(1), 200))
    known = observed(model.space, [1.0, 2.0, 3.0])
    config = replace(FEW, trust=1.0)
    rngs = [np.random.default_rng(seed) for seed in range(8)]
    rows = [suggest(model, known, config, rng, pool=pool)[0] for rng in rngs]
    assert len(taken_rows(np.stack(rows))) == 1


def test_the_first_results_lead_where_the_new_task_is_good(
    model: MetaModel, objective: Objective
) -> None:
    optimizer = Malibo(model, seed=0)
    for _ in range(15):
        config = optimizer.ask()
        optimizer.tell(config, objective(config))
    random = model.space.configs(model.space.sample(np.random.default_rng(0), 1000))
    assert optimizer.best[1] < np.quantile([objective(config) for config in random], 0.01)


@pytest.mark.parametrize("cold", [True, False])
@both
def test_a_missing_library_shows_at_the_first_trial(
    few: SuggestConfig, cold: bool, model: MetaModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both surrogates may need it later: the process when it has lost its trust."""

    def missing() -> None:
        raise ImportError("no LightGBM here")

    monkeypatch.setattr("malibo.suggest.lightgbm", missing)
    known = MetaModel.uninformed(model.space) if cold else model
    with pytest.raises(ImportError, match="no LightGBM here"):
        Malibo(known, config=few).ask()
    Malibo(known, config=replace(few, residual="none")).ask()


# -- where a suggestion came from ----------------------------------------------------------


def first(model: MetaModel, known: Observations, config: SuggestConfig = FEW) -> Suggestion:
    return next(suggestions(model, known, config, np.random.default_rng(0)))


def misled(model: MetaModel, count: int = 10) -> Observations:
    """Results that contradict the past: what it finds good is worst."""
    codes = np.concatenate([model.promising[:4], model.space.sample(np.random.default_rng(2), 6)])
    losses = np.array([4.0, 5, 3, 6, 1, 0, 2, 1, 0, 2])
    order = [0, 4, 1, 5, 6, 2, 7, 8, 3, 9]  # good and bad ones in turn: so it shows at once
    return Observations(codes[order][:count], losses[order][:count], codes[:0])


def test_before_the_first_result_the_meta_model_chooses_and_trust_is_as_configured(
    model: MetaModel,
) -> None:
    found = first(model, Observations.none(len(model.space)), replace(FEW, trust=0.75))
    assert (found.source, found.trust) == ("meta-model", 0.75)


def test_the_trust_of_a_suggestion_is_that_of_the_process(model: MetaModel) -> None:
    for known in (twelve(model), observed(model.space, [3.0, 1.0, 2.0]), misled(model)):
        expected = Process(model, known.in_order(), FEW.trust).trust
        assert first(model, known).trust == pytest.approx(expected)
        assert 0 <= expected <= 1


@pytest.mark.parametrize(("trust", "source"), [(1.0, "meta-model"), (0.01, "process")])
def test_with_little_trust_it_is_the_process_and_no_more_the_past_that_chooses(
    trust: float, source: str, model: MetaModel
) -> None:
    known = misled(model)
    found = first(model, known, replace(FEW, trust=trust, random_first=0))
    assert found.trust is not None
    assert (found.trust >= DISTRUST) == (source == "meta-model")
    assert found.source == source


def test_a_turn_of_the_cold_start_says_so_and_keeps_its_trust(model: MetaModel) -> None:
    config = replace(FEW, trust=0.01, random_first=9)
    sources = []
    for count in (5, 9, 10):
        found = first(model, misled(model, count), config)
        assert found.trust is not None
        assert found.trust < DISTRUST
        sources.append(found.source)
    assert sources == ["random", "booster", "process"]


def test_early_trials_and_every_second_one_are_those_of_a_cold_start(model: MetaModel) -> None:
    config = replace(FEW, trust=0.01, random_first=10)
    sources = [first(model, misled(model, count), config).source for count in range(2, 11)]
    assert sources == ["random"] * 4 + ["process", "random"] * 2 + ["process"]


def test_a_turn_of_the_cold_start_is_what_a_cold_start_would_do(model: MetaModel) -> None:
    known = misled(model, 9)
    config = SuggestConfig(trust=0.01, random_first=9)
    turn = first(model, known, config)
    alone = first(MetaModel.uninformed(model.space), known, config)
    assert turn.source == "booster"
    assert len(turn.pool.codes) == len(alone.pool.codes) == 5120
    assert_array_equal(turn.row, alone.row)


def test_without_a_past_chance_and_then_the_booster_choose_and_trust_plays_no_part(
    tuning_space: Space,
) -> None:
    cold = MetaModel.uninformed(tuning_space)
    found = [first(cold, observed(tuning_space, [1.0, 2.0] * n)) for n in (0, 1, 4, 5)]
    assert [each.source for each in found] == ["random", "random", "random", "booster"]
    assert {each.trust for each in found} == {None}


def test_the_classifier_corrects_the_meta_model_after_some_results(model: MetaModel) -> None:
    config = replace(CLASSIFIER, residual_after=5)
    found = [first(model, observed(model.space, [1.0] * n), config) for n in (0, 4, 5)]
    assert [each.source for each in found] == ["meta-model", "meta-model", "booster"]
    assert {each.trust for each in found} == {None}
    plain = replace(config, residual="none")
    assert first(model, observed(model.space, [1.0] * 9), plain).source == "meta-model"


def test_every_suggestion_of_several_tells_its_source(model: MetaModel) -> None:
    found = list(suggestions(model, twelve(model), FEW, np.random.default_rng(0), 3))
    assert all(each.source in get_args(Source) for each in found)
    assert all(each.trust is not None and 0 <= each.trust <= 1 for each in found)


def test_a_configuration_that_was_among_the_best_of_the_past_says_so(model: MetaModel) -> None:
    pool = Pool.of(model, model.past)
    nothing = Observations.none(len(model.space))
    (found,) = suggestions(model, nothing, SuggestConfig(), np.random.default_rng(0), pool=pool)
    assert found.source == "past"
    other = Pool.of(model, model.space.sample(np.random.default_rng(7), 50))
    (found,) = suggestions(model, nothing, SuggestConfig(), np.random.default_rng(0), pool=other)
    assert found.source == "meta-model"
