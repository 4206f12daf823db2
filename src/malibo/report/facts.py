"""Everything that a report says, as one plain dict: what the page shows and ``--json`` prints."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from malibo.errors import InputError, plural
from malibo.explain import RandomSearch, importances, random_search, resemblance, similarities
from malibo.process import past_verdict
from malibo.report.numerals import probability
from malibo.report.tuning import Trial, Tuning
from malibo.space import Categorical, Fixed, Float, Int, Ordinal, Parameter, Value
from malibo.suggest import OWN, SOURCES
from malibo.task import sign

Facts = dict[str, Any]

STATUSES = ("finished", "failed", "pruned", "running", "waiting")
FORMAT = 1  # of the facts, for scripts; greater when a name changes its meaning or goes


def facts_of(tuning: Tuning, seed: int = 0, progress: bool = False) -> Facts:
    """All facts of a tuning; the same tuning and seed give the same."""
    _need_results(tuning)
    found: Facts = {
        "format": FORMAT,
        "name": tuning.name,
        "direction": tuning.direction,
        "best": _best(tuning),
        "counts": _counts(tuning.trials),
        "seconds": _seconds(tuning.trials),
        "past": _past(tuning),
        "parameters": [_parameter(name, kind) for name, kind in tuning.space.items()],
        "sources": _sources(tuning.trials),
        "trials": [_trial(trial) for trial in tuning.trials],
    }
    return found | _estimates(tuning, seed, progress)


def _need_results(tuning: Tuning) -> None:
    """Refuse a study of which there is nothing to report."""
    ended = [trial for trial in tuning.trials if trial.status not in ("running", "waiting")]
    if not ended:
        open_ones = plural(len(tuning.trials), "trial")
        raise InputError(
            f"the study {tuning.name!r} has no results yet ({open_ones}, none ended); tell some"
            " results or wait for the first trial to end, then ask for the report again."
        )


# -- what was recorded ---------------------------------------------------------------------


def _best(tuning: Tuning) -> Facts | None:
    if tuning.best is None:
        return None
    before = [trial for trial in tuning.trials if trial.number <= tuning.best.number]
    return {
        "value": tuning.best.value,
        "number": tuning.best.number,
        "place": len(before),
        "config": _config(tuning.best),
    }


def _counts(trials: Iterable[Trial]) -> Facts:
    counted: Counter[str] = Counter(trial.status for trial in trials)
    return {"all": sum(counted.values())} | {status: counted[status] for status in STATUSES}


def _seconds(trials: Iterable[Trial]) -> float | None:
    """From the first start to the last end."""
    known = [(t.started, t.ended) for t in trials]
    starts = [start for start, _ in known if start is not None]
    ends = [end for _, end in known if end is not None]
    return max(0.0, max(ends) - min(starts)) if starts and ends else None


def _past(tuning: Tuning) -> Facts:
    """What the past was worth, in one word and in one sentence."""
    tasks = len(tuning.model.tasks) if tuning.informed else 0
    trust, prior = tuning.trust, tuning.config.trust
    unjudged = bool(tasks) and not tuning.judged
    word, sentence = _verdict(trust, prior, unjudged, len(tuning.observations.losses))
    return {
        "tasks": tasks,
        "trust": trust,
        "prior": None if trust is None else prior,
        "word": word,
        "verdict": sentence,
    }


def _verdict(trust: float | None, prior: float, unjudged: bool, results: int) -> tuple[str, str]:
    """By how the results changed the odds that the past helps, not by trust alone."""
    if unjudged:
        return "unjudged", "The past is used by the classifier, which does not judge it."
    if trust is None:
        return "none", "This study knows of no past: it started cold."
    told = f"(trust {probability(trust)}; {probability(prior)} before the first result)"
    found = past_verdict(trust, prior, results)
    if found == "helps":
        return found, f"The past helps {told}."
    if found == "misleads":
        return found, f"The past misleads {told}."
    if found == "open":
        return found, f"It is open whether the past helps {told}."
    return "unjudged", "The past is believed whatever comes: trust was set to 1."


def _parameter(name: str, parameter: Parameter) -> Facts:
    found: Facts = {"name": name, "kind": parameter.kind}
    if isinstance(parameter, Float | Int):
        found |= {"low": parameter.low, "high": parameter.high, "log": parameter.log}
    if isinstance(parameter, Categorical | Ordinal | Fixed):
        found["choices"] = list(parameter.listed)
    if parameter.when:
        found["when"] = {parent: list(values) for parent, values in parameter.when.items()}
    return found


def _sources(trials: Iterable[Trial]) -> list[Facts]:
    """How many configurations came from where; those of which it is not known are ``own``."""
    counted = Counter(trial.source or OWN for trial in trials)
    others = sorted(name for name in counted if name not in SOURCES)
    return [
        {
            "source": name,
            "count": counted[name],
            "meaning": SOURCES[name].meaning if name in SOURCES else "",
        }
        for name in (*SOURCES, *others)
        if counted[name]
    ]


def _trial(trial: Trial) -> Facts:
    return {
        "number": trial.number,
        "status": trial.status,
        "value": trial.value,
        "source": trial.source or OWN,
        "trust": trial.trust,
        "started": trial.started,
        "ended": trial.ended,
        "config": _config(trial),
        "note": trial.note,
    }


def _config(trial: Trial) -> Facts:
    """Its values as they are; what JSON does not know, which Optuna may have, as text."""
    return {
        name: value if isinstance(value, Value) else str(value)
        for name, value in trial.config.items()
    }


# -- what the model believes ---------------------------------------------------------------


def _estimates(tuning: Tuning, seed: int, progress: bool) -> Facts:
    """What takes a moment; nothing of it without a result, and no likeness without a past."""
    from tqdm import tqdm

    steps = (_random_search, _similarities, _importances)
    if tuning.best is None:
        return {
            "random_search": None,
            "similarities": [],
            "most_like": None,
            "importances": [],
        }
    bar = tqdm(steps, desc="report", disable=None if progress else True, leave=False)
    return {name: value for step in bar for name, value in step(tuning, seed).items()}


def _random_search(tuning: Tuning, seed: int) -> Facts:
    """What random search would probably have reached, in the values that the user tells."""
    trials = 1 + max(trial.number for trial in tuning.trials)
    found = random_search(
        tuning.model, tuning.observations, trials, seed=seed, config=tuning.config
    )
    low, median, high = _in_values(found, sign(tuning.direction))
    needed = dict(zip(("low", "median", "high"), map(_finite, found.needed), strict=True))
    bands = {"median": median, "low": low, "high": high}
    return {"random_search": {**bands, "needed": needed, "reach": found.reach}}


def _in_values(found: RandomSearch, factor: int) -> tuple[list[float], list[float], list[float]]:
    """Lower end, median and upper end; of scores, the lower end is that of the greater loss."""
    ends = (found.low, found.high) if factor > 0 else (found.high, found.low)
    low, high = (_listed(factor * np.asarray(end)) for end in ends)
    return low, _listed(factor * np.asarray(found.median)), high


def _listed(values: Any) -> list[float]:
    return [float(value) for value in values]


def _finite(number: float) -> float | None:
    return float(number) if math.isfinite(number) else None


def _similarities(tuning: Tuning, seed: int) -> Facts:
    """How alike the past tasks are, and which one is to be named."""
    if not tuning.informed:
        return {"similarities": [], "most_like": None}
    found = similarities(tuning.model, tuning.observations, seed=seed, config=tuning.config)
    task, certainty = resemblance(found)
    rows = [_plain(item, "task", "mean", "low", "high", "nearest") for item in found]
    return {"similarities": rows, "most_like": {"task": task, "certainty": certainty}}


def _importances(tuning: Tuning, seed: int) -> Facts:
    found = importances(tuning.model, tuning.observations, seed=seed, config=tuning.config)
    return {"importances": [_plain(item, "name", "share", "low", "high") for item in found]}


def _plain(item: object, *names: str) -> Facts:
    values = {name: getattr(item, name) for name in names}
    return {name: v if isinstance(v, str) else float(v) for name, v in values.items()}
