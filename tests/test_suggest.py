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
from malibo import Float, History, Int, Malibo, MetaModel, Space, SuggestConfig
from malibo.config import Exploration, Inference, ResidualModel
from malibo.labels import label
from malibo.maximize import Pool, taken_rows
from malibo.posterior import Gaussian, Samples
from malibo.space.parameters import Array
from malibo.suggest import EQUAL_LOGITS, Observations, suggest, suggestions, task_posterior
from strategies import repeatable

if TYPE_CHECKING:
    from conftest import Objective

FEW = SuggestConfig(random_candidates=64)


def observed(space: Space, losses: list[float], pending: int = 0) -> Observations:
    """Random configurations with given losses, and some more without."""
    codes = space.sample(np.random.default_rng(7), len(losses) + pending)
    return Observations(codes[: len(losses)], np.array(losses), codes[len(losses) :])


def valid(space: Space, codes: Array) -> bool:
    """Whether the codes are configurations of the space, told as dicts and read again."""
    return np.array_equal(space.codes(space.configs(codes)), codes, equal_nan=True)


# -- purity --------------------------------------------------------------------------------


def test_the_same_generator_state_gives_the_same_suggestion(model: MetaModel) -> None:
    known = observed(model.space, [3.0, 1, 2, 5, 4, 6, 0.5])
    one, other = (suggest(model, known, FEW, np.random.default_rng(4), 3) for _ in range(2))
    assert_array_equal(one, other)
    assert not np.array_equal(one, suggest(model, known, FEW, np.random.default_rng(5), 3))


def test_suggesting_changes_none_of_its_inputs(model: MetaModel) -> None:
    known = observed(model.space, [3.0, 1, 2, 5, 4, 6, 0.5], pending=2)
    pool = Pool.of(model, model.space.sample(np.random.default_rng(0), 32))
    assert model.network is not None
    arrays: list[Any] = [known.codes, known.losses, known.pending, pool.codes, pool.points.unit]
    arrays += [pool.points.phi, pool.points.offset, *model.network.weights.values()]
    copies = [array.copy() for array in arrays]
    suggest(model, known, FEW, np.random.default_rng(0), 3, pool)
    for array, copy in zip(arrays, copies, strict=True):
        assert_array_equal(array, copy)


def test_the_global_generator_is_left_alone(model: MetaModel) -> None:
    before = np.random.get_state()  # noqa: NPY002
    suggest(model, observed(model.space, [3.0, 1, 2, 5, 4, 6]), FEW, np.random.default_rng(0))
    after = np.random.get_state()  # noqa: NPY002
    assert_array_equal(before[1], after[1])  # type: ignore[index]


# -- what is suggested ---------------------------------------------------------------------


def test_the_first_suggestion_is_the_best_mean_logit(model: MetaModel) -> None:
    pool = Pool.of(model, model.space.sample(np.random.default_rng(1), 500))
    row = suggest(model, Observations.none(5), FEW, np.random.default_rng(0), pool=pool)[0]
    assert_array_equal(row, pool.codes[np.argmax(pool.points.offset)])


def test_the_first_suggestion_of_all_is_where_the_past_was_good(model: MetaModel) -> None:
    row = suggest(model, Observations.none(5), SuggestConfig(), np.random.default_rng(0))
    config = model.space.configs(row)[0]
    assert config["optimizer"] == "sgd"
    assert 3e-4 < config["lr"] < 3e-2


def test_n_suggestions_are_distinct_and_new(model: MetaModel) -> None:
    known = observed(model.space, [1.0, 2, 3], pending=4)
    fresh = model.space.sample(np.random.default_rng(3), 5)
    pool = Pool.of(model, np.concatenate([known.codes, fresh, known.pending, fresh]))
    rows = suggest(model, known, FEW, np.random.default_rng(0), 5, pool)
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


def test_pending_trials_count_among_the_random_first(tuning_space: Space) -> None:
    assert observed(tuning_space, [1.0, 2.0], pending=3).trials == 5


@pytest.mark.parametrize("count", [1, 2, 4, 5, 6, 12])
@pytest.mark.parametrize("value", [0.0, 1e300, np.nan])
def test_constant_losses_and_failures_do_no_harm(
    count: int, value: float, model: MetaModel
) -> None:
    for known_model in (model, MetaModel.uninformed(model.space)):
        known = observed(model.space, [value] * count)
        row = suggest(known_model, known, FEW, np.random.default_rng(0))
        assert valid(model.space, row)
        assert not taken_rows(row) & taken_rows(known.codes)


@repeatable
@given(losses=st.lists(st.floats(), min_size=1, max_size=12), pending=st.integers(0, 3))
def test_any_losses_give_a_new_configuration(
    losses: list[float], pending: int, model: MetaModel
) -> None:
    clean = [loss if np.isfinite(loss) else np.nan for loss in losses]
    known = observed(model.space, clean, pending)
    row = suggest(model, known, FEW, np.random.default_rng(0))
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
    config = replace(FEW, explore=explore, inference=inference, residual="none")
    run(model, config, objective, trials=4)


@pytest.mark.parametrize("residual", get_args(ResidualModel))
def test_every_residual_model_runs(
    residual: ResidualModel, model: MetaModel, objective: Objective
) -> None:
    run(model, replace(FEW, residual=residual), objective)


@pytest.mark.parametrize("layer", ["mean_layer", "task_layer"])
def test_models_without_one_of_their_layers_run(
    layer: str, past: History, objective: Objective
) -> None:
    options: dict[str, Any] = {layer: False, "steps": 20}
    model = malibo.meta_train(past, progress=False, **options)
    for explore in get_args(Exploration):
        run(model, replace(FEW, explore=explore), objective)


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
    seen, config = model.points(known.codes), replace(FEW, inference=inference)
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

    monkeypatch.setattr("malibo.suggest.label", spy)
    trained = malibo.meta_train(past, steps=5, progress=False, gamma=0.2, utility="pi")
    seen = observed(past.space, [1.0, 2.0, 3.0])
    for config in (FEW, replace(FEW, gamma=0.5, utility="ei")):
        suggest(trained, seen, config, np.random.default_rng(0))
    assert used == [(0.2, "pi"), (0.5, "ei")]


def test_without_a_past_the_logit_is_that_of_the_share_of_good_ones() -> None:
    optimizer = Malibo(space=Space(x=Float(0, 1)), gamma=0.1)
    points = optimizer.model.points(np.array([[0.3]]))
    assert points.offset[0] == pytest.approx(np.log(0.1))


def test_a_corrected_score_may_be_missed_by_a_little_and_no_more(model: MetaModel) -> None:
    rng = np.random.default_rng(0)
    codes = model.space.sample(rng, 12)
    seen = Observations(codes, np.arange(12.0), np.empty((0, codes.shape[1])))
    for seed in range(10):
        generator = np.random.default_rng(seed)
        (found,) = suggestions(model, seen, SuggestConfig(), generator)
        chosen = (found.pool.codes == found.row) | np.isnan(found.pool.codes) & np.isnan(found.row)
        score = found.corrected[chosen.all(axis=1)][0]
        assert score >= found.corrected.max() - EQUAL_LOGITS


def test_without_a_correction_the_best_score_wins(model: MetaModel) -> None:
    codes = model.space.sample(np.random.default_rng(0), 12)
    seen = Observations(codes, np.arange(12.0), np.empty((0, codes.shape[1])))
    (found,) = suggestions(model, seen, SuggestConfig(residual="none"), np.random.default_rng(1))
    chosen = (found.pool.codes == found.row) | np.isnan(found.pool.codes) & np.isnan(found.row)
    assert found.corrected[chosen.all(axis=1)].max() == found.corrected.max()
