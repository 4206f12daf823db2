"""A study in words and numbers, for people and for scripts."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Any

from malibo.process import PastVerdict, past_verdict
from malibo.space import Config
from malibo.study.study import Study
from malibo.study.trial import Trial

_MEANINGS: dict[PastVerdict, str] = {
    "helps": "the past helps here",
    "misleads": "the past misleads here",
    "open": "it is open whether the past helps",
}


def facts(study: Study) -> dict[str, Any]:
    """What a study has come to: counts of its trials, the best one, and trust in the past.

    ``past`` is what the results say of it (malibo.process.past_verdict). Without a past there is
    no trust, nor with the classifier, to which it means nothing.
    """
    trials = study.trials
    counts = Counter(trial.status for trial in trials)
    told = counts["finished"] + counts["failed"]
    best = study.best
    trusting = study.model.informed and study.config.surrogate == "process"
    trust = study.trust if trusting else None
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
        "trust": trust,
        "past": None if trust is None else past_verdict(trust, study.config.trust, told),
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
    best, trust = known["best"], trust_text(known)
    lines = ["best so far: none, no trial has a value yet"]
    if best:
        lines = [f"best so far: trial {best['number']}, {best['value']!r}"]
    return [*lines, f"trust in the past: {trust}"] if trust else lines


def trust_text(known: dict[str, Any]) -> str:
    """``"0.93, the past helps here"``, from ``facts``; empty where trust plays no part.

    The number alone where the results have no say: with a trust of 0 or 1 beforehand.
    """
    if known["trust"] is None:
        return ""
    number = f"{known['trust']:.2f}"
    return number if known["past"] is None else f"{number}, {_MEANINGS[known['past']]}"


def counts_text(known: dict[str, Any]) -> str:
    """``"12 trials: 10 finished, 1 failed, 1 running"``, from ``facts``."""
    states = ("finished", "failed", "running", "waiting")
    parts = [f"{known[state]} {state}" for state in states if known[state]]
    noun = "trial" if known["trials"] == 1 else "trials"
    return f"{known['trials']} {noun}" + (f": {', '.join(parts)}" if parts else "")
