"""A tuning with every status, its facts, and its page."""

from __future__ import annotations

from typing import Any

import pytest

from malibo import MetaModel
from malibo.report import Tuning, facts_of, report_page
from report.examples import five_trials, tuning_of


@pytest.fixture(scope="session")
def tuning(model: MetaModel) -> Tuning:
    """Five trials, one failed and one running."""
    return tuning_of(model, five_trials())


@pytest.fixture(scope="session")
def facts(tuning: Tuning) -> dict[str, Any]:
    """Its facts; tests copy what they change."""
    return facts_of(tuning)


@pytest.fixture(scope="session")
def page(facts: dict[str, Any]) -> str:
    """Its page."""
    return report_page(facts)
