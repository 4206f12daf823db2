"""The new task as a Gaussian process around what the past foresees, and how far to trust that.

    s(x) = c − a·m(Φ) + a·zᵀΦ + r(x) + ε

s        scaled loss (malibo.scores)
m, Φ     mean logit and features of the meta-model, in units of their own spread; or, the other
         voice of the past, minus the mean and the deviations of its functions (malibo.functions)
a, z     how much of the past holds here; z ~ N(0, I), the prior of the paper
r        what the task has of its own: a Gaussian process with a Matérn kernel
c, ε     a constant and noise

Everything but a and the kernel's numbers is Gaussian and integrated in closed form. Those few
are tried on a grid of hypotheses, each weighed by its evidence p(s₁…s_N). By the chain rule
the evidence is Π p(s_n | s₁…s_{n−1}): how well a hypothesis foresaw each new observation when
it came. Those above, with a > 0, believe what the past expects; each has a twin that doubts it:

    s(x) = c − a·b·m(Φ) + a·zᵀΦ + r(x) + ε,    b ~ N(0, 1)

Results from where the past expects the same of all cannot tell whether b is 1. There doubt
stays, however well the past explains them, and with it the wish to look elsewhere. Trust is
the probability that what the past expects has the right sign: b > 0, or belief.
"""

from malibo.process.process import Process
from malibo.process.verdict import DISTRUST, PastVerdict, past_verdict

__all__ = ["DISTRUST", "PastVerdict", "Process", "past_verdict"]
