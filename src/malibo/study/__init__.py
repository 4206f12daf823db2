"""One tuning in one file: its trials, its options and its model (SQLite)."""

from malibo.study.database import StudyBusyError, StudyError, TrialToldError
from malibo.study.opening import Place
from malibo.study.study import Study
from malibo.study.trial import Status, Trial

__all__ = ["Place", "Status", "Study", "StudyBusyError", "StudyError", "Trial", "TrialToldError"]
