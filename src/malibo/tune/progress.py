"""What people see meanwhile: a bar with the best value, on a terminal, and failures anywhere."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any

from tqdm import tqdm

from malibo.study import Study, StudyBusyError


class Progress:
    """Within ``with``, a bar over the trials that are told, also those of other processes."""

    def __init__(self, study: Study, trials: int, shown: bool) -> None:
        disable = None if shown else True
        self._bar: Any = tqdm(total=trials, disable=disable, unit="trial", initial=_told(study))

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._bar.close()

    def update(self, study: Study) -> None:
        """Show what the study has come to, unless it is busy, or the terminal is gone."""
        if self._bar.disable:
            return
        with suppress(StudyBusyError, OSError):
            best = study.best
            self._bar.n = _told(study)
            self._bar.set_postfix(best="none yet" if best is None else best.value)

    def say(self, line: str) -> None:
        """A line for people, above the bar if there is one."""
        with suppress(OSError):
            self._bar.write(line, file=sys.stderr)


def _told(study: Study) -> int:
    return sum(trial.told for trial in study.trials)
