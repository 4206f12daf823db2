"""What the tests of pictures share: a tuning with some results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from malibo import Malibo, MetaModel

pytest.importorskip("matplotlib")

FAILED = 3  # number of the trial that failed


@pytest.fixture(scope="session")
def tuned(model: MetaModel, objective: Callable[[Mapping[str, Any]], float]) -> Malibo:
    """Eight results, one of which failed."""
    optimizer = Malibo(model, seed=0)
    for number in range(8):
        config = optimizer.ask()
        optimizer.tell(config, None if number == FAILED else objective(config))
    return optimizer
