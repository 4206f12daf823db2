"""Tune any command: run it with configurations of a study, read its objective, tell it."""

from malibo.tune.command import Command, CommandError
from malibo.tune.plan import Plan
from malibo.tune.tuning import Ending, logs, tune

__all__ = ["Command", "CommandError", "Ending", "Plan", "logs", "tune"]
