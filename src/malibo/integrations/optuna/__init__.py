"""malibo as a sampler of Optuna (extra ``optuna``).

A study's way to a suggestion: ``snapshot`` reads its trials, ``target`` finds the space that
the objective asks for, ``plan`` is one whole configuration for a trial, the ``planner`` makes
one that no other worker has, ``notes`` leave word of it in the storage, and the ``sampler`` hands
out its values one by one.
"""

from malibo.extras import require

require("optuna", "optuna")

from malibo.integrations.optuna.sampler import MaliboSampler  # noqa: E402

__all__ = ["MaliboSampler"]
