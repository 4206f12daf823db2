"""Along which parameters the new task's own part varies, fitted to its results.

While the past is trusted it says most of that, and to take all parameters alike does no harm.
Where it is not, the own part is all there is.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from malibo.likelihood import negative_log_likelihood
from malibo.process.hypotheses import Hypothesis
from malibo.process.regression import CONSTANT

Array = NDArray[np.float64]

_SPREAD = 0.7  # of the prior of a stretch's logarithm, around 0
_MOST = 2.5  # by which that logarithm may differ from 0
_LEAST_NOISE = 1e-6  # with less, a covariance may not be told from a singular one
_ITERATIONS = 20


def fitted_stretches(
    unit: Array, scores: Array, h: Hypothesis, parameters: NDArray[np.intp]
) -> Array:
    """(D,) the most probable stretches of the columns of the unit cube, given scores.

    unit         (N, D) where the scores were observed
    h            what else holds of the own part; without a past
    parameters   (D,) number of the parameter that a column belongs to: columns of one parameter
                 have one stretch. Those with −1 stay as they are
    """
    from scipy.optimize import minimize  # takes as long to import as all of malibo

    numbers = np.unique(parameters[parameters >= 0])
    belongs = (parameters == numbers[:, None]).astype(float)  # (parameters, D)
    points = unit / (h.length * math.sqrt(unit.shape[1]))
    noise = max(h.noise, _LEAST_NOISE)

    def cost(logs: Array) -> tuple[float, Array]:
        """−ln of the posterior, up to a constant, and its gradient."""
        stretched = points * np.exp(logs @ belongs)
        found = negative_log_likelihood(stretched, scores, noise, h.own, CONSTANT)
        off = logs / _SPREAD
        return found.value + 0.5 * float(off @ off), -belongs @ found.by_length + off / _SPREAD

    best = minimize(
        cost,
        np.zeros(len(numbers)),
        jac=True,
        method="L-BFGS-B",
        bounds=[(-_MOST, _MOST)] * len(numbers),
        options={"maxiter": _ITERATIONS},
    )
    return np.asarray(np.exp(best.x @ belongs))
