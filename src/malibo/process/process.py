"""The process fitted to the new task: its trust in the past, and the promise of candidates."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from malibo.metamodel import MetaModel, Points
from malibo.observations import Observations
from malibo.process.draws import drawn_scores
from malibo.process.hypotheses import Hypothesis, alone, grid, log_weights, total, weights
from malibo.process.improvement import log_expected_improvement, log_sum
from malibo.process.regression import Kernel, Prediction, Regression, Seen, Voice
from malibo.process.stretches import fitted_stretches
from malibo.process.verdict import distrusted, fair_trial
from malibo.scores import scores
from malibo.space.parameters import Categorical

Array = NDArray[np.float64]

JUDGES = 64  # observations by which hypotheses are weighed, at most
MOST = 176  # observations from which the scores of candidates are foreseen, at most
_ASKED = 4  # hypotheses with the past that are asked about candidates, at most
_ALONE = 3  # and without it, while it is not trusted
_BLOCK = 512  # candidates at once: their covariances stay in the processor's cache
_ENOUGH = 8  # observations to which stretches are fitted, at least
_NEGLIGIBLE = 0.01  # hypotheses of less weight are not asked
_NEGLIGIBLE_DOUBT = 0.001  # but doubting ones: they hope for much where the past expects least
_CONVINCED = 0.95  # probability of b > 0 from which on a doubting twin no longer doubts


class Process:
    """What is known of the new task; ``draws`` alone does without an observation.

    ``trust`` is the probability that the past helps before anything was observed. Of pending
    configurations the process believes what it foresees. ``relevance`` (D,) stretches the columns
    of the unit cube: the task's own part hardly varies along one with a small number.
    """

    def __init__(
        self,
        model: MetaModel,
        observations: Observations,
        trust: float,
        relevance: Array | None = None,
    ) -> None:
        self._model, self._pending, self.relevance = model, observations.pending, relevance
        kept = spread_rows(observations.losses, MOST)
        self._seen = self._view(model.points(observations.codes[kept]))
        self._scores = scores(observations.losses)[kept]
        judges = spread_rows(self._scores, JUDGES)
        self._judged = Regression(self._seen.rows(judges), self._scores[judges])
        self._grid = grid(len(self._seen.voices))
        self._doubting, self._without = self._grid.doubting, self._grid.voices < 0
        evidence = self._judged.evidence(self._grid)
        self._convinced = self._doubting & (evidence.upright > _CONVINCED)
        self._log_weights = log_weights(evidence.log, trust, self._grid)
        self._weights = weights(self._log_weights)
        self.log_evidence = total(self._log_weights)  # of the scores of the judges
        upright = min(float(self._weights @ evidence.upright), 1.0)  # up to rounding
        measured, results = np.isfinite(observations.losses).any(), len(observations.losses)
        #: probability that the past helps: what it expects has the right sign. Failures alone
        #: do not say, though the search leaves where they are
        self.trust = upright if measured else trust
        #: whether suggestions do without the past
        self.distrusted = distrusted(upright, trust, results)
        self._at_its_word = fair_trial(trust, results) and not self.distrusted

    def log_acquisition(self, points: Points) -> Array:
        """ln of the expected improvement over the best so far, averaged over hypotheses."""
        regression = self._regression
        view = self._stretched(self._view(points, {h.voice for h, _ in self._asked if h.past}))
        asked = [(np.log(weight), regression.under(h)) for h, weight in self._asked]
        blocks = [view.rows(slice(i, i + _BLOCK)) for i in range(0, len(view), _BLOCK)]
        return np.concatenate([_log_improvement(block, regression.seen, asked) for block in blocks])

    def draws(
        self, points: Points, count: int, rng: np.random.Generator, noisy: bool = False
    ) -> Array:
        """Scores (count, n) of functions that the task may be, likely ones more often.

        Of the observations alone: what is pending was not measured. With ``noisy`` they are
        what would be measured, else the functions themselves.
        """
        counts = rng.multinomial(count, self._weights)
        drawn = [(self._grid[i], int(counts[i])) for i in np.flatnonzero(counts)]
        known = Regression(self._seen, self._scores)
        return drawn_scores(known, drawn, self._view(points), rng, noisy)

    @cached_property
    def _asked(self) -> list[tuple[Hypothesis, float]]:
        """The hypotheses that are asked about candidates, with weights that sum to 1.

        Each asked one speaks for others: of those that believe the past four do, of those that
        doubt it one, and of those without a past one, or several while it is not trusted. For
        doubting twins that are convinced by now the believing ones speak, those that fit best.
        After the second to fourth result those that believe are asked alone, unless the past
        clearly misleads: so few results judge badly, and one by one all have had a say in the
        second trial.
        """
        believing, doubting = ~(self._doubting | self._without), self._doubting & ~self._convinced
        belief, doubt, rest = (
            float(self._weights[those].sum())
            for those in (believing | self._convinced, doubting, self._without)
        )
        if self._at_its_word:
            belief, doubt, rest = 1.0, 0.0, 0.0
        asked = [(h, belief * share) for h, share in self._likeliest_of(believing, _ASKED)]
        asked += [(h, rest * share) for h, share in self._without_past()]
        kept = [(h, weight) for h, weight in asked if weight > _NEGLIGIBLE]
        if doubt > _NEGLIGIBLE_DOUBT:
            kept += [(h, doubt) for h, _ in self._likeliest_of(doubting, 1)]
        total = sum(weight for _, weight in kept)
        return [(h, weight / total) for h, weight in kept]

    def _without_past(self) -> list[tuple[Hypothesis, float]]:
        """The best of the grid; while the past is not trusted, several made to do without it."""
        if self.distrusted:
            return _likeliest(alone(), self._evidence_alone(self._stretches), _ALONE)
        return self._likeliest_of(self._without, 1)

    def _likeliest_of(self, those: NDArray[np.bool_], most: int) -> list[tuple[Hypothesis, float]]:
        """At most so many of some hypotheses of the grid, with their shares."""
        return _likeliest(self._grid, np.where(those, self._log_weights, -np.inf), most)

    def _evidence_alone(self, stretches: Array) -> Array:
        """ln of the evidence of the hypotheses made to do without a past."""
        judged = Regression(self._judged.seen.stretched(stretches), self._judged.scores)
        return judged.evidence(alone()).log

    @cached_property
    def _stretches(self) -> Array:
        """(D,) of the columns of the unit cube for the own part: 1 while the past is trusted.

        Else they are fitted to the results as if there were no past, as far as parameters have an
        order: how much single choices without one differ, so few results cannot tell.
        """
        space = self._model.view or self._model.joint
        ordered = np.array([not isinstance(p, Categorical) for p in space.values()])
        owners = np.where(ordered[space.owners], space.owners, -1)
        alike = np.ones(len(owners))
        enough = len(self._scores) >= _ENOUGH and (owners >= 0).any()
        if not self.distrusted or self.relevance is not None or not enough:
            return alike
        likeliest = alone()[int(np.argmax(self._evidence_alone(alike)))]
        return fitted_stretches(self._judged.seen.unit, self._judged.scores, likeliest, owners)

    def _stretched(self, seen: Seen) -> Seen:
        return seen.stretched(self._stretches)

    @cached_property
    def _regression(self) -> Regression:
        """On the observations, and on the pending ones as they are foreseen."""
        seen = self._stretched(self._seen)
        regression = Regression(seen, self._scores)
        if not len(self._pending):
            return regression
        pending = self._stretched(self._view(self._model.points(self._pending)))
        kernel = Kernel(pending, seen)
        means = [regression.under(h).at(pending, kernel)[0] for h, _ in self._asked]
        believed = np.array([weight for _, weight in self._asked]) @ np.array(means)
        known = np.concatenate([self._scores, believed])
        return Regression(seen.joined(pending), known, believed=len(pending))

    def _view(self, points: Points, heard: Collection[int] | None = None) -> Seen:
        """Points with voices of the past, by default all, in units of their spreads over space."""
        voices = {}
        for number in range(self._model.voices) if heard is None else heard:
            (expected, phi), scale = points.voice(number), self._model.scales[number]
            voices[number] = Voice(
                (expected - scale.expected) / scale.spread, (phi - scale.phi) / scale.spread
            )
        unit = points.unit if self.relevance is None else points.unit * self.relevance
        return Seen(unit, voices)


def _likeliest(
    hypotheses: Sequence[Hypothesis], log_weight: Array, most: int
) -> list[tuple[Hypothesis, float]]:
    """At most so many of them, those of most weight, with their shares of it."""
    order = np.argsort(-log_weight, kind="stable")[:most]
    order = order[np.isfinite(log_weight[order])]
    if not len(order):
        return []
    shares = weights(log_weight[order]).tolist()
    return [(hypotheses[i], share) for i, share in zip(order, shares, strict=True)]


def _log_improvement(block: Seen, seen: Seen, asked: list[tuple[float, Prediction]]) -> Array:
    kernel = Kernel(block, seen)
    found = []
    for log_weight, prediction in asked:
        mean, spread = prediction.at(block, kernel)
        gain = prediction.means.min() - mean
        found.append(log_weight + log_expected_improvement(gain, spread))
    return log_sum(np.array(found))


def spread_rows(losses: Array, most: int) -> NDArray[np.intp]:
    """Numbers of the rows kept if there are too many: the best half, and some of all the rest."""
    order = np.argsort(losses, kind="stable")  # NaN comes last
    if len(order) <= most:
        return np.arange(len(order))
    best = most // 2
    rest = np.linspace(best, len(order) - 1, most - best).round().astype(int)
    return np.sort(order[np.concatenate([np.arange(best), rest])])
