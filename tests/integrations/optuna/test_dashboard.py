"""The dashboard on a storage in which this sampler works."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from wsgiref.util import setup_testing_defaults

import optuna
import pytest

from malibo.integrations.optuna import MaliboSampler

optuna_dashboard = pytest.importorskip("optuna_dashboard")


def get(app: Any, path: str) -> Any:
    """What the dashboard's server answers to a browser, without a network."""
    environment: dict[str, Any] = {"PATH_INFO": path}
    setup_testing_defaults(environment)
    status: list[str] = []
    body = b"".join(app(environment, lambda found, headers, *_: status.append(found)))
    assert status == ["200 OK"], body
    return json.loads(body)


def test_the_dashboard_shows_trust_and_source(tmp_path: Path) -> None:
    storage = optuna.storages.RDBStorage(f"sqlite:///{tmp_path}/study.db")
    study = optuna.create_study(study_name="s", storage=storage, sampler=MaliboSampler(seed=0))
    app = optuna_dashboard.wsgi(storage)  # there before, while and after trials run
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
    (summary,) = get(app, "/api/studies")["study_summaries"]
    trials = get(app, f"/api/studies/{summary['study_id']}")["trials"]
    assert len(trials) == 3
    for trial in trials:
        shown = {item["key"]: item["value"] for item in trial["user_attrs"]}
        assert shown == {"malibo:source": "random", "malibo:trust": "0.0"}
