"""What is tuned: tables of real runs, HPO-B, and synthetic families of functions."""

from malibo.bench.problems.problem import Evaluation, Problem, Reference

__all__ = ["Evaluation", "Problem", "Reference"]
