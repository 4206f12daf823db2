"""q(z): what the new task's observations say about its embedding.

How q(z) is found (``laplace``, ``variational``, ``hmc``) is cut from how it is used
(malibo.acquisition). Shapes: N observations, d features.

Φ        (N, d) features of the observations
offset   (N,) m(Φ), the logit that holds before z
p, n     (N,) positive and negative weights (malibo.labels)

All three start from the negative log posterior of Equation 6, with a = offset + Φ·z:

    L(z) = ½ zᵀz − Σ [ p ln σ(a) + n ln(1 − σ(a)) ]
"""

from malibo.posterior.evidence import Evidence
from malibo.posterior.gaussian import Gaussian
from malibo.posterior.hmc import hmc
from malibo.posterior.laplace import laplace
from malibo.posterior.samples import Samples
from malibo.posterior.variational import variational

Posterior = Gaussian | Samples

__all__ = ["Evidence", "Gaussian", "Posterior", "Samples", "hmc", "laplace", "variational"]
