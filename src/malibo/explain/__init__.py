"""What the model believes, for people: which past is alike, what matters, what was gained.

similarity      which past tasks the new one is like
importance      which parameters matter for it
at_random       what random search would probably have reached on it
evaluation      whether a past is worth a warm start at all, by leaving one task out at a time

The first three say what the model believes of the new task by now. They take the model and the
observations and change nothing. The fourth measures.

Beneath them: embeddings (draws of the new task, and what tasks are over the space), relevance
(processes that tell parameters apart), orders (how random search goes through a space),
leave_one_out (one task's rows), verdict (what evaluating has shown), prior (trust beforehand).
"""

from malibo.explain.at_random import RandomSearch, random_search
from malibo.explain.embeddings import directions, drawn_embeddings
from malibo.explain.evaluation import evaluate
from malibo.explain.importance import Importance, importances
from malibo.explain.prior import prior_trust
from malibo.explain.similarity import (
    Certainty,
    Similarity,
    resemblance,
    similarities,
    task_similarities,
)
from malibo.explain.verdict import Ahead, Evaluation, Saved, Tuned

__all__ = [
    "Ahead",
    "Certainty",
    "Evaluation",
    "Importance",
    "RandomSearch",
    "Saved",
    "Similarity",
    "Tuned",
    "directions",
    "drawn_embeddings",
    "evaluate",
    "importances",
    "prior_trust",
    "random_search",
    "resemblance",
    "similarities",
    "task_similarities",
]
