"""A study in words and numbers, for people and for scripts."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Any

from malibo.space import Config
from malibo.study.study import Study
from malibo.study.trial import Trial


def facts(study: Study) -> dict[str, Any]:
    """What a study has come to: counts of its trials, the best one, and trust in the past."""
    trials = study.trials
    counts = Counter(trial.status for trial in trials)
    best = study.best
    return {
        "study": str(study.path),
        "name": study.name,
        "direction": study.direction,
        "trials": len(trials),
        "finished": counts["finished"],
        "failed": counts["failed"],
        "running": counts["running"],
        "waiting": counts["waiting"],
        "best": best and {"number": best.number, "value": best.value, "config": best.config},
        "trust": study.trust if study.model.informed else None,
    }


def trial_facts(trial: Trial) -> dict[str, Any]:
    """All fields of a trial, but for those of the process that runs it."""
    plain = asdict(trial)
    return {name: value for name, value in plain.items() if name not in ("owner", "seen")}


def trial_text(trial: Trial) -> str:
    """The number, and a line for each parameter."""
    width = max(len(name) for name in trial.config)
    rows = [f"  {name:{width}}  {value}" for name, value in trial.config.items()]
    return "\n".join([f"trial {trial.number}", *rows])


def config_text(config: Config) -> str:
    """All on one line, to be read, not to be used: six digits."""
    return ", ".join(f"{name}={_short(value)}" for name, value in config.items())


def _short(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else repr(value)


def standing(known: dict[str, Any]) -> list[str]:
    """Two lines from ``facts``: the best trial, and trust."""
    best, trust = known["best"], known["trust"]
    lines = ["best so far: none, no trial has a value yet"]
    if best:
        lines = [f"best so far: trial {best['number']}, {best['value']!r}"]
    return lines if trust is None else [*lines, f"trust in the past: {trust_text(trust)}"]


def trust_text(trust: float) -> str:
    """``"0.93, the past helps here"``."""
    meaning = "the past helps here" if trust >= 0.5 else "the past does not help much here"
    return f"{trust:.2f}, {meaning}"


def counts_text(known: dict[str, Any]) -> str:
    """``"12 trials: 10 finished, 1 failed, 1 running"``, from ``facts``."""
    states = ("finished", "failed", "running", "waiting")
    parts = [f"{known[state]} {state}" for state in states if known[state]]
    noun = "trial" if known["trials"] == 1 else "trials"
    return f"{known['trials']} {noun}" + (f": {', '.join(parts)}" if parts else "")
