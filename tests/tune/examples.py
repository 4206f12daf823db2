"""What the tests of tuning share: commands to run, and how a study stands."""

from __future__ import annotations

import sys
from typing import Any

from malibo.config import SuggestConfig
from malibo.study import Study
from malibo.tune import Command, Plan, tune

FAST = SuggestConfig(residual="none", random_candidates=16)


def run(study: Study, words: list[str], **plan: Any) -> str:
    return tune(study, Command(words, study.space), Plan(**plan), progress=False)


def python(script: str, *words: str) -> list[str]:
    return [sys.executable, "-IS", "-c", script.replace("{", "{{").replace("}", "}}"), *words]


def shell(script: str) -> list[str]:
    return ["/bin/sh", "-c", script.replace("{", "{{").replace("}", "}}")]


def statuses(study: Study) -> list[str]:
    return [trial.status for trial in study.trials]
