"""The process: trust follows what was observed, and promise what is foreseen."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm

import malibo
from malibo import Categorical, Float, History, MetaModel, Space, Task
from malibo.metamodel import Points
from malibo.observations import Observations
from malibo.process import Process
from malibo.process.hypotheses import alone
from malibo.process.process import JUDGES, MOST, spread_rows
from malibo.process.regression import Kernel, Regression, Seen
from malibo.process.stretches import fitted_stretches
from malibo.scores import scores
from points import all_of
from process.examples import Array
from strategies import repeatable

if TYPE_CHECKING:
    from conftest import Objective

NAN = np.nan
PLANE = Space(x=Float(-1, 1), y=Float(-1, 1))
PRIOR = 0.8


def waves(codes: Array, shift: float) -> Array:
    """A function with several valleys, which a few points do not show to one without a past."""
    x, y = (codes - shift).T
    return np.asarray(np.sin(7 * x) + np.cos(5 * y + codes[:, 0]) + x**2 + y**2)


@pytest.fixture(scope="module")
def plane() -> MetaModel:
    """Trained on functions that differ by a small shift."""
    rng = np.random.default_rng(0)
    tasks = []
    for number, shift in enumerate((0.3, 0.35, 0.4, 0.45, 0.5)):
        codes = PLANE.sample(rng, 60)
        tasks.append(Task(f"waves {number}", PLANE, codes, waves(codes, shift)))
    return malibo.meta_train(History(tasks), steps=300, progress=False)


def known(codes: Array, losses: Array, pending: Array | None = None) -> Observations:
    """Observations, by default with nothing pending."""
    empty = np.empty((0, codes.shape[1]))
    return Observations(codes, losses, empty if pending is None else pending)


def contrast(model: MetaModel, seed: int) -> Array:
    """Ten configurations: some that the past finds good, and random ones."""
    rng = np.random.default_rng(seed)
    good = model.promising[rng.permutation(100)[:4]]
    return np.concatenate([good, model.space.sample(rng, 6)])


# -- trust ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_trust_rises_with_a_related_past_and_falls_with_a_flipped_one(
    seed: int, plane: MetaModel
) -> None:
    codes = contrast(plane, seed)
    losses = waves(codes, 0.42)
    assert Process(plane, known(codes, losses), PRIOR).trust > PRIOR
    assert Process(plane, known(codes, -losses), PRIOR).trust < 0.5


def test_a_past_with_every_kind_of_parameter_is_told_from_a_flipped_one(
    past: History, objective: Objective
) -> None:
    model = malibo.meta_train(past, progress=False)
    found = []
    for seed in range(5):
        codes = contrast(model, seed)
        losses = np.array([objective(config) for config in model.space.configs(codes)])
        found.append([Process(model, known(codes, s * losses), PRIOR).trust for s in (1, -1)])
    related, flipped = np.transpose(found)
    assert (flipped < related).all()
    assert np.median(flipped) < PRIOR < np.median(related)


def test_an_unrelated_task_takes_trust_away(plane: MetaModel) -> None:
    codes = PLANE.sample(np.random.default_rng(0), 25)
    losses = np.cos(9 * codes[:, 0]) * np.sin(9 * codes[:, 1])
    assert Process(plane, known(codes, losses), PRIOR).trust < 0.5


@repeatable
@given(
    losses=st.lists(st.floats(-1e9, 1e9) | st.just(NAN), min_size=1, max_size=12),
    trust=st.floats(0.01, 1),
)
def test_trust_is_a_probability(losses: list[float], trust: float, plane: MetaModel) -> None:
    codes = PLANE.sample(np.random.default_rng(len(losses)), len(losses))
    found = Process(plane, known(codes, np.array(losses)), trust).trust
    assert isinstance(found, float)
    assert 0 <= found <= 1


@pytest.mark.parametrize("trust", [0.0, 0.2, 0.5, PRIOR, 0.99, 1.0])
def test_before_any_result_the_trust_is_what_was_given(trust: float, plane: MetaModel) -> None:
    """As far as doubting hypotheses know, the past is right with a probability of one half."""
    nothing = known(np.empty((0, 2)), np.empty(0))
    assert Process(plane, nothing, trust).trust == pytest.approx(trust)


@pytest.mark.parametrize("count", [20, 64])
def test_doubting_hypotheses_may_be_convinced(count: int, plane: MetaModel) -> None:
    """Results just as foreseen, but on a scale between those of the grid: no other is likely."""
    codes = plane.promising[np.random.default_rng(1).permutation(len(plane.promising))[:count]]
    process = Process(plane, known(codes, plane.points(codes).functions[:, 0]), PRIOR)
    assert process.trust > 0.99
    points = plane.points(PLANE.sample(np.random.default_rng(2), 500))
    promise = process.log_acquisition(points)
    assert np.isfinite(promise).all()
    expected = points.functions[:, 0]
    assert (expected < expected[np.argmax(promise)]).mean() < 0.1


@pytest.mark.parametrize("count", [5, 40])
def test_results_as_the_network_foresees_them_are_trusted(count: int, plane: MetaModel) -> None:
    codes = PLANE.sample(np.random.default_rng(0), count)
    process = Process(plane, known(codes, -plane.points(codes).offset), PRIOR)
    assert process.trust > 0.9
    points = plane.points(PLANE.sample(np.random.default_rng(1), 500))
    promise = process.log_acquisition(points)
    assert np.isfinite(promise).all()
    assert (points.offset > points.offset[np.argmax(promise)]).mean() < 0.05


def test_results_opposite_to_what_is_foreseen_lead_away_from_it(plane: MetaModel) -> None:
    codes = PLANE.sample(np.random.default_rng(0), 8)
    process = Process(plane, known(codes, plane.points(codes).offset), PRIOR)
    assert process.trust < 0.1
    points = plane.points(PLANE.sample(np.random.default_rng(1), 500))
    chosen = points.offset[np.argmax(process.log_acquisition(points))]
    assert (points.offset < chosen).mean() < 0.2


def test_more_trust_before_is_more_trust_after(plane: MetaModel) -> None:
    seen = known(codes := contrast(plane, 0), waves(codes, 0.42))
    found = [Process(plane, seen, trust).trust for trust in (0.1, 0.3, 0.8, 0.99)]
    assert found == sorted(found)
    assert found[0] < found[-1]


def test_full_trust_is_kept_whatever_comes(plane: MetaModel) -> None:
    codes = contrast(plane, 0)
    assert Process(plane, known(codes, -waves(codes, 0.42)), 1.0).trust == pytest.approx(1)


def test_one_result_says_next_to_nothing(plane: MetaModel) -> None:
    for row in contrast(plane, 1):
        found = Process(plane, known(row[None], np.array([3.0])), PRIOR).trust
        assert found == pytest.approx(PRIOR, abs=0.1)


def test_pending_trials_say_nothing_of_the_trust(plane: MetaModel) -> None:
    codes = contrast(plane, 0)
    losses, pending = waves(codes, 0.42), PLANE.sample(np.random.default_rng(1), 3)
    alone = Process(plane, known(codes, losses), PRIOR)
    assert Process(plane, known(codes, losses, pending), PRIOR).trust == alone.trust


# -- the promise of candidates -------------------------------------------------------------


def share_better(candidates: Array, chosen: Array, sign: int = 1) -> float:
    """Share of the candidates that are truly better than the chosen one."""
    losses, own = sign * waves(candidates, 0.42), sign * waves(chosen[None], 0.42)[0]
    return float(np.mean(losses < own))


def test_with_a_related_past_ten_results_lead_to_the_best(plane: MetaModel) -> None:
    candidates = PLANE.sample(np.random.default_rng(1), 2000)
    found = []
    for seed in range(5):
        codes = contrast(plane, seed)
        process = Process(plane, known(codes, waves(codes, 0.42)), PRIOR)
        promise = process.log_acquisition(plane.points(candidates))
        assert np.isfinite(promise).all()
        found.append(share_better(candidates, candidates[np.argmax(promise)]))
    assert np.median(found) < 0.01


def test_with_a_flipped_past_the_observations_are_followed(plane: MetaModel) -> None:
    codes = np.concatenate([contrast(plane, seed) for seed in range(3)])
    candidates = PLANE.sample(np.random.default_rng(1), 2000)
    process = Process(plane, known(codes, -waves(codes, 0.42)), PRIOR)
    assert process.trust < 0.5
    promise = process.log_acquisition(plane.points(candidates))
    assert share_better(candidates, candidates[np.argmax(promise)], -1) < 0.1


@pytest.mark.parametrize("trust", [0.2, PRIOR, 1.0])
def test_a_pending_configuration_is_less_promising_and_so_is_what_lies_near(
    trust: float, plane: MetaModel
) -> None:
    codes = contrast(plane, 0)
    losses = waves(codes, 0.42)
    candidates = PLANE.sample(np.random.default_rng(1), 1000)
    points = plane.points(candidates)
    before = Process(plane, known(codes, losses), trust).log_acquisition(points)
    chosen = candidates[[np.argmax(before)]]
    near = plane.points(np.clip(chosen + 1e-3 * np.array([[0, 0], [1, 0], [0, 1]]), -1, 1))
    free = Process(plane, known(codes, losses), trust).log_acquisition(near)
    waiting = Process(plane, known(codes, losses, chosen), trust).log_acquisition(near)
    assert (waiting < free).all()


@pytest.mark.parametrize("count", [1, 2, 12])
@pytest.mark.parametrize("value", [NAN, 0.0])
def test_failures_alone_or_equal_losses_do_no_harm(
    count: int, value: float, plane: MetaModel
) -> None:
    codes = PLANE.sample(np.random.default_rng(0), count)
    process = Process(plane, known(codes, np.full(count, value), codes[:1] / 2), PRIOR)
    assert 0 <= process.trust <= 1
    points = plane.points(PLANE.sample(np.random.default_rng(1), 50))
    assert np.isfinite(process.log_acquisition(points)).all()


def test_a_configuration_told_many_times_does_no_harm(plane: MetaModel) -> None:
    codes = np.tile(plane.promising[:2], (20, 1))
    losses = np.random.default_rng(0).standard_normal(40)
    process = Process(plane, known(codes, losses, codes[:3]), PRIOR)
    assert np.isfinite(process.log_acquisition(plane.points(codes))).all()


def test_the_order_of_the_observations_does_not_matter(plane: MetaModel) -> None:
    codes = np.concatenate([contrast(plane, seed) for seed in range(2)])
    losses, order = waves(codes, 0.42), np.random.default_rng(0).permutation(20)
    one = Process(plane, known(codes, losses), PRIOR)
    other = Process(plane, known(codes[order], losses[order]), PRIOR)
    assert other.trust == pytest.approx(one.trust, abs=1e-6)
    points = plane.points(PLANE.sample(np.random.default_rng(1), 50))
    promise = one.log_acquisition(points)
    assert_allclose(other.log_acquisition(points), promise, rtol=1e-3, atol=1e-2)


def test_neither_offset_nor_unit_of_the_losses_matters(plane: MetaModel) -> None:
    codes = contrast(plane, 0)
    losses = waves(codes, 0.42)
    one = Process(plane, known(codes, losses), PRIOR)
    other = Process(plane, known(codes, 1e3 * losses - 7), PRIOR)
    assert other.trust == pytest.approx(one.trust, abs=1e-6)


def test_nothing_given_is_changed(plane: MetaModel) -> None:
    codes = contrast(plane, 0)
    seen = known(codes[:7], waves(codes[:7], 0.42), codes[7:])
    points = plane.points(codes)
    arrays = [seen.codes, seen.losses, seen.pending, *all_of(points)]
    copies = [array.copy() for array in arrays]
    Process(plane, seen, PRIOR).log_acquisition(points)
    for array, copy in zip(arrays, copies, strict=True):
        assert_array_equal(array, copy)


def test_a_space_of_nothing_but_fixed_values_has_a_trust() -> None:
    space = Space(a=1, b="x")
    codes = np.zeros((4, 2))
    tasks = [Task(f"task {i}", space, codes, np.arange(4.0)) for i in range(2)]
    model = malibo.meta_train(History(tasks), steps=5, progress=False)
    assert 0 <= Process(model, known(codes[:1], np.ones(1)), PRIOR).trust <= 1


def test_without_trust_three_likely_hypotheses_that_do_without_the_past_are_asked(
    plane: MetaModel,
) -> None:
    """Their expected improvement is averaged, each by its share of the evidence."""
    codes = PLANE.sample(np.random.default_rng(0), 6)
    losses = waves(codes, 0.42)
    candidates = plane.points(PLANE.sample(np.random.default_rng(1), 50))
    seen, there = (Seen(points.unit, {}) for points in (plane.points(codes), candidates))
    regression = Regression(seen, scores(losses))
    evidence = regression.evidence(alone()).log
    likely = np.argsort(-evidence)[:3]
    share = np.exp(evidence[likely] - evidence.max())
    assert (share > 0.02).all()
    expected = np.zeros(50)
    for i, weight in zip(likely, share / share.sum(), strict=True):
        prediction = regression.under(alone()[i])
        mean, spread = prediction.at(there, Kernel(there, seen))
        u = (prediction.means.min() - mean) / spread
        expected += weight * spread * (norm.pdf(u) + u * norm.cdf(u))
    found = Process(plane, known(codes, losses), 0.0).log_acquisition(candidates)
    assert_allclose(np.exp(found), expected, rtol=1e-6, atol=1e-12)


# -- a fair trial ------------------------------------------------------------------------------


@pytest.mark.parametrize(("results", "alike"), [(1, False), (2, True), (4, True), (5, False)])
def test_from_the_second_to_the_fourth_result_the_past_is_taken_at_its_word(
    results: int, alike: bool, plane: MetaModel
) -> None:
    candidates = plane.points(PLANE.sample(np.random.default_rng(1), 50))
    judged = 0
    for seed in range(20):
        codes = contrast(plane, seed)[:results]
        noise = np.random.default_rng(seed).standard_normal(results)
        seen = known(codes, waves(codes, 0.4) + noise)
        usual, believing = (Process(plane, seen, trust) for trust in (PRIOR, 1.0))
        if 0.5 < usual.trust < 0.95:  # open: those without a past have a weight that is felt
            judged += 1
            one, other = (process.log_acquisition(candidates) for process in (usual, believing))
            assert np.allclose(one, other, rtol=1e-9) == alike
            assert not usual.distrusted
    assert judged >= 3


def test_a_little_less_trust_is_no_verdict_after_four_results_but_after_five(
    plane: MetaModel,
) -> None:
    found = {}
    for seed, results in product(range(40), (4, 5)):
        rng = np.random.default_rng(seed)
        codes = PLANE.sample(rng, results)
        process = Process(plane, known(codes, rng.standard_normal(results)), PRIOR)
        found[process.trust, results] = process.distrusted
    between = {key: verdict for key, verdict in found.items() if 0.25 < key[0] < 0.5}
    assert {results for _, results in between} == {4, 5}
    assert all(verdict == (results == 5) for (_, results), verdict in between.items())
    assert all(verdict for (trust, _), verdict in found.items() if trust < 0.25)
    assert not any(verdict for (trust, _), verdict in found.items() if trust > 0.5)


def test_what_nobody_listens_to_is_not_asked_about_candidates(plane: MetaModel) -> None:
    codes = PLANE.sample(np.random.default_rng(0), 40)
    process = Process(plane, known(codes, waves(codes, 0.42)), PRIOR)
    listening = {h.voice for h, _ in process._asked if h.past}
    assert len(listening) == 1  # so many results tell which of the two is right

    def silence() -> Any:
        raise AssertionError

    points = plane.points(PLANE.sample(np.random.default_rng(1), 50))
    asks: dict[int, Any] = {0: points.ask_network, 1: points.ask_functions}
    heard = Points(points.unit, *(asks[i] if i in listening else silence for i in (0, 1)))
    assert_array_equal(process.log_acquisition(heard), process.log_acquisition(points))


def test_a_past_that_was_not_trusted_beforehand_is_not_taken_at_its_word(
    plane: MetaModel,
) -> None:
    codes = contrast(plane, 0)[[1, 2, 3]]
    process = Process(plane, known(codes, -waves(codes, 0.4)), 0.45)
    assert 0.25 < process.trust < 0.45  # not so low that it would not be taken at its word anyway
    assert process.distrusted


def along(space: Space, count: int) -> tuple[Array, Array]:
    """Random codes, and losses that differ along the first parameter alone."""
    codes = space.sample(np.random.default_rng(3), count)
    return codes, np.sin(4 * codes[:, 0])


def test_without_trust_stretches_are_fitted_to_the_results(plane: MetaModel) -> None:
    """As if the process had been told which parameter is relevant."""
    codes, losses = along(PLANE, 20)
    likely = alone()[int(np.argmax(alone_evidence(plane, codes, losses)))]
    stretches = fitted_stretches(plane.points(codes).unit, scores(losses), likely, np.arange(2))
    assert stretches[0] > 1.5 * stretches[1]
    points = plane.points(PLANE.sample(np.random.default_rng(1), 50))
    found = Process(plane, known(codes, losses, codes[:2] / 2), 0.0)
    told = Process(plane, known(codes, losses, codes[:2] / 2), 0.0, stretches)
    assert_allclose(found.log_acquisition(points), told.log_acquisition(points), rtol=1e-9)


def alone_evidence(model: MetaModel, codes: Array, losses: Array) -> Array:
    """Of the hypotheses that do without the past."""
    return Regression(Seen(model.points(codes).unit, {}), scores(losses)).evidence(alone()).log


@pytest.mark.parametrize(("count", "trust"), [(7, 0.0), (20, 1.0)])
def test_few_results_or_a_trusted_past_leave_all_parameters_alike(
    count: int, trust: float, plane: MetaModel
) -> None:
    codes, losses = along(PLANE, count)
    points = plane.points(PLANE.sample(np.random.default_rng(1), 50))
    found = Process(plane, known(codes, losses), trust)
    equal = Process(plane, known(codes, losses), trust, np.ones(2))
    assert_array_equal(found.log_acquisition(points), equal.log_acquisition(points))


def test_choices_without_an_order_are_not_stretched() -> None:
    space = Space(a=Categorical(["x", "y", "z"]), b=Categorical([True, False]))
    codes = space.sample(np.random.default_rng(0), 20)
    tasks = [Task(f"task {i}", space, codes, codes[:, 0] + i * codes[:, 1]) for i in range(3)]
    model = malibo.meta_train(History(tasks), steps=5, progress=False)
    seen = known(*along(space, 12))
    points = model.points(space.enumerate(10))
    found = Process(model, seen, 0.0).log_acquisition(points)
    assert_array_equal(found, Process(model, seen, 0.0, np.ones(5)).log_acquisition(points))


# -- functions that the task may be --------------------------------------------------------


def test_before_any_observation_functions_follow_the_past_as_far_as_it_is_trusted(
    plane: MetaModel,
) -> None:
    points = plane.points(PLANE.sample(np.random.default_rng(0), 200))
    likeness = []
    for trust in (0.0, 1.0):
        nothing = known(np.empty((0, 2)), np.empty(0))
        process = Process(plane, nothing, trust)
        assert process.trust == pytest.approx(trust)
        drawn = process.draws(points, 100, np.random.default_rng(1))
        assert drawn.shape == (100, 200)
        likeness.append(np.mean([np.corrcoef(-points.offset, f)[0, 1] for f in drawn]))
    assert abs(likeness[0]) < 0.2
    assert likeness[1] > 0.3


def test_functions_follow_what_was_observed_and_not_the_opposite(plane: MetaModel) -> None:
    codes = PLANE.sample(np.random.default_rng(0), 40)
    losses = waves(codes, 0.42)
    process = Process(plane, known(codes, losses), PRIOR)
    drawn = process.draws(plane.points(codes), 50, np.random.default_rng(1))
    assert np.corrcoef(drawn.mean(axis=0), scores(losses))[0, 1] > 0.95
    assert np.corrcoef(drawn[0], scores(losses))[0, 1] > 0.9


def test_pending_trials_do_not_change_the_functions(plane: MetaModel) -> None:
    codes = contrast(plane, 0)
    points = plane.points(PLANE.sample(np.random.default_rng(0), 20))
    one, other = (
        Process(plane, known(codes, waves(codes, 0.42), pending), PRIOR).draws(
            points, 10, np.random.default_rng(1)
        )
        for pending in (np.empty((0, 2)), codes[:3] / 2)
    )
    assert_array_equal(one, other)


def test_the_own_part_does_not_vary_along_what_is_not_relevant(plane: MetaModel) -> None:
    cold = plane.forgotten
    codes = contrast(plane, 0)
    seen = known(codes, np.sin(3 * codes[:, 0]))
    line = np.column_stack([np.full(30, 0.1), np.linspace(-1, 1, 30)])
    spread = []
    for relevance in (np.array([1.0, 1.0]), np.array([1.0, 1e-6])):
        process = Process(cold, seen, 0.0, relevance)
        drawn = process.draws(cold.points(line), 40, np.random.default_rng(0))
        spread.append(drawn.std(axis=1).mean())
    assert spread[1] < 1e-3 < spread[0]


def test_equal_relevance_is_no_relevance(plane: MetaModel) -> None:
    codes = contrast(plane, 0)
    seen, points = known(codes, waves(codes, 0.42)), plane.points(codes / 2)
    one, other = Process(plane, seen, PRIOR), Process(plane, seen, PRIOR, np.ones(2))
    assert one.log_evidence == other.log_evidence
    assert_array_equal(one.log_acquisition(points), other.log_acquisition(points))


def test_the_evidence_is_greater_for_what_is_relevant(plane: MetaModel) -> None:
    codes = PLANE.sample(np.random.default_rng(0), 30)
    seen = known(codes, np.sin(5 * codes[:, 0]))
    right, wrong = (
        Process(plane.forgotten, seen, 0.0, np.array(relevance)).log_evidence
        for relevance in ([1.0, 0.03], [0.03, 1.0])
    )
    assert right > wrong + 5


# -- many observations ---------------------------------------------------------------------


def test_more_observations_than_are_used_do_no_harm(plane: MetaModel) -> None:
    rng = np.random.default_rng(0)
    codes = PLANE.sample(rng, MOST + 50)
    losses = waves(codes, 0.42)
    losses[rng.permutation(len(losses))[:20]] = NAN
    process = Process(plane, known(codes, losses), PRIOR)
    assert 0 <= process.trust <= 1
    candidates = PLANE.sample(rng, 500)
    promise = process.log_acquisition(plane.points(candidates))
    assert share_better(candidates, candidates[np.argmax(promise)]) < 0.1


@repeatable
@given(st.lists(st.integers(-20, 20).map(float) | st.just(NAN), max_size=60), st.integers(2, 40))
def test_rows_are_kept_once_with_the_best_among_them(losses: list[float], most: int) -> None:
    y = np.array(losses)
    kept = spread_rows(y, most)
    assert len(kept) == min(len(y), most)
    assert_array_equal(kept, np.unique(kept))
    best = np.sort(y)[: most // 2]  # NaN comes last
    assert_array_equal(np.sort(y[kept])[: len(best)], best)


def test_the_rest_that_is_kept_goes_up_to_the_worst() -> None:
    y = np.random.default_rng(0).permutation(np.arange(3.0 * JUDGES))
    kept = np.sort(y[spread_rows(y, JUDGES)])
    assert kept[-1] == y.max()
    gaps = np.diff(kept[JUDGES // 2 :])
    assert gaps.max() <= 2 * gaps.min()


def test_few_rows_are_all_kept() -> None:
    assert_array_equal(spread_rows(np.array([3.0, 1.0, 2.0]), 3), [0, 1, 2])
    assert len(spread_rows(np.empty(0), 3)) == 0


@pytest.mark.parametrize("failures", [1, 3, 12])
def test_failures_alone_leave_trust_as_it_was(plane: MetaModel, failures: int) -> None:
    codes = PLANE.sample(np.random.default_rng(0), failures)
    process = Process(plane, known(codes, np.full(failures, NAN)), PRIOR)
    assert process.trust == PRIOR
    measured = Process(plane, known(codes, np.append(np.full(failures - 1, NAN), 1.0)), PRIOR)
    assert measured.trust != PRIOR
