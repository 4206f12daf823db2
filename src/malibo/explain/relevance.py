"""Along which parameters the new task's own part varies, as far as its results tell.

For suggestions the process takes all parameters alike while the past is trusted, which is safe
where little is known. To say which ones matter, that would not do: to such a process no parameter
is without effect.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from malibo.metamodel import MetaModel
from malibo.observations import Observations
from malibo.process import Process
from malibo.space.parameters import Array

_STRETCHES = np.array([0.03, 0.3, 1.0, 3.0])  # from next to no effect to a strong one
_TRIED = 150  # sets of stretches whose evidence is asked for, about
_LEAST, _MOST = 6, 9  # sweeps over the parameters


def processes(
    model: MetaModel, observations: Observations, trust: float, rng: np.random.Generator
) -> list[Process]:
    """Processes with different stretches of the parameters, each as often as it is likely.

    Gibbs sampling: one parameter after the other gets a new stretch, drawn by the evidence that
    the process has with each. The first third of the sweeps is for getting away from the start.
    """

    space = model.view or model.joint

    def process(stretches: Array) -> Process:
        return Process(model, observations, trust, stretches[space.owners])

    parameters = list(space.values())
    varying = [i for i, parameter in enumerate(parameters) if parameter.count > 1]
    enough = _TRIED // ((len(_STRETCHES) - 1) * max(len(varying), 1))
    sweeps = min(max(enough, _LEAST), _MOST)
    current, kept = process(stretches := np.ones(len(parameters))), []
    for sweep in range(sweeps):
        for index in rng.permutation(varying):
            stretches, current = _drawn(stretches, current, index, process, rng)
        if sweep >= (sweeps + 1) // 3:
            kept.append(current)
    return kept


def _drawn(
    stretches: Array,
    current: Process,
    index: int,
    process: Callable[[Array], Process],
    rng: np.random.Generator,
) -> tuple[Array, Process]:
    """The same stretches but for one, which is drawn by evidence."""
    choices = np.tile(stretches, (len(_STRETCHES), 1))
    choices[:, index] = _STRETCHES
    found = [current if (c == stretches).all() else process(c) for c in choices]
    evidence = np.array([one.log_evidence for one in found])
    weight = np.exp(evidence - evidence.max())
    chosen = int(rng.choice(len(found), p=weight / weight.sum()))
    return choices[chosen], found[chosen]
