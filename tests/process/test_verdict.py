"""The verdict on the past: what the results changed counts, not what was believed before."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from malibo.errors import InputError
from malibo.process import past_verdict
from strategies import repeatable


@pytest.mark.parametrize(
    ("trust", "prior", "verdict"),
    [
        (0.8, 0.8, "open"),
        (0.7, 0.8, "open"),  # below the prior: nothing that would speak for the past
        (0.92, 0.8, "open"),  # odds of 11.5 after 4
        (0.93, 0.8, "helps"),  # odds of 13.3 after 4
        (0.58, 0.8, "open"),  # odds of 1.38 after 4
        (0.57, 0.8, "open"),  # odds of 1.326 after 4, and yet more likely than not
        (0.49, 0.8, "misleads"),
        (0.2, 0.3, "open"),  # doubted from the start
        (0.3, 0.1, "helps"),  # unlikely still, but more than three times as likely as before
        (0.2, 0.1, "open"),
        (1.0, 0.8, "helps"),
        (0.0, 0.8, "misleads"),
    ],
)
def test_the_change_of_the_odds_decides(trust: float, prior: float, verdict: str) -> None:
    assert past_verdict(trust, prior) == verdict


@pytest.mark.parametrize("prior", [0.0, 1.0, 0, 1])
def test_where_no_result_can_change_anything_there_is_no_verdict(prior: float) -> None:
    assert past_verdict(prior, prior) is None


@repeatable
@given(trust=st.floats(0.01, 0.99), prior=st.floats(0.01, 0.99))
def test_the_verdict_goes_by_the_bayes_factor(trust: float, prior: float) -> None:
    factor = trust / (1 - trust) / (prior / (1 - prior))
    if abs(np.log(factor)) != pytest.approx(np.log(3), abs=1e-6):
        against = factor < 1 / 3 and trust < 0.5
        expected = "helps" if factor > 3 else "misleads" if against else "open"
        assert past_verdict(trust, prior) == expected


@pytest.mark.parametrize(("trust", "prior"), [(1.1, 0.8), (0.8, -0.1), (np.nan, 0.8)])
def test_what_is_no_probability_is_refused(trust: float, prior: float) -> None:
    with pytest.raises(InputError, match=r"must be a number from 0 to 1, got"):
        past_verdict(trust, prior)


@pytest.mark.parametrize(
    ("trust", "results", "verdict"),
    [
        (0.4, 1, "misleads"),
        (0.4, 2, "open"),
        (0.4, 4, "open"),
        (0.4, 5, "misleads"),
        (0.2, 2, "misleads"),
        (0.2, 4, "misleads"),
    ],
)
def test_two_to_four_results_must_speak_clearly(trust: float, results: int, verdict: str) -> None:
    assert past_verdict(trust, 0.8, results) == verdict
    assert past_verdict(trust, 0.8) == "misleads"
