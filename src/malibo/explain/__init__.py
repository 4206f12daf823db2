"""What the model believes, for people: which past is alike, what matters, what was gained.

similarity      which past tasks the new one is like
importance      which parameters matter for it
at_random       what random search would probably have reached on it
evaluation      whether a past is worth a warm start at all, by leaving one task out at a time

The first three say what the model believes of the new task by now. They take the model and the
observations and change nothing. The fourth measures.
"""

from malibo.explain.at_random import RandomSearch, random_search
from malibo.explain.evaluation import evaluate
from malibo.explain.importance import Importance, importances
from malibo.explain.similarity import Similarity, similarities, task_similarities
from malibo.explain.verdict import Evaluation

__all__ = [
    "Evaluation",
    "Importance",
    "RandomSearch",
    "Similarity",
    "evaluate",
    "importances",
    "random_search",
    "similarities",
    "task_similarities",
]
